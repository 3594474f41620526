// CurlTransfer by itself: what a new attempt replaces, which requests are sent twice, and how
// answers are counted and timed.

#include <chrono>
#include <cstdint>
#include <curl/curl.h>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "transport/curl_transfer_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// ---- Prepare

TEST_F(CurlTransferTest, PrepareAgain_ReplacesWhatTheFirstSet) {
  std::promise<std::string> head;
  LoopbackServer server([&](const Request& request, Peer& peer) {
    head.set_value(request.head);
    return peer.Write(kOk);
  });
  HttpRequest request{.target = "/x"};
  request.headers.Add("X-A", "1");
  CurlTransfer& transfer = Make(server.url(), std::move(request));
  ASSERT_TRUE(Prepare(transfer, "Bearer old").ok());
  transfer.started = true;
  transfer.connecting_since = transfer.handshake_since = Now();
  transfer.socket = 7;
  ASSERT_TRUE(Prepare(transfer, "Bearer new").ok());
  EXPECT_FALSE(transfer.started);
  EXPECT_FALSE(transfer.connecting_since.has_value());
  EXPECT_FALSE(transfer.handshake_since.has_value());
  EXPECT_EQ(transfer.socket, -1);
  EXPECT_EQ(transfer.authorization(), "Bearer new");
  EXPECT_EQ(curl_easy_perform(transfer.easy()), CURLE_OK);
  EXPECT_EQ(head.get_future().get(), "GET /x HTTP/1.1\r\nHost: " + shared_->endpoint.authority +
                                         "\r\nAccept: */*\r\nX-A: 1\r\n"
                                         "Authorization: Bearer new\r\n");
}

TEST_F(CurlTransferTest, HeaderWithALineBreak_IsNamedWithoutItsValue) {
  const std::string end =
      " has a line break or a NUL in it, which would let it add headers of its own; correct the "
      "option or the credential that it comes from";
  for (const std::string& value :
       {std::string("a\nb"), std::string("a\rb"), std::string("a\0b", 3)}) {
    HttpRequest request{.target = "/x"};
    request.headers.Add("X-A", value);
    const Result<void> prepared = Prepare(Make("http://127.0.0.1:1", std::move(request)));
    ASSERT_FALSE(prepared.ok());
    EXPECT_EQ(prepared.error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(prepared.error().message(), "the header X-A" + end);
  }
  HttpRequest request{.target = "/x"};
  request.headers.Add("X\nA", "a");
  EXPECT_FALSE(Prepare(Make("http://127.0.0.1:1", std::move(request))).ok());
  const Result<void> token = Prepare(Make("http://127.0.0.1:1", {.target = "/x"}), "Bearer a\nb");
  ASSERT_FALSE(token.ok());
  EXPECT_EQ(token.error().message(), "the header Authorization" + end);
}

// ---- A request that was sent on a connection that is now gone

TEST_F(CurlTransferTest, OnlyReadsAreSentTwice) {
  struct Row {
    const char* method;
    bool twice;
  };
  LoopbackServer server([](const Request& request, Peer& peer) {
    return peer.Write(request.method == "HEAD" ? "HTTP/1.1 200 OK\r\n\r\n" : kOk);
  });
  for (const Row& row : std::vector<Row>{{"GET", true},
                                         {"HEAD", true},
                                         {"POST", false},
                                         {"PUT", false},
                                         {"PATCH", false},
                                         {"DELETE", false}}) {
    for (const bool noticed_by_lane : {true, false}) {
      SCOPED_TRACE(row.method);
      CurlTransfer& transfer = Make(server.url(), {.method = row.method, .target = "/x"});
      ASSERT_TRUE(Prepare(transfer).ok());
      EXPECT_TRUE(transfer.MayBeMoved());
      transfer.started = true;
      transfer.connecting_since = transfer.handshake_since = Now();
      if (noticed_by_lane) {
        sim_.RunFor(1s);
        transfer.TriesAgain();
        EXPECT_FALSE(transfer.started);
        EXPECT_EQ(transfer.admitted, Now());
        EXPECT_FALSE(transfer.connecting_since.has_value());
        EXPECT_FALSE(transfer.handshake_since.has_value());
        EXPECT_EQ(transfer.MayBeMoved(), row.twice);
      }
      const CURLcode code = curl_easy_perform(transfer.easy());
      EXPECT_EQ(code, row.twice ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK);
      const Result<void> verdict = transfer.Verdict(code);
      EXPECT_EQ(verdict.ok(), row.twice);
      if (row.twice) continue;
      EXPECT_EQ(verdict.error().message(),
                server.url() +
                    ": the connection broke before the response: it closed without an answer; the "
                    "server may have done what was asked");
      EXPECT_EQ(Run(transfer), CURLE_OK) << "prepared again, it is new";
      EXPECT_TRUE(transfer.MayBeMoved());
      EXPECT_EQ(receiver_.text, "ok");
    }
  }
}

TEST_F(CurlTransferTest, PrepareAgain_ForgetsThatARepetitionWasRefused) {
  LoopbackServer server(Answer(""));
  CurlTransfer& transfer = Make(server.url(), {.method = "POST", .target = "/x"});
  ASSERT_TRUE(Prepare(transfer).ok());
  transfer.TriesAgain();
  EXPECT_EQ(curl_easy_perform(transfer.easy()), CURLE_ABORTED_BY_CALLBACK);
  const CURLcode code = Run(transfer);
  EXPECT_EQ(code, CURLE_GOT_NOTHING);
  EXPECT_THAT(transfer.Verdict(code).error().message(), HasSubstr("Empty reply from server"));
}

// ---- Times, sizes and kinds of answers

TEST_F(CurlTransferTest, Answer_IsCountedAndTimed) {
  struct Row {
    const char* method;
    std::string sent;
    std::uint64_t bytes;
    Duration progress;
  };
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  const std::string early = "HTTP/1.1 103 Early\r\n\r\n";
  for (const Row& row :
       std::vector<Row>{{"GET", head + "12345", head.size() + 5, 1s},
                        {"GET", early + head + "12345", early.size() + head.size() + 5, 1s},
                        {"HEAD", head, head.size(), 0s}}) {
    LoopbackServer server(Answer(row.sent));
    CurlTransfer& transfer = Make(server.url(), {.method = row.method, .target = "/x"});
    sim_.RunFor(1h);
    const SteadyTime begun = Now();
    receiver_.on_headers = [&] {
      EXPECT_EQ(transfer.last_progress(), begun);
      sim_.RunFor(1s);
    };
    EXPECT_EQ(transfer.status(), 0);
    EXPECT_FALSE(transfer.in_answer());
    EXPECT_EQ(Run(transfer), CURLE_OK);
    EXPECT_TRUE(transfer.started);
    EXPECT_EQ(transfer.started_at, begun);
    EXPECT_EQ(transfer.last_progress(), begun + row.progress);
    EXPECT_EQ(transfer.status(), 200);
    EXPECT_TRUE(transfer.in_answer());
    EXPECT_EQ(shared_->stats.bytes_received, row.bytes);
    EXPECT_EQ(receiver_.calls, row.method == std::string("GET") ? "head200 data " : "head200 ");
  }
}

// Small pieces keep the memory of thousands of watches low.
TEST_F(CurlTransferTest, Watch_ReadsInSmallerPieces) {
  for (const ConnectionPool pool :
       {ConnectionPool::kWatch, ConnectionPool::kShort, ConnectionPool::kStream}) {
    std::promise<void> written;
    LoopbackServer server([&](const Request&, Peer& peer) {
      peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + std::string(40000, 'x'));
      written.set_value();
      return true;
    });
    CurlTransfer& transfer = Make(server.url(), {.target = "/x", .pool = pool});
    receiver_.on_headers = [&] { written.get_future().wait(); };
    EXPECT_EQ(Run(transfer), CURLE_OK);
    EXPECT_EQ(receiver_.text.size(), 40000U);
    EXPECT_EQ(receiver_.largest <= 4096, pool == ConnectionPool::kWatch) << receiver_.largest;
    EXPECT_EQ(transfer.lasts(), pool != ConnectionPool::kShort);
  }
}

}  // namespace
}  // namespace kinformer::internal::transport
