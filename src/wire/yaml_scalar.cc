#include "wire/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <system_error>

#include "base/text/go_text.h"

namespace kinformer::yaml {
namespace {

using json::Value;

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Parses an integer like Go's ParseInt(text, base 0), within int64 or uint64.
std::optional<Value> ParseInteger(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char mark = text[1];
    if (mark == 'x' || mark == 'X') {
      base = 16, text.remove_prefix(2);
    } else if (mark == 'o' || mark == 'O') {
      base = 8, text.remove_prefix(2);
    } else if (mark == 'b' || mark == 'B') {
      base = 2, text.remove_prefix(2);
    } else {
      base = 8, text.remove_prefix(1);
    }
  }
  std::uint64_t magnitude = 0;  // from_chars accepts neither a sign nor an empty text
  const char* const end = text.data() + text.size();
  const auto done = std::from_chars(text.data(), end, magnitude, base);
  if (done.ec != std::errc() || done.ptr != end) return std::nullopt;
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 63;
  if (!negative) return Value(magnitude);
  if (magnitude > kSmallest) return std::nullopt;
  if (magnitude == kSmallest) return Value(std::numeric_limits<std::int64_t>::min());
  return Value(-static_cast<std::int64_t>(magnitude));
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, as JSON text; empty if invalid.
std::string FloatText(std::string_view text) {
  std::string out;
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return text.substr(from, i - from);
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) {
    if (text[i] == '-') out += '-';
    ++i;
  }
  std::string_view whole = digits();
  std::string_view fraction;
  if (i < text.size() && text[i] == '.') {
    ++i;
    fraction = digits();
  }
  if (whole.empty() && fraction.empty()) return {};
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  out += whole.empty() ? std::string_view("0") : whole;
  if (!fraction.empty()) (out += '.') += fraction;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    out += text[i++];
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) out += text[i++];
    const std::string_view exponent = digits();
    if (exponent.empty()) return {};
    out += exponent;
  }
  return i == text.size() ? out : std::string();
}

// Parses times like Go's time.Parse: fields of one or two digits, a fraction behind a point or a
// comma.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : text_(text) {}

  // Accepts yyyy-m-d, then nothing, "T" or "t" with time and zone, or a blank with a time.
  bool IsTimestamp() {
    if (!IsDate()) return false;
    if (text_.empty()) return true;
    const bool has_zone = Take('T') || Take('t');
    if (!has_zone && !Take(' ')) return false;
    if (!IsTime() || (has_zone && !IsZone())) return false;
    return text_.empty();
  }

 private:
  bool IsDate() {
    constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int year = Number(4, 4);
    if (year < 0 || !Take('-')) return false;
    const int month = Number(1, 2);
    if (month < 1 || month > 12 || !Take('-')) return false;
    const int day = Number(1, 2);
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int days = kDays.at(static_cast<std::size_t>(month - 1)) + (month == 2 && leap ? 1 : 0);
    return day >= 1 && day <= days;
  }

  bool IsTime() {
    if (!InRange(Number(1, 2), 23) || !Take(':')) return false;
    if (!InRange(Number(1, 2), 59) || !Take(':')) return false;
    if (!InRange(Number(1, 2), 59)) return false;
    if (text_.size() > 1 && (text_[0] == '.' || text_[0] == ',') && IsDigit(text_[1])) {
      text_.remove_prefix(1);
      while (!text_.empty() && IsDigit(text_[0])) text_.remove_prefix(1);
    }
    return true;
  }

  bool IsZone() {
    if (Take('Z')) return true;
    if (!Take('+') && !Take('-')) return false;
    return InRange(Number(2, 2), 24) && Take(':') && InRange(Number(2, 2), 59);
  }

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool InRange(int number, int most) { return number >= 0 && number <= most; }

  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  // Reads up to `most` digits; -1 if there are fewer than `least`.
  int Number(std::size_t least, std::size_t most) {
    int number = 0;
    std::size_t count = 0;
    while (count < most && count < text_.size() && IsDigit(text_[count])) {
      number = number * 10 + (text_[count++] - '0');
    }
    text_.remove_prefix(count);
    return count < least ? -1 : number;
  }

  std::string_view text_;
};

// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
bool IsBase60(std::string_view text) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  std::size_t i = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  if (!digit(i)) return false;
  while (digit(i) || (i < text.size() && text[i] == '_')) ++i;
  if (i == text.size() || text[i] != ':') return false;
  while (i < text.size() && text[i] == ':') {
    if (!digit(i + 1)) return false;
    const bool two = text[i + 1] <= '5' && digit(i + 2);
    i += two ? 3 : 2;
  }
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (digit(i) || (i < text.size() && text[i] == '_')) ++i;
  }
  return i == text.size();
}

}  // namespace

bool NumbersFit(const Value& value) {
  if (value.is_number()) return std::isfinite(value.AsDouble().value_or(0));
  const auto fits = [](const auto& part) { return NumbersFit(part); };
  return std::all_of(value.items().begin(), value.items().end(), fits) &&
         std::all_of(value.members().begin(), value.members().end(),
                     [&](const json::Object::Member& member) { return fits(member.second); });
}

std::optional<Value> ResolvePlain(const std::string& text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return Value();
  if (IsOneOf(text, {"y", "Y", "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
    return Value(true);
  }
  if (IsOneOf(text, {"n", "N", "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
    return Value(false);
  }
  if (IsOneOf(text, {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF",
                     "-.inf", "-.Inf", "-.INF"})) {
    return std::nullopt;
  }
  const char first = text.front();
  if ((first < '0' || first > '9') && first != '+' && first != '-' && first != '.') {
    return Value(text);
  }
  std::string plain = text;
  if (first != '.') plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  if (std::optional<Value> integer = ParseInteger(plain)) return integer;
  const std::string real = FloatText(plain);
  if (real.empty()) return Value(text);
  Value number = Value::MakeNumber(real);
  return NumbersFit(number) ? std::move(number) : Value(text);
}

bool ReadsAsText(const std::string& text) {
  const std::optional<Value> value = ResolvePlain(text);
  return value && value->is_string() && !IsTimestamp(text) && !IsBase60(text);
}

bool IsTimestamp(std::string_view text) { return TimeText(text).IsTimestamp(); }

bool IsInteger(const Value& value) {
  return value.is_number() && value.NumberText().find_first_of(".eE") == std::string_view::npos;
}

std::string NumberKey(const Value& number) {
  const bool fits = number.AsInt64().has_value() || number.AsUint64().has_value();
  if (fits && IsInteger(number)) return number.NumberText();
  const auto rounded = static_cast<float>(number.AsDouble().value_or(0));
  if (!std::isfinite(rounded)) return rounded < 0 ? "-.inf" : ".inf";
  return internal::base::GoFloat(rounded);
}

std::optional<std::string> DecodeBinary(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string digits;
  for (const char c : text) {
    if (c != '\n' && c != '\r') digits += c;
  }
  if (digits.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && !digits.empty() && digits.back() == '=') digits.pop_back(), ++padding;
  std::string bytes;
  std::uint32_t bits = 0;
  std::size_t held = 0;  // of these, not yet written
  for (const char c : digits) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>((bits >> held) & 0xffU);
  }
  return bytes;
}

}  // namespace kinformer::yaml
