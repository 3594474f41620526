// cel/cost_size.h
//
// Sizes and costs of estimates: numbers that stay at their largest instead of overflowing.

#ifndef KINFORMER_CEL_COST_SIZE_H_
#define KINFORMER_CEL_COST_SIZE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kinformer::internal::cel {

inline constexpr std::uint64_t kMostCost = std::numeric_limits<std::uint64_t>::max();

// The costs of a step, by the sizes of what it works on.
inline constexpr double kCostOfByte = 0.1;
inline constexpr double kCostOfPatternByte = 0.25;
inline constexpr std::uint64_t kCostOfList = 10;
inline constexpr std::uint64_t kCostOfMap = 30;
inline constexpr std::uint64_t kCostOfMessage = 40;

inline std::uint64_t CostSum(std::uint64_t a, std::uint64_t b) {
  return a > kMostCost - b ? kMostCost : a + b;
}
inline std::uint64_t CostProduct(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMostCost / b ? kMostCost : a * b;
}
// Returns the product, rounded up.
inline std::uint64_t CostTimes(std::uint64_t count, double factor) {
  const double product = std::ceil(static_cast<double>(count) * factor);
  return product >= 0x1p64 ? kMostCost : static_cast<std::uint64_t>(product);
}

// The size of a text, list or map, at least and at most.
struct SizeRange {
  std::uint64_t min = 0;
  std::uint64_t max = kMostCost;

  static SizeRange Fixed(std::uint64_t size) { return {size, size}; }
  [[nodiscard]] SizeRange Plus(const SizeRange& other) const {
    return {CostSum(min, other.min), CostSum(max, other.max)};
  }
  [[nodiscard]] SizeRange Times(const SizeRange& other) const {
    return {CostProduct(min, other.min), CostProduct(max, other.max)};
  }
  [[nodiscard]] SizeRange Union(const SizeRange& other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_COST_SIZE_H_
