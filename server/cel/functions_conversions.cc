// Conversions between types, the getters of times, and optional values.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text/go_text.h"
#include "base/text/number_in.h"
#include "cel/calendar.h"
#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/net.h"
#include "cel/text.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

template <class Number>
Value ParsedNumber(std::string_view text, Value (*make)(Number)) {
  std::string_view digits = text;
  if (std::is_signed_v<Number> && digits.size() > 1 && digits[0] == '+' && digits[1] != '-') {
    digits.remove_prefix(1);
  }
  if (const auto number = base::NumberIn<Number>(digits)) return make(*number);
  const char* const name = std::is_floating_point_v<Number> ? "double"
                           : std::is_signed_v<Number>       ? "int"
                                                            : "uint";
  return Value::Error("type conversion error from 'string' to '" + std::string(name) + "'");
}

Value RangeError() { return Value::Error("integer overflow"); }
Value UintRangeError() { return Value::Error("unsigned integer overflow"); }

Value ToInt(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  switch (a[0].kind()) {
    case kInt:
      return a[0];
    case kUint:
      if (a[0].unsigned_integer() >= std::uint64_t{1} << 63) return RangeError();
      return Value::Int(static_cast<std::int64_t>(a[0].unsigned_integer()));
    case kDouble:
      // Without the limits themselves, as in cel-go.
      if (!(a[0].number() > -0x1p63 && a[0].number() < 0x1p63)) return RangeError();
      return Value::Int(static_cast<std::int64_t>(a[0].number()));
    case kString:
      return ParsedNumber<std::int64_t>(a[0].text(), Value::Int);
    case kTimestamp:
      return Value::Int(a[0].time().seconds);
    case kDuration:
      return Value::Int(a[0].integer());
    default:
      return NoSuchOverload();
  }
}

Value ToUint(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  switch (a[0].kind()) {
    case kUint:
      return a[0];
    case kInt:
      if (a[0].integer() < 0) return UintRangeError();
      return Value::Uint(static_cast<std::uint64_t>(a[0].integer()));
    case kDouble:
      if (!(a[0].number() >= 0 && a[0].number() < 0x1p64)) return UintRangeError();
      return Value::Uint(static_cast<std::uint64_t>(a[0].number()));
    case kString:
      return ParsedNumber<std::uint64_t>(a[0].text(), Value::Uint);
    default:
      return NoSuchOverload();
  }
}

Value ToDouble(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  switch (a[0].kind()) {
    case kDouble:
      return a[0];
    case kInt:
      return Value::Double(static_cast<double>(a[0].integer()));
    case kUint:
      return Value::Double(static_cast<double>(a[0].unsigned_integer()));
    case kString:
      return ParsedNumber<double>(a[0].text(), Value::Double);
    default:
      return NoSuchOverload();
  }
}

Value ToBool(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (a[0].is(kBool)) return a[0];
  if (!a[0].is(kString)) return NoSuchOverload();
  const std::string_view text = a[0].text();
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return Value::Bool(true);
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return Value::Bool(false);
  }
  return Value::Error("type conversion error from 'string' to 'bool'");
}

Value ToString(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (a[0].is(kBytes) && !evaluation.ChargeText(a[0].text().size())) {
    return Evaluation::OverBudget();
  }
  return TextOf(a[0]);
}

Value ToBytes(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (a[0].is(kBytes)) return a[0];
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  return Value::Bytes(std::string(a[0].text()));
}

Value ToTimestamp(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (a[0].is(kTimestamp)) return a[0];
  if (a[0].is(kInt)) {
    if (a[0].integer() < kMinSeconds || a[0].integer() > kMaxSeconds) {
      return Value::Error("timestamp overflow");
    }
    return Value::Time({.seconds = a[0].integer()});
  }
  if (!a[0].is(kString)) return NoSuchOverload();
  const auto time = TimestampIn(a[0].text(), /*dates=*/false);
  if (time) return Value::Time(*time);
  return Value::Error("type conversion error from 'string' to 'google.protobuf.Timestamp'");
}

Value ToDuration(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (a[0].is(kDuration)) return a[0];
  if (!a[0].is(kString)) return NoSuchOverload();
  const auto nanos = ParseGoDuration(a[0].text());
  if (nanos) return Value::Duration(*nanos);
  return Value::Error("type conversion error from 'string' to 'google.protobuf.Duration'");
}

Value Same(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) { return a[0]; }

Value TypeFunction(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return Value::OfType(TypeOfValue(a[0]));
}

Value Getter(Evaluation& /*evaluation*/, const Node& call, Arguments a) {
  if (a[0].is(kDuration) && a.size() == 1) return DurationPart(call.name, a[0].integer());
  if (!a[0].is(kTimestamp)) return NoSuchOverload();
  if (a.size() == 1) return TimePart(call.name, a[0].time(), {});
  if (!a[1].is(kString)) return NoSuchOverload();
  return TimePart(call.name, a[0].time(), a[1].text());
}

// Seconds with the digits that a real server gives them, which adds fractions as doubles.
std::string SecondsText(std::int64_t nanos) {
  constexpr std::int64_t kNanos = 1'000'000'000;
  const std::int64_t whole = nanos / kNanos;
  const std::int64_t rest = nanos % kNanos;
  const double seconds =
      static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(kNanos);
  std::array<char, 64> text{};
  char* const end =
      std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

// ---- Optional values

Value Of(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return Value::Some(a[0]);
}
Value NoneFunction(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments /*a*/) {
  return Value::None();
}
bool IsZero(const Value& value) {
  switch (value.kind()) {
    case kNull:
      return true;
    case kBool:
    case kInt:
    case kDuration:
      return value.integer() == 0;
    case kUint:
      return value.unsigned_integer() == 0;
    case kDouble:
      return value.number() == 0;
    case kString:
    case kBytes:
      return value.text().empty();
    case kList:
    case kMap:
      // As on a real server, lists and maps that a schema declares are something, even if empty.
      return value.size() == 0 && !value.is_declared();
    default:
      return false;
  }
}
Value OfNonZero(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return IsZero(a[0]) ? Value::None() : Value::Some(a[0]);
}
Value Content(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kOptional)) return NoSuchOverload();
  if (a[0].content() == nullptr) return Value::Error("optional.none() dereference");
  return *a[0].content();
}
Value HasValue(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kOptional) ? Value::Bool(a[0].content() != nullptr) : NoSuchOverload();
}
Value OrOptional(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kOptional)) return NoSuchOverload();
  return a[0].content() == nullptr ? a[1] : a[0];
}
Value OrValue(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kOptional)) return NoSuchOverload();
  return a[0].content() == nullptr ? a[1] : *a[0].content();
}
// Returns what the optional values of a list contain.
Value Unwrap(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList)) return NoSuchOverload();
  if (!evaluation.Charge(a[0].size())) return Evaluation::OverBudget();
  std::vector<Value> items;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].item(i);
    if (!item.is(kOptional)) return NoSuchOverload();
    if (item.content() != nullptr) items.push_back(*item.content());
  }
  return Value::List(std::move(items));
}

}  // namespace

Value TextOf(const Value& value) {
  switch (value.kind()) {
    case kString:
      return value;
    case kBool:
      return Value::Borrowed(value.is_true() ? "true" : "false");
    case kInt:
      return Value::String(std::to_string(value.integer()));
    case kUint:
      return Value::String(std::to_string(value.unsigned_integer()));
    case kDouble:
      return Value::String(base::GoFloat(value.number()));
    case kBytes:
      if (!IsUtf8(value.text()))
        return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
      return Value::String(std::string(value.text()));
    case kTimestamp:
      return Value::String(TimestampText(value.time()));
    case kDuration:
      return Value::String(SecondsText(value.integer()) + "s");
    case kIp:
      return Value::String(IpText(value.ip()));
    case kCidr:
      return Value::String(CidrText(value.cidr()));
    default:
      return NoSuchOverload();
  }
}

std::span<const FunctionEntry> ConversionFunctions() {
  static constexpr FunctionEntry kEntries[] = {
      {"int", ToInt},
      {"uint", ToUint},
      {"double", ToDouble},
      {"bool", ToBool},
      {"string", ToString},
      {"bytes", ToBytes},
      {"timestamp", ToTimestamp},
      {"duration", ToDuration},
      {"dyn", Same},
      {"type", TypeFunction},
      {"getFullYear", Getter},
      {"getMonth", Getter},
      {"getDate", Getter},
      {"getDayOfMonth", Getter},
      {"getDayOfWeek", Getter},
      {"getDayOfYear", Getter},
      {"getHours", Getter},
      {"getMinutes", Getter},
      {"getSeconds", Getter},
      {"getMilliseconds", Getter},
      {"optional.of", Of},
      {"optional.none", NoneFunction},
      {"optional.ofNonZeroValue", OfNonZero},
      {"value", Content},
      {"hasValue", HasValue},
      {"or", OrOptional},
      {"orValue", OrValue},
      {"optional.unwrap", Unwrap},
      {"unwrapOpt", Unwrap},
  };
  return kEntries;
}

}  // namespace kinformer::internal::cel
