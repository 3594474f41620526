// Joint snapshots while other threads write.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/readers.h"
#include "cache/store/testing/test_objects.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

constexpr int kStores = 3;

class JointSnapshotConcurrency : public ::testing::TestWithParam<int> {
 protected:
  JointSnapshotConcurrency() {
    for (auto& store : stores_) store = std::make_unique<StoreCore>(sim_.env(), StoreCoreOptions());
    for (std::size_t i = 0; i < kStores; ++i) Write(i, 0);
  }
  // Writes two objects in one version, so that half a version would be noticed.
  void Write(std::size_t store, int count) {
    const std::string version = std::to_string(count);
    stores_[store]->Begin();
    static_cast<void>(stores_[store]->Put(MakeObject("", "a", version)));
    static_cast<void>(stores_[store]->Put(MakeObject("", "b", version)));
    stores_[store]->Commit();
  }
  // Returns the count in each store, for stores passed in this order.
  std::array<int, kStores> Counts(const std::array<std::size_t, kStores>& order) {
    std::array<const StoreCore*, kStores> named{};
    for (std::size_t i = 0; i < kStores; ++i) named[i] = stores_[order[i]].get();
    const auto snapshots = StoreCore::JointSnapshots(named, GetParam());
    std::array<int, kStores> counts{};
    for (std::size_t i = 0; i < kStores; ++i) {
      const SnapshotCore& snapshot = *snapshots[i];
      const int a = std::stoi(std::string(snapshot.Get("", "a")->resourceVersion()));
      EXPECT_EQ(std::to_string(a), snapshot.Get("", "b")->resourceVersion());
      counts[order[i]] = a;
    }
    return counts;
  }

  Simulation sim_;
  std::array<std::unique_ptr<StoreCore>, kStores> stores_;
};

// The writer visits the stores in turn: at every instant the first stores are at a count and the
// others one behind. Separate snapshots would violate that.
TEST_P(JointSnapshotConcurrency, SingleWriter_SnapshotsAreNeverTorn) {
  Readers readers(2, [&](std::mt19937& random) {
    std::array<std::size_t, kStores> order{0, 1, 2};
    std::shuffle(order.begin(), order.end(), random);
    const auto counts = Counts(order);
    ASSERT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()))
        << counts[0] << ' ' << counts[1] << ' ' << counts[2];
    ASSERT_LE(counts.front() - counts.back(), 1);
  });
  for (int count = 1; count < 100000 && (count < 2000 || readers.rounds() < 2000); ++count) {
    for (std::size_t i = 0; i < kStores; ++i) Write(i, count);
  }
}

// One writer per store, without pauses: the counts that a thread sees never decrease.
TEST_P(JointSnapshotConcurrency, ManyWriters_SnapshotsNeverGoBack) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < kStores; ++i) {
    writers.emplace_back([&, i] {
      for (int count = 1; !stop.load(std::memory_order_relaxed); ++count) Write(i, count);
    });
  }
  {
    Readers readers(2, [&](std::mt19937&) {
      const auto before = Counts({0, 1, 2});
      const auto after = Counts({2, 1, 0});
      for (std::size_t i = 0; i < kStores; ++i) ASSERT_LE(before[i], after[i]);
    });
    while (readers.rounds() < 500) std::this_thread::yield();
  }
  stop.store(true, std::memory_order_relaxed);
  for (std::thread& writer : writers) writer.join();
}

// Number of passes before writers wait: none, two, and the default.
INSTANTIATE_TEST_SUITE_P(Passes, JointSnapshotConcurrency, ::testing::Values(0, 2, 32));

}  // namespace
}  // namespace kinformer::internal::cache
