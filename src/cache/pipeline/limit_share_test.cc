#include "cache/pipeline/limit_share.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/simulation.h"

#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

class LimitShareTest : public ::testing::Test {
 protected:
  static ObjectRef Of(std::string_view name) { return MakeObject("ns", name, "1"); }
  void Put(std::string_view name) { static_cast<void>(store_.Put(Of(name))); }
  bool ListTakes(LimitShare& share, std::string_view name) const {
    return share.TakeListed(*Of(name), store_.Snapshot()->Get("ns", name));
  }
  bool HasRoom(const LimitShare& share) const { return share.HasRoomFor(*Of("another"), nullptr); }

  Simulation sim_;
  const std::string name_ = "things";
  StoreCore store_{sim_.env(), {.name = "test"}};
  StoreLimit limit_{sim_.env(), name_, store_, {.max_objects = 3}};
  LimitShare lists_{sim_.env(), &limit_, /*per_key=*/true, {}};
  LimitShare other_{sim_.env(), &limit_, /*per_key=*/true, {}};
};

TEST_F(LimitShareTest, WhatAListHasTakenIsLeftToIt) {
  EXPECT_TRUE(HasRoom(other_));
  lists_.BeginList();
  EXPECT_TRUE(ListTakes(lists_, "a"));
  EXPECT_TRUE(ListTakes(lists_, "b"));
  EXPECT_TRUE(HasRoom(other_));
  EXPECT_TRUE(ListTakes(lists_, "c"));
  EXPECT_FALSE(HasRoom(other_));
  EXPECT_FALSE(ListTakes(lists_, "d"));
  lists_.EndList();
  EXPECT_FALSE(HasRoom(other_));
  // It has failed, and another one begins.
  lists_.BeginList();
  EXPECT_FALSE(HasRoom(other_)) << "the one before is still to be written";
  lists_.CaughtUp();
  EXPECT_TRUE(HasRoom(other_));
}

TEST_F(LimitShareTest, ListsFillTheLastByte) {
  const std::size_t both = Of("a")->allocated_bytes() + Of("b")->allocated_bytes();
  for (const std::size_t bytes : {both - 1, both}) {
    StoreLimit limit(sim_.env(), name_, store_, {.max_bytes = bytes});
    LimitShare share(sim_.env(), &limit, /*per_key=*/true, {});
    for (int list = 0; list < 2; ++list) {
      share.BeginList();
      EXPECT_TRUE(ListTakes(share, "a"));
      EXPECT_EQ(ListTakes(share, "b"), bytes == both);
    }
  }
}

TEST_F(LimitShareTest, WhatIsThereKeepsItsPlace) {
  for (const char* name : {"a", "b", "c"}) Put(name);
  lists_.BeginList();
  EXPECT_TRUE(ListTakes(lists_, "b"));
  EXPECT_FALSE(ListTakes(lists_, "d"));
  lists_.EndList();
  EXPECT_FALSE(HasRoom(other_));
  EXPECT_TRUE(other_.HasRoomFor(*Of("a"), store_.Snapshot()->Get("ns", "a")));
}

// Object by object the promise becomes what the store has; what else comes is not of the list.
TEST_F(LimitShareTest, ThePromiseShrinksWithEachObjectToNothing) {
  lists_.BeginList();
  EXPECT_TRUE(ListTakes(lists_, "a"));
  EXPECT_TRUE(ListTakes(lists_, "b"));
  lists_.EndList();
  lists_.Took(*Of("a"), nullptr);
  Put("a");
  EXPECT_TRUE(HasRoom(other_)) << "one is there, one is promised";
  lists_.Took(*Of("b"), nullptr);
  lists_.Took(*Of("x"), nullptr);
  lists_.Took(*Of("y"), nullptr);
  EXPECT_TRUE(HasRoom(other_));
  Put("b");
  EXPECT_TRUE(HasRoom(other_));
  Put("x");
  EXPECT_FALSE(HasRoom(other_));
}

// What was scarce when the list ended is what must be exceeded, not what is free when a further
// object finds no room.
TEST_F(LimitShareTest, RoomThatCameSinceTheListIsWorthAnother) {
  int relists = 0;
  LimitShare share(sim_.env(), &limit_, /*per_key=*/true, [&] { ++relists; });
  for (const char* name : {"a", "b", "c"}) Put(name);
  share.BeginList();
  EXPECT_FALSE(ListTakes(share, "d"));
  share.EndList();
  share.BeginRelist();
  share.EndRelist();
  share.Committed(1);
  share.CaughtUp();
  EXPECT_EQ(relists, 0) << "there is no more room than before";
  static_cast<void>(store_.Erase("ns", "c"));
  share.LeftOut();
  share.Committed(2);
  share.CaughtUp();
  EXPECT_EQ(relists, 1);
}

TEST_F(LimitShareTest, WithoutALimitThereIsRoom) {
  LimitShare none(sim_.env(), nullptr, /*per_key=*/true, {});
  EXPECT_FALSE(none.bounded());
  EXPECT_TRUE(lists_.bounded());
  none.BeginList();
  EXPECT_TRUE(ListTakes(none, "a"));
  none.EndList();
  none.Took(*Of("a"), nullptr);
  none.Committed(0);
  none.CaughtUp();
  EXPECT_TRUE(HasRoom(none));
  EXPECT_TRUE(none.Tolerates(7));
  EXPECT_TRUE(lists_.Tolerates(0));
  EXPECT_FALSE(lists_.Tolerates(1));
}

}  // namespace
}  // namespace kinformer::internal::cache
