// Keys, requests and certificates that sign themselves: their content, and what is refused.

#include "kinformer/certificate/cert.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

#include "x509/openssl.h"
#include "x509/tls_authority.h"

namespace kinformer {
namespace {

using internal::x509::CertOf;
using internal::x509::ExpiryOf;
using internal::x509::KeyOf;
using internal::x509::RequestOf;
using internal::x509::TlsAuthority;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CertTest : public ::testing::Test {
 protected:
  ~CertTest() override { EXPECT_EQ(ERR_peek_error(), 0U) << "no error is left for the next call"; }
  Env& env() { return sim_.env(); }
  // Signs the request, so that what it asks for can be read.
  cert::CertificateRequest Asked(const std::string& request) {
    auto authority = TlsAuthority::Make("ca", env().WallNow()).OrExit();
    return cert::NamesOf(authority.Sign(request, env().WallNow(), std::chrono::hours(1)).OrExit())
        .OrExit();
  }

  Simulation sim_{SimulationOptions{.start = WallTime(std::chrono::seconds(1795233060))}};
};

TEST_F(CertTest, KeysAreOfP256AndDiffer) {
  const std::string one = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
  EXPECT_THAT(one, StartsWith("-----BEGIN EC PRIVATE KEY-----\n"));
  const auto key = KeyOf(one);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(EVP_PKEY_get_base_id(key.get()), EVP_PKEY_EC);
  EXPECT_EQ(EVP_PKEY_get_bits(key.get()), 256);
  EXPECT_NE(keyutil::MakeEllipticPrivateKeyPEM().OrExit(), one);
}

TEST_F(CertTest, RequestAsksForItsNamesWithItsKey) {
  const std::string key = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
  cert::CertificateRequest wanted;
  wanted.subject = {.common_name = "system:node:n1", .organizations = {"system:nodes", "b"}};
  wanted.alt_names = {.dns_names = {"n1", "*.example.org"}, .ips = {"10.0.0.1", "fd00::1"}};
  const std::string request = cert::MakeCSRFromTemplate(key, wanted).OrExit();
  EXPECT_THAT(request, StartsWith("-----BEGIN CERTIFICATE REQUEST-----\n"));
  EXPECT_EQ(Asked(request), wanted);
  const auto parsed = RequestOf(request);
  EXPECT_EQ(EVP_PKEY_eq(X509_REQ_get0_pubkey(parsed.get()), KeyOf(key).get()), 1);
  const cert::Subject jane{.common_name = "jane"};
  EXPECT_EQ(Asked(cert::MakeCSR(key, jane, {"a"}, {"::1"}).OrExit()),
            (cert::CertificateRequest{.subject = jane,
                                      .alt_names = {.dns_names = {"a"}, .ips = {"::1"}}}));
  EXPECT_EQ(Asked(cert::MakeCSR(key, jane).OrExit()).alt_names, cert::AltNames());
}

TEST_F(CertTest, RequestsThatCannotBeMade_AreExplained) {
  const std::string key = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
  const auto message = [](const Result<std::string>& made) {
    EXPECT_FALSE(made.ok());
    return made.ok() ? std::string() : made.error().message();
  };
  EXPECT_THAT(message(cert::MakeCSR("x", {.common_name = "jane"})),
              StartsWith("making a certificate request for \"jane\": reading the key: error:"));
  EXPECT_THAT(message(cert::MakeCSR(key, {.common_name = std::string(65, 'x')})),
              HasSubstr("string too long"));
  for (const char* name : {"", "a,DNS:b", "a b", "*", "*.", "a\xc3\xa4"}) {
    EXPECT_THAT(message(cert::MakeCSR(key, {.common_name = "jane"}, {name})),
                HasSubstr("is neither a DNS name nor an IP address"))
        << name;
  }
  EXPECT_THAT(message(cert::MakeCSR(key, {.common_name = "jane"}, {}, {"10.0.0"})),
              HasSubstr("\"10.0.0\" is not an IP address"));
}

TEST_F(CertTest, AuthorityOfOnesOwnSignsRequests) {
  const std::string key = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
  cert::Config config;
  config.common_name = "my-ca";
  config.organizations = {"me"};
  const WallTime now = env().WallNow();
  const std::string ca = cert::NewSelfSignedCACert(env(), config, key).OrExit();
  EXPECT_EQ(cert::NamesOf(ca).OrExit().subject,
            (cert::Subject{.common_name = "my-ca", .organizations = {"me"}}));
  const auto parsed = CertOf(ca);
  EXPECT_EQ(X509_check_ca(parsed.get()), 1);
  auto authority = TlsAuthority::FromPem(ca, key, now).OrExit();
  const std::string own = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
  const std::string made =
      authority
          .Sign(cert::MakeCSR(own, {.common_name = "jane"}).OrExit(), now, std::chrono::hours(2))
          .OrExit();
  const auto leaf = CertOf(made);
  EXPECT_EQ(X509_verify(leaf.get(), X509_get0_pubkey(parsed.get())), 1);
  EXPECT_EQ(X509_check_private_key(leaf.get(), KeyOf(own).get()), 1);
  EXPECT_EQ(ExpiryOf(made).OrExit(),
            std::chrono::floor<std::chrono::seconds>(now) + std::chrono::hours(2));
  EXPECT_FALSE(cert::NewSelfSignedCACert(env(), config, "x"));
  EXPECT_FALSE(authority.Sign("x", now, std::chrono::hours(2)));
}

TEST_F(CertTest, SelfSignedPair_IsOfItsHostAndTrustsItself) {
  cert::SelfSignedCertKeyOptions options;
  options.host = "web.example.org";
  options.alternate_ips = {"10.0.0.1"};
  options.alternate_dns = {"web"};
  options.max_age = std::chrono::hours(48);
  const CertificatePair pair = cert::GenerateSelfSignedCertKeyWithOptions(env(), options).OrExit();
  const auto leaf = CertOf(pair.cert_pem);
  EXPECT_EQ(X509_check_private_key(leaf.get(), KeyOf(pair.key_pem).get()), 1);
  const auto names = cert::NamesOf(pair.cert_pem).OrExit();
  EXPECT_EQ(names.alt_names,
            (cert::AltNames{.dns_names = {"web.example.org", "web"}, .ips = {"10.0.0.1"}}));
  EXPECT_THAT(names.subject.common_name, StartsWith("web.example.org@"));
  EXPECT_EQ(ExpiryOf(pair.cert_pem).OrExit(),
            std::chrono::floor<std::chrono::seconds>(env().WallNow()) + std::chrono::hours(48));
  const std::size_t second = pair.cert_pem.find("-----BEGIN", 1);
  ASSERT_NE(second, std::string::npos);
  const auto authority = CertOf(pair.cert_pem.substr(second));
  EXPECT_EQ(X509_verify(leaf.get(), X509_get0_pubkey(authority.get())), 1);
}

TEST_F(CertTest, SelfSignedPair_TakesAddressesAndLongNames) {
  const auto local = cert::GenerateSelfSignedCertKey(env(), "127.0.0.1", {"::1"}).OrExit();
  EXPECT_EQ(cert::NamesOf(local.cert_pem).OrExit().alt_names,
            (cert::AltNames{.dns_names = {}, .ips = {"127.0.0.1", "::1"}}));
  const std::string name(200, 'a');
  EXPECT_EQ(cert::NamesOf(cert::GenerateSelfSignedCertKey(env(), name).OrExit().cert_pem)
                .OrExit()
                .alt_names.dns_names,
            std::vector<std::string>{name});
  EXPECT_FALSE(cert::GenerateSelfSignedCertKey(env(), "a b"));
}

TEST_F(CertTest, NamesOfNoCertificate_AreAnError) {
  EXPECT_THAT(cert::NamesOf("x").error().message(), StartsWith("reading a certificate: error:"));
}

}  // namespace
}  // namespace kinformer
