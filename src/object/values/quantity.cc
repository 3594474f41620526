#include "kinformer/object/quantity.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "object/values/decimal_limbs.h"

namespace kinformer::resource {

using internal::Limbs;

// 128-bit integers are a compiler extension; they are used only in this file.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

struct QuantityMath {
  static constexpr Int128 kMax = static_cast<Int128>(~Uint128{0} >> 1);
  // Amounts are capped at 10^4000, so that a short text like 1e999999999 cannot use gigabytes.
  static constexpr std::size_t kMostDigits = 4000;

  // REQUIRES: !IsLarge.
  static Int128 Get(const Quantity& q) {
    return static_cast<Int128>((static_cast<Uint128>(static_cast<std::uint64_t>(q.high_)) << 64) |
                               q.low_);
  }
  static bool IsLarge(const Quantity& q) { return q.large_.has_value(); }
  static const Limbs& Large(const Quantity& q) { return *q.large_; }

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
    q.large_.reset();
  }
  // Stores amounts that fit into 128 bits in that form, so equal amounts have equal fields.
  static void Set(Quantity& q, bool negative, Limbs nanos) {
    if (nanos.size() <= 5) {
      Uint128 value = 0;  // five limbs are less than 2^150
      bool fits = true;
      for (std::size_t i = nanos.size(); i-- > 0;) {
        fits = fits && value <= (static_cast<Uint128>(kMax) - nanos[i]) / internal::kLimbBase;
        value = value * internal::kLimbBase + nanos[i];
      }
      if (fits) return Set(q, negative ? -static_cast<Int128>(value) : static_cast<Int128>(value));
    }
    if (internal::CompareLimbs(nanos, Most()) > 0) nanos = Most();
    q.high_ = negative ? -1 : 1;
    q.low_ = 0;
    q.large_ = std::move(nanos);
  }
  static const Limbs& Most() {
    static const Limbs most = [] {
      Limbs limbs{1};
      internal::ShiftUp(limbs, kMostDigits + 9);
      return limbs;
    }();
    return most;
  }
  static Limbs Magnitude(const Quantity& q) {
    if (IsLarge(q)) return Large(q);
    const Int128 nanos = Get(q);
    auto value = static_cast<Uint128>(nanos < 0 ? -nanos : nanos);
    Limbs limbs;
    for (; value != 0; value /= internal::kLimbBase) {
      limbs.push_back(static_cast<std::uint32_t>(value % internal::kLimbBase));
    }
    return limbs;
  }
};

namespace {

constexpr Int128 kNanosPerUnit = 1'000'000'000;
constexpr Int128 kNanosPerMilli = 1'000'000;
constexpr auto kMaxInt64 = std::numeric_limits<std::int64_t>::max();

struct Suffix {
  std::string_view text;
  int exponent;  // of base 10, or of base 2 for kBinarySI
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
    exponent = std::min(exponent * 10 + (c - '0'), 100'000'000);
  }
  return Suffix{{}, negative ? -exponent : exponent, Format::kDecimalExponent};
}

// A number with its sign and suffix removed: the digits before and after the point, without zeros
// at either end.
struct Number {
  bool negative = false;
  std::string_view whole{};
  std::string_view fraction{};
  Suffix suffix{};
};

std::optional<Number> Split(std::string_view text) {
  Number number;
  number.negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const auto take_digits = [&text] {
    const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, size);
    text.remove_prefix(size);
    return digits;
  };
  number.whole = take_digits();
  bool any = !number.whole.empty();
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    number.fraction = take_digits();
    any = any || !number.fraction.empty();
  }
  if (!any) return std::nullopt;
  const std::optional<Suffix> suffix = ParseSuffix(text);
  if (!suffix) return std::nullopt;
  number.suffix = *suffix;
  number.whole.remove_prefix(std::min(number.whole.find_first_not_of('0'), number.whole.size()));
  number.fraction = number.fraction.substr(0, number.fraction.find_last_not_of('0') + 1);
  return number;
}

// The common case: few digits, and decimal or without a fraction. Allocates nothing.
std::optional<Int128> SmallNanos(const Number& number) {
  if (number.whole.size() + number.fraction.size() > 18) return std::nullopt;
  const bool binary = number.suffix.format == Format::kBinarySI;
  const int shift =
      9 - static_cast<int>(number.fraction.size()) + (binary ? 0 : number.suffix.exponent);
  // Limits keep the result below 2^127: 10^18 × 10^20 and 10^18 × 2^30 × 10^9 are below it.
  if (shift < 0 || shift > 20 || (binary && number.suffix.exponent > 30)) return std::nullopt;
  Uint128 value = 0;
  for (const std::string_view digits : {number.whole, number.fraction}) {
    for (const char c : digits) value = value * 10 + static_cast<unsigned>(c - '0');
  }
  for (int i = 0; i < shift; ++i) value *= 10;
  if (binary) value <<= number.suffix.exponent;
  return static_cast<Int128>(value);
}

Limbs LargeNanos(const Number& number) {
  const bool binary = number.suffix.format == Format::kBinarySI;
  const auto most = static_cast<std::int64_t>(QuantityMath::kMostDigits);
  const std::int64_t exponent = binary ? 0 : number.suffix.exponent;
  if (!number.whole.empty() && static_cast<std::int64_t>(number.whole.size()) + exponent > most) {
    return QuantityMath::Most();
  }
  std::string digits(number.whole);
  digits += number.fraction;
  Limbs nanos = internal::LimbsOf(digits);
  if (binary) {
    for (int left = number.suffix.exponent; left > 0; left -= 10) {
      internal::MultiplyLimbs(nanos, 1024);
    }
  }
  const std::int64_t shift = exponent + 9 - static_cast<std::int64_t>(number.fraction.size());
  if (shift < 0) {
    internal::ShiftDown(nanos, static_cast<std::size_t>(-shift));
  } else if (shift > most + 18) {
    if (!nanos.empty()) nanos = QuantityMath::Most();
  } else {
    internal::ShiftUp(nanos, static_cast<std::size_t>(shift));
  }
  return nanos;
}

std::optional<Quantity> ParseText(std::string_view text) {
  const std::optional<Number> number = Split(text);
  if (!number) return std::nullopt;
  const Format format = number->suffix.format;
  Quantity out = QuantityMath::Make(0, format);
  if (const std::optional<Int128> small = SmallNanos(*number)) {
    QuantityMath::Set(out, number->negative ? -*small : *small);
  } else {
    QuantityMath::Set(out, number->negative, LargeNanos(*number));
  }
  if (format == Format::kBinarySI) {
    // As in Go: an amount of bytes is capped at the int64 maximum; an amount below one byte uses
    // decimal suffixes to avoid rounding.
    Quantity cap = QuantityMath::Make(Int128{kMaxInt64} * kNanosPerUnit, format);
    if (out > cap) return cap;
    if (out < -cap) return -cap;
    if (!out.IsZero() && out < Quantity::FromInt(1) && out > Quantity::FromInt(-1)) {
      return QuantityMath::Make(QuantityMath::Get(out), Format::kDecimalSI);
    }
  }
  return out;
}

// Returns value / unit, rounded away from zero and clamped to int64.
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

std::int64_t LargestInt(bool negative) {
  return negative ? std::numeric_limits<std::int64_t>::min() : kMaxInt64;
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

std::int64_t Quantity::Value() const {
  if (large_.has_value()) return LargestInt(high_ < 0);
  return ScaleDown(QuantityMath::Get(*this), kNanosPerUnit);
}
std::int64_t Quantity::MilliValue() const {
  if (large_.has_value()) return LargestInt(high_ < 0);
  return ScaleDown(QuantityMath::Get(*this), kNanosPerMilli);
}
double Quantity::AsApproximateFloat64() const {
  if (!large_.has_value()) return static_cast<double>(QuantityMath::Get(*this)) / 1e9;
  double out = 0;
  const Limbs& limbs = *large_;
  // The lowest limb is the fraction.
  for (std::size_t i = limbs.size(); i-- > 0;) {
    if (i == 0) return (high_ < 0 ? -1 : 1) * (out + limbs[i] / 1e9);
    out = out * internal::kLimbBase + limbs[i];
  }
  return out;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (IsZero()) format_ = other.format_;
  if (!large_.has_value() && !other.large_.has_value()) {
    Int128 sum = 0;
    if (!__builtin_add_overflow(QuantityMath::Get(*this), QuantityMath::Get(other), &sum) &&
        sum >= -QuantityMath::kMax) {
      QuantityMath::Set(*this, sum);
      return *this;
    }
  }
  Limbs mine = QuantityMath::Magnitude(*this);
  Limbs theirs = QuantityMath::Magnitude(other);
  bool negative = Sign() < 0;
  if (negative == (other.Sign() < 0)) {
    internal::AddLimbs(mine, theirs);
  } else {
    if (internal::CompareLimbs(mine, theirs) < 0) {
      std::swap(mine, theirs);
      negative = !negative;
    }
    internal::SubtractLimbs(mine, theirs);
  }
  QuantityMath::Set(*this, negative, std::move(mine));
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) { return *this += -other; }

Quantity Quantity::operator-() const {
  if (!large_.has_value()) return QuantityMath::Make(-QuantityMath::Get(*this), format_);
  Quantity out = *this;
  out.high_ = -high_;
  return out;
}

std::strong_ordering Quantity::CompareLarge(const Quantity& other) const {
  if (Sign() != other.Sign()) return Sign() <=> other.Sign();
  const std::strong_ordering order =
      internal::CompareLimbs(QuantityMath::Magnitude(*this), QuantityMath::Magnitude(other));
  return Sign() < 0 ? 0 <=> order : order;
}

namespace {

// A text as most are: a whole number below 2^64, and a suffix for a power of 2 or 10.
struct ShortText {
  std::uint64_t digits;
  int exponent;
  Format suffix = Format::kDecimalSI;
};

// Empty: the amount needs another text.
std::optional<ShortText> ShortTextOf(Uint128 nanos, Format format) {
  constexpr std::uint64_t kNanos = 1'000'000'000;
  const Uint128 whole = nanos / kNanos;
  if (whole > UINT64_MAX) return std::nullopt;
  auto units = static_cast<std::uint64_t>(whole);
  const auto fraction = static_cast<std::uint64_t>(nanos - whole * kNanos);
  if (fraction != 0) {
    if (units >= UINT64_MAX / kNanos) return std::nullopt;
    if (fraction % 1'000'000 == 0) return ShortText{units * 1000 + fraction / 1'000'000, -3};
    if (fraction % 1000 == 0) return ShortText{units * 1'000'000 + fraction / 1000, -6};
    return ShortText{units * kNanos + fraction, -9};
  }
  int exponent = 0;
  if (format == Format::kBinarySI && units >= 1024) {
    exponent = std::min(std::countr_zero(units) / 10, 6) * 10;
    return ShortText{units >> exponent, exponent, format};
  }
  for (; units % 1000 == 0; exponent += 3) units /= 1000;
  return ShortText{units, exponent};
}

std::string Join(bool negative, const ShortText& text, Format format) {
  char buffer[40];
  char* at = buffer;
  if (negative) *at++ = '-';
  at = std::to_chars(at, buffer + sizeof(buffer), text.digits).ptr;
  if (format == Format::kDecimalExponent) {
    if (text.exponent == 0) return {buffer, at};
    *at++ = 'e';
    return {buffer, std::to_chars(at, buffer + sizeof(buffer), text.exponent).ptr};
  }
  std::string out(buffer, at);
  return out += SuffixText(text.suffix, text.exponent);
}

}  // namespace

std::string Quantity::ToString() const {
  if (IsZero()) return "0";
  if (!large_.has_value()) {
    const Int128 nanos = QuantityMath::Get(*this);
    const auto amount = static_cast<Uint128>(nanos < 0 ? -nanos : nanos);
    if (const auto text = ShortTextOf(amount, format_)) return Join(nanos < 0, *text, format_);
  }
  const std::string sign = Sign() < 0 ? "-" : "";
  std::string digits;  // digits of the amount in units of 10^-9
  if (large_.has_value()) {
    digits = internal::LimbDigits(*large_);
  } else {
    const Int128 nanos = QuantityMath::Get(*this);
    digits = Digits(static_cast<Uint128>(nanos < 0 ? -nanos : nanos));
  }
  const std::size_t zeros = digits.size() - (digits.find_last_not_of('0') + 1);

  // Binary suffixes would lose precision for small and for fractional amounts of bytes.
  if (format_ == Format::kBinarySI && zeros >= 9 &&
      (*this >= FromInt(1024) || *this <= FromInt(-1024))) {
    Limbs value = internal::LimbsOf(digits.substr(0, digits.size() - 9));
    int exponent = 0;
    for (; exponent < 60; exponent += 10) {
      Limbs quotient = value;
      if (internal::DivideLimbs(quotient, 1024) != 0) break;
      value = std::move(quotient);
    }
    return sign + internal::LimbDigits(value) +
           std::string(SuffixText(Format::kBinarySI, exponent));
  }
  const bool any_exponent = format_ == Format::kDecimalExponent;
  const std::size_t thousands = any_exponent ? zeros / 3 : std::min<std::size_t>(zeros / 3, 9);
  digits.resize(digits.size() - 3 * thousands);
  const int exponent = 3 * static_cast<int>(thousands) - 9;
  if (any_exponent) {
    return sign + digits + (exponent == 0 ? "" : "e" + std::to_string(exponent));
  }
  return sign + digits + std::string(SuffixText(Format::kDecimalSI, exponent));
}

std::ostream& operator<<(std::ostream& out, const Quantity& quantity) {
  return out << quantity.ToString();
}

}  // namespace kinformer::resource
