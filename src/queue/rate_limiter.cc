#include "kinformer/rate_limiter.h"

#include <cmath>

namespace kinformer {

Duration internal::ExponentialDelay(Duration base, Duration max, int failures) {
  // In floating point, so that many failures give infinity and not a wrapped number.
  const double nanos = std::ldexp(static_cast<double>(base.count()), failures);
  if (nanos >= static_cast<double>(max.count())) return max;
  return Duration(static_cast<Duration::rep>(nanos));
}

ReservationBucket::ReservationBucket(Env& env, double qps, int burst)
    : env_(env),
      qps_(qps),
      burst_(std::max(burst, 1)),
      tokens_(std::max(burst, 1)),
      last_(env.Now()) {}

Duration ReservationBucket::Reserve() {
  if (qps_ <= 0 || std::isinf(qps_)) return Duration::zero();
  const SteadyTime now = env_.Now();
  const std::lock_guard lock(mutex_);
  if (now > last_) {
    const double passed = std::chrono::duration<double>(now - last_).count();
    tokens_ = std::min(burst_, tokens_ + passed * qps_);
    last_ = now;
  }
  tokens_ -= 1;
  if (tokens_ >= 0) return Duration::zero();
  const double nanos = std::round(-tokens_ / qps_ * 1e9);
  constexpr double kMost = 9.0e18;
  return Duration(static_cast<Duration::rep>(std::min(nanos, kMost)));
}

}  // namespace kinformer
