// The value views of time.h, int_or_string.h and raw_extension.h, decoded from protobuf messages or
// from JSON text.

#include <charconv>
#include <limits>
#include <ostream>
#include <string>
#include <system_error>

#include "kinformer/object/int_or_string.h"
#include "kinformer/object/raw_extension.h"
#include "kinformer/object/time.h"

#include "base/text/number_in.h"
#include "object/values/text_forms.h"

namespace kinformer {
namespace {

using internal::Encoding;
using internal::MessageView;
using internal::RawValue;

// Returns the content of a JSON string without escapes, or empty for anything else. The texts read
// here never contain escapes.
std::string_view Unquoted(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return {};
  return json.substr(1, json.size() - 2);
}

}  // namespace

namespace metav1 {

Time::Time(std::chrono::system_clock::time_point at) {
  const auto since = at.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  seconds_ = seconds.count();
  nanos_ = static_cast<std::int32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count());
}

Time::Time(const MessageView& message) {
  if (message.bytes().empty()) return;
  if (message.encoding() == Encoding::kJson) {
    if (const auto stamp = internal::ParseRfc3339(Unquoted(message.bytes()))) {
      seconds_ = stamp->seconds;
      nanos_ = stamp->nanos;
    }
    return;
  }
  seconds_ = internal::GetInt64(message, 1);
  nanos_ = internal::GetInt32(message, 2);
}

Time Time::FromRaw(const MessageView& parent, const RawValue& value) {
  return Time(internal::ToMessage(parent, value));
}

Result<Time> Time::Parse(std::string_view text) {
  const auto stamp = internal::ParseRfc3339(text);
  if (!stamp) {
    return Error(
        Reason::kInvalidArgument,
        "\"" + std::string(text) + "\" is no time of RFC 3339, such as 2024-01-02T03:04:05Z");
  }
  return Time(stamp->seconds, stamp->nanos);
}

std::chrono::system_clock::time_point Time::ToTimePoint() const {
  using Clock = std::chrono::system_clock;
  // Times beyond the clock's range (such as Go's zero time) become its minimum or maximum.
  constexpr auto kMin =
      std::chrono::floor<std::chrono::seconds>(Clock::duration::min()).count() + 1;
  constexpr auto kMax =
      std::chrono::floor<std::chrono::seconds>(Clock::duration::max()).count() - 1;
  if (seconds_ < kMin) return Clock::time_point::min();
  if (seconds_ > kMax) return Clock::time_point::max();
  return Clock::time_point(std::chrono::duration_cast<Clock::duration>(
      std::chrono::seconds(seconds_) + std::chrono::nanoseconds(nanos_)));
}

std::string Time::ToString() const {
  std::string out;
  if (!IsZero()) internal::AppendRfc3339(seconds_, out);
  return out;
}

std::string MicroTime::ToString() const {
  std::string out;
  if (!IsZero()) internal::AppendRfc3339Micro({seconds(), nanos()}, out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Time& time) { return out << time.ToString(); }
std::ostream& operator<<(std::ostream& out, const MicroTime& time) {
  return out << time.ToString();
}

Duration::Duration(const MessageView& message) {
  if (message.encoding() == Encoding::kJson) {
    if (const auto nanos = internal::ParseGoDuration(Unquoted(message.bytes()))) {
      value_ = std::chrono::nanoseconds(*nanos);
    }
    return;
  }
  value_ = std::chrono::nanoseconds(internal::GetInt64(message, 1));
}

Duration Duration::FromRaw(const MessageView& parent, const RawValue& value) {
  return Duration(internal::ToMessage(parent, value));
}

Result<Duration> Duration::Parse(std::string_view text) {
  if (const auto nanos = internal::ParseGoDuration(text)) {
    return Duration(std::chrono::nanoseconds(*nanos));
  }
  return Error(Reason::kInvalidArgument,
               "\"" + std::string(text) + "\" is no duration, such as 1h30m or 1.5s");
}

std::string Duration::ToString() const {
  std::string out;
  internal::AppendGoDuration(value_.count(), out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Duration& duration) {
  return out << duration.ToString();
}

}  // namespace metav1

namespace intstr {

IntOrString::IntOrString(const MessageView& message) {
  if (message.encoding() == Encoding::kJson) {
    const std::string_view json = message.bytes();
    if (!json.empty() && json.front() == '"') {
      is_string_ = true;
      text_ = Unquoted(json);
    } else {
      std::from_chars(json.data(), json.data() + json.size(), number_);
    }
    return;
  }
  is_string_ = internal::GetInt64(message, 1) == 1;
  number_ = internal::GetInt32(message, 2);
  text_ = internal::GetString(message, 3);
}

IntOrString IntOrString::FromRaw(const MessageView& parent, const RawValue& value) {
  return IntOrString(internal::ToMessage(parent, value));
}

std::int32_t IntOrString::IntValue() const {
  if (!is_string_) return number_;
  return internal::base::NumberIn<std::int32_t>(text_).value_or(0);
}

std::string IntOrString::ToString() const {
  return is_string_ ? std::string(text_) : std::to_string(number_);
}

Result<std::int32_t> IntOrString::ScaledValue(std::int32_t total, bool round_up) const {
  if (!is_string_) return number_;
  std::int32_t percent = 0;
  const char* const end = text_.data() + text_.size();
  const auto done = std::from_chars(text_.data(), end, percent);
  if (done.ec != std::errc() || done.ptr == end || *done.ptr != '%' || done.ptr + 1 != end) {
    return Error(
        Reason::kInvalidArgument,
        "\"" + std::string(text_) + "\" is neither a number nor a percentage, such as 25%");
  }
  const std::int64_t product = std::int64_t{percent} * total;
  std::int64_t scaled = product / 100;
  const std::int64_t rest = product % 100;
  if (round_up && rest > 0) ++scaled;
  if (!round_up && rest < 0) --scaled;
  if (scaled > std::numeric_limits<std::int32_t>::max() ||
      scaled < std::numeric_limits<std::int32_t>::min()) {
    return Error(Reason::kInvalidArgument,
                 std::string(text_) + " of " + std::to_string(total) + " is out of range");
  }
  return static_cast<std::int32_t>(scaled);
}

std::ostream& operator<<(std::ostream& out, const IntOrString& value) {
  return out << value.ToString();
}

}  // namespace intstr

namespace runtime {

RawExtension::RawExtension(const MessageView& message) {
  json_ = message.encoding() == Encoding::kJson ? message.bytes() : internal::GetBytes(message, 1);
}

RawExtension RawExtension::FromRaw(const MessageView& parent, const RawValue& value) {
  return RawExtension(internal::ToMessage(parent, value));
}

std::ostream& operator<<(std::ostream& out, const RawExtension& value) {
  return out << value.json();
}

}  // namespace runtime
}  // namespace kinformer
