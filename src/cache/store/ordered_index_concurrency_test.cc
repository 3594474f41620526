// Ordered indexes that are read while they are written and removed.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/readers.h"
#include "cache/store/testing/test_objects.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

constexpr int kObjects = 60;

IndexFunction ByPlace() {
  IndexFunction function = [](const Block& block, IndexValues& out) {
    out.Add(LabelOf(block, "place"));
  };
  function.ordered = true;
  return function;
}

std::vector<std::string> Places(const SnapshotCore& snapshot, const IndexBounds& bounds) {
  std::vector<std::string> places;
  for (const Block* block : snapshot.ByIndexRange("place", bounds).OrExit()) {
    places.push_back(LabelOf(*block, "place"));
  }
  return places;
}

// Every version has each object once, at one of more places than there are objects, so values
// appear and disappear all the time.
TEST(OrderedIndexConcurrency, EveryWalkIsOfOneVersion) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "places"});
  ASSERT_TRUE(AddIndex(store, "place", ByPlace()));
  std::mt19937 random(3);
  const auto put = [&](int object) {
    const std::string place = std::to_string(100 + random() % 900) + (random() % 4 == 0 ? "b" : "");
    static_cast<void>(store.Put(MakeObject("ns", std::to_string(object), "1", {{"place", place}})));
  };
  store.Begin();
  for (int i = 0; i < kObjects; ++i) put(i);
  store.Commit();
  Readers readers(3, [&](std::mt19937& rnd) {
    const auto snapshot = store.Snapshot();
    std::vector<std::string> all = Places(*snapshot, {});
    ASSERT_EQ(all.size(), static_cast<std::size_t>(kObjects));
    ASSERT_TRUE(std::is_sorted(all.begin(), all.end()));
    const std::string middle = std::to_string(100 + rnd() % 900);
    const auto below = Places(*snapshot, {.to = middle});
    const auto above = Places(*snapshot, {.from = middle, .descending = true});
    ASSERT_EQ(below.size() + above.size(), all.size());
    ASSERT_TRUE(std::equal(below.begin(), below.end(), all.begin()));
    ASSERT_TRUE(std::equal(above.begin(), above.end(), all.rbegin()));
  });
  for (int step = 0; step < 200000 && (step < 3000 || readers.rounds() < 300); ++step) {
    store.Begin();
    const int a = static_cast<int>(random() % kObjects);
    if (random() % 2 == 0) static_cast<void>(store.Erase("ns", std::to_string(a)));
    put(a);
    put(static_cast<int>(random() % kObjects));
    store.Commit();
    if (step % 64 == 0) static_cast<void>(store.CollectSome(100));
  }
}

// A snapshot keeps its indexes, even if they are removed from the store.
TEST(OrderedIndexConcurrency, RemovedUnderReaders) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "places"});
  Readers readers(3, [&](std::mt19937&) {
    const auto snapshot = store.Snapshot();
    const auto first = snapshot->ByIndexRange("place", {});
    if (!first) return;
    ASSERT_EQ(first->size(), snapshot->size());
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(*first, snapshot->ByIndexRange("place", {}).OrExit());
      ASSERT_EQ(snapshot->ByIndex("place", "1").OrExit().size(),
                snapshot->ByIndexRange("place", {.from = "1", .to = "10"}).OrExit().size());
    }
  });
  bool there = false;
  for (int step = 0; step < 200000 && (step < 5000 || readers.rounds() < 1000); ++step) {
    const std::string name = std::to_string(step % 97);
    static_cast<void>(
        store.Put(MakeObject("ns", name, "1", {{"place", std::to_string(step % 13)}})));
    if (step % 5 == 0) static_cast<void>(store.Erase("ns", std::to_string((step + 40) % 97)));
    if (step % 50 != 0) continue;
    if (there) {
      ASSERT_TRUE(store.RemoveIndexes({"place"}));
    } else {
      ASSERT_TRUE(AddIndex(store, "place", ByPlace()));
    }
    there = !there;
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
