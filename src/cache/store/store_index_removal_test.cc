// Indexes that are removed while they are read.

#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/indexer.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class StoreIndexRemovalTest : public ::testing::Test {
 protected:
  // Adds an index by label. The result expires when the index is freed.
  std::weak_ptr<int> AddWatched(const std::string& name, const std::string& label) {
    auto watched = std::make_shared<int>(0);
    std::weak_ptr<int> seen = watched;
    EXPECT_TRUE(AddIndex(store_, name, [watched, label](const Block& block, IndexValues& out) {
      out.Add(LabelOf(block, label));
    }));
    return seen;
  }
  void Put(const std::string& name, const std::string& colour) {
    static_cast<void>(store_.Put(MakeObject("ns", name, "1", {{"colour", colour}})));
  }
  void CollectAll() {
    for (int i = 0; i < 1000 && store_.CollectSome(10000); ++i) {
    }
  }

  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
};

TEST_F(StoreIndexRemovalTest, MemoryGoesWithTheLastSnapshotThatHasTheIndex) {
  const std::weak_ptr<int> index = AddWatched("colour", "colour");
  for (int i = 0; i < 1000; ++i) Put(std::to_string(i), "c" + std::to_string(i % 10));
  CollectAll();
  const std::size_t with = store_.Stats().table_bytes;
  auto first = store_.Snapshot();
  auto second = store_.Snapshot();
  ASSERT_TRUE(store_.RemoveIndexes({"colour"}));
  CollectAll();
  EXPECT_FALSE(store_.HasIndex("colour"));
  EXPECT_THAT(store_.IndexNames(), ElementsAre("namespace"));
  EXPECT_LT(store_.Stats().table_bytes + 10000, with);
  // Objects change, are deleted, and make room for others; the snapshots stay as they were.
  for (int i = 0; i < 1000; ++i) static_cast<void>(store_.Erase("ns", std::to_string(i)));
  CollectAll();
  for (int i = 0; i < 2000; ++i) Put("new" + std::to_string(i), "c3");
  CollectAll();
  EXPECT_EQ(first->ByIndex("colour", "c3").OrExit().size(), 100U);
  EXPECT_EQ(first->IndexValues("colour").OrExit().size(), 10U);
  first.reset();
  CollectAll();
  EXPECT_FALSE(index.expired());
  EXPECT_EQ(second->ByIndex("colour", "c3").OrExit().size(), 100U);
  second.reset();
  Put("one", "more");
  CollectAll();
  EXPECT_TRUE(index.expired());
}

TEST_F(StoreIndexRemovalTest, WithoutReadersMemoryGoesAtOnce) {
  const std::weak_ptr<int> index = AddWatched("colour", "colour");
  for (int i = 0; i < 100; ++i) Put(std::to_string(i % 7), std::to_string(i));
  ASSERT_TRUE(store_.RemoveIndexes({"colour"}));
  EXPECT_TRUE(index.expired());
  CollectAll();
  Put("a", "b");
}

TEST_F(StoreIndexRemovalTest, TheNameMayBeAddedAgainForAnotherFunction) {
  AddWatched("by", "colour");
  static_cast<void>(store_.Put(MakeObject("ns", "a", "1", {{"colour", "red"}, {"size", "big"}})));
  const auto before = store_.Snapshot();
  ASSERT_TRUE(store_.RemoveIndexes({"by"}));
  AddWatched("by", "size");
  const auto after = store_.Snapshot();
  EXPECT_THAT(before->IndexValues("by").OrExit(), ElementsAre("red"));
  EXPECT_THAT(after->IndexValues("by").OrExit(), ElementsAre("big"));
  static_cast<void>(store_.Put(MakeObject("ns", "a", "2", {{"colour", "blue"}, {"size", "s"}})));
  CollectAll();
  EXPECT_THAT(before->IndexValues("by").OrExit(), ElementsAre("red"));
  EXPECT_THAT(after->IndexValues("by").OrExit(), ElementsAre("big"));
  EXPECT_THAT(store_.Snapshot()->IndexValues("by").OrExit(), ElementsAre("s"));
}

TEST_F(StoreIndexRemovalTest, AllAreRemovedOrNone) {
  AddWatched("colour", "colour");
  AddWatched("size", "size");
  const Result<void> removed = store_.RemoveIndexes({"colour", "weight"});
  EXPECT_EQ(removed.error().reason(), Reason::kNotFound);
  EXPECT_THAT(removed.error().ToString(), HasSubstr("weight"));
  EXPECT_TRUE(store_.HasIndex("colour"));
  EXPECT_TRUE(store_.RemoveIndexes({}));
  ASSERT_TRUE(store_.RemoveIndexes({"colour", "size"}));
  EXPECT_THAT(store_.IndexNames(), ElementsAre("namespace"));
  EXPECT_EQ(store_.RemoveIndexes({"colour"}).error().reason(), Reason::kNotFound);
}

// Until the commit, readers use the previous version.
TEST_F(StoreIndexRemovalTest, InAnOpenVersionItGoesWithTheCommit) {
  AddWatched("colour", "colour");
  Put("a", "red");
  store_.Begin();
  Put("a", "blue");
  ASSERT_TRUE(store_.RemoveIndexes({"colour"}));
  Put("b", "red");
  EXPECT_TRUE(store_.HasIndex("colour"));
  EXPECT_EQ(store_.Snapshot()->ByIndex("colour", "red").OrExit().size(), 1U);
  EXPECT_EQ(store_.Snapshot()->ByIndex("colour", "blue").OrExit().size(), 0U);
  store_.Commit();
  EXPECT_FALSE(store_.HasIndex("colour"));
}

TEST_F(StoreIndexRemovalTest, RemoveIndexers_RefusesNamespaceIndex) {
  Indexer<Thing> things(sim_.env(),
                        {{"colour", [](Thing t, auto& out) { out.Add(t.label("colour")); }}});
  ASSERT_TRUE(things.Add(MakeThing("ns", "a", "1", {{"colour", "red"}})));
  const Snapshot<Thing> before = things.Snapshot();
  EXPECT_EQ(things.RemoveIndexers({"colour", "namespace"}).error().reason(),
            Reason::kInvalidArgument);
  EXPECT_THAT(things.GetIndexers(), UnorderedElementsAre("namespace", "colour"));
  ASSERT_TRUE(things.RemoveIndexers({"colour"}));
  EXPECT_EQ(things.ByIndex("colour", "red").error().reason(), Reason::kNotFound);
  EXPECT_EQ(before.ByIndex("colour", "red").size(), 1U);
  ASSERT_TRUE(things.AddIndexers(
      {{"colour", [](Thing t, auto& out) { out.Add(t.label("colour") + "!"); }}}));
  EXPECT_EQ(things.ByIndex("colour", "red!").size(), 1U);
}

}  // namespace
}  // namespace kinformer::internal::cache
