// table/age.h
//
// Age of an object in the form of kubectl: "90s", "5m30s", "3h10m", "2d3h", "8d", "3y7d".

#ifndef KINFORMER_TABLE_AGE_H_
#define KINFORMER_TABLE_AGE_H_

#include <chrono>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"

namespace kinformer::internal::table {

std::string HumanDuration(std::chrono::seconds duration);

// Returns the age of an RFC 3339 time; "<unknown>" if the text is invalid.
std::string AgeOf(std::string_view time, WallTime now);

// Returns seconds since 1970, or -1 if the text is not an RFC 3339 time.
std::int64_t ParseTime(std::string_view time);

}  // namespace kinformer::internal::table

#endif  // KINFORMER_TABLE_AGE_H_
