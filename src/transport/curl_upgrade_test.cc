// Requests that change to another protocol, over libcurl.

#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "transport/curl_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

constexpr std::string_view kAgreed =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";

class CurlUpgradeTest : public CurlTransportTest, public ::testing::WithParamInterface<bool> {
 protected:
  CurlUpgradeTest()
      : ca_(MakeTestCa("ca")),
        certificate_(MakeTestCertificate(ca_, "127.0.0.1")),
        server_([this](const LoopbackServer::Request& request,
                       LoopbackServer::Peer& peer) { return Serve(request, peer); },
                {.certificate = GetParam() ? &certificate_ : nullptr}) {
    Make({.base_url = server_.url(), .tls = {.ca_pem = GetParam() ? ca_.cert : ""}});
  }

  bool Serve(const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    if (request.Header("upgrade").empty()) return Echo(request, peer);
    {
      const std::lock_guard lock(mutex_);
      head_ = request.head;
    }
    if (request.target == "/refused") return peer.Write(PlainResponse("not you", "", 403));
    if (request.target == "/ignored") return peer.Write(PlainResponse("plain answer"));
    if (request.target == "/silent") {
      peer.Write(kAgreed);
      while (!release_) std::this_thread::yield();
    } else {
      peer.Write(std::string(kAgreed) + "hello ");
    }
    while (true) {
      const std::string text = peer.ReadSome();
      received_ += text.size();
      if (text.empty() || text == "bye") return false;
      if (request.target == "/echo" && !peer.Write(text)) return false;
    }
  }

  TestExchange& Upgrade(const std::string& target) {
    HttpRequest request{.target = target, .pool = ConnectionPool::kStream};
    request.headers.Add("Upgrade", "echo");
    request.headers.Add("Connection", "Upgrade");
    return Start(std::move(request));
  }
  void Send(TestExchange& exchange, const std::string& bytes) {
    OnLoop([&] { exchange.call->Send(bytes); });
  }
  std::size_t Unsent(TestExchange& exchange) {
    std::size_t unsent = 0;
    OnLoop([&] { unsent = exchange.call->unsent(); });
    return unsent;
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
  std::atomic<std::size_t> received_{0};
  std::atomic<bool> release_{false};
  LoopbackServer server_;
};
INSTANTIATE_TEST_SUITE_P(Tls, CurlUpgradeTest, ::testing::Bool());

TEST_P(CurlUpgradeTest, BytesGoBothWaysUntilTheServerCloses) {
  TestExchange& exchange = Upgrade("/echo");
  ASSERT_TRUE(exchange.WaitText("hello "));
  EXPECT_EQ(exchange.status(), 101);
  EXPECT_EQ(Head().find("Transfer-Encoding"), std::string::npos) << Head();
  EXPECT_EQ(Head().find("Expect"), std::string::npos) << Head();
  EXPECT_EQ(Head().substr(0, 4), "GET ");
  for (const char* word : {"one ", "two ", "three "}) {
    const std::string before = exchange.text();
    Send(exchange, word);
    ASSERT_TRUE(exchange.WaitText(before + word));
  }
  while (exchange.sent() < 3) Get("/other");
  EXPECT_FALSE(exchange.done());
  Send(exchange, "bye");
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_TRUE(exchange.ok()) << exchange.error();
  EXPECT_EQ(exchange.text(), "hello one two three ");
}

TEST_P(CurlUpgradeTest, BytesMayBeSentAsSoonAsTheServerHasAgreed) {
  HttpRequest request{.target = "/echo", .pool = ConnectionPool::kStream};
  request.headers.Add("Upgrade", "echo");
  exchanges_.push_back(std::make_unique<TestExchange>());
  TestExchange& exchange = *exchanges_.back();
  const auto first = std::make_shared<bool>(true);  // the function is copied for each call
  exchange.on_data = [&exchange, first] {
    if (std::exchange(*first, false)) exchange.call->Send("within");
  };
  OnLoop([&] {
    exchange.call = transport_->Start(std::move(request), exchange);
    exchange.call->Send("too early, so it is dropped");
  });
  EXPECT_TRUE(exchange.WaitText("hello within"));
}

TEST_P(CurlUpgradeTest, ARefusalAndAnAnswerOfHttpAreAnswersLikeOthers) {
  TestExchange& refused = Upgrade("/refused");
  ASSERT_TRUE(refused.WaitDone());
  EXPECT_EQ(refused.status(), 403);
  EXPECT_EQ(refused.text(), "not you");
  TestExchange& ignored = Upgrade("/ignored");
  ASSERT_TRUE(ignored.WaitDone());
  EXPECT_EQ(ignored.status(), 200);
  EXPECT_EQ(ignored.text(), "plain answer");
}

TEST_P(CurlUpgradeTest, BytesThatTheServerDoesNotReadAreKeptAndCounted) {
  TestExchange& exchange = Upgrade("/silent");
  while (exchange.status() == 0) Get("/other");
  const std::string much(std::size_t{16} << 20, 'x');
  Send(exchange, much);
  EXPECT_GT(Unsent(exchange), 0U);
  EXPECT_EQ(exchange.sent(), 0);
  release_ = true;
  while (received_ < much.size()) Get("/other");
  EXPECT_EQ(received_, much.size());
  while (exchange.sent() == 0) Get("/other");
  EXPECT_EQ(Unsent(exchange), 0U);
}

TEST_P(CurlUpgradeTest, APausedSideReadsNothingAndStillSends) {
  TestExchange& exchange = Upgrade("/echo");
  ASSERT_TRUE(exchange.WaitText("hello "));
  OnLoop([&] { exchange.call->SetPaused(true); });
  Send(exchange, "heard");
  while (received_ < 5) Get("/other");
  EXPECT_EQ(exchange.text(), "hello ");
  OnLoop([&] { exchange.call->SetPaused(false); });
  EXPECT_TRUE(exchange.WaitText("hello heard"));
}

TEST_P(CurlUpgradeTest, AnUpgradedExchangeCanBeAbandoned) {
  TestExchange& exchange = Upgrade("/echo");
  ASSERT_TRUE(exchange.WaitText("hello "));
  OnLoop([&] { exchange.call.reset(); });
  EXPECT_FALSE(exchange.done());
  EXPECT_EQ(Get("/after").text(), "GET /after|");
}

}  // namespace
}  // namespace kinformer::internal::transport
