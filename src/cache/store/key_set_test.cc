#include "cache/store/key_set.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>

namespace kinformer::internal::cache {
namespace {

TEST(KeySetTest, IsASet) {
  KeySet keys;
  EXPECT_TRUE(keys.empty());
  EXPECT_FALSE(keys.Contains("a", "b"));
  EXPECT_FALSE(keys.Erase("a", "b"));
  EXPECT_TRUE(keys.Insert("a", "b"));
  EXPECT_FALSE(keys.Insert("a", "b"));
  EXPECT_TRUE(keys.Contains("a", "b"));
  EXPECT_FALSE(keys.Contains("b", "a"));
  EXPECT_FALSE(keys.Contains("", "ab"));
  EXPECT_TRUE(keys.Insert("", "ab"));
  EXPECT_EQ(keys.size(), 2U);
  EXPECT_TRUE(keys.Erase("a", "b"));
  EXPECT_FALSE(keys.Contains("a", "b"));
  EXPECT_TRUE(keys.Contains("", "ab"));
  EXPECT_EQ(keys.size(), 1U);
}

TEST(KeySetTest, CopiesDoNotChange) {
  KeySet keys;
  for (int i = 0; i < 5000; ++i) keys.Insert("ns", std::to_string(i));
  const KeySet before = keys;
  for (int i = 0; i < 5000; i += 2) EXPECT_TRUE(keys.Erase("ns", std::to_string(i)));
  for (int i = 5000; i < 6000; ++i) EXPECT_TRUE(keys.Insert("ns", std::to_string(i)));
  KeySet third = before;
  EXPECT_TRUE(third.Erase("ns", "7"));
  EXPECT_EQ(before.size(), 5000U);
  EXPECT_EQ(keys.size(), 3500U);
  for (int i = 0; i < 6000; ++i) {
    EXPECT_EQ(before.Contains("ns", std::to_string(i)), i < 5000) << i;
    EXPECT_EQ(keys.Contains("ns", std::to_string(i)), i >= 5000 || i % 2 == 1) << i;
  }
  EXPECT_TRUE(keys.Contains("ns", "7"));
  const KeySet moved = std::move(third);
  EXPECT_EQ(moved.size(), 4999U);
  EXPECT_TRUE(third.empty());  // NOLINT(bugprone-use-after-move): it says that it is empty
}

TEST(KeySetTest, Move_TargetHasKeys_SourceIsEmpty) {
  KeySet from;
  for (int i = 0; i < 100; ++i) from.Insert("ns", std::to_string(i));
  KeySet to;
  to.Insert("ns", "replaced");
  to = std::move(from);
  EXPECT_EQ(to.size(), 100U);
  EXPECT_TRUE(to.Contains("ns", "7"));
  EXPECT_FALSE(to.Contains("ns", "replaced"));
  // NOLINTBEGIN(bugprone-use-after-move): it is empty, and may be used
  EXPECT_TRUE(from.empty());
  EXPECT_FALSE(from.Contains("ns", "7"));
  EXPECT_TRUE(from.Insert("ns", "7"));
  EXPECT_EQ(from.size(), 1U);
  // NOLINTEND(bugprone-use-after-move)
}

}  // namespace
}  // namespace kinformer::internal::cache
