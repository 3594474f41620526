// Tests the renewal of certificates while a function of the program blocks every thread of its pool
// and reads from the server: files that have changed are read again, plugins run, and the results
// of both are used.

#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/log.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/json/json.h"

#include "integration/client_proofs.h"
#include "integration/embedded_server.h"
#include "integration/held_election.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::Namespace;

// An API server that accepts client certificates of its authority, on two ports with an authority
// each: a certificate for one port is refused by the other.
class CertifiedServers {
 public:
  CertifiedServers() {
    OnLoop([&] { api_ = std::make_unique<apiserver::ApiServer>(runtime_.env()); });
    http_ = Listen();
    other_ = Listen();
  }
  ~CertifiedServers() {
    http_.reset();
    other_.reset();
    OnLoop([&] { api_.reset(); });
  }
  CertifiedServers(const CertifiedServers&) = delete;
  CertifiedServers& operator=(const CertifiedServers&) = delete;

  [[nodiscard]] Config ClientConfig() const { return ConfigOf(*http_); }
  [[nodiscard]] Config ConfigOfTheOther() const { return ConfigOf(*other_); }

 private:
  static Config ConfigOf(const apiserver::HttpServer& http) {
    return Config::FromKubeconfig(http.Kubeconfig()).OrExit();
  }
  std::unique_ptr<apiserver::HttpServer> Listen() {
    return apiserver::HttpServer::Listen(runtime_.env(), *api_,
                                         {.tls = true, .require_client_certificate = true})
        .OrExit();
  }
  void OnLoop(const std::function<void()>& work) {
    std::promise<void> done;
    runtime_.env().loop().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  }

  Runtime runtime_{{.name = "test-server", .log = NewNullLog()}};
  std::unique_ptr<apiserver::ApiServer> api_{};
  std::unique_ptr<apiserver::HttpServer> http_{};
  std::unique_ptr<apiserver::HttpServer> other_{};
};

// Part of a Config that a client reads from a source that can change.
struct Renewed {
  const char* name;
  // Writes this part of `from` to that source.
  std::function<void(const Config& from)> put;
  // Makes a client read this part from that source.
  std::function<void(Config&)> use;
};

void PrintTo(const Renewed& renewed, std::ostream* out) { *out << renewed.name; }

Renewed CertificateAuthorityInAFile() {
  return {"CertificateAuthorityFile",
          [](const Config& from) { WriteProof("renewed-ca", from.tls.ca_data); },
          [](Config& config) {
            config.tls.ca_data.clear();
            config.tls.ca_file = ProofPath("renewed-ca");
          }};
}

Renewed ClientCertificateInFiles() {
  return {"ClientCertificateFiles",
          [](const Config& from) {
            WriteProof("renewed-cert", from.tls.cert_data);
            WriteProof("renewed-key", from.tls.key_data);
          },
          [](Config& config) {
            config.tls.cert_data.clear();
            config.tls.key_data.clear();
            config.tls.cert_file = ProofPath("renewed-cert");
            config.tls.key_file = ProofPath("renewed-key");
          }};
}

Renewed ClientCertificateOfAPlugin() {
  return {"ClientCertificateOfAPlugin",
          [](const Config& from) {
            WriteProof(
                "renewed-answer",
                PluginAnswer(json::Value::MakeObject({{"clientCertificateData", from.tls.cert_data},
                                                      {"clientKeyData", from.tls.key_data}}),
                             kExpired));
          },
          [](Config& config) {
            config.tls.cert_data.clear();
            config.tls.key_data.clear();
            config.exec = PluginOf("renewing-plugin", "cat '" + ProofPath("renewed-answer") + "'");
          }};
}

class BlockedPoolFiles : public ::testing::TestWithParam<Renewed> {
 protected:
  // Returns a client that checks its files for changes every millisecond.
  Client NewClient(const Config& config) {
    HttpTransportOptions options = TransportOptionsFor(config).OrExit();
    options.reload_period = 1ms;
    return Client::ForTransport(runtime_.env(), NewHttpTransport(runtime_.env(), options).OrExit());
  }
  // Runs `work` on the only thread of the pool, and waits for its end.
  void HoldThePoolWith(const std::function<void()>& work) {
    std::promise<void> done;
    runtime_.env().pool().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  }

  CertifiedServers servers_;
  Runtime runtime_{{.max_handler_threads = 1, .log = NewNullLog()}};
};

INSTANTIATE_TEST_SUITE_P(Certificates, BlockedPoolFiles,
                         ::testing::Values(CertificateAuthorityInAFile(),
                                           ClientCertificateInFiles(),
                                           ClientCertificateOfAPlugin()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(BlockedPoolFiles, AFunctionThatHoldsThePool_ReadsWithWhatHasBeenRenewed) {
  const Renewed& renewed = GetParam();
  Config config = servers_.ClientConfig();
  renewed.put(config);
  renewed.use(config);
  const Client client = NewClient(config);
  const auto read = [&](Duration timeout = 30s) {
    return client.For<Namespace>().Get("default", {}, {.timeout = timeout});
  };
  HoldThePoolWith([&] {
    auto got = read();
    EXPECT_TRUE(got.ok()) << got.error();
    // The old certificate is valid until the new one is in use.
    renewed.put(servers_.ConfigOfTheOther());
    // The server breaks a connection with an unknown certificate, and the client retries such a
    // request: only for a short time here.
    EXPECT_TRUE(Eventually([&] { return !(got = read(2s)).ok(); })) << "the old one is in use";
    renewed.put(servers_.ClientConfig());
    EXPECT_TRUE(Eventually([&] { return (got = read()).ok(); })) << got.error();
  });
}

TEST_P(BlockedPoolFiles, AnElectionKeepsItsLease) {
  Config config = servers_.ClientConfig();
  GetParam().put(config);
  GetParam().use(config);
  KeepsItsLease(runtime_, config);
}

}  // namespace
}  // namespace kinformer::testing
