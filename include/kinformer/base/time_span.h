// kinformer/base/time_span.h
//
// TimeSpan: the Duration of an option. Explains at compile time that a number needs a unit.

#ifndef KINFORMER_BASE_TIME_SPAN_H_
#define KINFORMER_BASE_TIME_SPAN_H_

#include <chrono>
#include <concepts>
#include <type_traits>

#include "kinformer/base/env.h"

namespace kinformer {

// A Duration that also accepts numbers, so that braced options with a number still match their
// struct, and no "no matching function" hides the reason.
class TimeSpan : public Duration {
 public:
  constexpr TimeSpan() : Duration(0) {}
  // NOLINTBEGIN(google-explicit-constructor): durations are written in its place
  template <class Rep, class Period>
    requires std::convertible_to<std::chrono::duration<Rep, Period>, Duration>
  constexpr TimeSpan(std::chrono::duration<Rep, Period> length) : Duration(length) {}
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr TimeSpan(Number /*number*/) : Duration(0) {
    static_assert(sizeof(Number) == 0,
                  "a length of time needs its unit: std::chrono::seconds(30), or 30s after using "
                  "namespace std::chrono_literals");
  }
  // NOLINTEND(google-explicit-constructor)
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_TIME_SPAN_H_
