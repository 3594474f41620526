// base/text/number_in.h
//
// NumberIn: parses a number.

#ifndef KINFORMER_BASE_TEXT_NUMBER_IN_H_
#define KINFORMER_BASE_TEXT_NUMBER_IN_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace kinformer::internal::base {

// Decimal digits, with an optional minus; for a floating-point number also all that std::from_chars
// takes. nullopt for any other text, and for overflow.
template <class Number = std::int64_t>
  requires std::is_arithmetic_v<Number>
std::optional<Number> NumberIn(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_NUMBER_IN_H_
