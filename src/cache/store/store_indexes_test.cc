// Indexes that are added to a store while it is written.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"
#include "base/core/testing/ticking_env.h"
#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

void IndexByColour(const Block& block, IndexValues& out) {
  for (const char c : LabelOf(block, "colour")) out.Add(std::string_view(&c, 1));
}

NamedIndexFunctions ColourAndName() {
  return {{"colour", IndexByColour},
          {"name", [](const Block& block, IndexValues& out) { out.Add(block.name()); }}};
}

// Returns the expected contents of the index, computed with the function itself.
std::map<std::string, std::set<std::string>> ByHand(const SnapshotCore& snapshot) {
  std::map<std::string, std::set<std::string>> expected;
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot.Next(cursor)) {
    for (const char c : LabelOf(*block, "colour")) {
      expected[std::string(1, c)].emplace(block->name());
    }
  }
  return expected;
}

std::map<std::string, std::set<std::string>> ByIndex(const SnapshotCore& snapshot) {
  std::map<std::string, std::set<std::string>> found;
  for (const std::string& value : snapshot.IndexValues("colour").OrExit()) {
    for (const Block* block : snapshot.ByIndex("colour", value).OrExit()) {
      found[value].emplace(block->name());
    }
  }
  return found;
}

class StoreIndexesTest : public ::testing::Test {
 protected:
  void Put(int name) {
    std::string colours;
    for (const char c : {'r', 'g', 'b'}) {
      if (random_() % 2 == 0) colours.push_back(c);
    }
    static_cast<void>(
        store_.Put(MakeObject("ns", std::to_string(name), "1", {{"colour", colours}})));
  }
  void Erase(int name) { static_cast<void>(store_.Erase("ns", std::to_string(name))); }

  Simulation sim_;
  base::TickingEnv env_{sim_.env(), microseconds(10)};
  StoreCore store_{env_, {.name = "test"}};
  std::mt19937 random_{1};
};

TEST_F(StoreIndexesTest, AreFilledInSlicesWhileTheStoreIsWritten) {
  for (int i = 0; i < 2000; ++i) Put(i);
  ASSERT_TRUE(store_.BeginIndexes(ColourAndName()));
  int slices = 0;
  for (;;) {
    const SteadyTime begun = env_.Now();
    const bool done = store_.FillIndexes(begun + milliseconds(1));
    // Up to 64 entries pass between two checks of the deadline; each value reads the clock twice.
    EXPECT_LT(env_.Now() - begun, milliseconds(1) + 64 * 2 * 2 * microseconds(10));
    if (done) break;
    ++slices;
    const auto snapshot = store_.Snapshot();
    EXPECT_EQ(snapshot->ByIndex("colour", "r").error().reason(), Reason::kNotFound);
    EXPECT_FALSE(store_.HasIndex("name"));
    // Writes to entries that are filled, to others that are not yet, and to new ones.
    for (int i = 0; i < 20; ++i) {
      Put(static_cast<int>(random_() % 2000));
      Erase(static_cast<int>(random_() % 2000));
      Put(2000 + static_cast<int>(random_() % 500));
      if (random_() % 4 == 0) static_cast<void>(store_.CollectSome(100));
    }
  }
  EXPECT_GT(slices, 20);
  const auto snapshot = store_.Snapshot();
  EXPECT_EQ(ByIndex(*snapshot), ByHand(*snapshot));
  EXPECT_EQ(snapshot->IndexValues("name").OrExit().size(), snapshot->size());
  // From then on it works as any other index.
  for (int i = 0; i < 500; ++i) {
    Put(static_cast<int>(random_() % 2500));
    Erase(static_cast<int>(random_() % 2500));
  }
  const auto after = store_.Snapshot();
  EXPECT_EQ(ByIndex(*after), ByHand(*after));
  EXPECT_EQ(ByIndex(*snapshot), ByHand(*snapshot));
}

TEST_F(StoreIndexesTest, AreShownByTheCommitOfAnOpenVersion) {
  for (int i = 0; i < 100; ++i) Put(i);
  ASSERT_TRUE(store_.BeginIndexes(ColourAndName()));
  store_.Begin();
  Put(100);
  Erase(0);
  EXPECT_FALSE(store_.FillIndexes(SteadyTime::max()));
  Put(101);
  EXPECT_FALSE(store_.FillIndexes(SteadyTime::max()));
  EXPECT_FALSE(store_.HasIndex("colour"));
  store_.Commit();
  EXPECT_TRUE(store_.FillIndexes(SteadyTime::max()));
  const auto snapshot = store_.Snapshot();
  EXPECT_EQ(ByIndex(*snapshot), ByHand(*snapshot));
}

TEST_F(StoreIndexesTest, AllAreAddedOrNone) {
  ASSERT_TRUE(AddIndex(store_, "name", IndexByColour));
  EXPECT_EQ(store_.BeginIndexes(ColourAndName()).error().reason(), Reason::kAlreadyExists);
  EXPECT_FALSE(store_.HasIndex("colour"));
  EXPECT_EQ(store_.BeginIndexes({{"x", IndexByColour}, {"x", IndexByColour}}).error().reason(),
            Reason::kAlreadyExists);
  EXPECT_TRUE(store_.BeginIndexes({}));
  EXPECT_TRUE(store_.FillIndexes(SteadyTime::min()));
}

TEST(SlowIndexFunction, IsNamedWithTheObjectThatTookItMoreThanFiveMilliseconds) {
  const auto log = std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  StoreCore store(sim.env(), {.name = "things"});
  Duration takes{0};
  ASSERT_TRUE(AddIndex(store, "colour", [&](const Block& block, IndexValues& out) {
    sim.env().SleepFor(takes);
    out.Add(LabelOf(block, "colour"));
  }));
  EXPECT_TRUE(sim.RunBlocking(
      [&] {
        takes = milliseconds(5);
        static_cast<void>(store.Put(MakeObject("ns", "a", "1")));
        EXPECT_TRUE(log->lines.empty());
        takes = milliseconds(5) + Duration(1);
        static_cast<void>(store.Put(MakeObject("ns", "b", "1")));
      },
      std::chrono::minutes(1)));
  EXPECT_THAT(log->lines,
              testing::ElementsAre("index function is slow; it holds up every informer of this "
                                   "loop store=things index=colour key=ns/b ms=5"));
}

}  // namespace
}  // namespace kinformer::internal::cache
