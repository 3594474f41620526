// The libcurl transport's connections on real sockets: their socket options, and which of them are
// given up together. test/network tests the same transport in simulated time.

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"

namespace kinformer {
namespace {

using internal::transport::CurlTransportTest;
using internal::transport::Echo;
using internal::transport::LoopbackServer;
using internal::transport::TestExchange;
using std::chrono::milliseconds;

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

// A server whose host is lost is noticed within half a minute; a slow server is not given up.
TEST_F(CurlTransportTest, UnacknowledgedBytesEndAConnectionAfter30Seconds) {
  LoopbackServer server(Echo);
  Make(server);
  ASSERT_TRUE(Get("/x").ok());
  int found = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
        peer.sin_family != AF_INET || ntohs(peer.sin_port) != server.port()) {
      continue;
    }
    unsigned timeout_ms = 0;
    socklen_t length = sizeof timeout_ms;
    ASSERT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, &length), 0);
    EXPECT_EQ(timeout_ms, 30000U);
    const auto option = [fd](int level, int name) {
      int value = -1;
      socklen_t value_size = sizeof value;
      EXPECT_EQ(getsockopt(fd, level, name, &value, &value_size), 0);
      return value;
    };
    EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 30);
    EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 10);
    ++found;
  }
  EXPECT_EQ(found, 1);
}

// A connection that is silent while an answer is awaited is evidence against the connections beside
// it, which cannot be probed over HTTP/1.1.
TEST_F(CurlTransportTest, OverHttp1GivingUpRetiresTheIdleConnectionsToo) {
  std::atomic<bool> frozen{false};
  std::atomic<int> meeting{0};
  LoopbackServer server([&](const Request& request, Peer& peer) {
    if (request.target == "/meet") {
      ++meeting;
      while (meeting < 3) std::this_thread::yield();
      return Echo(request, peer);
    }
    if (!frozen || request.Header("x-after") == "yes") return Echo(request, peer);
    peer.WaitForClose();
    return false;
  });
  Make({.base_url = server.url(), .ping_timeout = milliseconds(100)});
  std::vector<TestExchange*> together;
  for (int i = 0; i < 3; ++i) together.push_back(&Start({.target = "/meet"}));
  for (TestExchange* const one : together) ASSERT_TRUE(one->WaitDone());
  ASSERT_EQ(server.connections(), 3);
  frozen = true;
  TestExchange& late = Start({.target = "/x", .timeout = milliseconds(200)});
  ASSERT_TRUE(late.WaitDone());
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(server.connections(), 3);
  HttpRequest next{.target = "/x"};
  next.headers.Add("X-After", "yes");
  TestExchange& answered = Start(std::move(next));
  ASSERT_TRUE(answered.WaitDone());
  EXPECT_TRUE(answered.ok());
  EXPECT_EQ(server.connections(), 4) << "an idle one is not tried";
}

// The server closes idle connections without a word, as after its own idle time.
TEST_F(CurlTransportTest, IdleConnectionThatDied_IsReplacedAndARunningRequestGoesOn_RC16) {
  std::promise<void> release;
  const auto released = release.get_future().share();
  LoopbackServer server([&](const Request& request, Peer& peer) {
    if (request.target == "/hang") released.wait();
    Echo(request, peer);
    return request.target != "/last";
  });
  Make(server);
  TestExchange& hanging = Start({.target = "/hang"});
  ASSERT_TRUE(Get("/x").ok());
  EXPECT_EQ(server.connections(), 2);
  ASSERT_TRUE(Get("/last").ok()) << "the server closes its connection after this";
  EXPECT_EQ(server.connections(), 2);
  TestExchange& next = Get("/x");
  EXPECT_TRUE(next.ok()) << next.error();
  EXPECT_EQ(server.connections(), 3);
  EXPECT_FALSE(hanging.done());
  release.set_value();
  EXPECT_TRUE(hanging.WaitDone());
  EXPECT_EQ(hanging.text(), "GET /hang|");
}

// Its late answer would be taken for the next request's.
TEST_F(CurlTransportTest, ConnectionOfATimedOutRequest_IsNotUsedAgain_RB15) {
  LoopbackServer server([](const Request& request, Peer& peer) {
    if (request.target == "/late") {
      peer.WaitForClose();
      return false;
    }
    return Echo(request, peer);
  });
  Make(server);
  ASSERT_TRUE(Get("/x").ok());
  TestExchange& late = Start({.target = "/late", .timeout = milliseconds(50)});
  ASSERT_TRUE(late.WaitDone());
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(server.connections(), 1);
  TestExchange& next = Get("/x");
  EXPECT_TRUE(next.ok()) << next.error();
  EXPECT_EQ(next.text(), "GET /x|");
  EXPECT_EQ(server.connections(), 2);
}

// One name in the subjectAltName is enough, wherever it stands.
TEST_F(CurlTransportTest, AlternativeName_CountsAtAnyPlace) {
  const internal::transport::TestCertificate ca = internal::transport::MakeTestCa("test ca");
  struct Row {
    const char* alternatives;
    const char* server_name;
    bool trusted;
  };
  for (const Row& row : std::vector<Row>{{"IP:127.0.0.1", "", true},
                                         {"email:root@a,IP:127.0.0.1", "", true},
                                         {"IP:127.0.0.1,email:root@a", "", true},
                                         {"DNS:kube.example", "kube.example", true},
                                         {"URI:a:b,DNS:kube.example", "kube.example", true},
                                         {"IP:127.0.0.2", "", false},
                                         {"URI:a:b", "", false}}) {
    SCOPED_TRACE(row.alternatives);
    const internal::transport::TestCertificate cert =
        internal::transport::MakeSpecialCertificate(ca, "127.0.0.1", row.alternatives);
    LoopbackServer server(Echo, {.certificate = &cert});
    Make({.base_url = server.url(), .tls = {.server_name = row.server_name, .ca_pem = ca.cert}});
    EXPECT_EQ(Get("/x").ok(), row.trusted);
  }
}

// A listening socket whose queue of connections is full: attempts to connect stay pending.
class FullListener {
 public:
  FullListener() {
    sockaddr_in any{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    EXPECT_EQ(bind(sockets_.front(), reinterpret_cast<sockaddr*>(&any), size), 0);
    EXPECT_EQ(listen(sockets_.front(), 0), 0);
    EXPECT_EQ(getsockname(sockets_.front(), reinterpret_cast<sockaddr*>(&any), &size), 0);
    port_ = ntohs(any.sin_port);
    pollfd last{.fd = -1, .events = POLLOUT, .revents = 0};
    do {
      last.fd = sockets_.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
      EXPECT_EQ(connect(last.fd, reinterpret_cast<sockaddr*>(&any), size), -1);
    } while (poll(&last, 1, 100) == 1);
  }
  ~FullListener() {
    for (const int fd : sockets_) close(fd);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  std::vector<int> sockets_{socket(AF_INET, SOCK_STREAM, 0)};
  int port_ = 0;
};

// libcurl 7.88 does not tell that it closes the socket of an attempt that is given up.
TEST_F(CurlTransportTest, AttemptsGivenUpBeforeTheyConnectLeaveNoConnectionCounted) {
  const FullListener full;
  Make({.base_url = full.url()});
  for (int i = 0; i < 3; ++i) {
    TestExchange& exchange = Start({.target = "/x"});
    while (Stats().connections_open == 0) std::this_thread::yield();
    OnLoop([&] { exchange.call.reset(); });
    EXPECT_EQ(Stats().connections_open, 0U);
  }
}

TEST_F(CurlTransportTest, RefusedCertificatesLeaveNoConnectionCounted) {
  const internal::transport::TestCertificate ca = internal::transport::MakeTestCa("test ca");
  const internal::transport::TestCertificate cert =
      internal::transport::MakeTestCertificate(ca, "127.0.0.1");
  LoopbackServer server(Echo, {.certificate = &cert});
  Make({.base_url = server.url()});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Get("/x").ok());
  EXPECT_EQ(Stats().connections_open, 0U);
}

}  // namespace
}  // namespace kinformer
