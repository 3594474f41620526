// object/values/decimal_limbs.h
//
// Natural numbers of any size, for quantities beyond 128 bits. Limbs have base 10^9, lowest first,
// without zeros at the top, so that powers of ten, which quantities consist of, are cheap. Zero has
// no limbs. Boost.Multiprecision would need nine times the linked bytes (63 KB instead of 7 KB, in
// every program that reads a Quantity) and six times the compile time.

#ifndef KINFORMER_OBJECT_VALUES_DECIMAL_LIMBS_H_
#define KINFORMER_OBJECT_VALUES_DECIMAL_LIMBS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal {

using Limbs = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kLimbBase = 1'000'000'000;
inline constexpr std::size_t kLimbDigits = 9;

// REQUIRES: only digits.
Limbs LimbsOf(std::string_view digits);
// Returns the digits without leading zeros; "0" for zero.
std::string LimbDigits(const Limbs& limbs);

// REQUIRES: factor > 0.
void MultiplyLimbs(Limbs& limbs, std::uint32_t factor);
// REQUIRES: divisor at most kLimbBase. Returns the remainder.
std::uint32_t DivideLimbs(Limbs& limbs, std::uint32_t divisor);
void ShiftUp(Limbs& limbs, std::size_t digits);  // × 10^digits
// Divides by 10^digits, rounded up.
void ShiftDown(Limbs& limbs, std::size_t digits);

void AddLimbs(Limbs& limbs, const Limbs& other);
// REQUIRES: limbs ≥ other.
void SubtractLimbs(Limbs& limbs, const Limbs& other);
std::strong_ordering CompareLimbs(const Limbs& a, const Limbs& b);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_VALUES_DECIMAL_LIMBS_H_
