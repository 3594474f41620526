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

// State of the file of the CA, if there is one.
enum class CaFile : std::uint8_t { kGood, kUnreadable, kEmpty, kNoPem };

// Reads and checks the files. kConfig with option and file: missing, no PEM, half of a pair, a key
// for another certificate, a CA together with insecure_skip_verify. An empty file is an error and
// never means the system's certificates. Blocks on files, so do not call it on the loop. `ca`: gets
// the state of the file of the CA.
Result<TlsMaterial> LoadTlsMaterial(const TlsOptions& options, CaFile* ca = nullptr);

// Checks that `cert` and `key` are PEM and belong together. `what` begins the message.
Result<void> CheckKeyPair(const std::string& cert, const std::string& key, const std::string& what);

// Returns the end of the time for which the first certificate of the text is valid.
[[nodiscard]] std::optional<WallTime> CertificateExpiry(const std::string& pem);

// Whether changed files can change the result of LoadTlsMaterial.
[[nodiscard]] bool UsesFiles(const TlsOptions& options);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_TLS_MATERIAL_H_
