// The libcurl transport over HTTP/2: nghttpx (Debian's nghttp2-proxy) in front of a small HTTP/1.1
// server.

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/client/http_transport.h"

#include "transport/loopback_server_for_test.h"

extern char** environ;

namespace kinformer {
namespace {

using internal::transport::Chunk;
using internal::transport::LoopbackServer;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kNghttpx[] = "/usr/sbin/nghttpx";

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

bool Accepts(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool ok = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return ok;
}

class Proxy {
 public:
  Proxy(int backend_port, const internal::transport::TestCertificate& cert, int max_streams) {
    const std::string base = testing::TempDir() + "kinformer-nghttpx-" + std::to_string(getpid());
    cert_path_ = base + ".crt";
    key_path_ = base + ".key";
    std::ofstream(cert_path_) << cert.cert;
    std::ofstream(key_path_) << cert.key;
    port_ = FreePort();
    std::vector<std::string> args = {
        kNghttpx,
        "--conf=/dev/null",
        "--frontend=127.0.0.1," + std::to_string(port_),
        "--backend=127.0.0.1," + std::to_string(backend_port),
        "--frontend-http2-max-concurrent-streams=" + std::to_string(max_streams),
        "--workers=1",
        "--single-process",
        "--no-ocsp",
        "--log-level=FATAL",
        "--errorlog-file=/dev/null",
        key_path_,
        cert_path_};
    std::vector<char*> argv;
    for (auto& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    if (posix_spawn(&pid_, kNghttpx, nullptr, nullptr, argv.data(), environ) != 0) pid_ = -1;
    for (int i = 0; i < 500 && !Accepts(port_); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
  ~Proxy() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    std::remove(cert_path_.c_str());
    std::remove(key_path_.c_str());
  }
  void Signal(int signal) const { kill(pid_, signal); }
  [[nodiscard]] std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }

 private:
  pid_t pid_ = -1;
  int port_ = 0;
  std::string cert_path_;
  std::string key_path_;
};

class Watch final : public ResponseReceiver {
 public:
  void OnHeaders(int code, const HttpHeaders&) override { status = code; }
  void OnData(std::string_view data) override {
    bytes += data.size();
    if (text.size() < 64) text += data;
  }
  void OnDone(Result<void> result) override { done = std::move(result); }

  int status = 0;
  std::string text;
  std::size_t bytes = 0;
  std::optional<Result<void>> done;
  std::unique_ptr<HttpCall> call;
};

class Http2Test : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kNghttpx, X_OK) != 0) GTEST_SKIP() << "needs nghttpx (package nghttp2-proxy)";
  }
  void TearDown() override {
    OnLoop([&] { watches_.clear(); });
    transport_.reset();
  }

  void Begin(int max_streams, HttpTransportOptions options = {}) {
    proxy_ = std::make_unique<Proxy>(server_.port(), cert_, max_streams);
    options.base_url = proxy_->url();
    options.tls.ca_pem = ca_.cert;
    auto made = NewHttpTransport(runtime_.env(), std::move(options));
    ASSERT_TRUE(made.ok()) << made.error();
    transport_ = *std::move(made);
  }

  void OnLoop(const std::function<void()>& body) {
    std::promise<void> done;
    runtime_.env().loop().Post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }
  void StartWatches(int count, const std::string& target = "/watch",
                    ConnectionPool pool = ConnectionPool::kWatch) {
    OnLoop([&] {
      for (int i = 0; i < count; ++i) {
        watches_.push_back(std::make_unique<Watch>());
        Watch& watch = *watches_.back();
        watch.call = transport_->Start({.target = target, .pool = pool}, watch);
      }
    });
  }
  // Checks the condition every few milliseconds, on the loop.
  bool Eventually(const std::function<bool()>& condition, Duration limit = seconds(20)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
      bool holds = false;
      OnLoop([&] { holds = condition(); });
      if (holds) return true;
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  int Count(const std::function<bool(const Watch&)>& condition) {
    int count = 0;
    for (const auto& watch : watches_) count += condition(*watch) ? 1 : 0;
    return count;
  }
  TransportStats Stats() {
    TransportStats stats;
    OnLoop([&] { stats = transport_->Stats(); });
    return stats;
  }
  static bool Running(const Watch& watch) { return watch.text == "first " && !watch.done; }

  internal::transport::TestCertificate ca_ = internal::transport::MakeTestCa("test ca");
  internal::transport::TestCertificate cert_ =
      internal::transport::MakeTestCertificate(ca_, "127.0.0.1");
  std::atomic<int> probes_{0};
  LoopbackServer server_{
      [this](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
        if (request.target == "/livez") ++probes_;
        if (request.target == "/large") {
          return peer.Write(internal::transport::PlainResponse(std::string(20 << 20, 'x')));
        }
        if (request.target == "/half") {
          peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345");
          return false;
        }
        if (request.target != "/watch") return peer.Write(internal::transport::PlainResponse("ok"));
        peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("first "));
        peer.WaitForClose();
        return false;
      }};
  Runtime runtime_{{.log = NewNullLog()}};
  std::unique_ptr<Proxy> proxy_;
  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

TEST_F(Http2Test, ManyWatchesShareFewConnections) {
  Begin(100);
  StartWatches(300);
  EXPECT_TRUE(Eventually([&] { return Count(Running) == 300; })) << Count(Running) << " of 300 run";
  EXPECT_EQ(Stats().connections_opened, 4U);
}

TEST_F(Http2Test, ADialerIsCalledOnceForEachOfTheSharedConnections) {
  std::atomic<int> calls{0};
  Begin(100, {.dial = [&](const DialTarget& to) {
          ++calls;
          return DialAddress(to.host, to.port)(to);
        }});
  StartWatches(300);
  EXPECT_TRUE(Eventually([&] { return Count(Running) == 300; })) << Count(Running) << " of 300 run";
  EXPECT_EQ(Stats().connections_opened, 4U);
  EXPECT_EQ(Stats().connections_open, 4U);
  EXPECT_EQ(calls, 4);
}

// libcurl would open another connection for requests beyond the server's stream limit.
TEST_F(Http2Test, MaxConnections_OfAServerThatTakesFewStreams_BoundAPool) {
  Begin(60, {.max_connections = 3});
  for (int i = 0; i < 4; ++i) StartWatches(99, "/watch", ConnectionPool::kShort);
  EXPECT_TRUE(Eventually([&] { return Count(Running) >= 120; })) << Count(Running);
  StartWatches(50, "/watch", ConnectionPool::kShort);
  // Long enough for unwanted connections to appear.
  EXPECT_FALSE(
      Eventually([&] { return transport_->Stats().connections_opened > 3; }, milliseconds(500)));
  EXPECT_LE(Stats().connections_opened, 3U);
}

TEST_F(Http2Test, ALowStreamLimitIsLearned) {
  Begin(10);
  StartWatches(45);
  // The transport ends one stream of the first connection, to make room for the probe. A watch that
  // loses its stream resumes.
  const auto ended = [](const Watch& w) { return w.done.has_value(); };
  EXPECT_TRUE(Eventually([&] { return Count(Running) + Count(ended) == 45 && Count(ended) > 0; }));
  EXPECT_LE(Count(ended), 2);
  EXPECT_LE(Stats().connections_opened, 6U);
  const int running = Count(Running);
  StartWatches(9);
  EXPECT_TRUE(Eventually([&] { return Count(Running) == running + 9; }, seconds(5)));
}

TEST_F(Http2Test, AConnectionThatIsGoingAwayNeverLeavesAWatchWaiting) {
  Begin(100);
  StartWatches(5);
  ASSERT_TRUE(Eventually([&] { return Count(Running) == 5; }));
  proxy_->Signal(SIGQUIT);  // GOAWAY: open streams continue, no new connections
  for (int i = 0; i < 3; ++i) {
    StartWatches(1);
    EXPECT_TRUE(
        Eventually([&] { return watches_.back()->done.has_value() || Running(*watches_.back()); },
                   seconds(10)));
  }
  EXPECT_GE(Count(Running), 5);
}

TEST_F(Http2Test, AFrozenServerIsNoticed) {
  Begin(100, {.read_idle_timeout = milliseconds(100), .ping_timeout = milliseconds(300)});
  StartWatches(3);
  ASSERT_TRUE(Eventually([&] { return Count(Running) == 3 && probes_ > 1; }));
  proxy_->Signal(SIGSTOP);
  EXPECT_TRUE(Eventually(
      [&] {
        return Count([](const Watch& w) {
                 return w.done && !w.done->ok() && w.done->error().reason() == Reason::kTransport;
               }) == 3;
      },
      seconds(5)));
  proxy_->Signal(SIGCONT);
  StartWatches(1);
  EXPECT_TRUE(Eventually([&] { return Count(Running) == 1; }));
}

TEST_F(Http2Test, ProbesUseTheWatchesConnection) {
  Begin(100, {.read_idle_timeout = milliseconds(50), .ping_timeout = milliseconds(1000)});
  StartWatches(3);
  EXPECT_TRUE(Eventually([&] { return probes_ >= 3; }));
  EXPECT_EQ(Count(Running), 3);
  EXPECT_EQ(Stats().connections_opened, 1U);
}

TEST_F(Http2Test, ABodyThatBreaksOffIsAnError) {
  Begin(100);
  StartWatches(1, "/half");
  ASSERT_TRUE(Eventually([&] { return watches_[0]->done.has_value(); }));
  ASSERT_FALSE(watches_[0]->done->ok());
  // The reason depends on whether the head was read before the reset.
  EXPECT_THAT(watches_[0]->done->error().reason(),
              testing::AnyOf(Reason::kUnexpectedEof, Reason::kTransport))
      << watches_[0]->done->error();
}

TEST_F(Http2Test, ADeadServersWatchesEndAtOnce) {
  Begin(100);
  StartWatches(150);
  ASSERT_TRUE(Eventually([&] { return Count(Running) == 150; }));
  proxy_->Signal(SIGKILL);
  EXPECT_TRUE(Eventually(
      [&] { return Count([](const Watch& w) { return w.done && !w.done->ok(); }) == 150; },
      seconds(3)));
  EXPECT_TRUE(Eventually([&] { return transport_->Stats().connections_open == 0; }, seconds(10)));
}

TEST_F(Http2Test, LargeBodiesArriveWhole) {
  Begin(100);
  StartWatches(3, "/large");
  const auto whole = [](const Watch& w) { return w.done && w.done->ok() && w.bytes == 20 << 20; };
  EXPECT_TRUE(Eventually([&] { return Count(whole) == 3; }));
  for (const auto& watch : watches_) {
    EXPECT_TRUE(whole(*watch)) << "status " << watch->status << ", bytes " << watch->bytes
                               << (watch->done ? ", done" : "");
  }
}

}  // namespace
}  // namespace kinformer
