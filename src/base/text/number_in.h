// base/text/number_in.h
//
// NumberIn: parses an integer.

#ifndef KINFORMER_BASE_TEXT_NUMBER_IN_H_
#define KINFORMER_BASE_TEXT_NUMBER_IN_H_

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace kinformer::internal::base {

// Decimal digits, with an optional minus. nullopt for any other text, and for overflow.
template <std::integral Number = std::int64_t>
std::optional<Number> NumberIn(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_NUMBER_IN_H_
