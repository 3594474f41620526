// http/tls_authority.h
//
// TlsAuthority: a certificate authority in memory, so that a server can offer TLS without files or
// preparation.

#ifndef KINFORMER_HTTP_TLS_AUTHORITY_H_
#define KINFORMER_HTTP_TLS_AUTHORITY_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/result.h"

namespace kinformer::internal::http {

struct CertificateAndKey {
  std::string cert_pem;
  std::string key_pem;
};

// How long certificates are valid where nobody says otherwise.
constexpr Duration kTenYears = std::chrono::hours(24 * 3650);

// Signs certificates with a key of its own (ECDSA P-256). All are valid from
// an hour before `now` (clocks differ), the authority's own for ten years. Thread-compatible.
// Errors: kConfig, with OpenSSL's text.
class TlsAuthority {
 public:
  static Result<TlsAuthority> Make(const std::string& common_name, WallTime now);
  // One that was made before.
  static Result<TlsAuthority> FromPem(const std::string& cert_pem, const std::string& key_pem,
                                      WallTime now);
  TlsAuthority(TlsAuthority&&) noexcept;
  TlsAuthority& operator=(TlsAuthority&&) noexcept;
  ~TlsAuthority();

  [[nodiscard]] const std::string& ca_pem() const;
  // Whoever has it is the authority: for a file of the owner's alone.
  [[nodiscard]] std::string key_pem() const;
  // For a server under these names and IP addresses.
  Result<CertificateAndKey> ServerCertificate(const std::vector<std::string>& hosts,
                                              Duration validity = kTenYears);
  // For a client: user is the common name, groups the organizations.
  Result<CertificateAndKey> ClientCertificate(const std::string& user,
                                              const std::vector<std::string>& groups);

 private:
  struct Impl;
  explicit TlsAuthority(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Until when a certificate, the first of the text, is valid. kConfig: there is none.
Result<WallTime> ExpiryOf(const std::string& cert_pem);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_TLS_AUTHORITY_H_
