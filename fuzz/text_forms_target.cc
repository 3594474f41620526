// Text forms of times, durations and bytes: a written value must be read as the same value.

#include <optional>
#include <string>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/values/text_forms.h"

namespace kinformer::fuzz {

void FuzzTextForms(std::string_view input) {
  if (const auto time = internal::ParseRfc3339(input)) {
    std::string text;
    internal::AppendRfc3339(time->seconds, text);
    const auto again = internal::ParseRfc3339(text);
    Require(again && again->seconds == time->seconds && again->nanos == 0,
            "a time reads back to the second", input, text);
    std::string micro;
    internal::AppendRfc3339Micro(*time, micro);
    const auto precise = internal::ParseRfc3339(micro);
    Require(
        precise && precise->seconds == time->seconds && precise->nanos == time->nanos / 1000 * 1000,
        "a time reads back to the microsecond", input, micro);
  }
  if (const auto nanos = internal::ParseGoDuration(input)) {
    std::string text;
    internal::AppendGoDuration(*nanos, text);
    Require(internal::ParseGoDuration(text) == nanos, "a duration reads back", input, text);
  }
  if (const auto bytes = internal::Base64Decode(input)) {
    std::string text;
    internal::AppendBase64(*bytes, text);
    Require(internal::Base64Decode(text) == bytes, "bytes read back", input, text);
  }
  std::string text;
  internal::AppendBase64(input, text);
  const auto decoded = internal::Base64Decode(text);
  Require(decoded.has_value() && *decoded == input, "any bytes read back", text);
}

}  // namespace kinformer::fuzz
