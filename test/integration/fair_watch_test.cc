// Watches of large objects in encodings other than the stored one must not delay other requests,
// and all watchers must get all events.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "integration/fair_server.h"

namespace kinformer::testing {
namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf;stream=watch";
constexpr std::string_view kTable = "application/json;as=Table;g=meta.k8s.io;v=v1";
constexpr std::string_view kMetadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

std::string WatchRequest(std::string_view accept, std::string_view query) {
  return RequestText("GET", std::string(kMaps).append("?watch=1&timeoutSeconds=1").append(query),
                     {{"Accept", std::string(accept)}});
}

std::size_t Count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) {
    ++found;
  }
  return found;
}

class FairWatch : public FairServer {
 protected:
  FairWatch() {
    for (int i = 0; i < 4; ++i) {
      const RawReply made =
          Ask(Map("m" + std::to_string(i), ",\"data\":{" + Members(30'000, "\"v\"") + "}"));
      EXPECT_EQ(made.status, 201) << made.text.substr(0, 500);
    }
  }

  // Makes a change while many watchers exist. Returns what each of them received.
  std::vector<std::string> Told(std::size_t watchers, std::string_view accept,
                                std::string_view query, const std::string& change) {
    std::vector<std::unique_ptr<RawSocket>> sockets;
    for (std::size_t i = 0; i < watchers; ++i) {
      sockets.push_back(std::make_unique<RawSocket>(server_.http().port()));
      sockets.back()->Send(WatchRequest(accept, query));
    }
    // They are there once this has been answered behind them.
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask(Get("/livez")).status, 200);
    EXPECT_EQ(Ask(change).status, 200);
    std::vector<std::string> told;
    for (const auto& socket : sockets) told.push_back(socket->ReadToEnd());
    return told;
  }
};

TEST_F(FairWatch, StateOfLargeObjects) {
  std::vector<FairRow> rows;
  for (const std::string_view accept : {kProtobuf, kTable, kMetadata}) {
    rows.push_back({"State" + std::to_string(rows.size()), 200,
                    [accept] { return WatchRequest(accept, ""); }});
  }
  AskAll(rows);
  for (const FairRow& row : rows) {
    const RawReply reply = Ask(row.request());
    EXPECT_EQ(Count(reply.text, "ADDED"), 4U) << row.name;
    for (const char* name : {"m0", "m1", "m2", "m3"}) {
      EXPECT_NE(reply.text.find(name), std::string::npos) << row.name;
    }
  }
}

TEST_F(FairWatch, ChangesOfLargeObjects) {
  for (const std::string_view accept : {kProtobuf, kTable, kMetadata}) {
    ExpectFair(accept, [&](int attempt) {
      const std::string value =
          "new-" + std::to_string(accept.size()) + "-" + std::to_string(attempt);
      const std::string patch =
          Patch("m1", "merge", R"({"metadata":{"labels":{"l":")" + value + R"("}}})");
      for (const std::string& told : Told(5, accept, "", patch)) {
        EXPECT_EQ(Count(told, "ADDED"), 4U) << accept;
        EXPECT_EQ(Count(told, "MODIFIED"), 1U) << accept;
        EXPECT_NE(told.find(value), std::string::npos) << accept;
      }
    });
  }
}

// The deletion has the old state and the version of the change.
TEST_F(FairWatch, LargeObjectsLeaveASelection) {
  for (const std::string_view accept : {kProtobuf, kTable}) {
    const std::string name = accept == kTable ? "m2" : "m3";
    const std::string leave = Patch(name, "merge", R"({"metadata":{"labels":{"in":null}}})");
    ExpectFair(accept, [&](int) {
      ASSERT_EQ(Ask(Patch(name, "merge", R"({"metadata":{"labels":{"in":"it"}}})")).status, 200);
      for (const std::string& told : Told(3, accept, "&labelSelector=in", leave)) {
        EXPECT_EQ(Count(told, "ADDED"), 1U) << accept;
        EXPECT_EQ(Count(told, "DELETED"), 1U) << accept;
      }
    });
  }
}

TEST_F(FairWatch, WatchersLeaveWhileAFrameIsMade) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<RawSocket>> sockets;
    for (int i = 0; i < 4; ++i) {
      sockets.push_back(std::make_unique<RawSocket>(server_.http().port()));
      sockets.back()->Send(WatchRequest(kProtobuf, ""));
    }
    if (round % 2 == 0) sockets.resize(1);
    EXPECT_EQ(Ask(Get("/livez")).status, 200);
  }
}

}  // namespace
}  // namespace kinformer::testing
