#include "kinformer/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <ostream>

namespace kinformer::resource {

// 128-bit arithmetic is an extension of both compilers; it stays in this file.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

struct QuantityMath {
  static Int128 Get(const Quantity& q) {
    return static_cast<Int128>((static_cast<Uint128>(static_cast<std::uint64_t>(q.high_)) << 64) |
                               q.low_);
  }
  static Quantity Make(Int128 nanos, Format format) {
    Quantity q;
    Set(q, nanos);
    q.format_ = format;
    return q;
  }
  static void Set(Quantity& q, Int128 nanos) {
    const auto bits = static_cast<Uint128>(nanos);
    q.high_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 64));
    q.low_ = static_cast<std::uint64_t>(bits);
  }
};

namespace {

constexpr Int128 kMax = static_cast<Int128>(~Uint128{0} >> 1);
constexpr Int128 kNanosPerUnit = 1'000'000'000;
constexpr Int128 kNanosPerMilli = 1'000'000;
constexpr auto kMaxInt64 = std::numeric_limits<std::int64_t>::max();

struct Suffix {
  std::string_view text;
  int exponent;  // of 10, or of 2 for kBinarySI
  Format format;
};
constexpr std::array<Suffix, 16> kSuffixes{{{"n", -9, Format::kDecimalSI},
                                            {"u", -6, Format::kDecimalSI},
                                            {"m", -3, Format::kDecimalSI},
                                            {"", 0, Format::kDecimalSI},
                                            {"k", 3, Format::kDecimalSI},
                                            {"M", 6, Format::kDecimalSI},
                                            {"G", 9, Format::kDecimalSI},
                                            {"T", 12, Format::kDecimalSI},
                                            {"P", 15, Format::kDecimalSI},
                                            {"E", 18, Format::kDecimalSI},
                                            {"Ki", 10, Format::kBinarySI},
                                            {"Mi", 20, Format::kBinarySI},
                                            {"Gi", 30, Format::kBinarySI},
                                            {"Ti", 40, Format::kBinarySI},
                                            {"Pi", 50, Format::kBinarySI},
                                            {"Ei", 60, Format::kBinarySI}}};

std::optional<Suffix> ParseSuffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return suffix;
  }
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  text.remove_prefix(1);
  bool negative = false;
  if (text.front() == '+' || text.front() == '-') {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  int exponent = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    exponent = std::min(exponent * 10 + (c - '0'), 10'000);
  }
  return Suffix{{}, negative ? -exponent : exponent, Format::kDecimalExponent};
}

// value / 10^count, rounded up.
Uint128 DivideUp(Uint128 value, int count, bool sticky) {
  for (; count > 0 && value != 0; --count) {
    sticky = sticky || value % 10 != 0;
    value /= 10;
  }
  return value + (sticky ? 1 : 0);
}

// value × 10^count, at most kMax.
Uint128 Multiply(Uint128 value, int count) {
  constexpr auto kLimit = static_cast<Uint128>(kMax);
  for (; count > 0 && value != 0; --count) {
    if (value > kLimit / 10) return kLimit;
    value *= 10;
  }
  return value;
}

std::optional<Quantity> ParseText(std::string_view text) {
  std::size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++i;
  // As many digits as fit; of the others only their number and whether one was not 0 matters.
  constexpr auto kFull = static_cast<Uint128>(kMax);
  bool full = false;
  Uint128 mantissa = 0;
  int exponent = 0;
  bool sticky = false;
  bool any = false;
  bool fraction = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    const auto digit = static_cast<unsigned>(c - '0');
    full = full || mantissa > (kFull - digit) / 10;
    if (!full) {
      mantissa = mantissa * 10 + digit;
      if (fraction) --exponent;
    } else {
      sticky = sticky || c != '0';
      if (!fraction) exponent = std::min(exponent + 1, 10'000);
    }
  }
  if (!any) return std::nullopt;
  const std::optional<Suffix> suffix = ParseSuffix(text.substr(i));
  if (!suffix) return std::nullopt;

  Format format = suffix->format;
  Uint128 nanos = 0;
  if (format == Format::kBinarySI) {
    // The mantissa gives up fraction digits beyond 10^-27 until the factor fits; they are far below 1n.
    const Uint128 factor = Uint128{1} << suffix->exponent;
    while (mantissa != 0 && mantissa > static_cast<Uint128>(kMax) / factor) {
      sticky = sticky || mantissa % 10 != 0;
      mantissa /= 10;
      exponent = std::min(exponent + 1, 10'000);
    }
    mantissa *= factor;
  } else {
    exponent += suffix->exponent;
  }
  const int shift = exponent + 9;
  nanos = shift >= 0 ? Multiply(mantissa, shift) + (sticky && mantissa == 0 ? 1 : 0)
                     : DivideUp(mantissa, -shift, sticky);
  Int128 value = static_cast<Int128>(std::min(nanos, static_cast<Uint128>(kMax)));
  if (format == Format::kBinarySI) {
    constexpr Int128 kCap = Int128{kMaxInt64} * kNanosPerUnit;
    if (value > kCap) value = kCap;
    // As in Go, to avoid rounding: less than one byte is written with decimal suffixes.
    if (value > 0 && value < kNanosPerUnit && !negative) format = Format::kDecimalSI;
  }
  return QuantityMath::Make(negative ? -value : value, format);
}

// value / unit, away from zero, cut to int64.
std::int64_t ScaleDown(Int128 value, Int128 unit) {
  Int128 quotient = value / unit;
  const Int128 rest = value % unit;
  if (rest > 0) ++quotient;
  if (rest < 0) --quotient;
  if (quotient > kMaxInt64) return kMaxInt64;
  if (quotient < std::numeric_limits<std::int64_t>::min()) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return static_cast<std::int64_t>(quotient);
}

std::string Digits(Uint128 value) {
  std::string out;
  do {
    out.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string_view SuffixText(Format format, int exponent) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.format == format && suffix.exponent == exponent) return suffix.text;
  }
  return {};
}

}  // namespace

Quantity::Quantity(const internal::MessageView& message) {
  std::string_view text;
  if (message.encoding() == internal::Encoding::kJson) {
    text = message.bytes();
    if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  } else {
    text = internal::GetString(message, 1);
  }
  if (const std::optional<Quantity> parsed = ParseText(text)) *this = *parsed;
}

Quantity Quantity::FromRaw(const internal::MessageView& parent, const internal::RawValue& value) {
  return Quantity(internal::ToMessage(parent, value));
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (const std::optional<Quantity> parsed = ParseText(text)) return *parsed;
  return Error(Reason::kInvalidArgument,
               "\"" + std::string(text) +
                   "\" is no quantity: expected a number with one of the suffixes "
                   "n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3");
}

Quantity Quantity::FromInt(std::int64_t value, Format format) {
  return QuantityMath::Make(Int128{value} * kNanosPerUnit, format);
}

Quantity Quantity::FromMilli(std::int64_t milli, Format format) {
  return QuantityMath::Make(Int128{milli} * kNanosPerMilli, format);
}

std::int64_t Quantity::Value() const { return ScaleDown(QuantityMath::Get(*this), kNanosPerUnit); }
std::int64_t Quantity::MilliValue() const {
  return ScaleDown(QuantityMath::Get(*this), kNanosPerMilli);
}
double Quantity::AsApproximateFloat64() const {
  return static_cast<double>(QuantityMath::Get(*this)) / 1e9;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (IsZero()) format_ = other.format_;
  Int128 sum = 0;
  if (__builtin_add_overflow(QuantityMath::Get(*this), QuantityMath::Get(other), &sum)) {
    sum = Sign() < 0 ? -kMax : kMax;
  }
  QuantityMath::Set(*this, sum);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) { return *this += -other; }

Quantity Quantity::operator-() const {
  return QuantityMath::Make(-QuantityMath::Get(*this), format_);
}

std::string Quantity::ToString() const {
  const Int128 nanos = QuantityMath::Get(*this);
  if (nanos == 0) return "0";
  const bool negative = nanos < 0;
  const auto magnitude = static_cast<Uint128>(negative ? -nanos : nanos);
  const std::string sign = negative ? "-" : "";
  constexpr auto kUnit = static_cast<Uint128>(kNanosPerUnit);

  // Small and fractional amounts of bytes would lose precision with binary suffixes.
  const bool binary =
      format_ == Format::kBinarySI && magnitude >= 1024 * kUnit && magnitude % kUnit == 0;
  if (binary) {
    Uint128 value = magnitude / kUnit;
    int exponent = 0;
    while (value % 1024 == 0 && exponent < 60) {
      value /= 1024;
      exponent += 10;
    }
    return sign + Digits(value) + std::string(SuffixText(Format::kBinarySI, exponent));
  }
  Uint128 value = magnitude;
  int exponent = -9;
  while (value % 1000 == 0 && (exponent < 18 || format_ == Format::kDecimalExponent)) {
    value /= 1000;
    exponent += 3;
  }
  if (format_ == Format::kDecimalExponent) {
    return sign + Digits(value) + (exponent == 0 ? "" : "e" + std::to_string(exponent));
  }
  return sign + Digits(value) + std::string(SuffixText(Format::kDecimalSI, exponent));
}

std::ostream& operator<<(std::ostream& out, const Quantity& quantity) {
  return out << quantity.ToString();
}

}  // namespace kinformer::resource
