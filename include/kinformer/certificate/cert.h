// kinformer/certificate/cert.h
//
// cert: keys, requests for certificates, and certificates that sign themselves, all as PEM.
//
//   const std::string key = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
//   const std::string request = cert::MakeCSR(key, {.common_name = "jane"}).OrExit();
//   const CertificatePair serving =
//       cert::GenerateSelfSignedCertKey(env, "localhost", {"127.0.0.1"}).OrExit();
//
// Keys are of ECDSA P-256, which servers and clients sign with in a fraction of the time of RSA.
// All functions are thread-safe and do not block. Their errors are kConfig and name what is wrong.
//
// Counterparts: the packages util/cert and util/keyutil, and parts of crypto/x509.

#ifndef KINFORMER_CERTIFICATE_CERT_H_
#define KINFORMER_CERTIFICATE_CERT_H_

#include <chrono>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"

namespace kinformer {

// A certificate with its chain, and its key, both PEM.
struct CertificatePair {
  std::string cert_pem{};
  std::string key_pem{};
  bool operator==(const CertificatePair&) const = default;
};

namespace keyutil {

// Makes a private key: "-----BEGIN EC PRIVATE KEY-----".
Result<std::string> MakeEllipticPrivateKeyPEM();

}  // namespace keyutil

namespace cert {

// Whom a certificate is for: to an API server, a user and the groups. X.509 limits each text to 64
// bytes. Counterpart: the fields of pkix.Name that Kubernetes reads.
struct Subject {
  std::string common_name{};
  std::vector<std::string> organizations{};
  bool operator==(const Subject&) const = default;
};

// Names by which clients reach the server of a certificate. A DNS name may begin with "*.".
struct AltNames {
  std::vector<std::string> dns_names{};
  std::vector<std::string> ips{};
  bool operator==(const AltNames&) const = default;
};

// Content of a request. Counterpart: the fields of x509.CertificateRequest that MakeCSR sets.
struct CertificateRequest {
  Subject subject{};
  AltNames alt_names{};
  bool operator==(const CertificateRequest&) const = default;
};

// Content of a certificate authority's own certificate.
struct Config {
  std::string common_name{};
  std::vector<std::string> organizations{};
  AltNames alt_names{};   // beside the common name
  WallTime not_before{};  // 0: an hour before now, since clocks differ
};

// Makes a certificate that signs itself, and others for ten years from now, with this key.
Result<std::string> NewSelfSignedCACert(Env& env, const Config& config, const std::string& key_pem);

// Reads the subject and the alternative names of the first certificate in the text. Other kinds of
// names, such as URIs, are left out.
Result<CertificateRequest> NamesOf(const std::string& cert_pem);

// Makes a request, signed with the key: "-----BEGIN CERTIFICATE REQUEST-----".
Result<std::string> MakeCSRFromTemplate(const std::string& key_pem,
                                        const CertificateRequest& request);
// Does the same, of the parts.
Result<std::string> MakeCSR(const std::string& key_pem, const Subject& subject,
                            const std::vector<std::string>& dns_sans = {},
                            const std::vector<std::string>& ip_sans = {});

// Choices for a serving certificate.
struct SelfSignedCertKeyOptions {
  std::string host{};  // a DNS name or an IP address; also in the common name
  std::vector<std::string> alternate_ips{};
  std::vector<std::string> alternate_dns{};
  TimeSpan max_age{std::chrono::hours(24 * 365)};  // counted from now
};

// Makes a key and a serving certificate for it, followed by that of the authority that signed it
// and whose key is gone: clients that trust the whole text trust the server. For servers in tests
// and on one machine. Thread-safe.
Result<CertificatePair> GenerateSelfSignedCertKeyWithOptions(
    Env& env, const SelfSignedCertKeyOptions& options);
// Does the same, for a year.
Result<CertificatePair> GenerateSelfSignedCertKey(
    Env& env, const std::string& host, const std::vector<std::string>& alternate_ips = {},
    const std::vector<std::string>& alternate_dns = {});

}  // namespace cert
}  // namespace kinformer

#endif  // KINFORMER_CERTIFICATE_CERT_H_
