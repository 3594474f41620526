#include "kinformer/certificate/cert.h"

#include <chrono>
#include <memory>
#include <openssl/err.h>
#include <utility>

#include "x509/names.h"
#include "x509/openssl.h"
#include "x509/tls_authority.h"

namespace kinformer {

using internal::x509::AltNamesOf;
using internal::x509::AltNamesValue;
using internal::x509::CertOf;
using internal::x509::CertPtr;
using internal::x509::KeyOf;
using internal::x509::KeyPtr;
using internal::x509::NamesPtr;
using internal::x509::RequestPtr;
using internal::x509::SetSubject;
using internal::x509::TlsAuthority;
using internal::x509::TlsError;

Result<std::string> keyutil::MakeEllipticPrivateKeyPEM() {
  const KeyPtr key = internal::x509::NewKey();
  if (key == nullptr) return TlsError("making a key");
  return internal::x509::KeyText(key.get());
}

namespace cert {
namespace {

using Extensions = STACK_OF(X509_EXTENSION);

struct FreeExtensions {
  void operator()(Extensions* all) const { sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free); }
};

// Adds the names to the extensions that are requested.
Result<void> RequestNames(X509_REQ* request, const AltNames& names) {
  Result<NamesPtr> value = AltNamesValue(names);
  if (!value) return value.error();
  if (*value == nullptr) return {};
  Extensions* added = nullptr;
  const int done = X509V3_add1_i2d(&added, NID_subject_alt_name, value->get(), 0, 0);
  const std::unique_ptr<Extensions, FreeExtensions> extensions(added);
  if (done != 1 || X509_REQ_add_extensions(request, extensions.get()) != 1) {
    return TlsError("naming the server");
  }
  return {};
}

}  // namespace

Result<std::string> NewSelfSignedCACert(Env& env, const Config& config,
                                        const std::string& key_pem) {
  Result<TlsAuthority> authority = TlsAuthority::MakeWithKey(config, key_pem, env.WallNow());
  if (!authority) return std::move(authority).error();
  return authority->ca_pem();
}

Result<CertificateRequest> NamesOf(const std::string& cert_pem) {
  const CertPtr cert = CertOf(cert_pem);
  if (cert == nullptr) return TlsError("reading a certificate");
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(cert.get(), NID_subject_alt_name, nullptr, nullptr)));
  ERR_clear_error();
  return CertificateRequest{.subject = internal::x509::SubjectOf(X509_get_subject_name(cert.get())),
                            .alt_names = AltNamesOf(names.get())};
}

Result<std::string> MakeCSRFromTemplate(const std::string& key_pem,
                                        const CertificateRequest& request) {
  const std::string what =
      "making a certificate request for \"" + request.subject.common_name + "\"";
  const KeyPtr key = KeyOf(key_pem);
  if (key == nullptr) return TlsError(what + ": reading the key");
  const RequestPtr made(X509_REQ_new());
  if (made == nullptr || X509_REQ_set_pubkey(made.get(), key.get()) != 1 ||
      !SetSubject(X509_REQ_get_subject_name(made.get()), request.subject)) {
    return TlsError(what);
  }
  if (Result<void> named = RequestNames(made.get(), request.alt_names); !named) {
    return Error(named.error()).WithContext(what);
  }
  if (X509_REQ_sign(made.get(), key.get(), EVP_sha256()) == 0) return TlsError(what);
  return internal::x509::RequestText(made.get());
}

Result<std::string> MakeCSR(const std::string& key_pem, const Subject& subject,
                            const std::vector<std::string>& dns_sans,
                            const std::vector<std::string>& ip_sans) {
  CertificateRequest request;
  request.subject = subject;
  request.alt_names = {.dns_names = dns_sans, .ips = ip_sans};
  return MakeCSRFromTemplate(key_pem, request);
}

Result<CertificatePair> GenerateSelfSignedCertKeyWithOptions(
    Env& env, const SelfSignedCertKeyOptions& options) {
  const WallTime now = env.WallNow();
  const std::string at =
      "@" +
      std::to_string(std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  // X.509 limits the length. Clients look at the other names.
  const std::string name = options.host.substr(0, 64 - std::string("-ca").size() - at.size());
  Result<TlsAuthority> authority = TlsAuthority::Make(name + "-ca" + at, now);
  if (!authority) return std::move(authority).error();
  std::vector<std::string> hosts{options.host};
  hosts.insert(hosts.end(), options.alternate_ips.begin(), options.alternate_ips.end());
  hosts.insert(hosts.end(), options.alternate_dns.begin(), options.alternate_dns.end());
  Result<CertificatePair> pair = authority->ServerCertificate(hosts, options.max_age, name + at);
  if (pair) pair->cert_pem += authority->ca_pem();
  return pair;
}

Result<CertificatePair> GenerateSelfSignedCertKey(Env& env, const std::string& host,
                                                  const std::vector<std::string>& alternate_ips,
                                                  const std::vector<std::string>& alternate_dns) {
  SelfSignedCertKeyOptions options;
  options.host = host;
  options.alternate_ips = alternate_ips;
  options.alternate_dns = alternate_dns;
  return GenerateSelfSignedCertKeyWithOptions(env, options);
}

}  // namespace cert
}  // namespace kinformer
