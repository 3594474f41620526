#include "expressions/shown_value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "cel/net.h"
#include "cel/semver.h"
#include "cel/type.h"

namespace kinformer::test {
namespace {

using internal::cel::Value;
using enum internal::cel::ValueKind;

std::string Hex(std::uint64_t number, std::size_t digits) {
  std::string out(digits, '0');
  for (std::size_t i = digits; i > 0; --i, number >>= 4U) {
    out[i - 1] = "0123456789abcdef"[number & 15U];
  }
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      out += "\\x" + Hex(byte, 2);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Named(const char* name, std::string_view text) {
  return std::string(name) + "(" + Quoted(text) + ")";
}

std::string Joined(const std::vector<std::string>& parts, const char* around) {
  std::string out(1, around[0]);
  for (const std::string& part : parts) out.append(out.size() == 1 ? "" : ",").append(part);
  return out + around[1];
}

std::string Nanoseconds(std::int32_t nanos) {
  const std::string digits = std::to_string(nanos);
  return std::string(9 - digits.size(), '0') + digits;
}

std::string ShownNumber(double number) {
  return std::isnan(number) ? "nan" : "d" + Hex(std::bit_cast<std::uint64_t>(number), 16);
}

std::string NameOf(const internal::cel::Type& type) {
  using internal::cel::TypeKind;
  if (type.kind == TypeKind::kNull) return "null_type";
  if (type.kind == TypeKind::kTimestamp) return "google.protobuf.Timestamp";
  if (type.kind == TypeKind::kDuration) return "google.protobuf.Duration";
  const std::string text = TypeText(type);
  return text.substr(0, text.find('('));
}

std::string ShownContainer(const Value& value) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < value.size(); ++i) {
    parts.push_back(value.is(kList) ? ShownValue(value.item(i))
                                    : ShownValue(value.key(i)) + ":" + ShownValue(value.value(i)));
  }
  if (value.is(kList)) return Joined(parts, "[]");
  std::ranges::sort(parts);
  return Joined(parts, "{}");
}

}  // namespace

std::string ShownValue(const Value& value) {
  switch (value.kind()) {
    case kError:
      return "error";
    case kNull:
      return "null";
    case kBool:
      return value.is_true() ? "true" : "false";
    case kInt:
      return std::to_string(value.integer());
    case kUint:
      return std::to_string(value.unsigned_integer()) + "u";
    case kDouble:
      return ShownNumber(value.number());
    case kString:
      return Quoted(value.text());
    case kBytes:
      return "b" + Quoted(value.text());
    case kTimestamp:
      return "t" + std::to_string(value.time().seconds) + "." + Nanoseconds(value.time().nanos);
    case kDuration:
      return "D" + std::to_string(value.integer());
    case kList:
    case kMap:
      return ShownContainer(value);
    case kOptional:
      return value.content() == nullptr ? "none" : "some(" + ShownValue(*value.content()) + ")";
    case kType:
      return "type(" + NameOf(*value.type()) + ")";
    case kUrl:
      return Named("url", value.url().text);
    case kIp:
      return Named("ip", IpText(value.ip()));
    case kCidr:
      return Named("cidr", CidrText(value.cidr()));
    case kQuantity:
      return Named("quantity", value.quantity().ToString());
    case kSemver:
      return Named("semver", SemverText(value.semver()));
    case kNamedFormat:
      return Named("format", value.format().name);
    default:
      return "?";
  }
}

}  // namespace kinformer::test
