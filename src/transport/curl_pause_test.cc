// A response that is paused: the server has to wait, and other requests go on.

#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "transport/curl_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

constexpr std::size_t kPiece = 65536;
constexpr std::size_t kPieces = 512;  // more than the sockets of both sides hold

class CurlPauseTest : public CurlTransportTest, public ::testing::WithParamInterface<bool> {
 protected:
  CurlPauseTest()
      : ca_(MakeTestCa("ca")),
        certificate_(MakeTestCertificate(ca_, "127.0.0.1")),
        server_(
            [this](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
              if (request.target != "/log") return Echo(request, peer);
              bool open = peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              for (std::size_t i = 0; i < kPieces && open; ++i) {
                open = peer.Write(Chunk(std::string(kPiece, static_cast<char>('a' + i % 26))));
                ++written_;
              }
              return open && peer.Write("0\r\n\r\n");
            },
            {.certificate = GetParam() ? &certificate_ : nullptr}) {
    Make({.base_url = server_.url(), .tls = {.ca_pem = GetParam() ? ca_.cert : ""}});
  }

  // Returns how much had been written when the server's writer stood still.
  std::size_t WrittenWhenStill() {
    std::size_t before = written_;
    for (int still = 0; still < 20;) {
      Get("/other");  // takes its time, and shows that others are not held up
      const std::size_t now = written_;
      still = now == before ? still + 1 : 0;
      before = now;
    }
    return before;
  }

  const TestCertificate ca_;
  const TestCertificate certificate_;
  std::atomic<std::size_t> written_{0};
  LoopbackServer server_;
};
INSTANTIATE_TEST_SUITE_P(Tls, CurlPauseTest, ::testing::Bool());

TEST_P(CurlPauseTest, TheServerWaitsUntilItGoesOnAndNothingIsLost) {
  exchanges_.push_back(std::make_unique<TestExchange>());
  TestExchange& exchange = *exchanges_.back();
  bool pause = true;  // on the loop
  exchange.on_data = [&] {
    if (std::exchange(pause, false)) exchange.call->SetPaused(true);
  };
  OnLoop([&] {
    exchange.call =
        transport_->Start({.target = "/log", .pool = ConnectionPool::kStream}, exchange);
  });
  while (exchange.text().empty()) Get("/other");
  ASSERT_LT(WrittenWhenStill(), kPieces);
  const std::size_t read = exchange.text().size();
  EXPECT_LT(read, std::size_t{1} << 20) << "libcurl's own buffer is all that comes after it";
  for (int i = 0; i < 10; ++i) {
    OnLoop([&] { exchange.call->SetPaused(false); });
    OnLoop([&] { exchange.call->SetPaused(true); });
  }
  OnLoop([&] { exchange.call->SetPaused(false); });
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_TRUE(exchange.ok()) << exchange.error();
  const std::string text = exchange.text();
  ASSERT_EQ(text.size(), kPiece * kPieces);
  for (std::size_t i = 0; i < kPieces; ++i)
    ASSERT_EQ(text[i * kPiece], 'a' + static_cast<char>(i % 26));
}

TEST_P(CurlPauseTest, APausedResponseCanBeAbandoned) {
  TestExchange& exchange = Start({.target = "/log", .pool = ConnectionPool::kStream});
  OnLoop([&] { exchange.call->SetPaused(true); });
  WrittenWhenStill();
  OnLoop([&] { exchange.call.reset(); });
  EXPECT_FALSE(exchange.done());
  EXPECT_EQ(Get("/after").text(), "GET /after|");
}

TEST_P(CurlPauseTest, EachStreamHasAConnectionOfItsOwn) {
  for (int i = 0; i < 12; ++i) {
    TestExchange& exchange = Start({.target = "/log", .pool = ConnectionPool::kStream});
    OnLoop([&] { exchange.call->SetPaused(true); });
  }
  for (const auto& exchange : exchanges_) {
    OnLoop([&] { exchange->call->SetPaused(false); });
    EXPECT_TRUE(exchange->WaitDone());
  }
  EXPECT_GE(server_.connections(), 12);
}

}  // namespace
}  // namespace kinformer::internal::transport
