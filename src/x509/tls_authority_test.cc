// TlsAuthority: certificates in all their fields, restored authorities, and errors.

#include "x509/tls_authority.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <set>

namespace kinformer::internal::x509 {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Cert = std::unique_ptr<X509, void (*)(X509*)>;
using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Bio = std::unique_ptr<BIO, int (*)(BIO*)>;

constexpr WallTime kNow{seconds(1795233060)};

Cert ParseCert(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  return {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), &X509_free};
}
Key ParseKey(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  return {PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
}
// Returns all that `write` writes.
std::string Written(const std::function<void(BIO*)>& write) {
  const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
  write(bio.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string NameText(const X509_NAME* name) {
  std::string text;
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(name, i);
    const ASN1_STRING* const value = X509_NAME_ENTRY_get_data(entry);
    EXPECT_EQ(X509_NAME_ENTRY_set(entry), i);
    text += OBJ_nid2sn(OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry)));
    text += "=";
    text.append(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                static_cast<std::size_t>(ASN1_STRING_length(value)));
    text += ";";
  }
  return text;
}

// Returns "name!=value;" for each extension, "!" for critical ones, without key identifiers.
std::string ExtensionsText(X509* cert) {
  std::string text;
  for (int i = 0; i < X509_get_ext_count(cert); ++i) {
    X509_EXTENSION* const extension = X509_get_ext(cert, i);
    const int nid = OBJ_obj2nid(X509_EXTENSION_get_object(extension));
    text += OBJ_nid2sn(nid);
    if (X509_EXTENSION_get_critical(extension) != 0) text += "!";
    if (nid != NID_subject_key_identifier && nid != NID_authority_key_identifier) {
      text += "=" + Written([&](BIO* bio) { X509V3_EXT_print(bio, extension, 0, 0); });
    }
    text += ";";
  }
  return text;
}

std::int64_t SecondsOf(const ASN1_TIME* time) {
  std::tm parts{};
  EXPECT_EQ(ASN1_TIME_to_tm(time, &parts), 1);
  return ::timegm(&parts) - std::chrono::duration_cast<seconds>(kNow.time_since_epoch()).count();
}

// Expects what all certificates share. `issuer`: a certificate of the authority.
void ExpectIssued(X509* cert, X509* issuer) {
  EXPECT_EQ(X509_get_version(cert), X509_VERSION_3);
  EXPECT_EQ(X509_get_signature_nid(cert), NID_ecdsa_with_SHA256);
  EXPECT_EQ(X509_verify(cert, X509_get0_pubkey(issuer)), 1);
  EXPECT_EQ(X509_NAME_cmp(X509_get_issuer_name(cert), X509_get_subject_name(issuer)), 0);
  const ASN1_INTEGER* const serial = X509_get0_serialNumber(cert);
  EXPECT_EQ(ASN1_STRING_type(serial), V_ASN1_INTEGER) << "it is not negative";
  EXPECT_LE(ASN1_STRING_length(serial), 16);
  EXPECT_EQ(SecondsOf(X509_get0_notBefore(cert)), -3600);
  if (cert == issuer) return;
  const ASN1_OCTET_STRING* const id = X509_get0_authority_key_id(cert);
  ASSERT_NE(id, nullptr);
  EXPECT_EQ(ASN1_OCTET_STRING_cmp(id, X509_get0_subject_key_id(issuer)), 0);
}

void ExpectKey(X509* cert, const std::string& key_pem) {
  EXPECT_THAT(key_pem, StartsWith("-----BEGIN EC PRIVATE KEY-----\n"));
  EXPECT_EQ(X509_check_private_key(cert, ParseKey(key_pem).get()), 1);
}

TEST(TlsAuthority, OwnCertificate_HasAllFields) {
  const TlsAuthority authority = TlsAuthority::Make("my-ca", kNow).OrExit();
  const Cert cert = ParseCert(authority.ca_pem());
  ASSERT_NE(cert, nullptr);
  ExpectIssued(cert.get(), cert.get());
  ExpectKey(cert.get(), authority.key_pem());
  EXPECT_EQ(NameText(X509_get_subject_name(cert.get())), "CN=my-ca;");
  EXPECT_EQ(ExtensionsText(cert.get()),
            "basicConstraints!=CA:TRUE;keyUsage!=Certificate Sign, CRL Sign;subjectKeyIdentifier;");
  EXPECT_EQ(SecondsOf(X509_get0_notAfter(cert.get())), 3650 * 86400);
}

TEST(TlsAuthority, ServerCertificate_HasAllFields) {
  TlsAuthority authority = TlsAuthority::Make("my-ca", kNow).OrExit();
  const Cert ca = ParseCert(authority.ca_pem());
  const auto pair =
      authority.ServerCertificate({"localhost", "127.0.0.1", "::1", "a.b"}, hours(5)).OrExit();
  const Cert cert = ParseCert(pair.cert_pem);
  ASSERT_NE(cert, nullptr);
  ExpectIssued(cert.get(), ca.get());
  ExpectKey(cert.get(), pair.key_pem);
  EXPECT_NE(pair.key_pem, authority.key_pem());
  EXPECT_EQ(NameText(X509_get_subject_name(cert.get())), "CN=kube-apiserver;");
  EXPECT_EQ(ExtensionsText(cert.get()),
            "keyUsage!=Digital Signature;extendedKeyUsage=TLS Web Server Authentication;"
            "authorityKeyIdentifier;subjectAltName=DNS:localhost, DNS:a.b, IP Address:127.0.0.1, "
            "IP Address:0:0:0:0:0:0:0:1;");
  EXPECT_EQ(SecondsOf(X509_get0_notAfter(cert.get())), 5 * 3600);
}

TEST(TlsAuthority, ClientCertificate_HasAllFields) {
  TlsAuthority authority = TlsAuthority::Make("my-ca", kNow).OrExit();
  const Cert ca = ParseCert(authority.ca_pem());
  const auto pair = authority.ClientCertificate("jane", {"system:masters", "dev"}).OrExit();
  const Cert cert = ParseCert(pair.cert_pem);
  ASSERT_NE(cert, nullptr);
  ExpectIssued(cert.get(), ca.get());
  ExpectKey(cert.get(), pair.key_pem);
  EXPECT_EQ(NameText(X509_get_subject_name(cert.get())), "O=system:masters;O=dev;CN=jane;");
  EXPECT_EQ(ExtensionsText(cert.get()),
            "keyUsage!=Digital Signature;extendedKeyUsage=TLS Web Client Authentication;"
            "authorityKeyIdentifier;");
  EXPECT_EQ(SecondsOf(X509_get0_notAfter(cert.get())), 3650 * 86400);
  const Cert alone = ParseCert(authority.ClientCertificate("joe", {}).OrExit().cert_pem);
  EXPECT_EQ(NameText(X509_get_subject_name(alone.get())), "CN=joe;");
}

TEST(TlsAuthority, SerialNumbers_Differ) {
  TlsAuthority authority = TlsAuthority::Make("my-ca", kNow).OrExit();
  std::set<std::string> serials;
  const auto add = [&](const std::string& pem) {
    const Cert cert = ParseCert(pem);
    const ASN1_INTEGER* const serial = X509_get0_serialNumber(cert.get());
    serials.emplace(reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)),
                    static_cast<std::size_t>(ASN1_STRING_length(serial)));
  };
  add(authority.ca_pem());
  for (int i = 0; i < 4; ++i) add(authority.ClientCertificate("jane", {}).OrExit().cert_pem);
  EXPECT_EQ(serials.size(), 5U);
}

TEST(TlsAuthority, RestoredAuthority_IssuesAsTheFirst) {
  const TlsAuthority first = TlsAuthority::Make("my-ca", kNow - hours(1000)).OrExit();
  TlsAuthority second = TlsAuthority::FromPem(first.ca_pem(), first.key_pem(), kNow).OrExit();
  EXPECT_EQ(second.ca_pem(), first.ca_pem());
  EXPECT_EQ(second.key_pem(), first.key_pem());
  const Cert ca = ParseCert(first.ca_pem());
  const Cert cert = ParseCert(second.ServerCertificate({"h"}).OrExit().cert_pem);
  ExpectIssued(cert.get(), ca.get());
  EXPECT_EQ(SecondsOf(X509_get0_notAfter(cert.get())), 3650 * 86400);
}

TEST(TlsAuthority, UnusableAuthorities_AreExplained) {
  const TlsAuthority one = TlsAuthority::Make("one", kNow).OrExit();
  const TlsAuthority two = TlsAuthority::Make("two", kNow).OrExit();
  struct Row {
    std::string cert;
    std::string key;
    std::string message;
    std::string reason;
  };
  for (const Row& row : std::vector<Row>{
           {"x", one.key_pem(), "reading an authority: error:", "no start line"},
           {one.ca_pem(), "x", "reading an authority: error:", ":"},
           {"", "", "reading an authority: error:", "no start line"},
           {one.ca_pem(), two.key_pem(),
            "the authority's key is another certificate's: error:", "key values mismatch"}}) {
    const auto made = TlsAuthority::FromPem(row.cert, row.key, kNow);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().reason(), Reason::kConfig);
    EXPECT_THAT(made.error().message(), StartsWith(row.message));
    EXPECT_THAT(made.error().message(), HasSubstr(row.reason));
    EXPECT_EQ(ERR_peek_error(), 0U) << "no error is left for the next call";
  }
}

// X.509 limits names to 64 bytes.
TEST(TlsAuthority, NamesThatDoNotFit_AreExplained) {
  const std::string fits(64, 'x');
  const std::string over(65, 'x');
  TlsAuthority authority = TlsAuthority::Make(fits, kNow).OrExit();
  const auto expect = [](const Error& error, const std::string& name, const char* reason) {
    EXPECT_EQ(error.reason(), Reason::kConfig);
    EXPECT_THAT(error.message(), StartsWith("making a certificate for \"" + name + "\": error:"));
    EXPECT_THAT(error.message(), HasSubstr(reason));
    EXPECT_EQ(ERR_peek_error(), 0U);
  };
  EXPECT_TRUE(authority.ClientCertificate(fits, {fits}));
  const auto made = TlsAuthority::Make(over, kNow);
  ASSERT_FALSE(made);
  expect(made.error(), over, "string too long");
  const auto user = authority.ClientCertificate(over, {});
  ASSERT_FALSE(user);
  expect(user.error(), over, "string too long");
  for (const std::vector<std::string>& groups :
       {std::vector<std::string>{over}, {"a", over}, {over, "a"}}) {
    const auto group = authority.ClientCertificate("jane", groups);
    ASSERT_FALSE(group);
    expect(group.error(), "jane", "string too long");
  }
  const auto hosts = authority.ServerCertificate({"a,bad:b"});
  ASSERT_FALSE(hosts);
  EXPECT_EQ(hosts.error().reason(), Reason::kConfig);
  EXPECT_EQ(hosts.error().message(),
            "making a certificate for \"kube-apiserver\": \"a,bad:b\" is neither a DNS name nor an "
            "IP address");
}

TEST(TlsAuthority, KeyThatCannotSign_IsExplained) {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &EVP_PKEY_free);
  const Cert cert = ParseCert(TlsAuthority::Make("my-ca", kNow).OrExit().ca_pem());
  X509_set_pubkey(cert.get(), key.get());
  ASSERT_NE(X509_sign(cert.get(), key.get(), nullptr), 0);
  auto authority =
      TlsAuthority::FromPem(
          Written([&](BIO* bio) { PEM_write_bio_X509(bio, cert.get()); }), Written([&](BIO* bio) {
            PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          }),
          kNow)
          .OrExit();
  const auto issued = authority.ClientCertificate("jane", {});
  ASSERT_FALSE(issued);
  EXPECT_THAT(issued.error().message(), StartsWith("making a certificate for \"jane\": error:"));
}

TEST(ExpiryOf, FirstCertificate_Decides) {
  TlsAuthority authority = TlsAuthority::Make("my-ca", kNow).OrExit();
  const auto pair = authority.ServerCertificate({"h"}, hours(5)).OrExit();
  EXPECT_EQ(ExpiryOf(pair.cert_pem).OrExit(), kNow + hours(5));
  EXPECT_EQ(ExpiryOf(pair.cert_pem + authority.ca_pem()).OrExit(), kNow + hours(5));
  EXPECT_EQ(ExpiryOf(authority.ca_pem() + pair.cert_pem).OrExit(), kNow + hours(24 * 3650));
  for (const std::string& text : {std::string(), std::string("x"), pair.key_pem}) {
    const auto none = ExpiryOf(text);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().reason(), Reason::kConfig);
    EXPECT_THAT(none.error().message(), StartsWith("reading a certificate: error:"));
    EXPECT_THAT(none.error().message(), HasSubstr("no start line"));
    EXPECT_EQ(ERR_peek_error(), 0U);
  }
}

}  // namespace
}  // namespace kinformer::internal::x509
