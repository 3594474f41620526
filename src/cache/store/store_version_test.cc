// Tests of when a store makes a version, its contents at first, and walks over it.

#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/store/coverage.h"
#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreVersionTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& version = "1") {
    static_cast<void>(store_.Put(MakeObject("ns", name, version)));
  }
  [[nodiscard]] std::uint64_t Version() const { return store_.Snapshot()->version(); }

  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
};

TEST_F(StoreVersionTest, AStoreThatIsNew) {
  EXPECT_THAT(store_.IndexNames(), ElementsAre("namespace"));
  EXPECT_THAT(store_.Snapshot()->ByIndex("namespace", "ns").OrExit(), IsEmpty());
  EXPECT_FALSE(store_.is_open());
  EXPECT_EQ(store_.written_objects(), 0U);
  EXPECT_EQ(store_.Snapshot()->coverage(), nullptr);
  EXPECT_EQ(store_.Snapshot()->epoch(), 0U);
  const StoreStats stats = store_.Stats();
  EXPECT_EQ(stats.objects, 0U);
  EXPECT_EQ(stats.unreadable, 0U);
  EXPECT_EQ(stats.left_out, 0U);
  EXPECT_EQ(stats.object_bytes, 0U);
  EXPECT_EQ(stats.pinned_bytes, 0U);
  EXPECT_EQ(stats.snapshots, 0U);

  const StoreCore bare(sim_.env(), {.name = "bare", .namespace_index = false});
  EXPECT_THAT(bare.IndexNames(), IsEmpty());
  const auto coverage = std::make_shared<const Coverage>();
  const StoreCore covered(sim_.env(), {.name = "covered", .coverage = coverage});
  EXPECT_EQ(covered.Snapshot()->coverage(), coverage.get());
  EXPECT_EQ(covered.coverage(), coverage.get());
}

TEST_F(StoreVersionTest, EachWriteIsOneAndWhatChangesNothingIsNone) {
  const std::uint64_t first = Version();
  Put("a");
  EXPECT_EQ(Version(), first + 1);
  store_.SetResourceVersion("7");
  store_.SetEpoch(2);
  EXPECT_EQ(Version(), first + 1) << "these are part of the next commit";
  store_.Begin();
  EXPECT_TRUE(store_.is_open());
  store_.Commit();
  EXPECT_FALSE(store_.is_open());
  EXPECT_EQ(Version(), first + 2);
  EXPECT_EQ(store_.ResourceVersion(), "7");
  EXPECT_EQ(store_.Snapshot()->epoch(), 2U);
  EXPECT_EQ(store_.Position().epoch, 2U);
  const auto same = [&](const auto& write) {
    store_.Begin();
    write();
    store_.Commit();
    EXPECT_EQ(Version(), first + 2);
  };
  same([] {});
  same([&] { store_.SetResourceVersion("7"); });
  same([&] { store_.AdvanceResourceVersion("7"); });
  same([&] { store_.AdvanceResourceVersion("6"); });
  same([&] { store_.SetEpoch(2); });
  same([&] { static_cast<void>(store_.Erase("ns", "none")); });
  same([&] { EXPECT_TRUE(store_.RemoveIndexes({})); });
  same([&] { EXPECT_TRUE(store_.BeginIndexes({})); });
  store_.Begin();
  store_.SetEpoch(3);
  store_.Commit();
  EXPECT_EQ(store_.Snapshot()->epoch(), 3U);
  EXPECT_EQ(Version(), first + 3);
}

TEST_F(StoreVersionTest, WrittenObject_IsUncommittedUntilCommit) {
  EXPECT_EQ(store_.Peek("ns", "a").number, StoreEntry::kNone);
  EXPECT_FALSE(store_.Peek("ns", "a").committed);
  store_.Begin();
  Put("a");
  EXPECT_NE(store_.Peek("ns", "a").object, nullptr);
  EXPECT_FALSE(store_.Peek("ns", "a").committed);
  EXPECT_EQ(store_.written_objects(), 1U);
  store_.Commit();
  EXPECT_TRUE(store_.Peek("ns", "a").committed);
  EXPECT_EQ(store_.Peek("ns", "a").number, 0U);
  EXPECT_EQ(store_.entries_end(), 1U);
  EXPECT_TRUE(store_.PeekAt(0).committed);
}

// The entry of a deleted key stays until no reader can see the old object.
TEST_F(StoreVersionTest, AKeyThatComesBackHasTheNumberItHad) {
  Put("a");
  Put("b");
  const auto snapshot = store_.Snapshot();
  static_cast<void>(store_.Erase("ns", "a"));
  EXPECT_EQ(store_.Peek("ns", "a").number, 0U);
  EXPECT_EQ(store_.Peek("ns", "a").object, nullptr);
  Put("a", "2");
  EXPECT_EQ(store_.Peek("ns", "a").number, 0U);
  EXPECT_EQ(store_.entries_end(), 2U);
}

// With any room for the batch: full groups or not, with gaps, and in an older version.
TEST_F(StoreVersionTest, ABatchIsNeverLargerThanItsRoom) {
  for (int i = 0; i < 45; ++i) Put(std::to_string(i));
  for (int i = 0; i < 45; i += 5) static_cast<void>(store_.Erase("ns", std::to_string(i)));
  const auto old = store_.Snapshot();
  for (int i = 20; i < 30; ++i) Put(std::to_string(i), "2");
  for (int i = 0; i < 5; ++i) Put("new" + std::to_string(i));
  const auto current = store_.Snapshot();
  const Block* const untouched = old->Get("ns", "1");
  for (const auto& snapshot : {old, current}) {
    for (std::size_t room = 1; room <= 20; ++room) {
      std::multiset<std::string> names;
      SnapshotCore::Cursor cursor;
      for (;;) {
        std::vector<const Block*> batch(room + 16, untouched);
        const std::size_t count = snapshot->NextBatch(cursor, {batch.data(), room});
        for (std::size_t i = room; i < batch.size(); ++i) ASSERT_EQ(batch[i], untouched) << room;
        if (count == 0) break;
        ASSERT_LE(count, room);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_NE(batch[i], nullptr);
          EXPECT_EQ(snapshot->Get("ns", batch[i]->name()), batch[i]);
          names.emplace(batch[i]->name());
        }
      }
      EXPECT_EQ(names.size(), snapshot->size()) << room;
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), snapshot->size());
    }
  }
}

// Numbers of objects at which entries need more memory, and other numbers.
TEST_F(StoreVersionTest, AnIndexIsFilledToTheLastObject) {
  int objects = 0;
  for (const int more : {0, 1, 14, 1, 1, 30, 1, 1, 64}) {
    for (int i = 0; i < more; ++i) Put(std::to_string(objects++));
    const std::string name = "of " + std::to_string(objects) + " and " + std::to_string(more);
    ASSERT_TRUE(AddIndex(store_, name,
                         [](const Block& block, IndexValues& out) { out.Add(block.name()); }));
    EXPECT_EQ(store_.Snapshot()->IndexValues(name).OrExit().size(),
              static_cast<std::size_t>(objects));
    ASSERT_TRUE(store_.RemoveIndexes({name}));
  }
  EXPECT_TRUE(store_.BeginIndexes({}));
  EXPECT_TRUE(store_.FillIndexes(SteadyTime::min())) << "nothing is to be filled";
}

TEST_F(StoreVersionTest, ValuesAreSortedAndDistinct) {
  ASSERT_TRUE(AddIndex(store_, "all", [](const Block& block, IndexValues& out) {
    for (const char* value : {"b", "a", "b", ""}) out.Add(value);
    out.Add(block.name());
  }));
  const ObjectRef object = MakeObject("ns", "aa", "1");
  EXPECT_THAT(store_.ValuesOf("all", *object).OrExit(), ElementsAre("", "a", "aa", "b"));
  EXPECT_THAT(store_.ValuesOf("namespace", *object).OrExit(), ElementsAre("ns"));
  EXPECT_EQ(store_.ValuesOf("none", *object).error().reason(), Reason::kNotFound);
}

// No further write is needed.
TEST_F(StoreVersionTest, AnIndexGoesWithTheLastSnapshotThatHasIt) {
  auto watched = std::make_shared<int>(0);
  const std::weak_ptr<int> seen = watched;
  ASSERT_TRUE(AddIndex(store_, "all",
                       [watched](const Block& block, IndexValues& out) { out.Add(block.name()); }));
  watched.reset();
  Put("a");
  auto snapshot = store_.Snapshot();
  ASSERT_TRUE(store_.RemoveIndexes({"all"}));
  const auto collect = [&] {
    for (int i = 0; i < 1000 && store_.CollectSome(100); ++i) {
    }
  };
  collect();
  EXPECT_FALSE(seen.expired());
  snapshot.reset();
  collect();
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace kinformer::internal::cache
