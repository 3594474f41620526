#include "base/core/seconds.h"

#include <gtest/gtest.h>
#include <limits>

namespace kinformer::internal::base {
namespace {

using std::chrono::seconds;

TEST(SecondsTest, SecondsOutOfRange_Saturate) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(SaturatedSeconds(0), Duration(0));
  EXPECT_EQ(SaturatedSeconds(-7), seconds(-7));
  EXPECT_EQ(SaturatedSeconds(9'223'372'036), seconds(9'223'372'036));
  EXPECT_EQ(SaturatedSeconds(9'223'372'037), Duration::max());
  EXPECT_EQ(SaturatedSeconds(kMost), Duration::max());
  EXPECT_EQ(SaturatedSeconds(-9'223'372'037), Duration::min());
  EXPECT_EQ(SaturatedSeconds(kLeast), Duration::min());
}

TEST(SecondsTest, TimesOutOfRange_Saturate) {
  constexpr WallTime kNow{seconds(1'800'000'000)};
  EXPECT_EQ(SaturatedAfter(kNow, seconds(5)), kNow + seconds(5));
  EXPECT_EQ(SaturatedAfter(kNow, seconds(-5)), kNow - seconds(5));
  EXPECT_EQ(SaturatedAfter(kNow, Duration::max()), WallTime::max());
  EXPECT_EQ(SaturatedAfter(kNow, Duration::min()), kNow + Duration::min());
  EXPECT_EQ(SaturatedAfter(WallTime(seconds(-5)), Duration::min()), WallTime::min());
}

TEST(SecondsTest, Texts_HaveTheFewestDigitsAndNoExponent) {
  EXPECT_EQ(SecondsText(seconds(10)), "10");
  EXPECT_EQ(SecondsText(std::chrono::milliseconds(8334)), "8.334");
  EXPECT_EQ(SecondsText(std::chrono::microseconds(1)), "0.000001");
  EXPECT_EQ(SecondsText(seconds(2'147'483'647)), "2147483647");
  EXPECT_EQ(SecondsText(Duration::zero()), "0");
  EXPECT_EQ(SecondsText(-seconds(3)), "-3");
}

}  // namespace
}  // namespace kinformer::internal::base
