#include "kinformer/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>

namespace kinformer::resource {

// All arithmetic is on a signed count of billionths in 128 bits: up to 1.7e29 units, exactly.
struct QuantityMath {
  __extension__ using Int = __int128;
  __extension__ using Unsigned = unsigned __int128;

  static constexpr Int kUnit = 1'000'000'000;
  static constexpr Int kMax = static_cast<Int>(std::numeric_limits<std::int64_t>::max()) * kUnit;

  static Int Of(const Quantity& q) {
    return static_cast<Int>(static_cast<Unsigned>(static_cast<std::uint64_t>(q.high_)) << 64U |
                            q.low_);
  }
  static void Set(Quantity& q, Int value) {
    q.high_ = static_cast<std::int64_t>(value >> 64U);
    q.low_ = static_cast<std::uint64_t>(value);
  }
  static Quantity Make(Int value, Format format) {
    Quantity q;
    Set(q, value);
    q.format_ = format;
    return q;
  }

  // value / divisor, rounded away from zero, as Go's ScaledValue does.
  static Int RoundedUp(Int value, Int divisor) {
    Int result = value / divisor;
    if (value % divisor != 0) result += value > 0 ? 1 : -1;
    return result;
  }
  static std::int64_t Saturated(Int value) {
    if (value > std::numeric_limits<std::int64_t>::max())
      return std::numeric_limits<std::int64_t>::max();
    if (value < std::numeric_limits<std::int64_t>::min())
      return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(value);
  }

  static std::string Digits(Int value) {
    const bool negative = value < 0;
    Unsigned rest = negative ? -static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
    std::string out;
    do {
      out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
      rest /= 10;
    } while (rest != 0);
    if (negative) out.insert(out.begin(), '-');
    return out;
  }
};

namespace {

using Int = QuantityMath::Int;

struct Suffix {
  Format format = Format::kDecimalSI;
  int decimal_exponent = 0;
  int binary_exponent = 0;
};

std::optional<Suffix> ParseSuffix(std::string_view text) {
  constexpr std::array<std::string_view, 6> kBinary = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  for (std::size_t i = 0; i < kBinary.size(); ++i) {
    if (text == kBinary[i]) return Suffix{Format::kBinarySI, 0, static_cast<int>(10 * (i + 1))};
  }
  constexpr std::array<std::pair<std::string_view, int>, 10> kDecimal = {{{"n", -9},
                                                                          {"u", -6},
                                                                          {"m", -3},
                                                                          {"", 0},
                                                                          {"k", 3},
                                                                          {"M", 6},
                                                                          {"G", 9},
                                                                          {"T", 12},
                                                                          {"P", 15},
                                                                          {"E", 18}}};
  for (const auto& [suffix, exponent] : kDecimal) {
    if (text == suffix) return Suffix{Format::kDecimalSI, exponent, 0};
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text[0] == '+') text.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Suffix{Format::kDecimalExponent, exponent, 0};
}

Int Saturate(bool negative) { return negative ? -QuantityMath::kMax : QuantityMath::kMax; }

// digits × 10^exponent × 2^binary in billionths; what is smaller than one of them counts as one, what is too large as the largest.
Int Scale(std::string_view digits, int exponent, int binary, bool negative) {
  Int value = 0;
  bool inexact = false;
  exponent += 9;
  for (const char c : digits) {
    // More digits than any quantity needs: the rest only matters for rounding up.
    if (value > QuantityMath::kMax * 1000) {
      ++exponent;
      inexact = inexact || c != '0';
      continue;
    }
    value = value * 10 + (c - '0');
  }
  if (value == 0) return 0;
  for (; exponent > 0; --exponent) {
    if (value > QuantityMath::kMax) return Saturate(negative);
    value *= 10;
  }
  for (; binary > 0 && exponent >= 0; --binary) {
    if (value > QuantityMath::kMax) return Saturate(negative);
    value *= 2;
  }
  for (; binary > 0; --binary) {
    if (value > QuantityMath::kMax * 1000) return Saturate(negative);
    value *= 2;
  }
  for (; exponent < 0; ++exponent) {
    inexact = inexact || value % 10 != 0;
    value /= 10;
  }
  if (inexact) ++value;
  if (value > QuantityMath::kMax) return Saturate(negative);
  return negative ? -value : value;
}

}  // namespace

Quantity::Quantity(const internal::MessageView& message) {
  Result<Quantity> parsed = Parse(internal::GetString(message, 1));
  if (parsed) *this = *parsed;
}

Quantity Quantity::FromRaw(const internal::MessageView& parent, const internal::RawValue& value) {
  return Quantity(internal::ToMessage(parent, value));
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  const auto bad = [&] {
    return Error(Reason::kInvalidArgument,
                 "\"" + std::string(text) +
                     "\" is no quantity; write a number with an optional suffix, "
                     "like 500m, 1.5Gi or 2e3");
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string digits;
  int exponent = 0;
  bool point = false;
  std::size_t i = 0;
  bool any = false;
  for (; i < rest.size(); ++i) {
    if (rest[i] == '.' && !point) {
      point = true;
    } else if (rest[i] >= '0' && rest[i] <= '9') {
      any = true;
      digits += rest[i];
      if (point) --exponent;
    } else {
      break;
    }
  }
  if (!any) return bad();
  const std::optional<Suffix> suffix = ParseSuffix(rest.substr(i));
  if (!suffix) return bad();
  const int total = exponent + suffix->decimal_exponent;
  if (total > 1000 || total < -100000) return bad();
  return QuantityMath::Make(Scale(digits, total, suffix->binary_exponent, negative),
                            suffix->format);
}

Quantity Quantity::FromInt(std::int64_t value, Format format) {
  return QuantityMath::Make(static_cast<Int>(value) * QuantityMath::kUnit, format);
}

Quantity Quantity::FromMilli(std::int64_t milli, Format format) {
  return QuantityMath::Make(static_cast<Int>(milli) * (QuantityMath::kUnit / 1000), format);
}

std::int64_t Quantity::Value() const {
  return QuantityMath::Saturated(
      QuantityMath::RoundedUp(QuantityMath::Of(*this), QuantityMath::kUnit));
}

std::int64_t Quantity::MilliValue() const {
  return QuantityMath::Saturated(
      QuantityMath::RoundedUp(QuantityMath::Of(*this), QuantityMath::kUnit / 1000));
}

double Quantity::AsApproximateFloat64() const {
  return static_cast<double>(QuantityMath::Of(*this)) / 1e9;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (IsZero()) format_ = other.format_;
  QuantityMath::Set(*this, QuantityMath::Of(*this) + QuantityMath::Of(other));
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) { return *this += -other; }

Quantity Quantity::operator-() const {
  return QuantityMath::Make(-QuantityMath::Of(*this), format_);
}

std::string Quantity::ToString() const {
  Int value = QuantityMath::Of(*this);
  if (value == 0) return "0";
  Format format = format_;
  const Int magnitude = value < 0 ? -value : value;
  // Go prints a binary quantity that is small or has a fraction in decimal.
  if (format == Format::kBinarySI &&
      (magnitude < 1024 * QuantityMath::kUnit || magnitude % QuantityMath::kUnit != 0)) {
    format = Format::kDecimalSI;
  }
  if (format == Format::kBinarySI) {
    constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    value /= QuantityMath::kUnit;
    std::size_t i = 0;
    for (; i + 1 < kSuffixes.size() && value % 1024 == 0; ++i) value /= 1024;
    return QuantityMath::Digits(value) + std::string(kSuffixes[i]);
  }
  int exponent = -9;
  while (exponent < 18 && value % 1000 == 0) {
    value /= 1000;
    exponent += 3;
  }
  if (format == Format::kDecimalExponent) {
    return QuantityMath::Digits(value) + (exponent == 0 ? "" : "e" + std::to_string(exponent));
  }
  constexpr std::array<std::string_view, 10> kSuffixes = {"n", "u", "m", "",  "k",
                                                          "M", "G", "T", "P", "E"};
  return QuantityMath::Digits(value) +
         std::string(kSuffixes[static_cast<std::size_t>((exponent + 9) / 3)]);
}

std::ostream& operator<<(std::ostream& out, const Quantity& quantity) {
  return out << quantity.ToString();
}

}  // namespace kinformer::resource
