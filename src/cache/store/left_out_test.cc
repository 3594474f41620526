#include "cache/store/left_out.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace kinformer::internal::cache {
namespace {

KeySet Keys(const std::string& namespace_, int from, int to) {
  KeySet keys;
  for (int i = from; i < to; ++i) keys.Insert(namespace_, std::to_string(i));
  return keys;
}

TEST(LeftOutTest, Assign_ReplacesOnlyItsPlace) {
  LeftOut left_out;
  left_out.Assign("blue", Keys("blue", 0, 3));
  left_out.Assign("green", Keys("green", 0, 2));
  EXPECT_FALSE(left_out.Insert("green", "green", "1"));
  EXPECT_TRUE(left_out.Insert("green", "green", "2"));
  EXPECT_EQ(left_out.size(), 6U);
  const LeftOut before = left_out;
  left_out.Assign("blue", Keys("blue", 2, 4));
  EXPECT_EQ(left_out.SizeOf("blue"), 2U);
  EXPECT_EQ(left_out.SizeOf("green"), 3U);
  EXPECT_EQ(left_out.SizeOf(""), 5U);
  EXPECT_FALSE(left_out.Contains("blue", "0"));
  EXPECT_TRUE(left_out.Contains("blue", "3"));
  EXPECT_TRUE(left_out.Contains("green", "0"));
  EXPECT_FALSE(left_out.Contains("green", "3"));
  EXPECT_TRUE(before.Contains("blue", "0"));
  left_out.Assign("green", KeySet());
  EXPECT_EQ(left_out.SizeOf("green"), 0U);
  EXPECT_TRUE(left_out.Erase("blue", "2"));
  EXPECT_TRUE(left_out.Erase("blue", "3"));
  EXPECT_FALSE(left_out.Erase("blue", "3"));
  EXPECT_TRUE(left_out.empty());
}

TEST(LeftOutTest, Key_IsFoundAndErasedInAnyPlace) {
  const std::string others(kOtherNamespaces);
  LeftOut left_out;
  EXPECT_FALSE(left_out.Erase("blue", "1"));
  EXPECT_FALSE(left_out.KeepPlaces([](const std::string&) { return false; }));
  for (const std::string& place : {std::string(), others, std::string("blue")}) {
    EXPECT_TRUE(left_out.Insert(place, "blue", "1")) << place;
    EXPECT_TRUE(left_out.Contains("blue", "1")) << place;
    EXPECT_FALSE(left_out.KeepPlaces([](const std::string&) { return true; }));
    EXPECT_EQ(left_out.SizeOf(place), 1U);
    EXPECT_TRUE(left_out.Erase("blue", "1")) << place;
    EXPECT_FALSE(left_out.Contains("blue", "1")) << place;
    EXPECT_TRUE(left_out.empty());
  }
  left_out.Insert("", "blue", "1");
  left_out.Insert(others, "blue", "1");
  EXPECT_TRUE(left_out.Erase("blue", "1"));
  EXPECT_TRUE(left_out.empty()) << "from both";
}

// A store that had a single place and then one per namespace, or the reverse.
TEST(LeftOutTest, PlacesOfEarlierLife_StayUntilRemoved) {
  LeftOut left_out;
  left_out.Assign("", Keys("blue", 0, 2));
  left_out.Insert("blue", "blue", "1");
  EXPECT_TRUE(left_out.Contains("blue", "0"));
  EXPECT_TRUE(left_out.Erase("blue", "1"));
  EXPECT_FALSE(left_out.Contains("blue", "1"));
  EXPECT_TRUE(left_out.KeepPlaces([](const std::string& place) { return place == "blue"; }));
  EXPECT_TRUE(left_out.empty());
  left_out.Assign("blue", Keys("blue", 0, 2));
  left_out.Assign("", Keys("green", 0, 1));
  EXPECT_EQ(left_out.size(), 1U);
  EXPECT_FALSE(left_out.Contains("blue", "0"));
}

}  // namespace
}  // namespace kinformer::internal::cache
