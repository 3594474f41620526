#include "controller/fights/recent_table.h"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

namespace kinformer::internal::fights {
namespace {

SteadyTime At(int seconds) { return SteadyTime() + std::chrono::seconds(seconds); }

TEST(RecentTableTest, NothingNoted_KnowsNothing) {
  const RecentTable table(1);
  EXPECT_EQ(table.Find(7), nullptr);
}

TEST(RecentTableTest, KeyNotedAgain_HasItsNewestValue) {
  RecentTable table(1);
  table.Note(7, 1, At(1));
  table.Note(8, 5, At(2));
  table.Note(7, 2, At(3));
  ASSERT_NE(table.Find(7), nullptr);
  EXPECT_EQ(table.Find(7)->value, 2U);
  EXPECT_EQ(table.Find(7)->at, At(3));
  EXPECT_EQ(table.Find(8)->value, 5U);
}

TEST(RecentTableTest, FullLine_TheOldestMakesRoom) {
  RecentTable table(1);
  for (int i = 1; i <= 4; ++i) table.Note(static_cast<std::uint64_t>(i), 0, At(i));
  table.Note(1, 0, At(5));
  table.Note(9, 0, At(6));
  EXPECT_EQ(table.Find(2), nullptr);
  for (const std::uint64_t key : {1U, 3U, 4U, 9U}) EXPECT_NE(table.Find(key), nullptr) << key;
}

TEST(RecentTableTest, OtherLines_AreLeftAlone) {
  RecentTable table(2);
  for (std::uint64_t key = 2; key <= 20; key += 2) table.Note(key, 0, At(1));
  table.Note(1, 0, At(0));
  table.Note(22, 0, At(2));
  EXPECT_NE(table.Find(1), nullptr);
}

}  // namespace
}  // namespace kinformer::internal::fights
