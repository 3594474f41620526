// certificates/held_certificate.h
//
// HeldCertificate: the current certificate of a manager, for it and for clients that use it.

#ifndef KINFORMER_CERTIFICATES_HELD_CERTIFICATE_H_
#define KINFORMER_CERTIFICATES_HELD_CERTIFICATE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "kinformer/base/env.h"
#include "kinformer/certificate/cert.h"
#include "kinformer/client/http_transport.h"

#include "base/core/mutex.h"
#include "transport/tls_material.h"

namespace kinformer::internal::certificates {

// Returns a time in whole seconds since 1970, as certificates have it.
[[nodiscard]] std::int64_t SecondsOf(WallTime time);

// A pair, when it is valid, and for whom.
struct TimedPair {
  CertificatePair pair{};
  transport::CertificateTimes times{};
  cert::CertificateRequest names{};
};

// Thread-safe.
class HeldCertificate {
 public:
  // Replaces the pair, and returns the one before.
  std::optional<TimedPair> Set(TimedPair next);
  // Returns the pair, expired or not.
  [[nodiscard]] std::optional<TimedPair> Get() const;
  // Returns the pair if it is valid now.
  [[nodiscard]] std::optional<CertificatePair> Valid(Env& env) const;

 private:
  mutable base::Mutex mutex_;
  std::optional<TimedPair> pair_ KINFORMER_GUARDED_BY(mutex_);
};

// Returns credentials that are always the held pair.
std::shared_ptr<CredentialSource> NewHeldCredentials(std::shared_ptr<HeldCertificate> held);

}  // namespace kinformer::internal::certificates

#endif  // KINFORMER_CERTIFICATES_HELD_CERTIFICATE_H_
