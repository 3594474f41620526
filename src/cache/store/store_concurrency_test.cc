// One writer and several readers on real threads. The proof comes from ThreadSanitizer and
// AddressSanitizer; without them the test still checks that readers see only whole versions.

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/indexer.h"

#include "cache/store/coverage.h"
#include "cache/store/reclamation.h"
#include "cache/store/store_core.h"
#include "cache/store/testing/readers.h"
#include "cache/store/testing/test_objects.h"
#include "gtest/gtest.h"

namespace kinformer::internal::cache {
namespace {

int Amount(const Block& block) { return std::stoi(LabelOf(block, "amount")); }

constexpr int kAccounts = 200;
constexpr int kTotal = kAccounts * 100;

void CheckBooks(const SnapshotCore& snapshot) {
  int total = 0;
  std::size_t seen = 0;
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot.Next(cursor)) {
    total += Amount(*block);
    ++seen;
  }
  ASSERT_EQ(total, kTotal);
  ASSERT_EQ(seen, snapshot.size());
  std::size_t indexed = 0;
  const auto values = snapshot.IndexValues("amount").OrExit();
  for (const std::string& value : values) {
    for (const Block* block : snapshot.ByIndex("amount", value).OrExit()) {
      ASSERT_EQ(LabelOf(*block, "amount"), value);
      ++indexed;
    }
  }
  ASSERT_EQ(indexed, snapshot.size());
  std::size_t in_namespaces = 0;
  for (const char* ns : {"n0", "n1", "n2"}) {
    in_namespaces += snapshot.ByIndex("namespace", ns).OrExit().size();
  }
  ASSERT_EQ(in_namespaces, snapshot.size());
}

// Threads that share a slot would end each other's guards.
TEST(StoreConcurrency, EachThreadThatReadsHasASlotOfItsOwn) {
  // More threads than have read before, so that new slots are needed.
  constexpr std::size_t kThreads = 64;
  std::vector<const ReaderSlot*> slots(kThreads);
  std::atomic<std::size_t> ready{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const ReadGuard guard;
      slots[i] = this_thread_reader_slot;
      ++ready;
      while (ready.load() < kThreads) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<const ReaderSlot*>(slots.begin(), slots.end()).size(), kThreads);
}

// Every commit moves an amount between accounts, closes one and opens another, so the sum is equal
// in all versions.
TEST(StoreConcurrency, SnapshotsAreWholeVersions) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "bank"});
  ASSERT_TRUE(AddIndex(store, "amount", [](const Block& block, IndexValues& out) {
    out.Add(LabelOf(block, "amount"));
  }));
  std::map<std::string, int> books;
  int next = 0;
  const auto put = [&](const std::string& name, int amount) {
    books[name] = amount;
    static_cast<void>(store.Put(MakeObject("n" + std::to_string(name.size() % 3), name, "1",
                                           {{"amount", std::to_string(amount)}})));
  };
  const auto name_of = [](int i) {
    return "account-" + std::string(static_cast<std::size_t>(i % 3), '.') + std::to_string(i);
  };
  store.Begin();
  for (; next < kAccounts; ++next) put(name_of(next), 100);
  store.Commit();

  std::atomic<int> failures{0};
  std::mt19937 random(7);
  {
    Readers readers(3, [&](std::mt19937& rnd) {
      const auto snapshot = store.Snapshot();
      for (unsigned i = 0; i <= rnd() % 3; ++i) {
        CheckBooks(*snapshot);
        if (testing::Test::HasFatalFailure()) failures.fetch_add(1);
      }
    });
    for (int step = 0; step < 200000 && (step < 3000 || readers.rounds() < 100); ++step) {
      store.Begin();
      auto from =
          books.lower_bound(name_of(static_cast<int>(random() % static_cast<unsigned>(next))));
      if (from == books.end()) from = books.begin();
      const std::string name = from->first;
      const int amount = from->second;
      static_cast<void>(store.Erase("n" + std::to_string(name.size() % 3), name));
      books.erase(from);
      auto to = books.begin();
      put(to->first, to->second + amount / 2);
      put(name_of(next++), amount - amount / 2);
      store.Commit();
      if (step % 64 == 0) static_cast<void>(store.CollectSome(100));
    }
  }
  EXPECT_EQ(failures.load(), 0);
  CheckBooks(*store.Snapshot());
  for (int i = 0; i < 10000 && store.CollectSome(1000); ++i) {
  }
  EXPECT_EQ(store.Stats().pinned_bytes, 0U);
}

// In every version an object is present, unreadable, or the version is incomplete; so every reader
// sees one of the three.
TEST(StoreConcurrency, MissingObject_IsUnreadableOrVersionIncomplete) {
  Simulation sim;
  StoreCore store(sim.env(), {.coverage = std::make_shared<const Coverage>()});
  const auto incomplete = std::make_shared<const Coverage>();
  const auto complete = std::make_shared<const Coverage>(Coverage{.complete = true});
  const auto unreadable = std::make_shared<const Coverage>(Coverage{
      .complete = true, .unreadable = std::make_shared<const NameSet>(NameSet{{"ns", "x"}})});
  Readers readers(3, [&](std::mt19937&) {
    const StoreAnswer answer = store.Ask("ns", "x");
    if (!answer.object) {
      ASSERT_TRUE(!answer.coverage->complete || answer.coverage->IsUnreadable("ns", "x"));
    }
    const auto snapshot = store.Snapshot();
    const Coverage& covers = *snapshot->coverage();
    ASSERT_EQ(snapshot->size() == 0, !covers.complete || covers.IsUnreadable("ns", "x"));
  });
  const auto commit = [&](bool there, const std::shared_ptr<const Coverage>& coverage) {
    store.Begin();
    if (there) {
      static_cast<void>(store.Put(MakeObject("ns", "x", "1")));
    } else {
      static_cast<void>(store.Erase("ns", "x"));
    }
    store.SetCoverage(coverage);
    store.Commit();
  };
  for (int step = 0; step < 200000 && (step < 3000 || readers.rounds() < 1000); ++step) {
    commit(true, complete);
    commit(false, unreadable);
    commit(true, complete);
    commit(false, incomplete);
  }
}

// Point reads, references that outlive their object's time in the store, growth from nothing, and
// indexes that are added and removed.
TEST(StoreConcurrency, ReadersOfAGrowingStore) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "growing"});
  std::atomic<int> written{0};
  {
    Readers readers(3, [&](std::mt19937& random) {
      const int known = written.load(std::memory_order_acquire);
      if (known == 0) return;
      const int i = static_cast<int>(random() % static_cast<unsigned>(known));
      const ObjectRef object = store.Get("", "k" + std::to_string(i));
      ASSERT_TRUE(object) << i << " of " << known;
      ASSERT_EQ(object->name(), "k" + std::to_string(i));
      ASSERT_FALSE(store.Get("", "absent" + std::to_string(i)));
      const auto snapshot = store.Snapshot();
      ASSERT_GE(snapshot->size(), static_cast<std::size_t>(known));
      if (auto even = snapshot->ByIndex("even", "yes")) {
        ASSERT_GE(even->size(), static_cast<std::size_t>(known) / 2);
      }
      ASSERT_FALSE(store.IndexNames().empty());
    });
    for (int i = 0; i < 6000; ++i) {
      const std::string name = "k" + std::to_string(i);
      static_cast<void>(store.Put(MakeObject("", name, "1")));
      static_cast<void>(store.Put(MakeObject("", name, "2")));
      written.store(i + 1, std::memory_order_release);
      if (i % 500 == 100) {
        ASSERT_TRUE(store.BeginIndexes({{"even", [](const Block& block, IndexValues& out) {
                                           if ((block.name().back() - '0') % 2 == 0) out.Add("yes");
                                         }}}));
      } else if (i % 500 == 350) {
        ASSERT_TRUE(store.RemoveIndexes({"even"}));
      }
      // Fills a part in each call, until the index is complete.
      static_cast<void>(store.FillIndexes(SteadyTime::min()));
    }
  }
}

// Writers on several threads alternate by the indexer's own lock.
TEST(StoreConcurrency, IndexerTakesWritesFromManyThreads) {
  Simulation sim;
  Indexer<Thing> indexer(sim.env());
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&indexer, t] {
      for (int i = 0; i < 500; ++i) {
        const std::string name = "t" + std::to_string(t) + "-" + std::to_string(i);
        ASSERT_TRUE(indexer.Add(MakeThing("ns", name, "1")));
        ASSERT_TRUE(indexer.GetByKey("ns/" + name));
        if (i % 2 == 0) {
          ASSERT_TRUE(indexer.DeleteByKey("ns/" + name));
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(indexer.List().size(), 1000U);
}

// Takes a snapshot on one thread and drops it on another, again and again.
TEST(StoreConcurrency, SnapshotsChangeHands) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "hands"});
  static_cast<void>(store.Put(MakeObject("", "k", "0")));
  std::mutex mu;
  std::shared_ptr<const SnapshotCore> shared = store.Snapshot();
  {
    Readers readers(3, [&](std::mt19937& random) {
      std::shared_ptr<const SnapshotCore> mine = store.Snapshot();
      ASSERT_NE(mine->Get("", "k"), nullptr);
      if (random() % 2 == 0) {
        std::lock_guard lock(mu);
        std::swap(mine, shared);
      }
      const Block* block = mine->Get("", "k");
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(block->resourceVersion().empty(), false);
    });
    for (int i = 1; i < 20000; ++i) {
      static_cast<void>(store.Put(MakeObject("", "k", std::to_string(i))));
    }
  }
  shared.reset();
  for (int i = 0; i < 10000 && store.CollectSome(1000); ++i) {
  }
  EXPECT_EQ(store.Stats().pinned_bytes, 0U);
}

}  // namespace
}  // namespace kinformer::internal::cache
