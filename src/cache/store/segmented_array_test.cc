#include "cache/store/segmented_array.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <malloc.h>

namespace kinformer::internal::cache {
namespace {

TEST(SegmentedArray, ItsElementsStayWhereTheyAre) {
  SegmentedArray<std::uint64_t, 16> array;
  std::size_t bytes = 0;
  const std::uint64_t* first = nullptr;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::size_t more = array.Grow(i);
    // Segments of 16, 32, 64, 128, 256 and 512.
    const bool begins = i == 0 || i == 16 || i == 48 || i == 112 || i == 240 || i == 496;
    EXPECT_EQ(more, begins ? (i + 16) * sizeof(std::uint64_t) : 0) << i;
    bytes += more;
    EXPECT_EQ(array[i], 0U) << i;
    array[i] = i + 1;
    if (i == 0) first = &array[0];
  }
  EXPECT_EQ(&array[0], first);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(array[i], i + 1);
  EXPECT_EQ(bytes, 1008 * sizeof(std::uint64_t));
}

// Untouched memory takes address space only.
TEST(SegmentedArray, GivesItsMemoryBack) {
  const auto taken = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = taken();
  for (int i = 0; i < 64; ++i) {
    SegmentedArray<std::uint64_t, 16> array;
    EXPECT_GE(array.Grow(1 << 20), std::size_t{8} << 20);
  }
  EXPECT_LT(taken(), before + (std::size_t{64} << 20));
}

}  // namespace
}  // namespace kinformer::internal::cache
