// The Secret of webhook certificates: what is in it, and when its parts are made again.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/webhook/webhook_certificates.h"

#include "integration/webhook_secret_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr auto kDay = hours(24);

TEST_F(WebhookSecret, FirstSecret_HasFourParts) {
  const CertificatePair pair = Ensure().OrExit();
  const corev1::Secret::Mutable secret = Secret();
  EXPECT_EQ(secret.metadata.name, "hooks-tls");
  EXPECT_EQ(secret.metadata.namespace_, "default");
  EXPECT_EQ(secret.type, "kubernetes.io/tls");
  std::vector<std::string> names;
  for (const auto& [name, value] : secret.data) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("ca.crt", "ca.key", "tls.crt", "tls.key"));
  EXPECT_EQ(secret.data.at("tls.crt"), pair.cert_pem);
  EXPECT_EQ(secret.data.at("tls.key"), pair.key_pem);
  EXPECT_EQ(Certificates(secret.data.at("ca.crt")), 1U);
  EXPECT_NE(secret.data.at("ca.key"), pair.key_pem);
  // It is good: nothing is written.
  EXPECT_EQ(Ensure().OrExit(), pair);
  EXPECT_EQ(Secret().metadata.resourceVersion, secret.metadata.resourceVersion);
}

TEST_F(WebhookSecret, Pair_IsRenewedThirtyDaysBeforeItsEnd) {
  const CertificatePair first = Ensure().OrExit();
  const Data before = Secret().data;
  RunUntil(Expiry(first.cert_pem) - 30 * kDay - seconds(1));
  EXPECT_EQ(Ensure().OrExit(), first);
  RunUntil(Expiry(first.cert_pem) - 30 * kDay);
  const CertificatePair second = Ensure().OrExit();
  EXPECT_NE(second.cert_pem, first.cert_pem);
  EXPECT_NE(second.key_pem, first.key_pem);
  EXPECT_EQ(Expiry(second.cert_pem), Expiry(first.cert_pem) + 60 * kDay);
  EXPECT_EQ(Secret().data.at("ca.crt"), before.at("ca.crt"));
  EXPECT_EQ(Secret().data.at("ca.key"), before.at("ca.key"));
  WebhookCertificatesOptions early = Options();
  early.renew_before = 89 * kDay;
  RunUntil(Expiry(second.cert_pem) - 89 * kDay - seconds(1));
  EXPECT_EQ(Ensure(early).OrExit(), second);
  RunUntil(Expiry(second.cert_pem) - 89 * kDay);
  EXPECT_EQ(Ensure().OrExit(), second);
  EXPECT_NE(Ensure(early).OrExit(), second);
}

// The authority must outlive each certificate that it signs.
TEST_F(WebhookSecret, Authority_IsReplacedWhenACertificateWouldOutliveIt) {
  static_cast<void>(Ensure().OrExit());
  const Data old = Secret().data;
  const WallTime end = Expiry(old.at("ca.crt"));
  EXPECT_EQ(end, WallTime(seconds(1'700'000'000)) + 3650 * kDay);
  RunUntil(end - 90 * kDay - seconds(1));
  const CertificatePair last = Ensure().OrExit();
  EXPECT_EQ(Secret().data.at("ca.crt"), old.at("ca.crt"));
  EXPECT_LT(Expiry(last.cert_pem), end);
  RunUntil(end - 90 * kDay);
  EXPECT_NE(Ensure().OrExit(), last) << "it is signed by the new authority";
  const std::string bundle = Secret().data.at("ca.crt");
  EXPECT_EQ(Certificates(bundle), 2U);
  EXPECT_TRUE(bundle.ends_with(old.at("ca.crt"))) << "which is trusted beside the old one";
  EXPECT_EQ(Expiry(bundle), end - 90 * kDay + 3650 * kDay);
  EXPECT_NE(Secret().data.at("ca.key"), old.at("ca.key"));
  // The old one stays in the bundle until its end.
  Put(old);
  RunUntil(end - seconds(1));
  static_cast<void>(Ensure().OrExit());
  EXPECT_EQ(Certificates(Secret().data.at("ca.crt")), 2U);
  Put(old);
  RunUntil(end);
  static_cast<void>(Ensure().OrExit());
  EXPECT_EQ(Certificates(Secret().data.at("ca.crt")), 1U);
  EXPECT_NE(Secret().data.at("ca.crt"), old.at("ca.crt"));
}

TEST_F(WebhookSecret, DamagedParts_AreMadeAgain) {
  static_cast<void>(Ensure().OrExit());
  Data good = Secret().data;
  good["more"] = "theirs";
  WebhookCertificatesOptions other = Options({"b.default.svc"});
  Put(good);
  static_cast<void>(Ensure(other).OrExit());
  const Data foreign = Secret().data;
  EXPECT_EQ(foreign.at("more"), "theirs");
  struct Row {
    const char* part;
    std::string value;  // empty: the part is missing, except that each TLS Secret has its two
    bool keeps_authority;
  };
  for (const Row& row : std::vector<Row>{{"more", "changed", true},
                                         {"tls.crt", "", true},
                                         {"tls.crt", "nonsense", true},
                                         {"tls.crt", foreign.at("tls.crt"), true},
                                         {"tls.key", "", true},
                                         {"tls.key", "nonsense", true},
                                         {"tls.key", foreign.at("tls.key"), true},
                                         {"ca.key", "", false},
                                         {"ca.key", "nonsense", false},
                                         {"ca.key", good.at("tls.key"), false},
                                         {"ca.crt", "", false},
                                         {"ca.crt", "nonsense", false}}) {
    SCOPED_TRACE(std::string(row.part) + " " + row.value.substr(0, 10));
    Data data = good;
    data[row.part] = row.value;
    if (row.value.empty() && std::string(row.part).starts_with("ca.")) data.erase(row.part);
    Put(data);
    const CertificatePair pair = Ensure().OrExit();
    const Data now = Secret().data;
    EXPECT_EQ(now.at("tls.crt"), pair.cert_pem);
    EXPECT_EQ(now.at("tls.key"), pair.key_pem);
    EXPECT_EQ(now.at("more"), data.at("more"));
    EXPECT_EQ(now.at("tls.crt") == good.at("tls.crt"), row.part == std::string("more"));
    EXPECT_EQ(now.at("ca.crt") == good.at("ca.crt"), row.keeps_authority);
    EXPECT_EQ(now.at("ca.key") == good.at("ca.key"), row.keeps_authority);
    // A usable certificate of the authority stays in the bundle.
    const bool had_two = row.part == std::string("ca.key");
    EXPECT_EQ(Certificates(now.at("ca.crt")), had_two ? 2U : 1U);
  }
}

TEST_F(WebhookSecret, SecretOfOthers_KeepsItsTypeAndContent) {
  Run([&] {
    corev1::Secret::Mutable secret;
    secret.metadata.name = "hooks-tls";
    secret.metadata.labels["theirs"] = "1";
    secret.type = "Opaque";
    secret.data["more"] = "x";
    ASSERT_TRUE(client_.For<corev1::Secret>("default").Create(secret).ok());
  });
  const CertificatePair pair = Ensure().OrExit();
  const corev1::Secret::Mutable secret = Secret();
  EXPECT_EQ(secret.type, "Opaque");
  EXPECT_EQ(secret.metadata.labels.at("theirs"), "1");
  EXPECT_EQ(secret.data.at("more"), "x");
  EXPECT_EQ(secret.data.at("tls.crt"), pair.cert_pem);
  EXPECT_EQ(secret.data.size(), 5U);
}

TEST_F(WebhookSecret, FewerHosts_KeepThePair_OneMoreDoesNot) {
  const CertificatePair both = Ensure(Options({"a.default.svc", "b.default.svc"})).OrExit();
  EXPECT_EQ(Ensure(Options({"b.default.svc"})).OrExit(), both);
  EXPECT_EQ(Ensure(Options({"a.default.svc"})).OrExit(), both);
  EXPECT_NE(Ensure(Options({"a.default.svc", "c.default.svc"})).OrExit(), both);
}

}  // namespace
}  // namespace kinformer::testing
