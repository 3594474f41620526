#include "apiserver/workloads/dice.h"

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::seconds;

TEST(Dice, ChoicesAboutAThing_DependOnSeedAndNameAlone) {
  Dice a(1);
  const Dice b(1);
  (void)a.Letters();
  const DelayRange range{seconds(1), seconds(2)};
  EXPECT_EQ(a.Delay(range, "x"), b.Delay(range, "x"));
  EXPECT_EQ(a.Unit("x"), b.Unit("x"));
  EXPECT_NE(a.Delay(range, "x"), a.Delay(range, "y"));
  EXPECT_NE(a.Delay(range, "x"), Dice(2).Delay(range, "x"));
}

TEST(Dice, Delays_FillTheirRange) {
  const Dice dice(3);
  std::set<std::int64_t> tenths;
  int below_half = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "pod-" + std::to_string(i);
    const Duration delay = dice.Delay({seconds(1), seconds(2)}, name);
    ASSERT_GE(delay, seconds(1));
    ASSERT_LE(delay, seconds(2));
    tenths.insert((delay - seconds(1)) / std::chrono::milliseconds(100));
    below_half += dice.Unit(name) < 0.5 ? 1 : 0;
  }
  EXPECT_GE(tenths.size(), 10U);
  EXPECT_GT(below_half, 400);
  EXPECT_LT(below_half, 600);
  EXPECT_EQ(dice.Delay({seconds(5), seconds(5)}, "x"), seconds(5));
}

TEST(Dice, Letters_ArePartsOfNames) {
  Dice dice(1);
  const std::string first = dice.Letters();
  EXPECT_EQ(first.size(), 5U);
  EXPECT_EQ(first.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos);
  EXPECT_NE(first, dice.Letters());
  EXPECT_EQ(dice.Letters(16).size(), 16U);
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
