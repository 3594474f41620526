// Turns of a connection that speaks HTTP/1.1: data read and written in each, and gates.

#include <gtest/gtest.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::milliseconds;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr const char* kPost = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n";
constexpr const char* kChunked =
    "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::size_t kSlice = 65536;
constexpr std::size_t kLargeBuffer = 212992;

std::string Chunk(std::size_t size) { return "10000\r\n" + std::string(size, 'x') + "\r\n"; }

// Four slices of 64 KiB a turn; then other connections are served.
TEST(Http1Turns, LongResponse_YieldsAfterFourSlices) {
  for (const int slices : {3, 4}) {
    ConnectionScene scene;
    const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, kLargeBuffer);
    const auto script = scene.handler().Add({});
    std::string all = kChunked;
    for (int i = 0; i < slices; ++i) {
      script->parts.push_back({std::string(kSlice, 'x'), State::kMore});
      all += Chunk(kSlice);
    }
    script->parts.push_back({"", State::kEnd});
    client->Send(kGet);
    EXPECT_EQ(scene.host().pumps, slices == 4 ? 1 : 0);
    EXPECT_EQ(script->asked,
              std::vector<std::size_t>(static_cast<std::size_t>(slices) + 1, kSlice));
    EXPECT_TRUE(client->Receive() == all + "0\r\n\r\n");
  }
}

TEST(Http1Turns, SlowResponse_YieldsAfterAMillisecond) {
  ConnectionScene scene(milliseconds(1));
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"a", State::kWait}});
  EXPECT_EQ(client->Exchange(kGet), std::string(kChunked) + "1\r\na\r\n");
  script->parts = {{"b", State::kMore}, {"c", State::kMore}, {"d", State::kEnd}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "1\r\nb\r\n1\r\nc\r\n1\r\nd\r\n0\r\n\r\n");
  EXPECT_EQ(scene.host().pumps, 3);
}

TEST(Http1Turns, QuickResponse_NeedsOneTurn) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"a", State::kWait}});
  client->Exchange(kGet);
  script->parts = {{"b", State::kMore}, {"c", State::kMore}, {"d", State::kEnd}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "3\r\nbcd\r\n0\r\n\r\n");
  EXPECT_EQ(scene.host().pumps, 1);
}

// A response is pulled only as fast as its client reads.
TEST(Http1Turns, SlowReader_HoldsTheResponseBack) {
  ConnectionScene scene;
  const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, 1);
  const auto script = scene.handler().Add({});
  std::string all = kChunked;
  for (int i = 0; i < 20; ++i) {
    script->parts.push_back({std::string(kSlice, 'x'), State::kMore});
    all += Chunk(kSlice);
  }
  script->parts.push_back({"", State::kEnd});
  client->Send(kGet);
  EXPECT_EQ(script->asked.size(), 1U);
  for (int i = 0; i < 5; ++i) scene.Wake(script);
  EXPECT_EQ(script->asked.size(), 2U) << "waking does not help";
  EXPECT_TRUE(client->Receive() == all + "0\r\n\r\n");
  EXPECT_EQ(script->asked.size(), 21U);
  EXPECT_EQ(client->Exchange(kGet),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 6\r\n\r\nGET / ");
}

// Requests that come during a response are read up to 64 KiB, and the rest stays in the socket.
TEST(Http1Turns, DataDuringAResponse_IsReadUpTo64Kibibytes) {
  ConnectionScene scene;
  scene.keep_server_ends = true;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"a", State::kWait}});
  client->Exchange(kGet);
  constexpr std::string_view kHead = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n";
  constexpr std::size_t head = kHead.size();
  client->Send(kHead);
  std::size_t sent = head;
  for (; sent + 1000 < kSlice; sent += 1000) client->Send(std::string(1000, 'x'));
  client->Send(std::string(kSlice - 1 - sent, 'x'));
  EXPECT_EQ(client->Unread(), 0U);
  client->Send("x");
  EXPECT_EQ(client->Unread(), 0U);
  client->Send("x");
  EXPECT_EQ(client->Unread(), 1U);
  client->Send("xyz");
  EXPECT_EQ(client->Unread(), 4U);
  script->parts = {{"", State::kEnd}};
  scene.Wake(script);
  EXPECT_EQ(client->Unread(), 0U) << "a request is read on";
  client->Send(std::string(100000 - (kSlice + 4 - head), 'x'));
  client->Receive();
  ASSERT_EQ(scene.handler().requests.size(), 2U);
  EXPECT_TRUE(scene.handler().requests[1].body ==
              std::string(kSlice + 1 - head, 'x') + "xyz" +
                  std::string(100000 - (kSlice + 4 - head), 'x'));
}

TEST(Http1Turns, Requests_AreAnsweredOneAfterAnother) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto first = scene.handler().Add({{"1", State::kWait}});
  const auto second = scene.handler().Add({{"2", State::kEnd}});
  client->Send(std::string(kGet) + kGet);
  client->Send("GET /third HTTP/1.1\r\n");
  client->Send("Host: h\r\n\r\nGET /fourth");
  EXPECT_EQ(scene.handler().requests.size(), 1U);
  client->Receive();
  first->parts = {{"", State::kEnd}};
  scene.Wake(first);
  EXPECT_EQ(client->Receive(),
            "0\r\n\r\nHTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 1\r\n\r\n2"
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 11\r\n\r\nGET /third ");
  EXPECT_EQ(client->Exchange(" HTTP/1.1\r\nHost: h\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 12\r\n\r\nGET /fourth ");
  EXPECT_EQ(second->alive, 0);
}

struct GateRow {
  int status;
  bool later;
  std::string_view body;  // sent before the gate decides
  std::string output;
  bool ended;
};

TEST(Http1Gates, DecideAboutTheBody) {
  const std::string served = "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 10\r\n\r\nPOST / abc";
  const std::string closed =
      "HTTP/1.1 403 Forbidden\r\nDate: now\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno";
  const std::string kept = "HTTP/1.1 403 Forbidden\r\nDate: now\r\nContent-Length: 2\r\n\r\nno";
  for (const GateRow& row : std::vector<GateRow>{{100, false, "abc", served, false},
                                                 {100, false, "a", "", false},
                                                 {100, true, "abc", served, false},
                                                 {100, true, "", "", false},
                                                 {403, false, "abc", kept, false},
                                                 {403, false, "ab", closed, true},
                                                 {403, false, "", closed, true},
                                                 {403, true, "abc", closed, true},
                                                 {403, true, "", closed, true}}) {
    SCOPED_TRACE(std::to_string(row.status) + (row.later ? " later " : " ") +
                 std::string(row.body));
    ConnectionScene scene;
    const auto client = scene.Connect();
    const auto gate =
        scene.handler().gates.emplace_back(Script::Of({{"no", State::kEnd}}, row.status));
    gate->ready = !row.later;
    client->Send(kPost + std::string(row.body));
    if (row.later) {
      EXPECT_EQ(client->Receive(), "");
      EXPECT_EQ(gate->alive, 1);
      gate->ready = true;
      scene.Wake(gate);
    }
    EXPECT_EQ(client->Receive(), row.output);
    EXPECT_EQ(client->ended(), row.ended);
    EXPECT_EQ(gate->alive, 0);
    EXPECT_EQ(scene.handler().judged, std::vector<std::string>{"/"});
    EXPECT_EQ(scene.handler().requests.size(), row.output == served ? 1U : 0U);
  }
}

// The client is asked for the body only once the gate has opened.
TEST(Http1Gates, Continue_IsSaidWhenTheGateOpens) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto gate = scene.handler().gates.emplace_back(Script::Of({}, 100));
  gate->ready = false;
  EXPECT_EQ(client->Exchange("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
                             "Expect: 100-continue\r\n\r\n"),
            "");
  gate->ready = true;
  scene.Wake(gate);
  EXPECT_EQ(client->Receive(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client->Exchange("abc"),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 10\r\n\r\nPOST / abc");
}

}  // namespace
}  // namespace kinformer::internal::http
