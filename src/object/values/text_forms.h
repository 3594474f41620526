// object/values/text_forms.h
//
// The text forms that API values have in JSON: RFC 3339 times, Go durations, quantities, base64,
// and compact JSON as encoding/json writes it. Pure functions; empty optionals mean "not of that
// form".

#ifndef KINFORMER_OBJECT_VALUES_TEXT_FORMS_H_
#define KINFORMER_OBJECT_VALUES_TEXT_FORMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal {

// Seconds since 1970, which may be negative, and additional nanoseconds.
struct TimeStamp {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  bool operator==(const TimeStamp&) const = default;
};

// Go's zero time, 0001-01-01T00:00:00Z, which means "no time" in the API.
inline constexpr std::int64_t kZeroTimeSeconds = -62135596800;

// Parses "2026-03-01T10:00:00Z"; an offset ("+02:00") and a fraction of a second are allowed.
std::optional<TimeStamp> ParseRfc3339(std::string_view text);
void AppendRfc3339(std::int64_t seconds, std::string& out);
// Always writes six digits of a second: the form of MicroTime.
void AppendRfc3339Micro(const TimeStamp& time, std::string& out);

// Parses "1h30m", "-1.5s", "250ms", "0" to nanoseconds. Counterpart: time.ParseDuration.
std::optional<std::int64_t> ParseGoDuration(std::string_view text);
// Writes "1h30m0s", "250ms", "0s". Counterpart: time.Duration.String.
void AppendGoDuration(std::int64_t nanos, std::string& out);

// Whether `text` is a quantity: a decimal number with an optional suffix.
bool IsQuantityText(std::string_view text);

// Decodes standard base64 with padding. Skips line ends, as in Go.
std::optional<std::string> Base64Decode(std::string_view text);
void AppendBase64(std::string_view bytes, std::string& out);

// Appends valid JSON without white space between its tokens, with encoding/json's escapes of <, >
// and &.
void AppendCompactJson(std::string_view json, std::string& out);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_VALUES_TEXT_FORMS_H_
