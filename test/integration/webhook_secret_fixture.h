// test/integration/webhook_secret_fixture.h
//
// WebhookSecret: the Secret of webhook certificates on the embedded API server, in simulated time.

#ifndef KINFORMER_TEST_INTEGRATION_WEBHOOK_SECRET_FIXTURE_H_
#define KINFORMER_TEST_INTEGRATION_WEBHOOK_SECRET_FIXTURE_H_

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/webhook/webhook_certificates.h"

#include "x509/tls_authority.h"

namespace kinformer::testing {

class WebhookSecret : public ::testing::Test {
 protected:
  using Data = std::map<std::string, std::string>;
  // The least data that a Secret of this type may have.
  inline static const Data kNone{{"tls.crt", ""}, {"tls.key", ""}};

  static WebhookCertificatesOptions Options(std::vector<std::string> hosts = {"a.default.svc"}) {
    return {.namespace_ = "default", .secret_name = "hooks-tls", .hosts = std::move(hosts)};
  }
  Result<CertificatePair> Ensure(const WebhookCertificatesOptions& options = Options()) {
    Result<CertificatePair> pair = Error(Reason::kUnknown, "did not end");
    EXPECT_TRUE(sim_.RunBlocking([&] { pair = WebhookCertificates(client_, options).Ensure(); },
                                 std::chrono::hours(1)));
    return pair;
  }
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1))); }
  corev1::Secret::Mutable Secret() {
    corev1::Secret::Mutable secret;
    Run([&] {
      const auto there = client_.For<corev1::Secret>("default").Get("hooks-tls").OrExit();
      secret = there->DeepCopy();
    });
    return secret;
  }
  void Put(const Data& data) {
    corev1::Secret::Mutable secret = Secret();
    secret.data = data;
    Run([&] { ASSERT_TRUE(client_.For<corev1::Secret>("default").Update(secret).ok()); });
  }
  bool IsThere() {
    bool found = false;
    Run([&] { found = client_.For<corev1::Secret>("default").Get("hooks-tls").ok(); });
    return found;
  }
  void RunUntil(WallTime time) { sim_.RunFor(time - sim_.env().WallNow()); }
  static WallTime Expiry(const std::string& pem) { return internal::x509::ExpiryOf(pem).OrExit(); }
  static std::size_t Certificates(const std::string& pem) {
    std::size_t count = 0;
    for (std::size_t at = pem.find("BEGIN CERT"); at != std::string::npos; ++count) {
      at = pem.find("BEGIN CERT", at + 1);
    }
    return count;
  }

  Simulation sim_{{.start = WallTime(std::chrono::seconds(1'700'000'000))}};
  ApiServer server_{sim_, {.bootstrap_objects = false}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_WEBHOOK_SECRET_FIXTURE_H_
