// cel/amount.h
//
// Amount: a quantity, and whether a real server counts it as a whole number.

#ifndef KINFORMER_CEL_AMOUNT_H_
#define KINFORMER_CEL_AMOUNT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "kinformer/object/quantity.h"

namespace kinformer::internal::cel {

// Go's quantities remember how they were written: "1.5" and "0.5" are 15 and 5 tenths, and so is
// their sum, 20 tenths, no whole number. Large ones are none either. Counterpart: int64Amount.
struct Amount {
  resource::Quantity quantity{};
  // The amount is a number of 64 bits times ten to this power; empty: it is kept in another way.
  std::optional<int> scale{};

  // Returns nothing if it is no quantity. As in Go, a text may do without digits: "m" is 0.
  [[nodiscard]] static std::optional<Amount> Parse(std::string_view text);
  [[nodiscard]] static Amount OfInt(std::int64_t value);

  [[nodiscard]] Amount Plus(const Amount& other) const;
  [[nodiscard]] Amount Minus(const Amount& other) const;
  // Returns nothing if it counts as no whole number of 64 bits.
  [[nodiscard]] std::optional<std::int64_t> Whole() const;
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_AMOUNT_H_
