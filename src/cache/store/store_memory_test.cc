// Tests that a store frees all the memory it takes, as counted by operator new.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "base/core/testing/counted_heap.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/lazy_deque.h"
#include "cache/store/reclamation.h"
#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using kinformer::testing::heap;

void ByColour(const Block& block, IndexValues& out) {
  const std::string colours = LabelOf(block, "colour");
  for (std::size_t i = 0; i < colours.size(); ++i) out.Add(colours.substr(i, 1));
}

IndexFunction Ordered() {
  IndexFunction function(ByColour);
  function.ordered = true;
  return function;
}

// Objects are made in advance, so that they can be put again.
class StoreMemoryTest : public ::testing::Test {
 protected:
  StoreMemoryTest() {
    constexpr std::string_view kColours[] = {"", "r", "rg", "rgb", "b"};
    for (std::size_t round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < 60; ++i) {
        objects_.push_back(MakeObject("ns" + std::to_string(i % 3), std::to_string(i), "1",
                                      {{"colour", std::string(kColours[(i + round) % 5])}}));
      }
    }
  }
  // Puts the states number `round` of these objects.
  void Put(StoreCore& store, std::size_t round, std::size_t from = 0, std::size_t to = 60) {
    for (std::size_t i = from; i < to; ++i) {
      static_cast<void>(store.Put(objects_[round * 60 + i]));
    }
  }
  void Erase(StoreCore& store, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      static_cast<void>(store.Erase(objects_[i]->namespace_(), objects_[i]->name()));
    }
  }
  // Performs every kind of operation on a store and stops in the middle of them.
  void Use(StoreCore& store, bool collected) {
    ASSERT_TRUE(AddIndex(store, "plain", ByColour));
    ASSERT_TRUE(AddIndex(store, "ordered", Ordered()));
    ASSERT_TRUE(AddIndex(store, "removed", Ordered()));
    store.KeepChanges(100, 1 << 20);
    Put(store, 0);
    auto first = store.Snapshot();
    Put(store, 1);
    auto second = store.Snapshot();
    store.Begin();
    Put(store, 2, 0, 30);
    Put(store, 3, 0, 30);
    Erase(store, 0, 20);
    Put(store, 4, 0, 10);
    Put(store, 2, 30, 60);
    Erase(store, 30, 40);
    store.Commit();
    Erase(store, 10, 40);
    first.reset();
    ASSERT_TRUE(store.RemoveIndexes({"removed"}));
    static_cast<void>(store.CollectSome(20));
    Put(store, 3, 20, 50);
    Erase(store, 45, 55);
    Put(store, 4, 50, 60);
    if (!collected) return;
    second.reset();
    for (int i = 0; i < 1000 && store.CollectSome(10); ++i) {
    }
  }

  Simulation sim_;
  std::vector<ObjectRef> objects_;
};

TEST_F(StoreMemoryTest, DestroyedStore_LeavesNothing) {
  for (const bool collected : {false, true, false, true}) {
    // The first round also allocates memory that the program keeps for good.
    const std::ptrdiff_t before = heap.pieces;
    {
      StoreCore store(sim_.env(), {.name = "test"});
      Use(store, collected);
    }
    static bool first = true;
    if (!std::exchange(first, false)) {
      EXPECT_EQ(heap.pieces - before, 0) << collected;
    }
  }
}

TEST_F(StoreMemoryTest, SnapshotOutlivingStore_LeavesNothing) {
  for (int i = 0; i < 2; ++i) {
    const std::ptrdiff_t before = heap.pieces;
    {
      std::shared_ptr<const SnapshotCore> snapshot;
      StoreCore store(sim_.env(), {.name = "test"});
      Use(store, false);
      snapshot = store.Snapshot();
      Put(store, 0);
    }
    if (i > 0) {
      EXPECT_EQ(heap.pieces - before, 0);
    }
  }
}

// Repeated replacements with short-lived snapshots do not accumulate memory.
TEST_F(StoreMemoryTest, AStoreThatIsUsedForLongTakesNoMore) {
  StoreCore store(sim_.env(), {.name = "test"});
  ASSERT_TRUE(AddIndex(store, "ordered", Ordered()));
  store.KeepChanges(100, 1 << 20);
  std::vector<std::ptrdiff_t> after_round;
  for (std::size_t round = 0; round < 40; ++round) {
    Put(store, round % 4);
    auto snapshot = store.Snapshot();
    Put(store, (round + 1) % 4);
    Erase(store, 0, 60);
    for (int i = 0; i < 10; ++i) static_cast<void>(store.CollectSome(7));
    snapshot.reset();
    Put(store, 4);
    for (int i = 0; i < 1000 && store.CollectSome(100); ++i) {
    }
    after_round.push_back(heap.pieces);
  }
  // The memory of a queue varies with its position in its blocks.
  EXPECT_LE(after_round.back() - after_round[9], 20);
}

TEST_F(StoreMemoryTest, VersionsThatChangeNoObjectTakeNothing) {
  StoreCore store(sim_.env(), {.name = "test"});
  store.KeepChanges(100, 1 << 20);
  Put(store, 0);
  const auto commit = [&](int times) {
    for (int i = 0; i < times; ++i) {
      store.Begin();
      store.SetResourceVersion(std::to_string(1 + i % 2));
      store.Commit();
    }
  };
  commit(100);
  const std::ptrdiff_t before = heap.pieces;
  commit(200);
  EXPECT_LE(heap.pieces - before, 20);
}

TEST_F(StoreMemoryTest, CollectSome_WithoutWork_FreesQueues) {
  StoreCore store(sim_.env(), {.name = "test"});
  Put(store, 0);
  Put(store, 1);
  while (store.CollectSome(100)) {
  }
  const std::ptrdiff_t before = heap.pieces;
  EXPECT_FALSE(store.CollectSome(100));
  EXPECT_LE(heap.pieces - before, -3) << "two queues, each of two pieces at least";
}

// Objects have memory of their own and are not counted: a hundred of one megabyte each would be
// noticed, whether the store frees them during its life or at its end.
TEST(StoreMemory, ObjectsGoOnceNobodyHasThem) {
  const auto taken = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  Simulation sim;
  const TestLabels labels = {{"large", std::string(std::size_t{1} << 20, 'x')}};
  for (const bool ends : {false, true}) {
    const std::size_t before = taken();
    auto store = std::make_unique<StoreCore>(sim.env(), StoreCoreOptions{.name = "test"});
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(store->Put(MakeObject("ns", "a", "1", labels)));
      if (ends) store = std::make_unique<StoreCore>(sim.env(), StoreCoreOptions{.name = "test"});
    }
    EXPECT_LT(taken(), before + (std::size_t{80} << 20)) << ends;
  }
}

TEST(StoreMemory, BuffersThatAreEmptyTakeNothing) {
  const std::ptrdiff_t before = heap.pieces;
  LazyDeque<int> deque;
  FifoBuffer<int> buffer;
  for (int i = 0; i < 100; ++i) {
    deque.push_back(i);
    buffer.push_back(i);
  }
  for (int i = 0; i < 100; ++i) {
    deque.pop_front();
    buffer.pop_front();
  }
  deque.ReleaseMemory();
  EXPECT_EQ(heap.pieces - before, 0);
}

TEST(StoreMemory, AThreadThatHasEndedLeavesItsPlaceToTheNext) {
  const auto read = [] { std::thread([] { const ReadGuard guard; }).join(); };
  read();
  const std::ptrdiff_t before = heap.pieces;
  for (int i = 0; i < 20; ++i) read();
  EXPECT_EQ(heap.pieces - before, 0);
}

}  // namespace
}  // namespace kinformer::internal::cache
