#include "object/values/text_forms.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kinformer::internal {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// Returns the days since 1970-01-01 of a date in the proleptic Gregorian calendar, counting years
// from March.
std::int64_t DaysFromDate(std::int64_t year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

struct Date {
  std::int64_t year;
  int month;
  int day;
};

Date DateFromDays(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  const int month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1)};
}

int DaysInMonth(std::int64_t year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// Removes `count` digits from the front of `text` and returns their value; -1 if they are absent.
int TakeDigits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool TakeChar(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

void AppendPadded(std::int64_t value, int width, std::string& out) {
  const std::string digits = std::to_string(value);
  for (int i = static_cast<int>(digits.size()); i < width; ++i) out.push_back('0');
  out += digits;
}

void AppendDateTime(std::int64_t seconds, std::string& out) {
  std::int64_t days = seconds / 86400;
  std::int64_t rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const Date date = DateFromDays(days);
  AppendPadded(date.year, 4, out);
  out.push_back('-');
  AppendPadded(date.month, 2, out);
  out.push_back('-');
  AppendPadded(date.day, 2, out);
  out.push_back('T');
  AppendPadded(rest / 3600, 2, out);
  out.push_back(':');
  AppendPadded(rest / 60 % 60, 2, out);
  out.push_back(':');
  AppendPadded(rest % 60, 2, out);
}

}  // namespace

std::optional<TimeStamp> ParseRfc3339(std::string_view text) {
  const int year = TakeDigits(text, 4);
  if (year < 0 || !TakeChar(text, '-')) return std::nullopt;
  const int month = TakeDigits(text, 2);
  if (month < 1 || month > 12 || !TakeChar(text, '-')) return std::nullopt;
  const int day = TakeDigits(text, 2);
  if (day < 1 || day > DaysInMonth(year, month) || !TakeChar(text, 'T')) return std::nullopt;
  const int hour = TakeDigits(text, 2);
  if (hour < 0 || hour > 23 || !TakeChar(text, ':')) return std::nullopt;
  const int minute = TakeDigits(text, 2);
  if (minute < 0 || minute > 59 || !TakeChar(text, ':')) return std::nullopt;
  const int second = TakeDigits(text, 2);
  if (second < 0 || second > 59) return std::nullopt;
  TimeStamp result;
  if (TakeChar(text, '.')) {
    std::int32_t unit = 100'000'000;
    std::size_t digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; ++digits) {
      result.nanos += unit * (text.front() - '0');
      unit /= 10;
      text.remove_prefix(1);
    }
    if (digits == 0) return std::nullopt;
  }
  std::int64_t offset = 0;
  if (!TakeChar(text, 'Z')) {
    const bool west = TakeChar(text, '-');
    if (!west && !TakeChar(text, '+')) return std::nullopt;
    const int hours = TakeDigits(text, 2);
    if (hours < 0 || hours > 24 || !TakeChar(text, ':')) return std::nullopt;
    const int minutes = TakeDigits(text, 2);
    if (minutes < 0 || minutes > 59) return std::nullopt;
    offset = (hours * 60 + minutes) * 60 * (west ? -1 : 1);
  }
  if (!text.empty()) return std::nullopt;
  result.seconds =
      DaysFromDate(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  // The offset may move the time out of the years 0 to 9999, which could not be written again.
  if (result.seconds < -62167219200 || result.seconds > 253402300799) return std::nullopt;
  return result;
}

void AppendRfc3339(std::int64_t seconds, std::string& out) {
  AppendDateTime(seconds, out);
  out.push_back('Z');
}

void AppendRfc3339Micro(const TimeStamp& time, std::string& out) {
  AppendDateTime(time.seconds, out);
  out.push_back('.');
  AppendPadded(time.nanos / 1000, 6, out);
  out.push_back('Z');
}

std::optional<std::int64_t> ParseGoDuration(std::string_view text) {
  bool negative = false;
  if (TakeChar(text, '-')) {
    negative = true;
  } else {
    TakeChar(text, '+');
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63;
  std::uint64_t total = 0;
  while (!text.empty()) {
    std::uint64_t whole = 0;
    bool digits = false;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
      if (whole > kMax / 10) return std::nullopt;
      whole = whole * 10 + static_cast<std::uint64_t>(text.front() - '0');
      digits = true;
    }
    double fraction = 0;
    if (TakeChar(text, '.')) {
      double unit = 0.1;
      for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
        fraction += unit * (text.front() - '0');
        unit /= 10;
        digits = true;
      }
    }
    if (!digits) return std::nullopt;
    std::size_t length = 0;
    while (length < text.size() && text[length] != '.' &&
           (text[length] < '0' || text[length] > '9')) {
      ++length;
    }
    const std::string_view name = text.substr(0, length);
    text.remove_prefix(length);
    std::uint64_t unit = 0;
    if (name == "ns") {
      unit = 1;
    } else if (name == "us" || name == "\xc2\xb5s" || name == "\xce\xbcs") {
      unit = 1'000;
    } else if (name == "ms") {
      unit = 1'000'000;
    } else if (name == "s") {
      unit = 1'000'000'000;
    } else if (name == "m") {
      unit = 60'000'000'000;
    } else if (name == "h") {
      unit = 3'600'000'000'000;
    } else {
      return std::nullopt;
    }
    if (whole > kMax / unit) return std::nullopt;
    // Rounds, so that decimal fractions which a double cannot represent give exact results.
    const auto part =
        static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(unit)));
    total += whole * unit + part;
    if (total > kMax) return std::nullopt;
  }
  if (negative) return static_cast<std::int64_t>(-total);
  if (total > kMax - 1) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

namespace {

// Appends value / unit with as many decimals as needed.
void AppendFraction(std::uint64_t value, std::uint64_t unit, std::string& out) {
  out += std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return;
  out.push_back('.');
  while (rest != 0) {
    unit /= 10;
    out.push_back(static_cast<char>('0' + rest / unit));
    rest %= unit;
  }
}

}  // namespace

void AppendGoDuration(std::int64_t nanos, std::string& out) {
  if (nanos == 0) {
    out += "0s";
    return;
  }
  std::uint64_t value = static_cast<std::uint64_t>(nanos);
  if (nanos < 0) {
    out.push_back('-');
    value = -value;
  }
  if (value < kNanosPerSecond) {
    if (value < 1'000) {
      out += std::to_string(value) + "ns";
    } else if (value < 1'000'000) {
      AppendFraction(value, 1'000, out);
      out += "\xc2\xb5s";
    } else {
      AppendFraction(value, 1'000'000, out);
      out += "ms";
    }
    return;
  }
  const std::uint64_t seconds = value / kNanosPerSecond;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + "h";
  if (seconds >= 60) out += std::to_string(seconds / 60 % 60) + "m";
  AppendFraction(value % (60ULL * kNanosPerSecond), kNanosPerSecond, out);
  out.push_back('s');
}

bool IsQuantityText(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  bool digits = false;
  bool point = false;
  while (!text.empty()) {
    if (text.front() == '.' && !point) {
      point = true;
    } else if (text.front() >= '0' && text.front() <= '9') {
      digits = true;
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  if (!digits) return false;
  constexpr std::string_view kSuffixes[] = {"",  "n", "u",  "m",  "k",  "M",  "G",  "T",
                                            "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  for (const std::string_view suffix : kSuffixes) {
    if (text == suffix) return true;
  }
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int Base64Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

std::optional<std::string> Base64Decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int count = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = Base64Value(c);
    if (value < 0 || padding > 0) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(value);
    if (++count == 4) {
      out.push_back(static_cast<char>(group >> 16 & 0xff));
      out.push_back(static_cast<char>(group >> 8 & 0xff));
      out.push_back(static_cast<char>(group & 0xff));
      group = 0;
      count = 0;
    }
  }
  if (count == 0) return padding == 0 ? std::optional(std::move(out)) : std::nullopt;
  if (count == 1 || count + padding != 4) return std::nullopt;
  group <<= 6 * (4 - count);
  out.push_back(static_cast<char>(group >> 16 & 0xff));
  if (count == 3) out.push_back(static_cast<char>(group >> 8 & 0xff));
  return out;
}

void AppendBase64(std::string_view bytes, std::string& out) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out.push_back(kBase64[group >> 18]);
    out.push_back(kBase64[group >> 12 & 63]);
    out.push_back(i + 1 < bytes.size() ? kBase64[group >> 6 & 63] : '=');
    out.push_back(i + 2 < bytes.size() ? kBase64[group & 63] : '=');
  }
}

namespace {

void AppendUnicodeEscape(unsigned char c, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u00";
  out.push_back(kHex[c >> 4]);
  out.push_back(kHex[c & 15]);
}

}  // namespace

void AppendCompactJson(std::string_view json, std::string& out) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!in_string) {
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
      in_string = c == '"';
      out.push_back(c);
      continue;
    }
    if (c == '<' || c == '>' || c == '&') {
      AppendUnicodeEscape(static_cast<unsigned char>(c), out);
      continue;
    }
    const std::string_view three = json.substr(i, 3);
    if (three == "\xe2\x80\xa8" || three == "\xe2\x80\xa9") {
      out += three[2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
      continue;
    }
    out.push_back(c);
    if (c == '\\' && i + 1 < json.size()) {
      out.push_back(json[++i]);
    } else if (c == '"') {
      in_string = false;
    }
  }
}

}  // namespace kinformer::internal
