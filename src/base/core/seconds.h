// base/core/seconds.h

#ifndef KINFORMER_BASE_CORE_SECONDS_H_
#define KINFORMER_BASE_CORE_SECONDS_H_

#include <chrono>
#include <cstdint>

#include "kinformer/env.h"

namespace kinformer::internal::base {

// So many seconds as a Duration, or the nearest one that there is. What servers, files and users
// say in seconds may have 64 bits, and a Duration ends after 292 years.
constexpr Duration SaturatedSeconds(std::int64_t seconds) {
  constexpr std::int64_t kMost = Duration::max() / std::chrono::seconds(1);
  if (seconds > kMost) return Duration::max();
  if (seconds < -kMost) return Duration::min();
  return std::chrono::seconds(seconds);
}

// `time + delay`, or the border of what a WallTime can hold, which is the year 2262.
constexpr WallTime SaturatedAfter(WallTime time, Duration delay) {
  constexpr Duration kZero = Duration::zero();
  const Duration since = time.time_since_epoch();
  if (delay > kZero && since > Duration::max() - delay) return WallTime::max();
  if (delay < kZero && since < Duration::min() - delay) return WallTime::min();
  return time + delay;
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_SECONDS_H_
