// cel/times.h
//
// Timestamp: a point in time, and its texts.

#ifndef KINFORMER_CEL_TIMES_H_
#define KINFORMER_CEL_TIMES_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal::cel {

// Seconds since 1970 and nanoseconds behind them.
struct Timestamp {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  // How its text was ahead of UTC, which does not make it another time.
  std::int16_t zone_minutes = 0;
  bool operator==(const Timestamp& other) const {
    return seconds == other.seconds && nanos == other.nanos;
  }
  std::strong_ordering operator<=>(const Timestamp& other) const {
    return seconds == other.seconds ? nanos <=> other.nanos : seconds <=> other.seconds;
  }
};

// Years 1 to 9999.
inline constexpr std::int64_t kMinSeconds = -62135596800;
inline constexpr std::int64_t kMaxSeconds = 253402300799;

// Parses RFC 3339; `dates`: also "2006-01-02".
std::optional<Timestamp> TimestampIn(std::string_view text, bool dates);
// Returns RFC 3339 in UTC with the digits of a second that it needs.
std::string TimestampText(const Timestamp& time);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_TIMES_H_
