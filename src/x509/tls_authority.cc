#include "x509/tls_authority.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <openssl/bn.h>
#include <openssl/rand.h>
#include <utility>

#include "x509/names.h"
#include "x509/openssl.h"

namespace kinformer::internal::x509 {
namespace {

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;

bool AddExtension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(cert, extension.get(), -1) == 1;
}

// Sets a time of a certificate. Its own type has the range that WallTime lacks.
void SetTime(ASN1_TIME* time, WallTime base, Duration after) {
  std::time_t start = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(base));
  X509_time_adj_ex(time, 0, std::chrono::duration_cast<std::chrono::seconds>(after).count(),
                   &start);
}

// Content of a certificate.
struct Content {
  cert::CertificateRequest names{};
  std::vector<std::pair<int, std::string>> extensions{};
  WallTime now{};
  Duration early{std::chrono::hours(1)};
  Duration validity{kTenYears};
};

}  // namespace

struct TlsAuthority::Impl {
  // Makes a certificate for the key `own`. Self-signs if the authority has no certificate yet.
  Result<CertPtr> Issue(const Content& content, EVP_PKEY* own) {
    const std::string what =
        "making a certificate for \"" + content.names.subject.common_name + "\"";
    CertPtr made(X509_new());
    if (own == nullptr || made == nullptr) return TlsError("making a key");
    std::array<unsigned char, 16> serial{};
    RAND_bytes(serial.data(), static_cast<int>(serial.size()));
    const std::unique_ptr<BIGNUM, Freer<BN_free>> number(
        BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr));
    BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(made.get()));
    X509_set_version(made.get(), X509_VERSION_3);
    SetTime(X509_getm_notBefore(made.get()), content.now, -content.early);
    SetTime(X509_getm_notAfter(made.get()), content.now, content.validity);
    X509_set_pubkey(made.get(), own);
    X509_NAME* name = X509_get_subject_name(made.get());
    bool good = SetSubject(name, content.names.subject);
    X509* const issuer = cert != nullptr ? cert.get() : made.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
    for (const auto& [nid, value] : content.extensions) {
      good = good && AddExtension(made.get(), issuer, nid, value);
    }
    if (!good) return TlsError(what);
    Result<NamesPtr> names = AltNamesValue(content.names.alt_names);
    if (!names) return Error(names.error()).WithContext(what);
    if ((*names != nullptr &&
         X509_add1_ext_i2d(made.get(), NID_subject_alt_name, names->get(), 0, 0) != 1) ||
        X509_sign(made.get(), key != nullptr ? key.get() : own, EVP_sha256()) == 0) {
      return TlsError(what);
    }
    return made;
  }

  Result<CertificatePair> IssuePair(const Content& content) {
    const KeyPtr own = NewKey();
    auto issued = Issue(content, own.get());
    if (!issued) return issued.error();
    return CertificatePair{CertText(issued->get()), KeyText(own.get())};
  }

  // Signs itself.
  Result<void> BecomeAuthority(const Content& content, KeyPtr own) {
    auto root = Issue(content, own.get());
    if (!root) return root.error();
    cert = *std::move(root);
    key = std::move(own);
    pem = CertText(cert.get());
    return {};
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
  Content content{.now = now};
  content.names.subject.common_name = common_name;
  content.extensions = {{NID_basic_constraints, "critical,CA:TRUE"},
                        {NID_key_usage, "critical,keyCertSign,cRLSign"},
                        {NID_subject_key_identifier, "hash"}};
  if (Result<void> made = impl->BecomeAuthority(content, NewKey()); !made) return made.error();
  return TlsAuthority(std::move(impl));
}

Result<TlsAuthority> TlsAuthority::MakeWithKey(const cert::Config& config,
                                               const std::string& key_pem, WallTime now) {
  auto impl = std::make_unique<Impl>();
  impl->now = now;
  KeyPtr key = KeyOf(key_pem);
  if (key == nullptr) return TlsError("reading the key of an authority");
  Content content{.now = now};
  content.names.subject = {.common_name = config.common_name,
                           .organizations = config.organizations};
  content.names.alt_names = config.alt_names;
  if (config.not_before != WallTime{}) content.early = now - config.not_before;
  content.extensions = {{NID_basic_constraints, "critical,CA:TRUE"},
                        {NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign"},
                        {NID_subject_key_identifier, "hash"}};
  if (Result<void> made = impl->BecomeAuthority(content, std::move(key)); !made) {
    return made.error();
  }
  return TlsAuthority(std::move(impl));
}

Result<TlsAuthority> TlsAuthority::FromPem(const std::string& cert_pem, const std::string& key_pem,
                                           WallTime now) {
  auto impl = std::make_unique<Impl>();
  impl->now = now;
  impl->cert = CertOf(cert_pem);
  if (impl->cert != nullptr) impl->key = KeyOf(key_pem);
  if (impl->cert == nullptr || impl->key == nullptr) return TlsError("reading an authority");
  if (X509_check_private_key(impl->cert.get(), impl->key.get()) != 1) {
    return TlsError("the authority's key is another certificate's");
  }
  impl->pem = CertText(impl->cert.get());
  return TlsAuthority(std::move(impl));
}

const std::string& TlsAuthority::ca_pem() const { return impl_->pem; }
std::string TlsAuthority::key_pem() const { return KeyText(impl_->key.get()); }

Result<CertificatePair> TlsAuthority::ServerCertificate(const std::vector<std::string>& hosts,
                                                        Duration validity,
                                                        const std::string& common_name) {
  Content content{.now = impl_->now, .validity = validity};
  content.names.subject.common_name = common_name;
  content.names.alt_names = Sorted(hosts);
  content.extensions = {{NID_key_usage, "critical,digitalSignature"},
                        {NID_ext_key_usage, "serverAuth"},
                        {NID_authority_key_identifier, "keyid"}};
  return impl_->IssuePair(content);
}

Result<CertificatePair> TlsAuthority::ClientCertificate(const std::string& user,
                                                        const std::vector<std::string>& groups) {
  Content content{.now = impl_->now};
  content.names.subject = {.common_name = user, .organizations = groups};
  content.extensions = {{NID_key_usage, "critical,digitalSignature"},
                        {NID_ext_key_usage, "clientAuth"},
                        {NID_authority_key_identifier, "keyid"}};
  return impl_->IssuePair(content);
}

Result<std::string> TlsAuthority::Sign(const std::string& request_pem, WallTime now,
                                       Duration validity, const cert::CertificateRequest* names) {
  const RequestPtr request = RequestOf(request_pem);
  if (request == nullptr) return TlsError("reading a request");
  EVP_PKEY* const key = X509_REQ_get0_pubkey(request.get());
  if (key == nullptr || X509_REQ_verify(request.get(), key) != 1) {
    return TlsError("the request is not signed with its key");
  }
  Content content{.now = now, .early = {}, .validity = validity};
  content.names.subject = SubjectOf(X509_REQ_get_subject_name(request.get()));
  using Extensions = STACK_OF(X509_EXTENSION);
  const auto free_all = [](Extensions* all) {
    sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
  };
  const std::unique_ptr<Extensions, decltype(free_all)> asked(
      X509_REQ_get_extensions(request.get()), free_all);
  const NamesPtr hosts(static_cast<GENERAL_NAMES*>(
      X509V3_get_d2i(asked.get(), NID_subject_alt_name, nullptr, nullptr)));
  content.names.alt_names = AltNamesOf(hosts.get());
  if (names != nullptr) content.names = *names;
  content.extensions = {{NID_key_usage, "critical,digitalSignature"},
                        {NID_ext_key_usage, "clientAuth,serverAuth"},
                        {NID_authority_key_identifier, "keyid"}};
  auto issued = impl_->Issue(content, key);
  if (!issued) return issued.error();
  return CertText(issued->get());
}

Result<WallTime> ExpiryOf(const std::string& cert_pem) {
  const CertPtr cert = CertOf(cert_pem);
  std::tm parts{};
  if (cert == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(cert.get()), &parts) != 1) {
    return TlsError("reading a certificate");
  }
  return WallTime(std::chrono::seconds(::timegm(&parts)));
}

}  // namespace kinformer::internal::x509
