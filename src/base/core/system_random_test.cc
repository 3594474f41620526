#include "base/core/system_random.h"

#include <gtest/gtest.h>
#include <set>

namespace kinformer::internal::base {
namespace {

TEST(SystemRandomTest, Calls_GiveDifferentBitsInAllPlaces) {
  std::set<std::uint64_t> seen;
  std::uint64_t ones = 0;
  std::uint64_t zeros = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t bits = SystemRandom();
    seen.insert(bits);
    ones |= bits;
    zeros |= ~bits;
  }
  EXPECT_EQ(seen.size(), 200U);
  EXPECT_EQ(ones, ~std::uint64_t{0});
  EXPECT_EQ(zeros, ~std::uint64_t{0});
}

}  // namespace
}  // namespace kinformer::internal::base
