#include "apiserver/builtin/defaults_scalars.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "kinformer/object/quantity.h"

#include "base/text/number_in.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;

bool IsInt32(const json::Value& value) {
  const auto number = value.AsInt64();
  return number && *number >= std::numeric_limits<std::int32_t>::min() &&
         *number <= std::numeric_limits<std::int32_t>::max() && value.is_integer();
}

bool HasShape(std::string_view text, std::string_view shape) {
  return text.size() == shape.size() &&
         std::equal(text.begin(), text.end(), shape.begin(),
                    [](char c, char s) { return s == '0' ? c >= '0' && c <= '9' : c == s; });
}

// Returns whether the time has the form written by servers, and is not the zero time.
bool IsCanonicalTime(std::string_view text, std::string_view shape) {
  return HasShape(text, shape) && !text.starts_with("0001-01-01") &&
         internal::ParseRfc3339(text).has_value();
}

bool IsCanonicalBase64(std::string_view text) {
  const std::optional<std::string> bytes = internal::Base64Decode(text);
  if (!bytes) return false;
  std::string again;
  internal::AppendBase64(*bytes, again);
  return again == text;
}

// Amounts in resource lists are counted in whole thousandths.
constexpr std::int64_t kLargestMilli = std::numeric_limits<std::int64_t>::max();

// A quantity's text, split into its parts.
struct QuantityText {
  std::string digits{};  // without the point and leading zeros
  int behind = 0;        // digits after the point
  std::string_view suffix{};
};

QuantityText PartsOf(std::string_view text) {
  QuantityText parts;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const auto take_digits = [&] {
    const std::string_view run = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(run.size());
    return run;
  };
  std::string_view whole = take_digits();
  while (whole.starts_with('0')) whole.remove_prefix(1);
  parts.digits = whole.empty() ? "0" : whole;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string_view fraction = take_digits();
    parts.digits += fraction;
    parts.behind = static_cast<int>(fraction.size());
  }
  parts.suffix = text;
  return parts;
}

// Returns the power of ten of a suffix; nullopt for powers of two.
std::optional<int> DecimalPower(std::string_view suffix) {
  constexpr std::string_view kLarge = "kMGTPE";
  constexpr std::string_view kSmall = "mun";
  if (suffix.empty()) return 0;
  if (suffix.size() > 1) {
    if ((suffix.front() != 'e' && suffix.front() != 'E') || suffix[1] == 'i') return std::nullopt;
    return static_cast<int>(
        internal::base::NumberIn(suffix.substr(suffix[1] == '+' ? 2 : 1)).value_or(0));
  }
  const std::size_t large = kLarge.find(suffix);
  if (large != std::string_view::npos) return static_cast<int>(large + 1) * 3;
  const std::size_t small = kSmall.find(suffix);
  if (small != std::string_view::npos) return -static_cast<int>(small + 1) * 3;
  return std::nullopt;
}

// Returns whether a real server keeps the text of a valid quantity, even if it is not canonical:
// "1.001", "1E3", "007". Its parser decides by the form of the text, and so does this. Amounts that
// had to be rounded in a resource list are not kept.
bool StaysAsWritten(std::string_view text, bool resource_list) {
  const QuantityText parts = PartsOf(text);
  const auto length = static_cast<int>(parts.digits.size());
  if (const std::optional<int> power = DecimalPower(parts.suffix)) {
    // As in Go, where the scale is an int32 and wraps around.
    const auto scale = static_cast<std::int32_t>(static_cast<std::uint32_t>(*power) -
                                                 static_cast<std::uint32_t>(parts.behind));
    return length <= 18 && scale >= (resource_list ? -3 : -9) && scale % 3 == 0 &&
           !parts.digits.ends_with("000") && parts.digits.front() != '0';
  }
  const std::size_t place = std::string_view("KMGTPE").find(parts.suffix.front());
  if (place == std::string_view::npos || parts.behind > 0) return false;
  const int power = static_cast<int>(place + 1) * 10;
  if (14 - length - power * 3 / 10 < 0) return false;
  return internal::base::NumberIn(parts.digits).value_or(0) % 8 != 0;
}

bool CanonicalQuantity(bool resource_list, json::Value& value) {
  if (!value.is_number() && !value.is_string()) return false;
  const std::string text(value.is_number() ? value.NumberText() : value.StringOrEmpty());
  const auto quantity = resource::Quantity::Parse(text);
  if (!quantity) return false;
  if (StaysAsWritten(text, resource_list)) {
    if (!value.is_string()) value = text;
    return true;
  }
  std::string canonical = quantity->ToString();
  if (resource_list) {
    const std::int64_t milli = quantity->MilliValue();
    const auto rounded = resource::Quantity::FromMilli(milli, quantity->format());
    if (milli < kLargestMilli && !(rounded == *quantity)) canonical = rounded.ToString();
  }
  if (!value.is_string() || canonical != text) value = std::move(canonical);
  return true;
}

// Returns whether the value is valid for a kind that has only one form, which is then canonical;
// nullopt for other kinds.
std::optional<bool> FitsPlainKind(FieldKind kind, const json::Value& value) {
  switch (kind) {
    case FieldKind::kString:
      return value.is_string();
    case FieldKind::kBool:
      return value.is_bool();
    case FieldKind::kInt32:
      return IsInt32(value);
    case FieldKind::kInt64:
      return value.is_integer() && value.AsInt64().has_value();
    case FieldKind::kIntOrString:
      return value.is_string() || IsInt32(value);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool CanonicalScalar(const FieldDescriptor& field, json::Value& value) {
  if (const auto fits = FitsPlainKind(field.kind, value)) return *fits;
  switch (field.kind) {
    case FieldKind::kDouble:
      return value.is_number();
    case FieldKind::kBytes:
      return value.is_string() && IsCanonicalBase64(value.StringOrEmpty());
    case FieldKind::kTime:
      return IsCanonicalTime(value.StringOrEmpty(), "0000-00-00T00:00:00Z");
    case FieldKind::kMicroTime:
      return IsCanonicalTime(value.StringOrEmpty(), "0000-00-00T00:00:00.000000Z");
    case FieldKind::kDuration: {
      const auto nanos = value.is_string() ? internal::ParseGoDuration(value.StringOrEmpty())
                                           : std::optional<std::int64_t>();
      if (!nanos) return false;
      std::string text;
      internal::AppendGoDuration(*nanos, text);
      value = std::move(text);
      return true;
    }
    case FieldKind::kQuantity:
      return CanonicalQuantity(field.map, value);
    case FieldKind::kRawJson:
    case FieldKind::kJsonUnion:
      return true;
    default:
      return false;
  }
}

bool FitsScalar(const FieldDescriptor& field, const json::Value& value) {
  if (const auto fits = FitsPlainKind(field.kind, value)) return *fits;
  switch (field.kind) {
    case FieldKind::kDouble:
      return value.is_integer();
    case FieldKind::kBytes:
      return value.is_string() && internal::Base64Decode(value.StringOrEmpty()).has_value();
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
      return value.is_string() && internal::ParseRfc3339(value.StringOrEmpty()).has_value();
    case FieldKind::kDuration:
      return value.is_string() && internal::ParseGoDuration(value.StringOrEmpty()).has_value();
    case FieldKind::kQuantity:
      return value.is_integer() || internal::IsQuantityText(value.StringOrEmpty());
    case FieldKind::kRawJson:
      return true;
    default:
      return false;
  }
}

bool IsAbsent(const FieldDescriptor& field, const json::Value& value) {
  if (value.is_null()) return true;
  // Protobuf cannot distinguish an empty list or map from an absent one.
  if (field.repeated) return value.is_array() && value.size() == 0;
  if (field.map) return value.is_object() && value.size() == 0;
  if (field.pointer) return false;
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kBytes:
      return value.is_string() && value.StringOrEmpty().empty();
    case FieldKind::kBool:
      return value.AsBool() == false;
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kDouble:
      return value.AsDouble() == 0.0;
    case FieldKind::kIntOrString:
      return value.AsInt64() == 0 || (value.is_string() && value.StringOrEmpty().empty());
    default:
      return false;
  }
}

json::Value ZeroOf(const FieldDescriptor& field) {
  if (field.repeated || field.map || field.pointer) return {};
  switch (field.kind) {
    case FieldKind::kString:
      return "";
    case FieldKind::kBool:
      return false;
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kDouble:
    case FieldKind::kIntOrString:
      return 0;
    case FieldKind::kQuantity:
      return "0";
    case FieldKind::kDuration:
      return "0s";
    default:
      return {};
  }
}

bool IsLatestImage(std::string_view image) {
  if (image.empty()) return false;
  const bool digest = image.find('@') != std::string_view::npos;
  image = image.substr(0, image.find('@'));
  image.remove_prefix(image.rfind('/') + 1);  // 0 if there is none
  const std::size_t colon = image.find(':');
  return colon == std::string_view::npos ? !digest : image.substr(colon + 1) == "latest";
}

}  // namespace kinformer::apiserver
