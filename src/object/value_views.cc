// The small values that API messages are made of: times, durations, int-or-string, raw JSON.

#include <charconv>
#include <ostream>

#include "kinformer/int_or_string.h"
#include "kinformer/object_meta.h"
#include "kinformer/raw_extension.h"
#include "kinformer/time.h"

#include "object/text_forms.h"

namespace kinformer {

using internal::MessageView;
using internal::RawValue;

namespace metav1 {

Time::Time(std::chrono::system_clock::time_point at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  seconds_ = seconds.time_since_epoch().count();
  nanos_ = static_cast<std::int32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(at - seconds).count());
}

Time::Time(const MessageView& message) {
  // The zero time is an empty message.
  if (message.bytes().empty()) return;
  seconds_ = internal::GetInt64(message, 1);
  nanos_ = internal::GetInt32(message, 2);
}

Time Time::FromRaw(const MessageView& parent, const RawValue& value) {
  return Time(internal::ToMessage(parent, value));
}

Result<Time> Time::Parse(std::string_view text) {
  const std::optional<internal::TimeStamp> stamp = internal::ParseRfc3339(text);
  if (!stamp) {
    return Error(Reason::kInvalidArgument,
                 "\"" + std::string(text) + "\" is no time; write it like 2024-01-02T03:04:05Z");
  }
  return Time(stamp->seconds, stamp->nanos);
}

std::chrono::system_clock::time_point Time::ToTimePoint() const {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(seconds_) + std::chrono::nanoseconds(nanos_)));
}

std::string Time::ToString() const {
  std::string out;
  if (!IsZero()) internal::AppendRfc3339(seconds_, out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Time& time) { return out << time.ToString(); }

std::string MicroTime::ToString() const {
  std::string out;
  if (!IsZero()) internal::AppendRfc3339Micro({seconds(), nanos()}, out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const MicroTime& time) {
  return out << time.ToString();
}

Duration::Duration(const MessageView& message)
    : value_(std::chrono::nanoseconds(internal::GetInt64(message, 1))) {}

Duration Duration::FromRaw(const MessageView& parent, const RawValue& value) {
  return Duration(internal::ToMessage(parent, value));
}

std::string Duration::ToString() const {
  std::string out;
  internal::AppendGoDuration(value_.count(), out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Duration& duration) {
  return out << duration.ToString();
}

std::optional<OwnerReference> GetControllerOf(const ObjectMeta& metadata) {
  for (const OwnerReference& owner : metadata.ownerReferences()) {
    if (owner.controller().value_or(false)) return owner;
  }
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, const ObjectMeta& metadata) {
  if (!metadata.namespace_().empty()) out << metadata.namespace_() << '/';
  return out << metadata.name();
}

std::ostream& operator<<(std::ostream& out, const OwnerReference& owner) {
  return out << owner.kind() << ' ' << owner.name();
}

}  // namespace metav1

namespace runtime {

RawExtension::RawExtension(const MessageView& message) : json_(internal::GetBytes(message, 1)) {}

RawExtension RawExtension::FromRaw(const MessageView& parent, const RawValue& value) {
  return RawExtension(internal::ToMessage(parent, value));
}

std::ostream& operator<<(std::ostream& out, const RawExtension& value) {
  return out << value.json();
}

}  // namespace runtime

namespace intstr {

IntOrString::IntOrString(const MessageView& message)
    : text_(internal::GetString(message, 3)),
      number_(internal::GetInt32(message, 2)),
      is_string_(internal::GetInt64(message, 1) == 1) {}

IntOrString IntOrString::FromRaw(const MessageView& parent, const RawValue& value) {
  return IntOrString(internal::ToMessage(parent, value));
}

std::int32_t IntOrString::IntValue() const {
  if (!is_string_) return number_;
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  return error == std::errc() && end == text_.data() + text_.size() ? value : 0;
}

std::string IntOrString::ToString() const {
  return is_string_ ? std::string(text_) : std::to_string(number_);
}

Result<std::int32_t> IntOrString::ScaledValue(std::int32_t total, bool round_up) const {
  if (!is_string_) return number_;
  std::int64_t percent = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), percent);
  if (error != std::errc() || std::string_view(end, text_.data() + text_.size()) != "%" ||
      percent > 1'000'000'000 || percent < -1'000'000'000) {
    return Error(
        Reason::kInvalidArgument,
        "\"" + std::string(text_) + "\" is neither a number nor a percentage such as \"25%\"");
  }
  const std::int64_t product = percent * total;
  std::int64_t scaled = product / 100;
  const std::int64_t rest = product % 100;
  if (rest > 0 && round_up) ++scaled;
  if (rest < 0 && !round_up) --scaled;
  return static_cast<std::int32_t>(scaled);
}

std::ostream& operator<<(std::ostream& out, const IntOrString& value) {
  return out << value.ToString();
}

}  // namespace intstr
}  // namespace kinformer
