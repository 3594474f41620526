// transport/tls_material.h
//
// TlsMaterial: the certificates of TlsOptions as text in memory, from files or from options.

#ifndef KINFORMER_TRANSPORT_TLS_MATERIAL_H_
#define KINFORMER_TRANSPORT_TLS_MATERIAL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/http_transport.h"

namespace kinformer::internal::transport {

struct TlsMaterial {
  std::string ca;  // PEM; empty: the system's
  std::string cert;
  std::string key;

  friend bool operator==(const TlsMaterial&, const TlsMaterial&) = default;
};

// Outcome of reading the CA.
enum class CaResult : std::uint8_t { kRead, kCannotRead, kEmpty, kNoPem };

// Reads and checks the files. kConfig with option and file: missing, no PEM, half of a pair, a key
// for another certificate, a CA together with insecure_skip_verify. An empty file is an error and
// never means the system's certificates. Blocks on files, so do not call it on the loop.
// `ca_result`, if not null, gets the outcome for the CA.
Result<TlsMaterial> LoadTlsMaterial(const TlsOptions& options, CaResult* ca_result = nullptr);

// Checks that `cert` and `key` are PEM and belong together. `what` begins the message.
Result<void> CheckKeyPair(const std::string& cert, const std::string& key, const std::string& what);

// Whether changed files can change the result of LoadTlsMaterial, and its CA.
[[nodiscard]] bool UsesFiles(const TlsOptions& options);
[[nodiscard]] bool UsesCaFile(const TlsOptions& options);

// When a certificate begins and ends to be valid, in seconds since 1970. The range of WallTime is
// too short for certificates without an end (the year 9999).
struct CertificateTimes {
  std::int64_t not_before = 0;
  std::int64_t not_after = 0;

  friend bool operator==(const CertificateTimes&, const CertificateTimes&) = default;
};
// Returns the times of the first certificate in the text; nullopt if there is none.
std::optional<CertificateTimes> TimesOfCertificate(const std::string& pem);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_TLS_MATERIAL_H_
