#include "http/tls_authority.h"

#include <arpa/inet.h>
#include <array>
#include <ctime>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <utility>

namespace kinformer::internal::http {
namespace {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using CertPtr = std::unique_ptr<X509, Freer<X509_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;

Error TlsError(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return Error(Reason::kConfig, what + ": " + text.data());
}

std::string TakeText(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string CertText(X509* cert) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), cert);
  return TakeText(bio.get());
}

std::string KeyText(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  // SEC1, which every client reads; some do not read PKCS#8 keys of this type.
  PEM_write_bio_PrivateKey_traditional(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return TakeText(bio.get());
}

bool AddName(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool AddExtension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(cert, extension.get(), -1) == 1;
}

bool IsAddress(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> buffer{};
  return inet_pton(AF_INET, host.c_str(), buffer.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), buffer.data()) == 1;
}

// Subject and use of a certificate.
struct Subject {
  std::string common_name{};
  std::vector<std::string> organizations{};
  std::vector<std::pair<int, std::string>> extensions{};
  Duration validity{kTenYears};
};

}  // namespace

struct TlsAuthority::Impl {
  // Self-signs if the authority has no certificate yet.
  Result<std::pair<CertPtr, KeyPtr>> Issue(const Subject& subject) {
    KeyPtr own(EVP_EC_gen("P-256"));
    CertPtr made(X509_new());
    if (own == nullptr || made == nullptr) return TlsError("making a key");
    std::array<unsigned char, 16> serial{};
    RAND_bytes(serial.data(), static_cast<int>(serial.size()));
    const std::unique_ptr<BIGNUM, Freer<BN_free>> number(
        BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr));
    BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(made.get()));
    X509_set_version(made.get(), X509_VERSION_3);
    std::time_t base = std::chrono::system_clock::to_time_t(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(now));
    X509_time_adj_ex(X509_getm_notBefore(made.get()), 0, -3600, &base);
    X509_time_adj_ex(X509_getm_notAfter(made.get()), 0,
                     std::chrono::duration_cast<std::chrono::seconds>(subject.validity).count(),
                     &base);
    X509_set_pubkey(made.get(), own.get());
    X509_NAME* name = X509_get_subject_name(made.get());
    bool good = true;
    for (const std::string& organization : subject.organizations) {
      good = good && AddName(name, "O", organization);
    }
    good = good && AddName(name, "CN", subject.common_name);
    X509* const issuer = cert != nullptr ? cert.get() : made.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
    for (const auto& [nid, value] : subject.extensions) {
      good = good && AddExtension(made.get(), issuer, nid, value);
    }
    if (!good || X509_sign(made.get(), key != nullptr ? key.get() : own.get(), EVP_sha256()) == 0) {
      return TlsError("making a certificate for \"" + subject.common_name + "\"");
    }
    return std::pair(std::move(made), std::move(own));
  }

  Result<CertificateAndKey> IssueText(const Subject& subject) {
    auto issued = Issue(subject);
    if (!issued) return issued.error();
    return CertificateAndKey{CertText(issued->first.get()), KeyText(issued->second.get())};
  }

  WallTime now{};
  CertPtr cert{};
  KeyPtr key{};
  std::string pem{};
};

TlsAuthority::TlsAuthority(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsAuthority::TlsAuthority(TlsAuthority&&) noexcept = default;
TlsAuthority& TlsAuthority::operator=(TlsAuthority&&) noexcept = default;
TlsAuthority::~TlsAuthority() = default;

Result<TlsAuthority> TlsAuthority::Make(const std::string& common_name, WallTime now) {
  auto impl = std::make_unique<Impl>();
  impl->now = now;
  auto root = impl->Issue({.common_name = common_name,
                           .extensions = {{NID_basic_constraints, "critical,CA:TRUE"},
                                          {NID_key_usage, "critical,keyCertSign,cRLSign"},
                                          {NID_subject_key_identifier, "hash"}}});
  if (!root) return root.error();
  impl->cert = std::move(root->first);
  impl->key = std::move(root->second);
  impl->pem = CertText(impl->cert.get());
  return TlsAuthority(std::move(impl));
}

Result<TlsAuthority> TlsAuthority::FromPem(const std::string& cert_pem, const std::string& key_pem,
                                           WallTime now) {
  auto impl = std::make_unique<Impl>();
  impl->now = now;
  const BioPtr cert(BIO_new_mem_buf(cert_pem.data(), static_cast<int>(cert_pem.size())));
  const BioPtr key(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  impl->cert.reset(PEM_read_bio_X509(cert.get(), nullptr, nullptr, nullptr));
  impl->key.reset(PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
  if (impl->cert == nullptr || impl->key == nullptr) return TlsError("reading an authority");
  if (X509_check_private_key(impl->cert.get(), impl->key.get()) != 1) {
    return TlsError("the authority's key is another certificate's");
  }
  impl->pem = CertText(impl->cert.get());
  return TlsAuthority(std::move(impl));
}

const std::string& TlsAuthority::ca_pem() const { return impl_->pem; }
std::string TlsAuthority::key_pem() const { return KeyText(impl_->key.get()); }

Result<CertificateAndKey> TlsAuthority::ServerCertificate(const std::vector<std::string>& hosts,
                                                          Duration validity) {
  std::string names;
  for (const std::string& host : hosts) {
    if (!names.empty()) names.push_back(',');
    names.append(IsAddress(host) ? "IP:" : "DNS:").append(host);
  }
  return impl_->IssueText({.common_name = "kube-apiserver",
                           .extensions = {{NID_key_usage, "critical,digitalSignature"},
                                          {NID_ext_key_usage, "serverAuth"},
                                          {NID_authority_key_identifier, "keyid"},
                                          {NID_subject_alt_name, names}},
                           .validity = validity});
}

Result<CertificateAndKey> TlsAuthority::ClientCertificate(const std::string& user,
                                                          const std::vector<std::string>& groups) {
  return impl_->IssueText({.common_name = user,
                           .organizations = groups,
                           .extensions = {{NID_key_usage, "critical,digitalSignature"},
                                          {NID_ext_key_usage, "clientAuth"},
                                          {NID_authority_key_identifier, "keyid"}}});
}

Result<WallTime> ExpiryOf(const std::string& cert_pem) {
  const BioPtr text(BIO_new_mem_buf(cert_pem.data(), static_cast<int>(cert_pem.size())));
  const CertPtr cert(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  std::tm parts{};
  if (cert == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(cert.get()), &parts) != 1) {
    return TlsError("reading a certificate");
  }
  return WallTime(std::chrono::seconds(::timegm(&parts)));
}

}  // namespace kinformer::internal::http
