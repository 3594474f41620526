// Connections that the program opens itself, over libcurl.

#include <atomic>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/client/dialer.h"

#include "transport/curl_fixture_for_test.h"
#include "transport/proxy_server_for_test.h"

namespace kinformer::internal::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::size_t OpenDescriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

std::string DialedIn(std::uint64_t connections) {
  return std::to_string(connections) + " connections";
}

class CurlDialTest : public CurlTransportTest {
 protected:
  // Leads everything to the server; notes where it should have led.
  DialFunc ToServer() {
    return [this](const DialTarget& to) -> Result<int> {
      {
        const std::lock_guard lock(mutex_);
        asked_.push_back(to.host + " " + std::to_string(to.port));
      }
      return DialAddress("127.0.0.1", static_cast<std::uint16_t>(server_.port()))(to);
    };
  }
  std::vector<std::string> Asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  // The error of a request whose connection is opened by `dial`.
  Error ErrorOf(DialFunc dial, TimeSpan connect_timeout = seconds(30)) {
    Make({.base_url = "http://kube.invalid:6443",
          .dial = std::move(dial),
          .connect_timeout = connect_timeout});
    TestExchange& exchange = Get("/x");
    EXPECT_FALSE(exchange.ok());
    return exchange.error();
  }
  void ExpectNoConnection() {
    EXPECT_EQ(DialedIn(Stats().connections_opened), DialedIn(0));
    EXPECT_EQ(DialedIn(Stats().connections_open), DialedIn(0));
  }

  const TestCertificate ca_ = MakeTestCa("ca");
  const TestCertificate certificate_ = MakeTestCertificate(ca_, "kube.invalid");
  LoopbackServer server_{&Echo};
  LoopbackServer tls_server_{&Echo, {.certificate = &certificate_}};
  std::mutex mutex_;
  std::vector<std::string> asked_;
};

TEST_F(CurlDialTest, ManyRequestsUseAConnectionOfOneCall) {
  Make({.base_url = "http://kube.invalid:6443", .dial = ToServer()});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Get("/x").text(), "GET /x|");
  EXPECT_EQ(Asked(), std::vector<std::string>{"kube.invalid 6443"});
  EXPECT_EQ(Stats().connections_opened, 1U);
  EXPECT_EQ(Stats().connections_open, 1U);
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(CurlDialTest, AnAddressIsATargetLikeAName) {
  Make({.base_url = "http://192.0.2.1:7", .dial = ToServer()});
  EXPECT_EQ(Get("/x").text(), "GET /x|");
  EXPECT_EQ(Asked(), std::vector<std::string>{"192.0.2.1 7"});
}

TEST_F(CurlDialTest, TlsChecksTheNameOfTheUrl) {
  const auto port = static_cast<std::uint16_t>(tls_server_.port());
  Make({.base_url = "https://kube.invalid",
        .tls = {.ca_pem = ca_.cert},
        .dial = DialAddress("127.0.0.1", port)});
  TestExchange& right = Get("/x");
  EXPECT_EQ(right.text(), "GET /x|") << right.error();
  Make({.base_url = "https://other.invalid",
        .tls = {.ca_pem = ca_.cert},
        .dial = DialAddress("127.0.0.1", port)});
  EXPECT_FALSE(Get("/x").ok());
  Make({.base_url = "https://other.invalid",
        .tls = {.server_name = "kube.invalid", .ca_pem = ca_.cert},
        .dial = DialAddress("127.0.0.1", port)});
  EXPECT_EQ(Get("/x").text(), "GET /x|");
}

TEST_F(CurlDialTest, ManyRequestsAtOnceAreAnsweredOverAtMostThePoolsConnections) {
  Make({.base_url = "http://kube.invalid:6443", .dial = ToServer(), .max_connections = 3});
  std::vector<TestExchange*> all;
  for (int i = 0; i < 40; ++i) all.push_back(&Start({.target = "/x"}));
  for (TestExchange* exchange : all) {
    ASSERT_TRUE(exchange->WaitDone());
    EXPECT_EQ(exchange->text(), "GET /x|");
  }
  EXPECT_LE(Stats().connections_opened, 3U);
  EXPECT_LE(Asked().size(), 3U) << "a connection that was opened in vain was closed, not kept";
}

// The second of two connections is opened in vain: when it is there, its exchange finds that the
// first one is idle.
class CurlDialInVainTest : public CurlDialTest {
 protected:
  void OpenInVain(int port_of_second) {
    Make({.base_url = "http://kube.invalid", .dial = [=, this](const DialTarget& to) {
            const bool second = ++dials_ == 2;
            if (second) opens_.acquire();
            const int port = second ? port_of_second : holding_.port();
            return DialAddress("127.0.0.1", static_cast<std::uint16_t>(port))(to);
          }});
    TestExchange& first = Start({.target = "/held"});
    WaitFor(held_, 1);
    TestExchange& second = Start({.target = "/x"});
    WaitFor(dials_, 2);
    answers_.release();
    EXPECT_TRUE(first.WaitDone());
    opens_.release();
    EXPECT_TRUE(second.WaitDone());
    EXPECT_EQ(Stats().connections_opened, 1U);
  }
  // Makes two requests at once.
  void UseTwo() {
    TestExchange& first = Start({.target = "/held"});
    WaitFor(held_, 2);
    EXPECT_EQ(Get("/y").text(), "GET /y|");
    answers_.release();
    EXPECT_TRUE(first.WaitDone());
    EXPECT_EQ(Stats().connections_opened, 2U);
  }
  static void WaitFor(const std::atomic<int>& count, int wanted) {
    while (count < wanted) std::this_thread::yield();
  }

  std::counting_semaphore<> answers_{0};
  std::counting_semaphore<> opens_{0};
  std::atomic<int> held_{0};
  std::atomic<int> dials_{0};
  LoopbackServer holding_{
      [this](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
        if (request.target == "/held") {
          ++held_;
          answers_.acquire();
        }
        return Echo(request, peer);
      }};
};

TEST_F(CurlDialInVainTest, ServesTheNextExchangeThatNeedsOne) {
  OpenInVain(holding_.port());
  UseTwo();
  EXPECT_EQ(dials_, 2);
}

TEST_F(CurlDialInVainTest, ServesNobodyOnceTheServerHasClosedIt) {
  auto other = std::make_unique<LoopbackServer>(&Echo);
  OpenInVain(other->port());
  while (other->connections() == 0) std::this_thread::yield();
  other.reset();
  UseTwo();
  EXPECT_EQ(dials_, 3);
}

TEST_F(CurlDialTest, EachWatchOverHttp1HasAConnectionOfItsOwn) {
  LoopbackServer holding(&Hold);
  const auto port = static_cast<std::uint16_t>(holding.port());
  Make({.base_url = "http://kube.invalid", .dial = DialAddress("127.0.0.1", port)});
  std::vector<TestExchange*> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back(&Start({.target = "/watch", .pool = ConnectionPool::kWatch}));
  }
  for (TestExchange* exchange : all) EXPECT_TRUE(exchange->WaitText("first "));
  EXPECT_EQ(Stats().connections_open, 30U);
}

TEST_F(CurlDialTest, TheProxyIsDialedAndLeadsToTheServer) {
  const ProxyServer proxy({.target = tls_server_.port()});
  const std::string address = proxy.address();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
  std::vector<std::string> dialed;
  Make({.base_url = "https://kube.invalid:6443",
        .tls = {.ca_pem = ca_.cert},
        .proxy_url = "http://proxy.invalid:3128",
        .dial = [&, to = DialAddress("127.0.0.1", port)](const DialTarget& target) {
          dialed.push_back(target.host + " " + std::to_string(target.port));
          return to(target);
        }});
  TestExchange& exchange = Get("/x");
  EXPECT_EQ(exchange.text(), "GET /x|") << exchange.error();
  EXPECT_EQ(dialed, std::vector<std::string>{"proxy.invalid 3128"});
  EXPECT_EQ(proxy.asked(), std::vector<std::string>{"CONNECT kube.invalid:6443"});
}

// A Unix domain socket whose connections are led to a port.
TEST_F(CurlDialTest, AUnixDomainSocketIsAConnectionLikeOthers) {
  const std::string path = "@kinformer-dial-test-" + std::to_string(getpid());
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, path.data() + 1, path.size() - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size())),
            0);
  ASSERT_EQ(listen(listener, 5), 0);
  std::jthread server([listener] {
    const int fd = accept(listener, nullptr, nullptr);
    std::string head;
    char byte = 0;
    while (head.find("\r\n\r\n") == std::string::npos && read(fd, &byte, 1) == 1) head += byte;
    const std::string answer = PlainResponse(head.substr(0, head.find('\r')));
    (void)!write(fd, answer.data(), answer.size());
    close(fd);
  });
  Make({.base_url = "http://kube.invalid", .dial = DialUnixSocket(path)});
  EXPECT_EQ(Get("/x").text(), "GET /x HTTP/1.1");
  server.join();
  close(listener);
  const Error gone = ErrorOf(DialUnixSocket("/nowhere/kinformer.sock"));
  EXPECT_EQ(gone.message(),
            "http://kube.invalid:6443: Config::dial for kube.invalid:6443: cannot connect to the "
            "Unix domain socket /nowhere/kinformer.sock: No such file or directory");
  EXPECT_EQ(ErrorOf(DialUnixSocket("")).reason(), Reason::kConfig);
  EXPECT_EQ(ErrorOf(DialUnixSocket(std::string(200, 'x'))).reason(), Reason::kConfig);
}

TEST_F(CurlDialTest, ErrorsAndExceptionsOfADialerAreThoseOfItsRequests) {
  const Error returned = ErrorOf([](const DialTarget&) -> Result<int> {
    return Error(Reason::kConnectionRefused, "the tunnel is closed");
  });
  EXPECT_EQ(returned.reason(), Reason::kConnectionRefused);
  EXPECT_EQ(returned.message(),
            "http://kube.invalid:6443: Config::dial for kube.invalid:6443: the tunnel is closed");
  const Error thrown =
      ErrorOf([](const DialTarget&) -> Result<int> { throw std::runtime_error("out of tunnels"); });
  EXPECT_NE(thrown.message().find("Config::dial"), std::string::npos);
  EXPECT_NE(thrown.message().find("out of tunnels"), std::string::npos);
  EXPECT_NE(metrics_->Text().find("kinformer_user_exceptions_total"), std::string::npos);
  const Error refused = ErrorOf(DialAddress("127.0.0.1", 1));
  EXPECT_EQ(refused.reason(), Reason::kConnectionRefused) << refused;
  ExpectNoConnection();
}

TEST_F(CurlDialTest, ADescriptorThatIsNoConnectionIsAnErrorAndIsClosed) {
  const std::size_t before = OpenDescriptors();
  const auto expect_bad = [&](const DialFunc& dial) {
    const Error bad = ErrorOf(dial);
    EXPECT_EQ(bad.reason(), Reason::kTransport);
    EXPECT_NE(bad.message().find("which is no connected stream socket"), std::string::npos) << bad;
    ExpectNoConnection();
    transport_.reset();
    OnLoop([] {});
  };
  expect_bad([](const DialTarget&) { return Result<int>(-1); });
  expect_bad([](const DialTarget&) { return Result<int>(0); });
  expect_bad([](const DialTarget&) { return Result<int>(socket(AF_INET, SOCK_STREAM, 0)); });
  expect_bad([](const DialTarget&) { return Result<int>(socket(AF_INET, SOCK_DGRAM, 0)); });
  expect_bad([](const DialTarget&) { return Result<int>(dup(2)); });
  EXPECT_EQ(OpenDescriptors(), before);
}

// Blocks until it is released; notes whether it was told to stop. Its calls may outlive the test.
struct Hanging : std::enable_shared_from_this<Hanging> {
  std::atomic<int> calls{0};
  std::atomic<int> stopped{0};
  std::atomic<bool> release{false};
  std::atomic<int> ended{0};

  DialFunc dial() {
    return [self = shared_from_this()](const DialTarget& to) -> Result<int> {
      ++self->calls;
      while (!self->release) std::this_thread::yield();
      if (to.stop.stop_requested()) ++self->stopped;
      int pair[2];
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
      close(pair[1]);
      ++self->ended;
      return pair[0];
    };
  }
};

TEST_F(CurlDialTest, ADialerThatDoesNotReturnKeepsNobodyBeyondTheirTime) {
  const auto hanging = std::make_shared<Hanging>();
  const Error late = ErrorOf(hanging->dial(), milliseconds(200));
  EXPECT_EQ(late.reason(), Reason::kTransport);
  EXPECT_NE(late.message().find("Config::dial has not returned"), std::string::npos) << late;
  TestExchange& exchange = Start({.target = "/x", .timeout = milliseconds(50)});
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_EQ(exchange.error().reason(), Reason::kDeadlineExceeded);
  ExpectNoConnection();
  hanging->release = true;
}

TEST_F(CurlDialTest, AConnectionThatComesTooLateIsClosed) {
  const auto hanging = std::make_shared<Hanging>();
  Make({.base_url = "http://kube.invalid", .dial = hanging->dial()});
  const std::size_t before = OpenDescriptors();
  TestExchange& exchange = Start({.target = "/x"});
  while (hanging->calls == 0) std::this_thread::yield();
  OnLoop([&] { exchange.call.reset(); });
  hanging->release = true;
  while (hanging->ended == 0) std::this_thread::yield();
  transport_.reset();
  while (OpenDescriptors() > before) std::this_thread::yield();
  EXPECT_EQ(hanging->stopped, 1);
  EXPECT_FALSE(exchange.done());
}

TEST_F(CurlDialTest, TheEndOfTheTransportEndsWhatWaitsForItsDialer) {
  const auto hanging = std::make_shared<Hanging>();
  Make({.base_url = "http://kube.invalid", .dial = hanging->dial()});
  TestExchange& first = Start({.target = "/x"});
  TestExchange& second = Start({.target = "/y"});
  while (hanging->calls == 0) std::this_thread::yield();
  transport_.reset();
  EXPECT_TRUE(first.WaitDone());
  EXPECT_TRUE(second.WaitDone());
  EXPECT_EQ(first.error().reason(), Reason::kStopped);
  hanging->release = true;
}

TEST_F(CurlDialTest, ADialerMayEndItsTransport) {
  std::atomic<bool> ended{false};
  Make({.base_url = "http://kube.invalid", .dial = [&](const DialTarget&) -> Result<int> {
          transport_.reset();
          ended = true;
          return Error(Reason::kTransport, "ended");
        }});
  TestExchange& exchange = Start({.target = "/x"});
  ASSERT_TRUE(exchange.WaitDone());
  EXPECT_FALSE(exchange.ok());
  while (!ended) std::this_thread::yield();
}

TEST_F(CurlDialTest, AWriteIsNotRepeatedOnAnotherConnection) {
  std::atomic<int> posts{0};
  LoopbackServer closing([&](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    if (request.method != "POST") return Echo(request, peer);
    ++posts;
    return false;
  });
  const auto port = static_cast<std::uint16_t>(closing.port());
  Make({.base_url = "http://kube.invalid", .dial = DialAddress("127.0.0.1", port)});
  EXPECT_EQ(Get("/x").text(), "GET /x|");
  TestExchange& post = Start({.method = "POST", .target = "/p"});
  ASSERT_TRUE(post.WaitDone());
  EXPECT_FALSE(post.ok());
  EXPECT_EQ(posts, 1);
  EXPECT_EQ(Get("/x").text(), "GET /x|");
  EXPECT_EQ(Stats().connections_open, 1U);
}

}  // namespace
}  // namespace kinformer::internal::transport
