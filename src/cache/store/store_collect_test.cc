// Memory that a store keeps for replaced objects, and when it is freed.

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/store/key_table.h"
#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

class StoreCollectTest : public ::testing::Test {
 protected:
  // Names and versions have equal lengths, and so have the objects.
  static ObjectRef Thing(std::size_t number, int version) {
    const std::string name = std::to_string(100'000 + number);
    return MakeObject("ns", name, std::to_string(version));
  }
  void Put(std::size_t count, int version, std::size_t from = 0) {
    store_.Begin();
    for (std::size_t i = from; i < from + count; ++i) {
      static_cast<void>(store_.Put(Thing(i, version)));
    }
    store_.Commit();
  }
  void CollectAll() {
    while (store_.CollectSome(100'000)) {
    }
    static_cast<void>(store_.CollectSome(0));
  }
  // Returns the number of replaced objects whose memory is not freed yet.
  [[nodiscard]] std::size_t Held() const { return store_.old_bytes() / each_; }
  // Frees what earlier commits found to be free, and nothing else. Returns the number of objects.
  std::size_t Found() {
    const std::size_t held = Held();
    static_cast<void>(store_.CollectSome(100'000));
    return held - Held();
  }

  const std::size_t each_ = Thing(0, 1)->allocated_bytes();
  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
};

TEST_F(StoreCollectTest, EveryEighthCommitLooks) {
  Put(1, 1);
  for (const std::size_t commits : {7U, 8U}) {
    CollectAll();
    for (std::size_t i = 0; i < commits; ++i) Put(1, 2);
    EXPECT_EQ(Held(), commits);
    EXPECT_EQ(Found(), commits < 8 ? 0U : 8U);
  }
}

TEST_F(StoreCollectTest, ACommitThatReplacesManyLooksAtOnce) {
  Put(300, 1);
  struct Case {
    std::size_t before;
    std::size_t replaced;
    bool looks;
  };
  // A commit that replaces more than 32 objects collects if more than 128 wait in all.
  for (const Case c : {Case{0, 128, false}, Case{0, 129, true}, Case{100, 28, false},
                       Case{100, 29, false}, Case{100, 32, false}, Case{100, 33, true}}) {
    CollectAll();
    if (c.before > 0) Put(c.before, 2);
    Put(c.replaced, 3, 100);
    EXPECT_EQ(Found() > 0, c.looks) << c.before << " and " << c.replaced;
  }
}

// Collects as many as were replaced and some more, but for at most about a millisecond.
TEST_F(StoreCollectTest, ALargeCommitFreesABoundedPart) {
  constexpr std::size_t kMany = 20'000;
  Put(kMany, 1);
  CollectAll();
  Put(kMany, 2);
  EXPECT_EQ(Found(), 32 * 8 + 8192 + kMany / 64);
  CollectAll();
  EXPECT_EQ(Held(), 0U);
  Put(1000, 3);
  EXPECT_EQ(Found(), 1000U);
}

TEST_F(StoreCollectTest, CollectSome_FreesNoMoreThanAsked) {
  for (const bool pinned : {false, true}) {
    Put(100, 1);
    CollectAll();
    auto snapshot = pinned ? store_.Snapshot() : nullptr;
    Put(100, 2);
    if (pinned) {
      while (store_.CollectSome(1000)) {
      }
      EXPECT_EQ(Held(), 100U);
      snapshot.reset();
    }
    int calls = 0;
    for (bool more = true; more; ++calls) {
      const std::size_t held = Held();
      more = store_.CollectSome(10);
      EXPECT_LE(held - Held(), 10U);
    }
    EXPECT_EQ(Held(), 0U) << "there is more until there is none";
    EXPECT_GE(calls, 10);
    EXPECT_FALSE(store_.CollectSome(10));
  }
}

TEST_F(StoreCollectTest, CollectSome_LooksForNoMoreThanAsked) {
  for (const bool pinned : {false, true}) {
    Put(100, 1);
    CollectAll();
    auto snapshot = pinned ? store_.Snapshot() : nullptr;
    Put(100, 2);
    if (pinned) CollectAll();
    snapshot.reset();
    EXPECT_TRUE(store_.CollectSome(10));
    EXPECT_EQ(Found(), 10U);
  }
}

// A snapshot needs no objects that its own version had replaced.
TEST_F(StoreCollectTest, ASnapshotKeepsWhatItSeesAndNothingElse) {
  Put(1, 1);
  Put(1, 2);
  auto snapshot = store_.Snapshot();
  CollectAll();
  EXPECT_EQ(Held(), 0U);
  Put(1, 3);
  Put(1, 4);
  CollectAll();
  EXPECT_EQ(Held(), 1U);
  EXPECT_EQ(snapshot->Get("ns", "100000")->resourceVersion(), "2");
}

TEST_F(StoreCollectTest, BytesAreThoseOfWhatIsThere) {
  EXPECT_EQ(store_.object_bytes(), 0U);
  EXPECT_EQ(store_.old_bytes(), 0U);
  const ObjectRef small = MakeObject("ns", "a", "1");
  const ObjectRef large = MakeObject("ns", "a", "2", {{"label", std::string(1000, 'x')}});
  static_cast<void>(store_.Put(small));
  EXPECT_EQ(store_.object_bytes(), small->allocated_bytes());
  static_cast<void>(store_.Put(large));
  EXPECT_EQ(store_.object_bytes(), large->allocated_bytes());
  EXPECT_EQ(store_.old_bytes(), small->allocated_bytes());
  static_cast<void>(store_.Erase("ns", "a"));
  EXPECT_EQ(store_.object_bytes(), 0U);
  EXPECT_EQ(store_.old_bytes(), small->allocated_bytes() + large->allocated_bytes());
  const ObjectRef again = MakeObject("ns", "a", "3");
  static_cast<void>(store_.Put(again));
  EXPECT_EQ(store_.object_bytes(), again->allocated_bytes());
  EXPECT_EQ(store_.size(), 1U);
  CollectAll();
  EXPECT_EQ(store_.Stats().object_bytes, again->allocated_bytes());
  EXPECT_EQ(store_.Stats().pinned_bytes, 0U);
}

TEST_F(StoreCollectTest, ObjectsNeverCommitted_LeaveNothing) {
  static_cast<void>(store_.Put(Thing(0, 1)));
  const std::size_t before = store_.Stats().table_bytes;
  for (std::size_t i = 1; i < 2000; ++i) {
    store_.Begin();
    static_cast<void>(store_.Put(Thing(i, 1)));
    static_cast<void>(store_.Erase("ns", std::to_string(100'000 + i)));
    store_.Commit();
  }
  CollectAll();
  EXPECT_EQ(Held(), 0U);
  EXPECT_LE(store_.Stats().table_bytes, before + 1000);
}

// An object that its store has released can be put into another store without a copy.
TEST_F(StoreCollectTest, ReleasedObject_IsPutWithoutClone) {
  const ObjectRef first = Thing(0, 1);
  static_cast<void>(store_.Put(first));
  static_cast<void>(store_.Put(Thing(0, 2)));
  StoreCore other(sim_.env(), {.name = "other"});
  static_cast<void>(other.Put(first));
  const ObjectRef clone = other.Get("ns", "100000");
  EXPECT_NE(clone, first) << "the store may still show it";
  static_cast<void>(store_.Put(clone));
  EXPECT_NE(store_.Get("ns", "100000"), clone) << "which is as taken as any";
  CollectAll();
  static_cast<void>(store_.Put(first));
  EXPECT_EQ(store_.Get("ns", "100000"), first);
}

TEST_F(StoreCollectTest, AnObjectOfAStoreThatHasEndedBringsNothingOfItsPast) {
  const ObjectRef first = Thing(0, 1);
  const ObjectRef second = Thing(0, 2);
  {
    StoreCore ended(sim_.env(), {.name = "ended"});
    static_cast<void>(ended.Put(first));
    static_cast<void>(ended.Put(second));
  }
  for (int i = 0; i < 10; ++i) Put(1, 1, 7);
  const auto before = store_.Snapshot();
  ASSERT_GT(before->version(), 5U);
  static_cast<void>(store_.Put(second));
  EXPECT_EQ(store_.Get("ns", "100000"), second);
  EXPECT_EQ(before->Get("ns", "100000"), nullptr);
}

// ---- tables

TEST_F(StoreCollectTest, ATableIsAsLargeAsItsObjectsNeed) {
  // A bucket has seven slots in 96 bytes, of which four fifths are used.
  const auto bytes = [](std::size_t buckets) { return KeyTable(buckets).bytes(); };
  EXPECT_EQ(bytes(16), 16U * 96);
  EXPECT_EQ(KeyTable::CapacityOf(64), 358U);
  EXPECT_EQ(store_.Stats().table_bytes, bytes(1));
  store_.Reserve(358);
  EXPECT_EQ(store_.Stats().table_bytes, bytes(64));
  CollectAll();
  EXPECT_EQ(store_.Stats().table_bytes, bytes(64));
  // Besides the table, each object takes an entry and each namespace a list of entries.
  StoreCore large(sim_.env(), {.name = "large"});
  large.Reserve(359);
  EXPECT_EQ(large.Stats().table_bytes, bytes(128));
  std::size_t entries = 0;
  for (std::size_t i = 0; i < 358; ++i) {
    static_cast<void>(store_.Put(Thing(i, 1)));
    static_cast<void>(large.Put(Thing(i, 1)));
    while (large.CollectSome(100)) {
    }
    while (store_.CollectSome(100)) {
    }
    entries = large.Stats().table_bytes - bytes(128);
    ASSERT_EQ(store_.Stats().table_bytes, bytes(64) + entries) << i;
  }
  static_cast<void>(store_.Put(Thing(358, 1)));
  CollectAll();
  EXPECT_GE(store_.Stats().table_bytes, bytes(128) + entries);
}

TEST_F(StoreCollectTest, ErasedKeys_TakeNoRoomInLargerTable) {
  Put(300, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    static_cast<void>(store_.Erase("ns", std::to_string(100'000 + i)));
  }
  CollectAll();
  store_.Reserve(716);
  const std::size_t before = store_.Stats().table_bytes;
  Put(716, 1, 1000);
  EXPECT_EQ(store_.size(), 716U);
  EXPECT_LT(store_.Stats().table_bytes, before + KeyTable(128).bytes());
}

TEST_F(StoreCollectTest, AnIndexThatGoesTakesNothingFromTheOthers) {
  const auto by_label = [](const Block& block, IndexValues& out) {
    out.Add(LabelOf(block, "label"));
  };
  const auto use = [&](StoreCore& store, bool removes) {
    EXPECT_TRUE(AddIndex(store, "stays", by_label));
    if (removes) {
      EXPECT_TRUE(AddIndex(store, "goes", by_label));
    }
    const auto put = [&](std::size_t from, const std::string& value) {
      for (std::size_t i = 0; i < 20; ++i) {
        static_cast<void>(store.Put(MakeObject("ns", std::to_string(i), "1",
                                               {{"label", value + std::to_string(from + i)}})));
      }
    };
    put(0, "a");
    while (store.CollectSome(100)) {
    }
    auto held = store.Snapshot();
    put(0, "b");
    while (store.CollectSome(100)) {
    }
    put(20, "c");
    if (removes) {
      EXPECT_TRUE(store.RemoveIndexes({"goes"}));
    }
    while (store.CollectSome(100)) {
    }
    EXPECT_EQ(held->ByIndex("stays", "a5").OrExit().size(), 1U);
    held.reset();
    while (store.CollectSome(100)) {
    }
    return store.Stats().table_bytes;
  };
  StoreCore other(sim_.env(), {.name = "other"});
  const std::size_t never_had_it = use(other, false);
  EXPECT_EQ(use(store_, true), never_had_it);
  // The index leaves no values behind that a snapshot had held.
  StoreCore fresh(sim_.env(), {.name = "fresh"});
  EXPECT_TRUE(AddIndex(fresh, "stays", by_label));
  for (std::size_t i = 0; i < 20; ++i) {
    static_cast<void>(fresh.Put(
        MakeObject("ns", std::to_string(i), "1", {{"label", "c" + std::to_string(20 + i)}})));
  }
  while (fresh.CollectSome(100)) {
  }
  EXPECT_LE(never_had_it, fresh.Stats().table_bytes + 1024) << "but for the table of its values";
}

}  // namespace
}  // namespace kinformer::internal::cache
