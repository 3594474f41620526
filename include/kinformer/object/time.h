// kinformer/object/time.h
//
// metav1::Time, MicroTime and Duration: points and lengths of time in API objects.

#ifndef KINFORMER_OBJECT_TIME_H_
#define KINFORMER_OBJECT_TIME_H_

#include <chrono>
#include <compare>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/view.h"

namespace kinformer::metav1 {

// A point in time to the second (nanoseconds are kept if a server sends them). By default Go's zero
// time, which means "none". A value. Counterpart: metav1.Time.
class Time {
 public:
  constexpr Time() = default;
  constexpr explicit Time(std::int64_t seconds, std::int32_t nanos = 0)
      : seconds_(seconds), nanos_(nanos) {}
  explicit Time(std::chrono::system_clock::time_point at);
  explicit Time(const internal::MessageView& message);
  static Time FromRaw(const internal::MessageView& parent, const internal::RawValue& value);
  // Parses RFC 3339 with any offset.
  static Result<Time> Parse(std::string_view text);

  [[nodiscard]] constexpr bool IsZero() const { return seconds_ == kZeroSeconds && nanos_ == 0; }
  // Returns the seconds since 1970.
  [[nodiscard]] constexpr std::int64_t seconds() const { return seconds_; }
  [[nodiscard]] constexpr std::int32_t nanos() const { return nanos_; }
  [[nodiscard]] std::chrono::system_clock::time_point ToTimePoint() const;
  // Returns "2024-01-02T03:04:05Z"; "" for none.
  [[nodiscard]] std::string ToString() const;

  friend auto operator<=>(const Time&, const Time&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Time& time);

 private:
  static constexpr std::int64_t kZeroSeconds = -62135596800;  // year 1
  std::int64_t seconds_ = kZeroSeconds;
  std::int32_t nanos_ = 0;
};

// A Time to the microsecond, always written with six digits. Counterpart: metav1.MicroTime.
class MicroTime : public Time {
 public:
  using Time::Time;
  constexpr MicroTime() = default;
  constexpr explicit MicroTime(Time time) : Time(time) {}
  static MicroTime FromRaw(const internal::MessageView& parent, const internal::RawValue& value) {
    return MicroTime(Time::FromRaw(parent, value));
  }
  // Returns "2024-01-02T03:04:05.000000Z"; "" for none.
  [[nodiscard]] std::string ToString() const;
  friend std::ostream& operator<<(std::ostream& out, const MicroTime& time);
};

// A length of time. A value. Counterpart: metav1.Duration.
class Duration {
 public:
  constexpr Duration() = default;
  constexpr explicit Duration(std::chrono::nanoseconds value) : value_(value) {}
  explicit Duration(const internal::MessageView& message);
  static Duration FromRaw(const internal::MessageView& parent, const internal::RawValue& value);
  // Parses Go's form: "1h30m", "1.5s"; kInvalidArgument for anything else.
  static Result<Duration> Parse(std::string_view text);

  [[nodiscard]] constexpr std::chrono::nanoseconds value() const { return value_; }
  // Returns Go's form: "1h30m0s".
  [[nodiscard]] std::string ToString() const;
  friend auto operator<=>(const Duration&, const Duration&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Duration& duration);

 private:
  std::chrono::nanoseconds value_{0};
};

}  // namespace kinformer::metav1

#endif  // KINFORMER_OBJECT_TIME_H_
