// Certificates of webhooks in a Secret of the embedded API server, in simulated time.

#include "kinformer/webhook/webhook_certificates.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/admissionregistrationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"

#include "x509/tls_authority.h"

namespace kinformer::testing {
namespace {

using internal::x509::ExpiryOf;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

constexpr auto kDay = hours(24);

class WebhookCertificatesTest : public ::testing::Test {
 protected:
  WebhookCertificatesTest() {
    server_
        .Load(R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: a.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {namespace: default, name: hooks}}
- name: b.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {namespace: default, name: hooks}}
)")
        .OrExit();
  }
  [[nodiscard]] WebhookCertificates New(std::vector<std::string> hosts = {"hooks.default.svc"}) {
    return {client_,
            {.namespace_ = "default",
             .secret_name = "hooks-tls",
             .hosts = std::move(hosts),
             .mutating = {"missing"},
             .validating = {"hooks"},
             .check_interval = hours(12),
             .retry_interval = hours(1)}};
  }
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), hours(1))); }
  corev1::Secret::Mutable Secret() {
    const auto secret = client_.For<corev1::Secret>("default").Get("hooks-tls").OrExit();
    return secret->DeepCopy();
  }
  std::vector<std::string> Bundles() {
    std::vector<std::string> out;
    const auto configuration =
        client_.For<admissionregistrationv1::ValidatingWebhookConfiguration>()
            .Get("hooks")
            .OrExit();
    for (const auto& webhook : configuration->webhooks()) {
      out.emplace_back(webhook.clientConfig().caBundle());
    }
    return out;
  }

  Simulation sim_{{.start = WallTime(std::chrono::seconds(1'700'000'000))}};
  ApiServer server_{sim_, {.bootstrap_objects = false}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport());
};

TEST_F(WebhookCertificatesTest, SecondReplica_TakesThePairOfTheFirst) {
  Run([&] {
    const CertificatePair made = New().Ensure().OrExit();
    EXPECT_EQ(New().Ensure().OrExit(), made);
    const corev1::Secret::Mutable secret = Secret();
    EXPECT_EQ(secret.type, "kubernetes.io/tls");
    EXPECT_EQ(secret.data.at("tls.crt"), made.cert_pem);
    EXPECT_EQ(Bundles(), std::vector<std::string>(2, secret.data.at("ca.crt")));
    EXPECT_EQ(ExpiryOf(made.cert_pem).OrExit(),
              WallTime(std::chrono::seconds(1'700'000'000)) + 90 * kDay);
  });
}

TEST_F(WebhookCertificatesTest, ReplicasStartingTogether_UseOnePair) {
  std::vector<CertificatePair> pairs(3);
  std::vector<std::unique_ptr<Thread>> replicas;
  for (CertificatePair& pair : pairs) {
    replicas.push_back(sim_.env().NewThread("replica", [&] { pair = New().Ensure().OrExit(); }));
  }
  Run([&] {
    for (const auto& replica : replicas) replica->Join();
  });
  EXPECT_FALSE(pairs[0].cert_pem.empty());
  EXPECT_EQ(pairs[1], pairs[0]);
  EXPECT_EQ(pairs[2], pairs[0]);
}

TEST_F(WebhookCertificatesTest, CallbackThrows_NextPairIsStillReported) {
  int told = 0;
  std::stop_source stop;
  const WebhookCertificates certificates = New();
  const auto thread = sim_.env().NewThread("certificates", [&] {
    certificates.Run(stop.get_token(), [&](const CertificatePair&) {
      ++told;
      throw std::runtime_error("no");
    });
  });
  sim_.RunFor(61 * kDay);
  EXPECT_EQ(told, 2) << "the first, and the renewed one";
  stop.request_stop();
  Run([&] { thread->Join(); });
}

TEST_F(WebhookCertificatesTest, Renewal_ComesBeforeExpiryAndKeepsTheAuthority) {
  std::vector<CertificatePair> told;
  std::stop_source stop;
  const WebhookCertificates certificates = New();
  const auto thread = sim_.env().NewThread("certificates", [&] {
    certificates.Run(stop.get_token(), [&](const CertificatePair& pair) { told.push_back(pair); });
  });
  sim_.RunFor(59 * kDay);
  ASSERT_EQ(told.size(), 1U);
  std::vector<std::string> before;
  Run([&] { before = Bundles(); });
  sim_.RunFor(2 * kDay);
  EXPECT_EQ(told.size(), 2U);
  Run([&] { EXPECT_EQ(Bundles(), before); });
  stop.request_stop();
  Run([&] { thread->Join(); });
}

// An operator may start before its webhook configurations have been created.
TEST_F(WebhookCertificatesTest, MissingConfiguration_IsRetriedSoon) {
  std::stop_source stop;
  const WebhookCertificates certificates = New();
  const auto thread = sim_.env().NewThread(
      "certificates", [&] { certificates.Run(stop.get_token(), [](const CertificatePair&) {}); });
  sim_.RunFor(minutes(1));
  server_
      .Load(R"(
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: missing}
webhooks:
- name: a.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {namespace: default, name: hooks}}
)")
      .OrExit();
  sim_.RunFor(hours(1));
  Run([&] {
    const auto configuration = client_.For<admissionregistrationv1::MutatingWebhookConfiguration>()
                                   .Get("missing")
                                   .OrExit();
    EXPECT_EQ(configuration->webhooks()[0].clientConfig().caBundle(), Bundles()[0]);
    EXPECT_THAT(Bundles()[0], HasSubstr("BEGIN CERTIFICATE"));
  });
  stop.request_stop();
  Run([&] { thread->Join(); });
}

TEST_F(WebhookCertificatesTest, ANewAuthorityIsTrustedBesideTheOldOne) {
  std::string old;
  Run([&] {
    static_cast<void>(New().Ensure().OrExit());
    old = Secret().data["ca.crt"];
  });
  sim_.RunFor(3600 * kDay);
  Run([&] {
    static_cast<void>(New().Ensure().OrExit());
    const std::string bundle = Secret().data["ca.crt"];
    EXPECT_TRUE(bundle.ends_with(old));
    EXPECT_GT(bundle.size(), old.size());
    EXPECT_EQ(Bundles()[1], bundle);
  });
  sim_.RunFor(100 * kDay);
  Run([&] {
    static_cast<void>(New().Ensure().OrExit());
    EXPECT_GT(ExpiryOf(Secret().data["tls.crt"]).OrExit(), sim_.env().WallNow());
  });
}

TEST_F(WebhookCertificatesTest, OtherNamesOrBrokenKey_MakeANewPair) {
  Run([&] {
    const CertificatePair first = New().Ensure().OrExit();
    const CertificatePair more = New({"hooks.default.svc", "hooks"}).Ensure().OrExit();
    EXPECT_NE(more, first);
    corev1::Secret::Mutable secret = Secret();
    secret.data["tls.key"] = "nonsense";
    static_cast<void>(client_.For<corev1::Secret>("default").Update(secret).OrExit());
    EXPECT_NE(New().Ensure().OrExit(), more);
    EXPECT_EQ(New({}).Ensure().error().reason(), Reason::kInvalidArgument);
  });
}

}  // namespace
}  // namespace kinformer::testing
