#include "kinformer/expiration_cache.h"

#include <chrono>
#include <set>
#include <string>

#include "kinformer/index.h"
#include "kinformer/ref.h"
#include "kinformer/simulation.h"

#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Named {
  std::string name;
  std::string value;
  friend bool operator==(const Named&, const Named&) = default;
};

std::string NameOf(const Named& named) { return named.name; }

class ExpirationCacheTest : public ::testing::Test {
 protected:
  // All entries expire except those with one of these names.
  ExpirationCache<Named> Expiring(const std::set<std::string>& never) {
    return {sim_.env(), NameOf, [&never](const TimestampedEntry<Named>& entry, SteadyTime) {
              return !never.contains(entry.item.name);
            }};
  }

  Simulation sim_;
};

TEST_F(ExpirationCacheTest, TTL_01_ExpiredAtOnceIsAbsentAndDeletedBelow) {
  const std::set<std::string> never;
  ExpirationCache<Named> cache = Expiring(never);
  cache.Add({"foo", "bar"});
  EXPECT_THAT(cache.ListKeys(), ElementsAre("foo"));
  EXPECT_FALSE(cache.Get({"foo", ""}));
  EXPECT_THAT(cache.ListKeys(), IsEmpty());
}

TEST_F(ExpirationCacheTest, TTL_02_WrittenAgainAfterItExpired) {
  std::set<std::string> never;
  ExpirationCache<Named> cache = Expiring(never);
  cache.Add({"foo", "old"});
  EXPECT_FALSE(cache.GetByKey("foo"));
  never.insert("foo");
  cache.Add({"foo", "new"});
  EXPECT_EQ(cache.GetByKey("foo"), (Named{"foo", "new"}));
  EXPECT_EQ(cache.Get({"foo", ""}), (Named{"foo", "new"}));
}

TEST_F(ExpirationCacheTest, TTL_03_ListLeavesOutAndDeletesWhatExpired) {
  const std::set<std::string> never = {"stays"};
  ExpirationCache<Named> cache = Expiring(never);
  cache.Replace({{"foo", "1"}, {"stays", "2"}, {"bar", "3"}}, "7");
  EXPECT_THAT(cache.ListKeys(), ElementsAre("bar", "foo", "stays"));
  EXPECT_THAT(cache.List(), ElementsAre(Named{"stays", "2"}));
  EXPECT_THAT(cache.ListKeys(), ElementsAre("stays"));
}

TEST_F(ExpirationCacheTest, TTL_04_AtItsAgeBeforeItAfterIt) {
  auto cache = NewTTLStore<Named>(sim_.env(), NameOf, seconds(10));
  cache.Add({"foo", "1"});
  sim_.RunFor(seconds(9));
  EXPECT_TRUE(cache.GetByKey("foo"));
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(cache.GetByKey("foo"));
  sim_.RunFor(Duration(1));
  EXPECT_FALSE(cache.GetByKey("foo"));
}

TEST_F(ExpirationCacheTest, TTL_05_NoAgeOrANegativeOneIsNever) {
  for (const Duration ttl : {Duration(0), Duration(seconds(-1))}) {
    auto cache = NewTTLStore<Named>(sim_.env(), NameOf, ttl);
    cache.Add({"foo", "1"});
    sim_.RunFor(std::chrono::hours(24));
    EXPECT_TRUE(cache.GetByKey("foo")) << ttl.count();
  }
}

TEST_F(ExpirationCacheTest, AnUpdateBeginsTheAgeAnew) {
  auto cache = NewTTLStore<Named>(sim_.env(), NameOf, seconds(10));
  cache.Add({"foo", "1"});
  cache.Add({"bar", "1"});
  sim_.RunFor(seconds(8));
  cache.Update({"foo", "2"});
  sim_.RunFor(seconds(8));
  EXPECT_THAT(cache.List(), ElementsAre(Named{"foo", "2"}));
}

TEST_F(ExpirationCacheTest, DeleteReplaceAndTheResourceVersion) {
  auto cache = NewTTLStore<Named>(sim_.env(), NameOf, seconds(10));
  EXPECT_EQ(cache.LastStoreSyncResourceVersion(), "");
  cache.Add({"foo", "1"});
  cache.Delete({"foo", ""});
  cache.Delete({"none", ""});
  EXPECT_THAT(cache.List(), IsEmpty());
  cache.Add({"foo", "1"});
  cache.Replace({{"bar", "1"}, {"bar", "2"}}, "5");
  EXPECT_THAT(cache.List(), ElementsAre(Named{"bar", "2"}));
  EXPECT_EQ(cache.LastStoreSyncResourceVersion(), "5");
  cache.Bookmark("6");
  EXPECT_EQ(cache.LastStoreSyncResourceVersion(), "6");
}

TEST_F(ExpirationCacheTest, KeepsObjectsByTheirKeys) {
  using internal::cache::MakeThing;
  using internal::cache::Thing;
  auto cache = NewTTLStore<Ref<Thing>>(
      sim_.env(), [](const Ref<Thing>& thing) { return MetaNamespaceKeyFunc(*thing); },
      seconds(10));
  cache.Add(MakeThing("default", "web-0", "1"));
  EXPECT_TRUE(cache.GetByKey("default/web-0"));
  EXPECT_FALSE(cache.GetByKey("default/web-1"));
}

}  // namespace
}  // namespace kinformer
