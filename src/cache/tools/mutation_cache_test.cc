#include "kinformer/mutation_cache.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/simulation.h"

#include "cache/store/testing/test_objects.h"
#include "cache/watch/testing/fake_lister_watcher.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::cache::MakePod;
using internal::cache::PodValue;
using internal::cache::Thing;
using std::chrono::minutes;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Ref<Thing> Pod(std::string_view rv, std::string_view uid = "uid-1", std::string_view node = "n1",
               std::string_view name = "web") {
  return Ref<Thing>(MakePod("default", name, rv, uid, node));
}

class MutationCacheTest : public ::testing::Test {
 protected:
  MutationCache<Thing> Make(MutationCacheOptions options = {}) {
    return MutationCache<Thing>(sim_.env(), store_, options);
  }
  // Returns the resourceVersion that a read returns; "-" if it finds none.
  static std::string Get(MutationCache<Thing>& cache, std::string_view key = "default/web") {
    const Ref<Thing> found = cache.GetByKey(key);
    return found ? std::string(found.object()->resourceVersion()) : "-";
  }
  static std::vector<std::string> OnNode(MutationCache<Thing>& cache, std::string_view node) {
    std::vector<std::string> found;
    const auto pods = cache.ByIndex("node", node).value();
    for (const Ref<Thing>& pod : pods) {
      found.push_back(std::string(pod.object()->name()) + "@" +
                      std::string(pod.object()->resourceVersion()));
    }
    return found;
  }

  Simulation sim_;
  Indexer<Thing> store_{
      sim_.env(),
      {{"node", [](Thing t, auto& out) { out.Add(PodValue(*internal::BlockOfView(t))); }}}};
};

TEST_F(MutationCacheTest, MC_01_02_03_AnOverlayGivesWayToAnEqualOrNewerEvent) {
  for (const auto& [event, shown] : {std::pair("2", "1"), {"3", "1"}, {"1", "2"}}) {
    MutationCache<Thing> cache = Make();
    ASSERT_TRUE(store_.Add(Pod("1")));
    ASSERT_TRUE(cache.Mutation(Pod("2")));
    EXPECT_EQ(Get(cache), "2");
    const Ref<Thing> seen = Pod(event);
    cache.OnAddOrUpdate(*seen);
    EXPECT_EQ(Get(cache), shown) << event;
  }
}

TEST_F(MutationCacheTest, MC_04_05_06_DeletesThatWereSeen) {
  struct Case {
    const char* what;
    const char* rv;
    const char* uid;
    const char* shown;
  };
  for (const Case& c : {Case{"MC-04: of the same uid, though older", "1", "uid-1", "-"},
                        Case{"MC-05: newer, of another uid", "3", "uid-2", "-"},
                        Case{"MC-06: older, of another uid", "1", "uid-2", "2"}}) {
    MutationCache<Thing> cache = Make({.include_adds = true});
    ASSERT_TRUE(cache.Mutation(Pod("2")));
    const Ref<Thing> deleted = Pod(c.rv, c.uid);
    cache.OnDelete(*deleted);
    EXPECT_EQ(Get(cache), c.shown) << c.what;
  }
}

TEST_F(MutationCacheTest, MC_07_AnUpdateThatComesAfterItsObjectsDelete) {
  MutationCache<Thing> cache = Make({.include_adds = true});
  const Ref<Thing> last = Pod("2");
  cache.OnDelete(*last);
  ASSERT_TRUE(cache.Mutation(Pod("2")));
  EXPECT_EQ(Get(cache), "-");
  // A later version of the same object cannot be, either.
  ASSERT_TRUE(cache.Mutation(Pod("3")));
  EXPECT_EQ(Get(cache), "-");
  ASSERT_TRUE(cache.Mutation(Pod("4", "uid-2")));
  EXPECT_EQ(Get(cache), "4");
}

TEST_F(MutationCacheTest, MC_08_TheSameWhereTheObjectWasMadeAgain) {
  MutationCache<Thing> cache = Make();
  const Ref<Thing> last = Pod("2");
  cache.OnDelete(*last);
  ASSERT_TRUE(store_.Add(Pod("3", "uid-2")));
  ASSERT_TRUE(cache.Mutation(Pod("2")));
  EXPECT_EQ(Get(cache), "3");
  // The read dropped the tombstone, because the store has a newer object.
  ASSERT_TRUE(cache.Mutation(Pod("4")));
  EXPECT_EQ(Get(cache), "4");
}

TEST_F(MutationCacheTest, MC_09_AddsCountInIndexQueriesUntilDeleted) {
  MutationCache<Thing> cache = Make({.include_adds = true});
  ASSERT_TRUE(cache.Mutation(Pod("2")));
  EXPECT_THAT(OnNode(cache, "n1"), UnorderedElementsAre("web@2"));
  const Ref<Thing> deleted = Pod("2");
  cache.OnDelete(*deleted);
  EXPECT_THAT(OnNode(cache, "n1"), IsEmpty());
}

TEST_F(MutationCacheTest, WithoutAddsWhatTheStoreLacksIsNotShown) {
  MutationCache<Thing> cache = Make();
  ASSERT_TRUE(cache.Mutation(Pod("2")));
  EXPECT_EQ(Get(cache), "-");
  EXPECT_THAT(OnNode(cache, "n1"), IsEmpty());
  ASSERT_TRUE(store_.Add(Pod("1")));
  EXPECT_EQ(Get(cache), "2");
}

TEST_F(MutationCacheTest, AnIndexIsOfWhatIsShown) {
  MutationCache<Thing> cache = Make();
  ASSERT_TRUE(store_.Add(Pod("1", "uid-1", "n1")));
  ASSERT_TRUE(store_.Add(Pod("1", "uid-2", "n1", "db")));
  ASSERT_TRUE(cache.Mutation(Pod("2", "uid-1", "n2")));
  EXPECT_THAT(OnNode(cache, "n1"), UnorderedElementsAre("db@1"));
  EXPECT_THAT(OnNode(cache, "n2"), UnorderedElementsAre("web@2"));
  ASSERT_TRUE(store_.Add(Pod("3", "uid-1", "n1")));
  EXPECT_THAT(OnNode(cache, "n2"), IsEmpty());
  EXPECT_THAT(OnNode(cache, "n1"), UnorderedElementsAre("db@1", "web@3"));
  EXPECT_EQ(cache.ByIndex("none", "x").error().reason(), Reason::kNotFound);
}

TEST_F(MutationCacheTest, AnOlderMutationDoesNotReplaceANewerOne) {
  MutationCache<Thing> cache = Make();
  ASSERT_TRUE(store_.Add(Pod("1")));
  ASSERT_TRUE(cache.Mutation(Pod("10")));
  ASSERT_TRUE(cache.Mutation(Pod("9")));
  EXPECT_EQ(Get(cache), "10");
}

TEST_F(MutationCacheTest, EntriesExpireAndGiveWay) {
  MutationCache<Thing> cache = Make({.ttl = minutes(1), .include_adds = true, .max_cache_size = 2});
  for (const char* name : {"a", "b"}) ASSERT_TRUE(cache.Mutation(Pod("1", "u", "n", name)));
  EXPECT_EQ(Get(cache, "default/a"), "1");
  ASSERT_TRUE(cache.Mutation(Pod("1", "u", "n", "c")));
  EXPECT_EQ(Get(cache, "default/a"), "1");
  EXPECT_EQ(Get(cache, "default/b"), "-");
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Get(cache, "default/a"), "-");
  EXPECT_THAT(OnNode(cache, "n"), IsEmpty());
}

// Replaced entries are in no index, and each object is in an index once.
TEST_F(MutationCacheTest, AnIndexHasEachObjectOnce) {
  MutationCache<Thing> cache = Make({.include_adds = true, .max_cache_size = 2});
  ASSERT_TRUE(store_.Add(Pod("1")));
  ASSERT_TRUE(cache.Mutation(Pod("2")));
  ASSERT_TRUE(cache.Mutation(Pod("3")));
  EXPECT_THAT(OnNode(cache, "n1"), UnorderedElementsAre("web@3"));
  for (const char* name : {"a", "b"}) ASSERT_TRUE(cache.Mutation(Pod("7", "u", "n1", name)));
  EXPECT_THAT(OnNode(cache, "n1"), UnorderedElementsAre("web@1", "a@7", "b@7"));
}

TEST_F(MutationCacheTest, ItMayKeepOneOrNone) {
  for (const std::size_t size : {0U, 1U}) {
    MutationCache<Thing> cache = Make({.include_adds = true, .max_cache_size = size});
    ASSERT_TRUE(cache.Mutation(Pod("2")));
    EXPECT_EQ(Get(cache), size == 0 ? "-" : "2");
    EXPECT_EQ(OnNode(cache, "n1").size(), size);
  }
}

TEST_F(MutationCacheTest, WhatCannotBeComparedIsRefused) {
  MutationCache<Thing> cache = Make();
  for (const char* rv : {"", "abc", "0"}) {
    const Result<void> refused = cache.Mutation(Pod(rv));
    ASSERT_FALSE(refused) << rv;
    EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
  }
  EXPECT_FALSE(cache.Mutation(Ref<Thing>()));
  EXPECT_FALSE(cache.Mutation(Pod("2", "u", "n1", "")));
}

}  // namespace
}  // namespace kinformer
