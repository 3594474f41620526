// cel/calendar.h
//
// Arithmetic of times, and what the getters read from them.

#ifndef KINFORMER_CEL_CALENDAR_H_
#define KINFORMER_CEL_CALENDAR_H_

#include <cstdint>
#include <string_view>

#include "cel/times.h"
#include "cel/value.h"

namespace kinformer::internal::cel {

// Return an error value if the result is out of range.
Value AddDuration(const Timestamp& time, std::int64_t nanos);
Value Difference(const Timestamp& a, const Timestamp& b);

// Returns what a getter (getFullYear, getHours...) reads of a timestamp in a time zone: "" or
// "UTC", or an offset: "+02:00". Error value for others.
Value TimePart(std::string_view getter, const Timestamp& time, std::string_view zone);
// The same of a duration.
Value DurationPart(std::string_view getter, std::int64_t nanos);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_CALENDAR_H_
