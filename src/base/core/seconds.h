// base/core/seconds.h

#ifndef KINFORMER_BASE_CORE_SECONDS_H_
#define KINFORMER_BASE_CORE_SECONDS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Returns the seconds as a Duration, or the nearest possible Duration. Values of servers, files and
// users may have 64 bits, but a Duration is limited to 292 years.
constexpr Duration SaturatedSeconds(std::int64_t seconds) {
  constexpr std::int64_t kMost = Duration::max() / std::chrono::seconds(1);
  if (seconds > kMost) return Duration::max();
  if (seconds < -kMost) return Duration::min();
  return std::chrono::seconds(seconds);
}

// Returns `time + delay`, limited to the range of a WallTime, which ends in 2262.
constexpr WallTime SaturatedAfter(WallTime time, Duration delay) {
  constexpr Duration kZero = Duration::zero();
  const Duration since = time.time_since_epoch();
  if (delay > kZero && since > Duration::max() - delay) return WallTime::max();
  if (delay < kZero && since < Duration::min() - delay) return WallTime::min();
  return time + delay;
}

// Returns "10", "8.334", "0.000001": with the fewest digits, and without an exponent.
std::string SecondsText(Duration duration);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_SECONDS_H_
