// Hundreds of informers over HTTP/2: nghttpx (Debian's nghttp2-proxy) in front of the embedded API
// server, like a load balancer or API gateway in front of a real one.

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"

#include "integration/believer.h"
#include "integration/embedded_server.h"
#include "support/child_process.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;

constexpr char kNghttpx[] = "/usr/sbin/nghttpx";

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

bool Accepts(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(port);
  const bool ok = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return ok;
}

class Http2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (access(kNghttpx, X_OK) != 0) GTEST_SKIP() << "needs nghttpx (package nghttp2-proxy)";
    const std::string base = ::testing::TempDir() + "kinformer-http2-" + std::to_string(getpid());
    cert_path_ = base + ".crt";
    key_path_ = base + ".key";
    const CertificatePair certificate = server_.MakeCertificate();
    std::ofstream(cert_path_) << certificate.cert_pem;
    std::ofstream(key_path_) << certificate.key_pem;
    port_ = FreePort();
    server_.Put("first", "1");
  }
  void TearDown() override {
    informers_.clear();
    std::remove(cert_path_.c_str());
    std::remove(key_path_.c_str());
  }

  std::unique_ptr<ChildProcess> NewProxy(int max_streams) {
    auto proxy = std::make_unique<ChildProcess>(std::vector<std::string>{
        kNghttpx, "--conf=/dev/null", "--frontend=127.0.0.1," + std::to_string(port_),
        "--backend=127.0.0.1," + std::to_string(server_.port()),
        "--frontend-http2-max-concurrent-streams=" + std::to_string(max_streams), "--workers=1",
        "--single-process", "--no-ocsp", "--log-level=FATAL", "--errorlog-file=/dev/null",
        key_path_, cert_path_});
    EXPECT_TRUE(Eventually([&] { return Accepts(port_); }));
    return proxy;
  }

  void StartInformers(int count) {
    Config config = server_.ClientConfig();
    config.host = "https://127.0.0.1:" + std::to_string(port_);
    config.tls.ca_data = server_.ca_pem();
    client_.emplace(Client::NewForConfig(config).OrExit());
    AddInformers(count);
  }
  void AddInformers(int count) {
    for (int i = 0; i < count; ++i) {
      SharedInformer<ConfigMap> informer(client_->env(), NewFilteredListWatch<ConfigMap>(*client_));
      static_cast<void>(informer.SetWatchErrorHandler([](const Error&) {}).ok());
      auto believer = std::make_shared<Believer<ConfigMap>>();
      static_cast<void>(
          informer
              .AddEventHandler(std::static_pointer_cast<ResourceEventHandler<ConfigMap>>(believer))
              .OrExit());
      informer.Start();
      informers_.push_back({std::move(informer), std::move(believer)});
    }
  }

  // Waits until every cache and every handler equals the server.
  void ExpectAllFollow(const std::string& when) {
    const State wanted = server_.ServerState();
    std::size_t behind = informers_.size();
    std::string error;
    EXPECT_TRUE(Eventually([&] {
      behind = 0;
      for (const Entry& entry : informers_) {
        if (CacheState(entry.informer) == wanted && entry.believer->believed() == wanted) continue;
        ++behind;
        error = entry.informer.Status().ErrorText();
      }
      return behind == 0;
    })) << when
        << ": " << behind << " of " << informers_.size() << " do not follow; last error: " << error;
    for (const Entry& entry : informers_) {
      ASSERT_THAT(entry.believer->breaches(), ::testing::IsEmpty()) << when;
    }
  }

  struct Entry {
    SharedInformer<ConfigMap> informer;
    std::shared_ptr<Believer<ConfigMap>> believer;
  };

  EmbeddedServer server_{{.tls = false}};
  std::string cert_path_{};
  std::string key_path_{};
  int port_ = 0;
  std::optional<Client> client_{};
  std::vector<Entry> informers_{};
};

TEST_F(Http2, ManyInformersShareFewConnections) {
  const auto proxy = NewProxy(100);
  StartInformers(300);
  ExpectAllFollow("at first");
  server_.Put("second", "1");
  server_.Put("first", "2");
  ExpectAllFollow("after writes");
  const TransportStats stats = client_->Stats();
  EXPECT_LE(stats.connections_open, 12U);
  EXPECT_LE(stats.connections_opened, 12U);
  // No informer lost its watch meanwhile.
  for (const Entry& entry : informers_) {
    ASSERT_EQ(entry.informer.Stats().AllLists(), 1U);
    ASSERT_EQ(entry.informer.Stats().watches, 1U);
  }
}

TEST_F(Http2, ALowStreamLimitHoldsNobodyUp) {
  const auto proxy = NewProxy(10);
  StartInformers(60);
  ExpectAllFollow("at first");
  server_.Put("second", "1");
  ExpectAllFollow("after a write");
  // Each connection carries ten streams, one of them for health checks. Up to eight connections are
  // for requests that are not watches.
  EXPECT_LE(client_->Stats().connections_open, 16U);
}

TEST_F(Http2, AProxyThatGoesAwayLosesNothing) {
  auto proxy = NewProxy(100);
  StartInformers(120);
  ExpectAllFollow("at first");
  // GOAWAY: open streams continue, new requests have to wait.
  proxy->Signal(SIGQUIT);
  server_.Put("during", "1");
  ExpectAllFollow("after GOAWAY");
  AddInformers(5);
  server_.Put("during", "2");
  // The proxy dies with all connections, in the middle of their streams, and the server changes
  // while no client is connected.
  proxy.reset();
  server_.Put("without-proxy", "1");
  server_.Delete("first");
  proxy = NewProxy(100);
  ExpectAllFollow("after a restart");
  for (std::size_t i = 0; i < 120; ++i) {
    ASSERT_GE(informers_[i].informer.Stats().watches, 2U);
  }
}

}  // namespace
}  // namespace kinformer::testing
