// kinformer/endpoints/certificate_watcher.h
//
// CertificateWatcher: reads a serving certificate and its key from files that another program
// renews, such as cert-manager in a mounted Secret.
//
//   auto watcher = CertificateWatcher::New(env, {"/certs/tls.crt", "/certs/tls.key"}).OrExit();
//   watcher->SetCallback([](const CertificatePair& pair) { std::cout << pair.cert_pem; });

#ifndef KINFORMER_ENDPOINTS_CERTIFICATE_WATCHER_H_
#define KINFORMER_ENDPOINTS_CERTIFICATE_WATCHER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/certificate/cert.h"

namespace kinformer {

// Files of a pair.
struct CertificateFiles {
  std::string cert_file{};
  std::string key_file{};
};

// Reads the files every `interval` of env's time on a thread of its own, however they are replaced:
// written, renamed, or through a link that changes. If a file is missing or malformed, or the key
// belongs to another certificate, that is logged and counted, and the previous pair stays: so
// reading in the middle of a renewal does no harm.
//
// Metrics: certwatcher_read_certificate_total, certwatcher_read_certificate_errors_total.
// Thread-safe. Destruction waits for the callback. Counterpart: controller-runtime's certwatcher.
class CertificateWatcher {
 public:
  // Creates a watcher; blocks on the disk. kConfig, naming the file: there is no valid pair.
  static Result<std::unique_ptr<CertificateWatcher>> New(
      Env& env, CertificateFiles files, Duration interval = std::chrono::seconds(10));
  virtual ~CertificateWatcher() = default;

  // Returns the last valid pair.
  [[nodiscard]] virtual CertificatePair Current() const = 0;
  // Calls `callback` with the current pair, before returning, and later, on the watcher's thread,
  // with each pair that differs from the last. Replaces an earlier callback. A callback may
  // replace itself; destruction is not for a callback.
  virtual void SetCallback(std::function<void(const CertificatePair& pair)> callback) = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_ENDPOINTS_CERTIFICATE_WATCHER_H_
