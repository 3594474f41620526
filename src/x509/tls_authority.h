// x509/tls_authority.h
//
// TlsAuthority: a certificate authority in memory, so that a server can offer TLS without prepared
// files.

#ifndef KINFORMER_X509_TLS_AUTHORITY_H_
#define KINFORMER_X509_TLS_AUTHORITY_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/certificate/cert.h"

namespace kinformer::internal::x509 {

// Default validity of certificates.
constexpr Duration kTenYears = std::chrono::hours(24 * 3650);

// Signs certificates with its own key (ECDSA P-256). All are valid from an hour before `now`, since
// clocks differ; the authority's own for ten years. Thread-compatible. Errors: kConfig, with
// OpenSSL's message.
class TlsAuthority {
 public:
  static Result<TlsAuthority> Make(const std::string& common_name, WallTime now);
  // Makes an authority of this content with a key that exists.
  static Result<TlsAuthority> MakeWithKey(const cert::Config& config, const std::string& key_pem,
                                          WallTime now);
  // Restores an authority from its certificate and key.
  static Result<TlsAuthority> FromPem(const std::string& cert_pem, const std::string& key_pem,
                                      WallTime now);
  TlsAuthority(TlsAuthority&&) noexcept;
  TlsAuthority& operator=(TlsAuthority&&) noexcept;
  ~TlsAuthority();

  [[nodiscard]] const std::string& ca_pem() const;
  // Returns the private key, to be stored in a file that only its owner can read.
  [[nodiscard]] std::string key_pem() const;
  // Makes a certificate for a server with these names and IP addresses.
  Result<CertificatePair> ServerCertificate(const std::vector<std::string>& hosts,
                                            Duration validity = kTenYears,
                                            const std::string& common_name = "kube-apiserver");
  // Makes a client certificate: the user is the common name, groups are the organizations.
  Result<CertificatePair> ClientCertificate(const std::string& user,
                                            const std::vector<std::string>& groups);
  // Makes the certificate that a request (PEM) asks for, for clients and servers, whoever asks. It
  // is valid for `validity` from `now` on, which may be another time than the authority's. `names`,
  // if not null, take the place of those that are asked for.
  Result<std::string> Sign(const std::string& request_pem, WallTime now, Duration validity,
                           const cert::CertificateRequest* names = nullptr);

 private:
  struct Impl;
  explicit TlsAuthority(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Returns the expiry of the first certificate in the text. kConfig: there is none.
Result<WallTime> ExpiryOf(const std::string& cert_pem);

}  // namespace kinformer::internal::x509

#endif  // KINFORMER_X509_TLS_AUTHORITY_H_
