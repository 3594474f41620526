#include "cel/value_format.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "base/text/number_in.h"
#include "cel/regular_expression.h"

namespace kinformer::internal::cel {
namespace {

using Check = bool (*)(std::string_view text);

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int Number(std::string_view digits) {
  const int value = base::NumberIn<int>(digits).value_or(-1);
  return value >= 0 && IsDigit(digits[0]) ? value : -1;
}

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int year = Number(text.substr(0, 4));
  const int month = Number(text.substr(5, 2));
  const int day = Number(text.substr(8));
  if (year < 0 || month < 1 || month > 12 || day < 1) return false;
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[static_cast<std::size_t>(month - 1)] + (leap && month == 2 ? 1 : 0);
}

bool IsClock(std::string_view text) {
  return text.size() == 8 && text[2] == ':' && text[5] == ':' && Number(text.substr(0, 2)) >= 0 &&
         Number(text.substr(0, 2)) <= 23 && Number(text.substr(3, 2)) >= 0 &&
         Number(text.substr(3, 2)) <= 59 && Number(text.substr(6)) >= 0 &&
         Number(text.substr(6)) <= 59;
}

// Example: 2001-02-03T04:05:06.789+01:00
bool IsDateTime(std::string_view text) {
  if (text.size() < 20 || !IsDate(text.substr(0, 10)) || (text[10] != 'T' && text[10] != 't') ||
      !IsClock(text.substr(11, 8))) {
    return false;
  }
  text.remove_prefix(19);
  if (text.front() == '.') {
    text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  if (text == "Z" || text == "z") return true;
  return text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':' &&
         Number(text.substr(1, 2)) >= 0 && Number(text.substr(4)) >= 0;
}

bool IsAddress(int family, std::string_view text) {
  std::array<unsigned char, 16> bytes{};
  return text.find('\0') == std::string_view::npos &&
         inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

bool IsIpv4(std::string_view text) { return IsAddress(AF_INET, text); }
bool IsIpv6(std::string_view text) { return IsAddress(AF_INET6, text); }

bool IsCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const int bits = Number(text.substr(slash + 1));
  return bits >= 0 && ((IsIpv4(address) && bits <= 32) || (IsIpv6(address) && bits <= 128));
}

bool IsHttpUri(std::string_view text) {
  // Accepts what a request line may contain: an absolute path, or a scheme and something after it.
  if (text.empty() || std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
      })) {
    return false;
  }
  if (text[0] == '/') return true;
  const std::size_t colon = text.find(':');
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return colon != std::string_view::npos && colon > 0 && letter(text[0]) &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [&](char c) {
           return letter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
         });
}

// Letters of any alphabet.
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool IsWordCharacter(char c) { return IsLetter(c) || IsDigit(c); }

// Letters, digits and inner dashes.
bool IsHostLabel(std::string_view label) {
  return !label.empty() && label.size() <= 63 && IsWordCharacter(label.front()) &&
         IsWordCharacter(label.back()) &&
         std::ranges::all_of(label, [](char c) { return IsWordCharacter(c) || c == '-'; });
}

// Labels with dots, the last of letters only; or one label, where a dash may only follow the first
// letter. As on a real server, `my-host` and `x.y` are invalid.
bool IsHostname(std::string_view text) {
  if (text.size() > 255) return false;
  const std::size_t last = text.rfind('.');
  if (last == std::string_view::npos) {
    const bool dash = text.size() > 1 && text[1] == '-';
    const std::string_view rest = text.substr(std::min<std::size_t>(dash ? 2 : 1, text.size()));
    return !text.empty() && text.size() <= 63 && IsWordCharacter(text.front()) &&
           std::ranges::all_of(rest, IsWordCharacter);
  }
  const std::string_view top = text.substr(last + 1);
  if (top.size() < 2 || top.size() > 63 || !std::ranges::all_of(top, IsLetter)) return false;
  for (text = text.substr(0, last);;) {
    const std::string_view label = text.substr(0, text.find('.'));
    if (!IsHostLabel(label)) return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

bool IsEmail(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find_first_of(" \t\r\n,;<>()") == std::string_view::npos &&
         text.substr(0, at).find('@') == std::string_view::npos;
}

bool IsBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  text.remove_suffix(padding);
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '+' || c == '/';
  });
}

// The digits, every second one doubled, must add up to a multiple of ten (Luhn).
bool IsCardNumber(std::string_view text) {
  int sum = 0;
  int digits = 0;
  for (auto at = text.rbegin(); at != text.rend(); ++at) {
    if (*at == '-' || *at == ' ') continue;
    if (!IsDigit(*at)) return false;
    const int digit = (*at - '0') * (digits % 2 == 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
    ++digits;
  }
  return digits >= 12 && digits <= 19 && sum % 10 == 0;
}

std::string IsbnDigits(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '-' && c != ' ') digits += c;
  }
  return digits;
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = IsbnDigits(text);
  if (digits.size() != 10) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const bool ten = i == 9 && (digits[i] == 'X' || digits[i] == 'x');
    if (!ten && !IsDigit(digits[i])) return false;
    sum += static_cast<int>(i + 1) * (ten ? 10 : digits[i] - '0');
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string digits = IsbnDigits(text);
  if (digits.size() != 13 || !std::all_of(digits.begin(), digits.end(), IsDigit)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 13; ++i) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return sum % 10 == 0;
}

bool IsIsbn(std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }

bool Always(std::string_view) { return true; }

struct Formats {
  std::map<std::string_view, Check> checks{
      {"date", IsDate},         {"date-time", IsDateTime},
      {"datetime", IsDateTime}, {"ipv4", IsIpv4},
      {"ipv6", IsIpv6},         {"cidr", IsCidr},
      {"uri", IsHttpUri},       {"hostname", IsHostname},
      {"email", IsEmail},       {"byte", IsBase64},
      {"password", Always},     {"isbn", IsIsbn},
      {"isbn10", IsIsbn10},     {"isbn13", IsIsbn13},
      {"int32", Always},        {"creditcard", IsCardNumber},
      {"int64", Always},        {"float", Always},
      {"double", Always},
  };
  std::map<std::string_view, std::shared_ptr<const RegularExpression>> patterns;

  Formats() {
    for (const auto& [name, pattern] : std::initializer_list<std::pair<const char*, const char*>>{
             {"bsonobjectid", "^[0-9a-fA-F]{24}$"},
             {"mac",
              "^([0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}([:-][0-9a-fA-F]{2}){0,2}|"
              "[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){2,3})$"},
             {"uuid", "^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
             {"uuid3", "^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
             {"uuid4",
              "^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
             {"uuid5",
              "^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
             {"ssn", "^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$"},
             {"hexcolor", "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
             {"rgbcolor", "^rgb\\(\\s*([0-9]{1,3}\\s*,\\s*){2}[0-9]{1,3}\\s*\\)$"},
             // Go durations, and durations in words: "3 days".
             {"duration",
              "^([-+]?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h)"
              "(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h))*)|"
              "\\s*([0-9]+\\s*(ns|nanos?|nanosecs?|nanoseconds?|us|µs|micros?|microsecs?|"
              "microseconds?|ms|millis?|millisecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|"
              "h|hrs?|hours?|d|days?|w|wks?|weeks?)\\s*)+)$"},
             {"k8s-short-name", "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"},
             {"k8s-long-name",
              "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"}}) {
      if (auto compiled = RegularExpression::Compile(pattern)) {
        patterns.emplace(name, *std::move(compiled));
      }
    }
  }
};

const Formats& AllFormats() {
  static const Formats formats;
  return formats;
}

}  // namespace

bool IsKnownFormat(std::string_view format) {
  return AllFormats().checks.contains(format) || AllFormats().patterns.contains(format);
}

bool TextHasFormat(std::string_view format, std::string_view text) {
  const Formats& formats = AllFormats();
  if (const auto check = formats.checks.find(format); check != formats.checks.end()) {
    return check->second(text);
  }
  const auto pattern = formats.patterns.find(format);
  return pattern == formats.patterns.end() || pattern->second->Matches(text);
}

}  // namespace kinformer::internal::cel
