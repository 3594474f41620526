// StagedList on its own: items of a list that later items replace.

#include "cache/apply/staged_list.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Texts = std::vector<std::string>;

class StagedListTest : public testing::Test {
 protected:
  void Add(std::string_view name, std::string_view version = "1") {
    list_.Add(MakeObject("ns", name, version));
  }
  static ObjectName Name(std::string name) { return {"ns", std::move(name)}; }
  // Returns the final objects of the list, each with its version.
  Texts Objects() {
    list_.Finish();
    Texts all;
    for (const ObjectRef& object : list_.TakeObjects()) {
      all.push_back(std::string(object->name()) + std::string(object->resourceVersion()));
    }
    return all;
  }
  Texts Unreadable() {
    Texts all;
    for (const ObjectName& name : list_.TakeUnreadable()) all.push_back(name.name);
    return all;
  }

  StagedList list_;
};

TEST_F(StagedListTest, ARemovalTakesOutWhatCameBeforeIt) {
  Add("a");
  Add("b");
  list_.Remove(Name("a"));
  Add("a", "2");
  Add("c");
  list_.Remove(Name("c"));
  Add("c", "2");
  list_.Remove(Name("c"));
  Add("d");
  EXPECT_THAT(Objects(), ElementsAre("b1", "a2", "d1"));
  EXPECT_EQ(list_.size(), 0U) << "they have been taken";
}

TEST_F(StagedListTest, RepeatedName_LastEntryCounts) {
  list_.AddUnreadable(Name("becomes-readable"));
  Add("becomes-readable");
  list_.AddUnreadable(Name("unreadable"));
  list_.AddUnreadable(Name("unreadable-removed"));
  list_.Remove(Name("unreadable-removed"));
  list_.LeaveOut("ns", "finds-room");
  Add("finds-room");
  Add("grows");
  list_.LeaveOut("ns", "grows");
  list_.AddUnreadable(Name("unreadable-grows"));
  list_.LeaveOut("ns", "unreadable-grows");
  list_.LeaveOut("ns", "becomes-unreadable");
  list_.AddUnreadable(Name("becomes-unreadable"));
  list_.LeaveOut("ns", "left-out-removed");
  list_.Remove(Name("left-out-removed"));
  EXPECT_THAT(Objects(), ElementsAre("becomes-readable1", "finds-room1"));
  const KeySet left_out = list_.TakeLeftOut();
  EXPECT_EQ(left_out.size(), 2U);
  EXPECT_TRUE(left_out.Contains("ns", "grows"));
  EXPECT_TRUE(left_out.Contains("ns", "unreadable-grows"));
  EXPECT_TRUE(list_.TakeLeftOut().empty()) << "they have been taken";
  EXPECT_THAT(Unreadable(), ElementsAre("becomes-unreadable", "unreadable"));
  EXPECT_THAT(Unreadable(), IsEmpty()) << "they have been taken";
}

TEST_F(StagedListTest, AnotherListBeginsWithNothing) {
  Add("a");
  Add("b");
  list_.AddUnreadable(Name("u"));
  list_.LeaveOut("ns", "l");
  list_.Remove(Name("c"));
  list_.Clear();
  // c was removed from the previous list, not from this one.
  Add("c");
  EXPECT_THAT(Objects(), ElementsAre("c1"));
  EXPECT_THAT(Unreadable(), IsEmpty());
  EXPECT_TRUE(list_.TakeLeftOut().empty());
}

TEST_F(StagedListTest, EndlessRepetitions_AreKeptOnce) {
  for (int round = 0; round < 20'000; ++round) {
    Add("a", std::to_string(round));
    if (round == 10'000) list_.Remove(Name("b"));
    if (round % 1000 == 0) Add("b", std::to_string(round));
    ASSERT_LE(list_.size(), StagedList::kFirstLook);
  }
  const Texts all = Objects();
  EXPECT_EQ(all.back(), "a19999") << "the last counts";
  EXPECT_EQ(std::count(all.begin(), all.end(), "b19000"), 1);
}

TEST_F(StagedListTest, ManyNamesInAnyOrderAreAllKept) {
  for (int i = 30'000; i > 0; --i) Add("pod-" + std::to_string(i));
  EXPECT_EQ(list_.size(), 30'000U);
}

}  // namespace
}  // namespace kinformer::internal::cache
