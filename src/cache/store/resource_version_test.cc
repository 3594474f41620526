#include "cache/store/resource_version.h"

#include <compare>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace kinformer::internal::cache {
namespace {

TEST(ResourceVersion, IsWellFormedWithDigitsOnlyAtAnyLength) {
  for (std::size_t length = 1; length <= 33; ++length) {
    for (char digit = '1'; digit <= '9'; ++digit) {
      EXPECT_TRUE(IsWellFormedResourceVersion(std::string(length, digit)));
    }
    EXPECT_TRUE(IsWellFormedResourceVersion("1" + std::string(length, '0')));
  }
}

TEST(ResourceVersion, IsMalformedWithAnotherByteAtAnyPlace) {
  for (std::size_t length = 1; length <= 33; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        if (byte >= '0' && byte <= '9') continue;
        std::string version(length, '7');
        version[at] = static_cast<char>(byte);
        EXPECT_FALSE(IsWellFormedResourceVersion(version)) << length << " " << at << " " << byte;
      }
    }
  }
}

TEST(ResourceVersion, IsMalformedIfEmptyOrWithALeadingZero) {
  EXPECT_FALSE(IsWellFormedResourceVersion(""));
  EXPECT_FALSE(IsWellFormedResourceVersion("0"));
  EXPECT_FALSE(IsWellFormedResourceVersion("01"));
}

TEST(ResourceVersion, FollowsAnEqualAndAnOlderOne) {
  EXPECT_TRUE(MayFollow("10", "9"));
  EXPECT_TRUE(MayFollow("9", "9"));
  EXPECT_FALSE(MayFollow("9", "10"));
  EXPECT_FALSE(MayFollow("18", "19"));
}

TEST(ResourceVersion, FollowsANumberOnlyAsANumber) {
  EXPECT_FALSE(MayFollow("x", "9"));
  EXPECT_FALSE(MayFollow("", "9"));
  EXPECT_TRUE(MayFollow("x", ""));
  EXPECT_TRUE(MayFollow("9", "x"));
}

TEST(ResourceVersion, HasNoOrderIfItIsMalformed) {
  EXPECT_EQ(CompareResourceVersion("9", "x"), std::nullopt);
  EXPECT_EQ(CompareResourceVersion("x", "9"), std::nullopt);
  EXPECT_EQ(CompareResourceVersion("9", "10"), std::strong_ordering::less);
  EXPECT_FALSE(IsOlderResourceVersion("x", "9"));
}

}  // namespace
}  // namespace kinformer::internal::cache
