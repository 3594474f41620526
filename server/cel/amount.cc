#include "cel/amount.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace kinformer::internal::cel {
namespace {

using resource::Format;
using resource::Quantity;

// Digits that always fit into 64 bits.
constexpr int kMostDigits = 18;
// The power of ten of the smallest amount.
constexpr int kSmallest = -9;

std::string_view TakeDigits(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

// Returns the power of ten of "k" or "e3", of two of "Ki". REQUIRES: it is one.
int ExponentOf(std::string_view suffix) {
  constexpr std::string_view kSmall = "num";  // -9, -6, -3
  constexpr std::string_view kLarge = "kMGTPE";
  if (suffix.empty()) return 0;
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t at = suffix[0] == 'K' ? 0 : kLarge.find(suffix[0]);
    return 10 * (static_cast<int>(at) + 1);
  }
  if (suffix.size() == 1) {
    if (const std::size_t at = kSmall.find(suffix[0]); at != std::string_view::npos) {
      return kSmallest + 3 * static_cast<int>(at);
    }
    return 3 * (static_cast<int>(kLarge.find(suffix[0])) + 1);
  }
  suffix.remove_prefix(1);
  const bool negative = suffix[0] == '-';
  if (negative || suffix[0] == '+') suffix.remove_prefix(1);
  int exponent = 0;
  for (const char c : suffix) exponent = std::min(exponent * 10 + (c - '0'), 1'000'000);
  return negative ? -exponent : exponent;
}

// Returns the scale of a quantity's text; nothing if Go keeps it as a decimal of any length.
std::optional<int> ScaleOf(std::string_view text) {
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  std::string_view whole = TakeDigits(text);
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  const int digits = std::max(static_cast<int>(whole.size()), 1);
  int parts = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts = static_cast<int>(TakeDigits(text).size());
  }
  const int exponent = ExponentOf(text);
  if (text.ends_with('i')) {
    // 2^10 has three digits.
    const int left = 15 - digits - exponent * 3 / 10 - 1;
    return parts == 0 && left >= 0 ? std::optional(0) : std::nullopt;
  }
  const int scale = exponent - parts;
  const bool fits = digits + parts <= kMostDigits && scale >= kSmallest;
  return fits ? std::optional(scale) : std::nullopt;
}

// Returns whether the amount is a number of 64 bits times ten to the power of `scale`.
bool Fits(const Quantity& amount, int scale) {
  const auto most = Quantity::Parse(std::to_string(std::numeric_limits<std::int64_t>::max()) + "e" +
                                    std::to_string(scale));
  return most.ok() && amount <= *most && -amount <= *most;
}

Amount Combined(const Amount& a, const Amount& b, Quantity result) {
  Amount out{.quantity = std::move(result)};
  if (!a.scale || !b.scale) return out;
  if (b.quantity.IsZero()) {
    out.scale = a.scale;
  } else if (a.quantity.IsZero()) {
    out.scale = b.scale;
  } else {
    const int scale = std::min(*a.scale, *b.scale);
    const bool fits = Fits(a.quantity, scale) && Fits(b.quantity, scale);
    if (fits && Fits(out.quantity, scale)) out.scale = scale;
  }
  return out;
}

}  // namespace

std::optional<Amount> Amount::Parse(std::string_view text) {
  if (auto parsed = Quantity::Parse(text)) {
    return Amount{.quantity = *std::move(parsed), .scale = ScaleOf(text)};
  }
  if (text.empty()) return std::nullopt;
  std::string with_digit(text);
  with_digit.insert(text[0] == '-' || text[0] == '+' ? 1 : 0, "0");
  auto parsed = Quantity::Parse(with_digit);
  if (!parsed) return std::nullopt;
  return Amount{.quantity = *std::move(parsed), .scale = ScaleOf(with_digit)};
}

Amount Amount::OfInt(std::int64_t value) {
  return {.quantity = Quantity::FromInt(value, Format::kDecimalExponent), .scale = 0};
}

Amount Amount::Plus(const Amount& other) const {
  return Combined(*this, other, quantity + other.quantity);
}

Amount Amount::Minus(const Amount& other) const {
  return Combined(*this, other, quantity - other.quantity);
}

std::optional<std::int64_t> Amount::Whole() const {
  if (!scale || *scale < 0) return std::nullopt;
  const std::int64_t value = quantity.Value();
  return Quantity::FromInt(value) == quantity ? std::optional(value) : std::nullopt;
}

}  // namespace kinformer::internal::cel
