#include "cache/apply/limit_share.h"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class LimitShareTest : public ::testing::Test {
 protected:
  static ObjectRef Of(std::string_view name) { return MakeObject("ns", name, "1"); }
  void Put(std::string_view name) { static_cast<void>(store_.Put(Of(name))); }
  bool ListTakes(LimitShare& share, std::string_view name) const {
    return share.TakeListed(*Of(name), store_.Snapshot()->Get("ns", name));
  }
  void Lose(std::string_view name) { static_cast<void>(store_.Erase("ns", name)); }
  // Runs an empty list, after which the store lacks `left_out` objects of the share.
  static void ListsLacking(LimitShare& share, std::size_t left_out) {
    share.BeginList();
    share.EndList();
    share.BeginRelist();
    share.EndRelist();
    share.Committed(left_out);
    share.CaughtUp();
  }
  bool HasRoom(const LimitShare& share) const { return share.HasRoomFor(*Of("another"), nullptr); }

  Simulation sim_;
  const std::string name_ = "things";
  StoreCore store_{sim_.env(), {.name = "test"}};
  StoreLimit limit_{sim_.env(), name_, store_, {.max_objects = 3}};
  LimitShare lists_{sim_.env(), &limit_, {}};
  LimitShare other_{sim_.env(), &limit_, {}};
};

TEST_F(LimitShareTest, RoomTakenByList_IsReservedUntilWritten) {
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
  // The list fails, and another one begins.
  lists_.BeginList();
  EXPECT_FALSE(HasRoom(other_)) << "the one before is still to be written";
  lists_.BeginRelist();
  EXPECT_FALSE(HasRoom(other_)) << "its objects are still to come";
  lists_.EndRelist();
  EXPECT_TRUE(HasRoom(other_)) << "they did not come after all";
}

TEST_F(LimitShareTest, ListsFillTheLastByte) {
  const std::size_t both = Of("a")->allocated_bytes() + Of("b")->allocated_bytes();
  for (const std::size_t bytes : {both - 1, both}) {
    StoreLimit limit(sim_.env(), name_, store_, {.max_bytes = bytes});
    LimitShare share(sim_.env(), &limit, {});
    for (int list = 0; list < 2; ++list) {
      share.BeginList();
      EXPECT_TRUE(ListTakes(share, "a"));
      EXPECT_EQ(ListTakes(share, "b"), bytes == both);
    }
  }
}

TEST_F(LimitShareTest, StoredObjects_KeepTheirRoom) {
  for (const char* name : {"a", "b", "c"}) Put(name);
  lists_.BeginList();
  EXPECT_TRUE(ListTakes(lists_, "b"));
  EXPECT_FALSE(ListTakes(lists_, "d"));
  lists_.EndList();
  EXPECT_FALSE(HasRoom(other_));
  EXPECT_TRUE(other_.HasRoomFor(*Of("a"), store_.Snapshot()->Get("ns", "a")));
}

// A new list needs more free room than there was at the end of the last one, not more than when a
// later object was left out.
TEST_F(LimitShareTest, RoomFreedSinceList_CausesRelist) {
  int relists = 0;
  LimitShare share(sim_.env(), &limit_, [&] { ++relists; });
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

// Each time there is room, but the list finds none.
TEST_F(LimitShareTest, ListsThatDoNotHelpComeFurtherAndFurtherApart) {
  int relists = 0;
  LimitShare share(sim_.env(), &limit_, [&] { ++relists; });
  for (const char* name : {"a", "b"}) Put(name);
  const auto next_is_after = [&](Duration pause) {
    Put("c");
    ListsLacking(share, 1);
    Lose("c");
    const int before = relists;
    if (pause > Duration(0)) {
      sim_.RunFor(pause - Duration(1));
      share.CaughtUp();
      EXPECT_EQ(relists, before) << "not before " << pause.count();
      sim_.RunFor(Duration(1));
    }
    share.CaughtUp();
    EXPECT_EQ(relists, before + 1) << pause.count();
  };
  for (const int pause : {0, 1, 2, 4, 8, 16, 32, 60, 60}) next_is_after(minutes(pause));
  // After a list without left-out objects the pauses start over.
  ListsLacking(share, 0);
  next_is_after(minutes(60));
  next_is_after(minutes(1));
}

TEST_F(LimitShareTest, RoomForOne_IsOfferedToOneShareForThirtySeconds) {
  int first = 0;
  int second = 0;
  LimitShare one(sim_.env(), &limit_, [&] { ++first; });
  LimitShare two(sim_.env(), &limit_, [&] { ++second; });
  for (const char* name : {"a", "b", "c"}) Put(name);
  ListsLacking(one, 1);
  ListsLacking(two, 1);
  Lose("c");
  one.CaughtUp();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  sim_.RunFor(seconds(30) - Duration(1));
  two.CaughtUp();
  EXPECT_EQ(second, 0);
  sim_.RunFor(Duration(1));
  two.CaughtUp();
  EXPECT_EQ(second, 1);
  EXPECT_EQ(first, 1);
}

// A controller whose list is running or queued is not asked for another list.
TEST_F(LimitShareTest, FreedRoom_IsNotOfferedToShareThatLists) {
  int relists = 0;
  LimitShare share(sim_.env(), &limit_, [&] { ++relists; });
  for (const char* name : {"a", "b", "c"}) Put(name);
  ListsLacking(share, 1);
  share.BeginList();
  Lose("c");
  other_.CaughtUp();
  EXPECT_EQ(relists, 0) << "it lists";
  Put("c");
  share.EndList();
  Lose("c");
  other_.CaughtUp();
  EXPECT_EQ(relists, 0) << "its list is yet to be written";
  share.BeginRelist();
  share.EndRelist();
  other_.CaughtUp();
  EXPECT_EQ(relists, 1);
}

// An object deleted while a list is received may come later in that list: its room stays reserved.
TEST_F(LimitShareTest, ObjectStoredAtListBegin_KeepsRoomUntilListEnd) {
  for (const char* name : {"a", "b", "c"}) Put(name);
  const std::size_t bytes = store_.object_bytes();
  for (const StoreLimitOptions& options :
       {StoreLimitOptions{.max_objects = 3}, StoreLimitOptions{.max_bytes = bytes}}) {
    StoreLimit limit(sim_.env(), name_, store_, options);
    LimitShare share(sim_.env(), &limit, {});
    share.BeginList();
    Lose("c");
    EXPECT_FALSE(ListTakes(share, "d"));
    share.BeginList();
    EXPECT_TRUE(ListTakes(share, "d")) << "another list, which began without c";
    Put("c");
  }
}

TEST_F(LimitShareTest, ShareDestroyedDuringRelist_ReleasesReservedRoom) {
  {
    LimitShare gone(sim_.env(), &limit_, {});
    gone.BeginList();
    for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(ListTakes(gone, name));
    gone.EndList();
    gone.BeginRelist();
    EXPECT_FALSE(HasRoom(other_));
  }
  EXPECT_TRUE(HasRoom(other_));
}

// The room is not larger than when the object was left out.
TEST_F(LimitShareTest, RoomTooSmallAtLastList_CausesNoRelist) {
  const ObjectRef small = Of("a");
  const ObjectRef large = MakeObject("ns", "b", "1", {{"label", std::string(1000, 'x')}});
  StoreLimit limit(sim_.env(), name_, store_,
                   {.max_bytes = small->allocated_bytes() + large->allocated_bytes() - 1});
  int relists = 0;
  LimitShare share(sim_.env(), &limit, [&] { ++relists; });
  static_cast<void>(store_.Put(small));
  share.BeginList();
  EXPECT_TRUE(share.TakeListed(*small, small.get()));
  EXPECT_FALSE(share.TakeListed(*large, nullptr));
  share.EndList();
  share.BeginRelist();
  share.EndRelist();
  share.Committed(1);
  share.CaughtUp();
  EXPECT_EQ(relists, 0);
  Lose("a");
  share.CaughtUp();
  EXPECT_EQ(relists, 1);
}

TEST_F(LimitShareTest, ListWithoutNeedForRoom_ReleasesItsOffer) {
  int second = 0;
  LimitShare one(sim_.env(), &limit_, [] {});
  LimitShare two(sim_.env(), &limit_, [&] { ++second; });
  for (const char* name : {"a", "b", "c"}) Put(name);
  ListsLacking(one, 1);
  ListsLacking(two, 1);
  Lose("c");
  one.CaughtUp();
  two.CaughtUp();
  EXPECT_EQ(second, 0);
  // A list that did not need the room releases it.
  ListsLacking(one, 1);
  EXPECT_EQ(second, 1);
}

// A list needs a sixteenth of the limit, or room for all left-out objects.
TEST_F(LimitShareTest, RoomForAFewOfManyIsNotWorthAList) {
  const std::size_t each = Of("100")->allocated_bytes();
  for (const bool by_bytes : {false, true}) {
    for (const std::size_t left_out : {2U, 10U}) {
      StoreCore store(sim_.env(), {.name = "test"});
      StoreLimit limit(sim_.env(), name_, store,
                       {.max_objects = by_bytes ? 0U : 64U, .max_bytes = by_bytes ? 64 * each : 0});
      int relists = 0;
      LimitShare share(sim_.env(), &limit, [&] { ++relists; });
      // Uses objects of equal size only, as the allocator may round up some blocks.
      std::vector<std::string> names;
      for (int i = 100; names.size() < 64; ++i) {
        const ObjectRef object = Of(std::to_string(i));
        if (object->allocated_bytes() != each) continue;
        static_cast<void>(store.Put(object));
        names.emplace_back(object->name());
      }
      ListsLacking(share, left_out);
      std::size_t freed = 0;
      while (relists == 0 && freed < names.size()) {
        static_cast<void>(store.Erase("ns", names[freed++]));
        share.CaughtUp();
      }
      EXPECT_EQ(freed, left_out == 2 ? 2U : 4U) << by_bytes;
    }
  }
}

TEST_F(LimitShareTest, RoomIsOfferedInTurn) {
  StoreLimit limit(sim_.env(), name_, store_, {.max_objects = 3});
  std::string asked;
  LimitShare one(sim_.env(), &limit, [&] { asked += "1"; });
  LimitShare two(sim_.env(), &limit, [&] { asked += "2"; });
  LimitShare three(sim_.env(), &limit, [&] { asked += "3"; });
  for (const char* name : {"a", "b"}) Put(name);
  for (int round = 0; round < 4; ++round) {
    Put("c");
    for (LimitShare* share : {&one, &two, &three}) ListsLacking(*share, 1);
    Lose("c");
    one.CaughtUp();
    sim_.RunFor(minutes(10));
  }
  EXPECT_EQ(asked, "1231");
}

// A controller that must still pause does not keep the room from others.
TEST_F(LimitShareTest, PausedShare_RoomGoesToNext) {
  int first = 0;
  int second = 0;
  LimitShare one(sim_.env(), &limit_, [&] { ++first; });
  LimitShare two(sim_.env(), &limit_, [&] { ++second; });
  LimitShare last(sim_.env(), &limit_, [] {});
  for (const char* name : {"a", "b", "c"}) Put(name);
  ListsLacking(one, 1);
  Lose("c");
  one.CaughtUp();
  EXPECT_EQ(first, 1);
  Put("c");
  ListsLacking(one, 1);
  // After the last share it is the first one's turn.
  ListsLacking(last, 1);
  Lose("c");
  last.CaughtUp();
  Put("c");
  ListsLacking(last, 0);
  ListsLacking(two, 1);
  Lose("c");
  two.CaughtUp();
  EXPECT_EQ(first, 1) << "a minute has not passed";
  EXPECT_EQ(second, 1);
}

TEST_F(LimitShareTest, ShareThatCannotUseRoom_RoomGoesToNext) {
  int first = 0;
  int second = 0;
  StoreLimit limit(sim_.env(), name_, store_, {.max_objects = 64});
  LimitShare one(sim_.env(), &limit, [&] { ++first; });
  LimitShare two(sim_.env(), &limit, [&] { ++second; });
  for (int i = 0; i < 63; ++i) Put(std::to_string(i));
  // The free room is the same as before.
  ListsLacking(one, 1);
  Put("63");
  ListsLacking(two, 1);
  Lose("63");
  two.CaughtUp();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  // The share lacks too many objects for the free room.
  Put("63");
  ListsLacking(two, 0);
  ListsLacking(one, 5);
  ListsLacking(two, 1);
  sim_.RunFor(minutes(1));
  Lose("63");
  two.CaughtUp();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 2);
}

TEST_F(LimitShareTest, ByteLimit_RoomTakenByListIsReserved) {
  const ObjectRef a = Of("a");
  const ObjectRef b = Of("b");
  const ObjectRef x = Of("x");
  const std::size_t larger = std::max(b->allocated_bytes(), x->allocated_bytes());
  StoreLimit limit(sim_.env(), name_, store_, {.max_bytes = a->allocated_bytes() + larger});
  LimitShare list(sim_.env(), &limit, {});
  LimitShare other(sim_.env(), &limit, {});
  EXPECT_TRUE(other.HasRoomFor(*x, nullptr));
  list.BeginList();
  EXPECT_TRUE(list.TakeListed(*a, nullptr));
  EXPECT_TRUE(other.HasRoomFor(*x, nullptr));
  EXPECT_TRUE(list.TakeListed(*b, nullptr));
  EXPECT_FALSE(other.HasRoomFor(*x, nullptr));
  list.EndList();
  EXPECT_FALSE(other.HasRoomFor(*x, nullptr));
  // While the list is written, its stored objects and those to come count once.
  list.BeginRelist();
  EXPECT_FALSE(other.HasRoomFor(*x, nullptr));
  static_cast<void>(store_.Put(a));
  EXPECT_FALSE(other.HasRoomFor(*x, nullptr));
  EXPECT_TRUE(list.HasRoomFor(*b, nullptr)) << "the room is the list's";
  list.EndRelist();
  EXPECT_TRUE(other.HasRoomFor(*x, nullptr)) << "b did not come after all";
}

TEST_F(LimitShareTest, FullStore_IsLoggedAtMostOnceAMinute) {
  const auto log = std::make_shared<base::FieldsLog>();
  Simulation sim({.log = log});
  for (const LimitPolicy policy : {LimitPolicy::kNotSynced, LimitPolicy::kServePart}) {
    StoreLimit limit(sim.env(), name_, store_,
                     {.max_objects = 3, .max_bytes = 999, .policy = policy});
    LimitShare one(sim.env(), &limit, {});
    LimitShare two(sim.env(), &limit, {});
    log->lines.clear();
    one.Committed(2);
    two.Committed(3);
    one.Committed(4);
    ASSERT_EQ(log->lines.size(), 1U);
    EXPECT_THAT(log->lines[0],
                HasSubstr(policy == LimitPolicy::kServePart ? "reads of it miss them"
                                                            : "counts as not synced until"));
    EXPECT_THAT(log->lines[0], HasSubstr("informer=things left_out=2 objects=0 max_objects=3 "
                                         "bytes=0 max_bytes=999"));
    one.Committed(0);
    EXPECT_EQ(log->lines.size(), 1U) << "the other still lacks some";
    two.Committed(0);
    ASSERT_EQ(log->lines.size(), 2U);
    EXPECT_THAT(log->lines[1], HasSubstr("room for all objects again informer=things"));
    // Within a minute nothing more is logged, whether the store is full or not.
    sim.RunFor(minutes(1) - Duration(1));
    one.Committed(1);
    one.Committed(0);
    EXPECT_EQ(log->lines.size(), 2U);
    sim.RunFor(Duration(1));
    one.Committed(5);
    two.Committed(2);
    ASSERT_EQ(log->lines.size(), 3U);
    EXPECT_THAT(log->lines[2], HasSubstr("left_out=5"));
  }
}

TEST_F(LimitShareTest, WithoutALimitThereIsRoom) {
  LimitShare none(sim_.env(), nullptr, {});
  EXPECT_FALSE(none.bounded());
  EXPECT_TRUE(lists_.bounded());
  none.BeginList();
  EXPECT_TRUE(ListTakes(none, "a"));
  none.EndList();
  none.BeginRelist();
  none.EndRelist();
  none.Committed(0);
  none.CaughtUp();
  EXPECT_TRUE(HasRoom(none));
  EXPECT_TRUE(none.Tolerates(7));
  EXPECT_TRUE(lists_.Tolerates(0));
  EXPECT_FALSE(lists_.Tolerates(1));
}

}  // namespace
}  // namespace kinformer::internal::cache
