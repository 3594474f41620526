#include "kinformer/cache/joint_snapshot.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/lister.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::cache::MakeObject;
using internal::cache::MakeThing;
using internal::cache::StoreCore;
using internal::cache::StoreCoreOptions;
using internal::cache::Thing;

// A type of its own, to tell the parts apart.
class Other : public Thing {
 public:
  using Thing::Thing;
};

TEST(JointSnapshot, HasOneOfEachSourceInTheirOrder) {
  Simulation sim;
  Indexer<Thing> things(sim.env());
  Store<Other> others(sim.env());
  ASSERT_TRUE(things.Add(MakeThing("ns", "a", "1")));
  ASSERT_TRUE(others.Add(Ref<Other>(MakeObject("ns", "b", "2"))));
  const Lister<Thing> lister(things);
  const auto [first, second, third] = JointSnapshot(things, others, lister);
  static_assert(std::is_same_v<decltype(first), const Snapshot<Thing>>);
  static_assert(std::is_same_v<decltype(second), const Snapshot<Other>>);
  ASSERT_TRUE(things.DeleteByKey("ns/a"));
  ASSERT_TRUE(others.DeleteByKey("ns/b"));
  EXPECT_TRUE(first.GetByKey("ns/a"));
  EXPECT_TRUE(second.GetByKey("ns/b"));
  EXPECT_EQ(first.version(), third.version());
  const auto [only] = JointSnapshot(things);
  EXPECT_TRUE(only.empty());
}

// A version that replaces all objects is visible as a whole or not at all.
TEST(JointSnapshot, ShowsARelistWholeOrNotAtAll) {
  Simulation sim;
  StoreCore a(sim.env(), {.name = "a"});
  StoreCore b(sim.env(), {.name = "b"});
  static_cast<void>(a.Put(MakeObject("", "old", "1")));
  static_cast<void>(b.Put(MakeObject("", "old", "1")));
  const std::vector<const StoreCore*> both{&a, &b};
  a.Begin();
  static_cast<void>(a.Erase("", "old"));
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(a.Put(MakeObject("", std::to_string(i), "2")));
    const auto during = StoreCore::JointSnapshots(both);
    ASSERT_EQ(during[0]->size(), 1U);
    ASSERT_NE(during[0]->Get("", "old"), nullptr);
  }
  a.Commit();
  const auto after = StoreCore::JointSnapshots(both);
  EXPECT_EQ(after[0]->size(), 100U);
  EXPECT_EQ(after[1]->size(), 1U);
}

TEST(JointSnapshot, PinsAreGivenBack) {
  Simulation sim;
  StoreCore a(sim.env(), {.name = "a"});
  StoreCore b(sim.env(), {.name = "b"});
  const std::vector<const StoreCore*> both{&a, &b, &a};
  for (const int passes : {0, 1, 2, 32}) {
    auto snapshots = StoreCore::JointSnapshots(both, passes);
    EXPECT_EQ(a.Stats().snapshots, 2U);
    EXPECT_EQ(b.Stats().snapshots, 1U);
    snapshots.clear();
    for (int i = 0; i < 100; ++i) static_cast<void>(a.Put(MakeObject("", "x", "1")));
    for (int i = 0; i < 100 && a.CollectSome(1000); ++i) {
    }
    EXPECT_EQ(a.Stats().pinned_bytes, 0U) << passes;
  }
}

}  // namespace
}  // namespace kinformer
