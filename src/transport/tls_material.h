// transport/tls_material.h
//
// TlsMaterial: the certificates of TlsOptions as text in memory, from files or from options.

#ifndef KINFORMER_TRANSPORT_TLS_MATERIAL_H_
#define KINFORMER_TRANSPORT_TLS_MATERIAL_H_

#include <string>

#include "kinformer/base/result.h"
#include "kinformer/client/http_transport.h"

namespace kinformer::internal::transport {

struct TlsMaterial {
  std::string ca;  // PEM; empty: the system's
  std::string cert;
  std::string key;

  friend bool operator==(const TlsMaterial&, const TlsMaterial&) = default;
};

// Reads and checks the files. kConfig with option and file: missing, no PEM, half of a pair, a key
// for another certificate, a CA together with insecure_skip_verify. Blocks on files, so do not call
// it on the loop.
Result<TlsMaterial> LoadTlsMaterial(const TlsOptions& options);

// Checks that `cert` and `key` are PEM and belong together. `what` begins the message.
Result<void> CheckKeyPair(const std::string& cert, const std::string& key, const std::string& what);

// Whether changed files can change the result of LoadTlsMaterial.
[[nodiscard]] bool UsesFiles(const TlsOptions& options);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_TLS_MATERIAL_H_
