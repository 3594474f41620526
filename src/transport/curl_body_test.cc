// Bodies of requests that come piece by piece, over libcurl.

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "kinformer/client/body_pipe.h"

#include "transport/curl_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

class CurlBodyTest : public CurlTransportTest, public ::testing::WithParamInterface<bool> {
 protected:
  CurlBodyTest()
      : ca_(MakeTestCa("ca")),
        certificate_(MakeTestCertificate(ca_, "127.0.0.1")),
        server_([this](const LoopbackServer::Request& request,
                       LoopbackServer::Peer& peer) { return Serve(request, peer); },
                {.certificate = GetParam() ? &certificate_ : nullptr}) {
    Make({.base_url = server_.url(), .tls = {.ca_pem = GetParam() ? ca_.cert : ""}});
  }

  // "/raw": reads until the last chunk. "/early": answers before the body. "/reset": in its middle.
  bool Serve(const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    if (request.method != "POST") return Echo(request, peer);
    {
      const std::lock_guard lock(mutex_);
      head_ = request.head;
    }
    heads_ += 1;
    if (request.target == "/early") return peer.Write(PlainResponse("too large", "", 413));
    if (request.target == "/deaf") {
      while (!release_) std::this_thread::yield();
    }
    if (!request.Header("content-length").empty()) return Echo(request, peer);
    std::string raw;
    while (raw.find("\r\n0\r\n\r\n") == std::string::npos) {
      const std::string more = peer.ReadSome();
      raw += more;
      received_ += more.size();
      if (more.empty()) return false;
      if (request.target == "/reset") {
        peer.Reset();
        return false;
      }
    }
    return peer.Write(PlainResponse(request.target == "/deaf" ? "heard" : raw));
  }

  TestExchange& Post(const std::string& target, std::shared_ptr<BodyPipe> pipe,
                     TimeSpan timeout = {}) {
    HttpRequest request{
        .method = "POST", .target = target, .pool = ConnectionPool::kStream, .timeout = timeout};
    request.body_pipe = std::move(pipe);
    return Start(std::move(request));
  }
  void WaitHead(int heads = 1) {
    while (heads_ < heads) Get("/other");
  }

  // Returns the head of the last request. The server has a thread for each connection.
  std::string Head() {
    const std::lock_guard lock(mutex_);
    return head_;
  }

  const TestCertificate ca_;
  const TestCertificate certificate_;
  std::mutex mutex_;
  std::string head_;
  std::atomic<int> heads_{0};
  std::atomic<std::size_t> received_{0};
  std::atomic<bool> release_{false};
  LoopbackServer server_;
};
INSTANTIATE_TEST_SUITE_P(Tls, CurlBodyTest, ::testing::Bool());

TEST_P(CurlBodyTest, ABodyOfUnknownLengthIsSentInChunks) {
  const auto pipe = std::make_shared<BodyPipe>();
  TestExchange& exchange = Post("/raw", pipe);
  WaitHead();
  EXPECT_NE(Head().find("Transfer-Encoding: chunked"), std::string::npos) << Head();
  EXPECT_EQ(Head().find("Expect"), std::string::npos) << Head();
  pipe->Write("one ");
  while (received_ == 0) Get("/other");
  EXPECT_FALSE(exchange.done());
  pipe->Write("two");
  while (received_ < 17) Get("/other");
  pipe->Close();
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_TRUE(exchange.ok()) << exchange.error();
  EXPECT_EQ(exchange.text(), "4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n");
}

TEST_P(CurlBodyTest, ABodyOfKnownLengthHasItInTheHead) {
  const auto pipe = std::make_shared<BodyPipe>(7);
  TestExchange& exchange = Post("/echo", pipe);
  pipe->Write("one ");
  pipe->Write("two");
  pipe->Close();
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_EQ(exchange.text(), "POST /echo|one two");
  EXPECT_NE(Head().find("Content-Length: 7"), std::string::npos) << Head();
  EXPECT_EQ(Head().find("chunked"), std::string::npos) << Head();
}

TEST_P(CurlBodyTest, AnEmptyBodyAndOneThatWasThereBeforeAreSent) {
  const auto empty = std::make_shared<BodyPipe>(0);
  empty->Close();
  TestExchange& none = Post("/echo", empty);
  ASSERT_TRUE(none.WaitDone());
  EXPECT_EQ(none.text(), "POST /echo|") << none.error();
  const std::string much(std::size_t{3} << 20, 'x');
  const auto ready = std::make_shared<BodyPipe>(much.size());
  ready->Write(much);
  ready->Close();
  TestExchange& all = Post("/echo", ready);
  ASSERT_TRUE(all.WaitDone());
  EXPECT_EQ(all.text().size(), much.size() + std::string("POST /echo|").size());
}

TEST_P(CurlBodyTest, AServerThatAnswersEarlyEndsTheBody) {
  const auto pipe = std::make_shared<BodyPipe>();
  TestExchange& exchange = Post("/early", pipe);
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_EQ(exchange.status(), 413);
  EXPECT_EQ(exchange.text(), "too large");
  EXPECT_TRUE(exchange.ok()) << exchange.error();
  EXPECT_FALSE(pipe->wants_more());
}

TEST_P(CurlBodyTest, AFailureOfTheWriterIsTheErrorOfTheExchange) {
  const auto pipe = std::make_shared<BodyPipe>();
  TestExchange& exchange = Post("/raw", pipe);
  WaitHead();
  pipe->Write("begun");
  pipe->Fail(Error(Reason::kUnreadable, "the disk is gone"));
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_EQ(exchange.error().reason(), Reason::kUnreadable);
  EXPECT_EQ(exchange.error().message(), server_.url() + "/raw: the disk is gone");
  EXPECT_EQ(Get("/after").text(), "GET /after|");
}

TEST_P(CurlBodyTest, ADeadlineAndAnEndInTheMiddleOfTheBodyHold) {
  const auto late = std::make_shared<BodyPipe>();
  TestExchange& exchange = Post("/raw", late, std::chrono::milliseconds(100));
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_EQ(exchange.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_FALSE(late->wants_more());
  const auto given_up = std::make_shared<BodyPipe>();
  TestExchange& abandoned = Post("/raw", given_up);
  WaitHead(2);
  OnLoop([&] { abandoned.call.reset(); });
  EXPECT_FALSE(given_up->wants_more());
  given_up->Write("to nobody");
  EXPECT_FALSE(abandoned.done());
  EXPECT_EQ(Get("/after").text(), "GET /after|");
}

TEST_P(CurlBodyTest, AConnectionThatBreaksIsNotReplaced) {
  const auto pipe = std::make_shared<BodyPipe>();
  TestExchange& exchange = Post("/reset", pipe);
  WaitHead();
  pipe->Write("begun");
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_FALSE(exchange.ok());
  EXPECT_EQ(heads_, 1);
}

TEST_P(CurlBodyTest, AServerThatReadsNothingHoldsUpTheWriterAndNobodyElse) {
  const auto pipe = std::make_shared<BodyPipe>();
  TestExchange& exchange = Post("/deaf", pipe);
  WaitHead();
  constexpr std::size_t kMuch = std::size_t{32} << 20;
  const std::string piece(std::size_t{64} << 10, 'x');
  std::size_t written = 0;
  int refused = 0;
  while (refused < 20) {
    if (pipe->wants_more()) {
      pipe->Write(piece);
      written += piece.size();
      refused = 0;
      ASSERT_LT(written, kMuch) << "nothing held it up";
    } else {
      ++refused;
      EXPECT_EQ(Get("/other").text(), "GET /other|");
    }
  }
  EXPECT_FALSE(exchange.done());
  release_ = true;
  pipe->Close();
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_EQ(exchange.text(), "heard");
  EXPECT_GE(received_, written);
}

}  // namespace
}  // namespace kinformer::internal::transport
