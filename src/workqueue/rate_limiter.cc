#include "kinformer/workqueue/rate_limiter.h"

#include <algorithm>
#include <cmath>

#include "base/core/backoff.h"

namespace kinformer {

Duration internal::ExponentialDelay(Duration base, Duration max, int failures) {
  // More doublings change nothing, but could reach infinity.
  constexpr int kMostDoublings = 100;
  return std::min(base::Scaled(base, std::ldexp(1.0, std::min(failures, kMostDoublings))), max);
}

Duration internal::JitteredDelay(Env& env, Duration delay, double factor) {
  return factor > 0 ? base::Jitter(env, delay, factor) : delay;
}

}  // namespace kinformer
