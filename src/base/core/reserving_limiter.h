// base/core/reserving_limiter.h
//
// ReservingLimiter: a limiter of the library that a loop can ask, since it says how long to wait.

#ifndef KINFORMER_BASE_CORE_RESERVING_LIMITER_H_
#define KINFORMER_BASE_CORE_RESERVING_LIMITER_H_

#include <optional>

#include "kinformer/base/env.h"
#include "kinformer/base/rate_limiter.h"

namespace kinformer::internal::base {

// Thread-safe; neither function blocks.
class ReservingLimiter : public flowcontrol::RateLimiter {
 public:
  // Takes a token, and returns the time until it is there; nothing if the limiter is stopped.
  [[nodiscard]] virtual std::optional<Duration> Reserve() = 0;
  // Gives back a token that was taken and will not be used.
  virtual void Return() = 0;
  [[nodiscard]] virtual int burst() const = 0;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_RESERVING_LIMITER_H_
