// read_bench: reads from a cache of 150,000 pods, compared with lock-free structures: Abseil's flat
// hash map from key strings to pointers, its flat hash set of the objects themselves, a scan of an
// array of handles, and a guard.
//
//   read_bench [--pods N] [--rounds N]
//
// Each row is measured in rounds, all contenders of a workload in each round, so that other load on
// the machine slows all of them. Times are CPU time of the reading thread; a ratio is the median of
// the rounds' ratios. Another thread makes the objects, keys and the map, as an informer's loop
// does, and they are touched before the measurement.

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/lister.h"
#include "kinformer/internal/block_builder.h"

#include "cache/store/coverage.h"
#include "cache/store/reclamation.h"
#include "cache/store/store_core.h"
#include "demo/cluster_model.h"

namespace kinformer {
namespace {

using internal::Block;
using internal::ObjectRef;
using internal::SnapshotCore;
using internal::cache::Coverage;
using internal::cache::ReadGuard;
using internal::cache::StoreCore;

double CpuNanoseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class T>
void Keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Owner of the store that acts like a synced informer.
class Owner final : public internal::StoreOwner {
 public:
  [[nodiscard]] Result<void> Complete(const Coverage&, std::string_view) const override {
    return {};
  }
  void OnRead(const Coverage*) const override {}
  Result<void> AddIndexes(internal::NamedIndexFunctions, bool) override { return {}; }
  Result<void> RemoveIndexes(std::vector<std::string>) override { return {}; }
  [[nodiscard]] Result<void> WaitForResourceVersion(std::string_view, std::string_view,
                                                    const std::stop_token&,
                                                    std::optional<Duration>) const override {
    return {};
  }
};

// Namespace and name as views into the key.
struct Name {
  std::string_view namespace_;
  std::string_view name;
};

// Hash for a set of objects that is looked up by key and stores no keys of its own.
struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(const Name& key) const { return absl::HashOf(key.namespace_, key.name); }
  std::size_t operator()(const Block* block) const {
    return (*this)(Name{block->namespace_(), block->name()});
  }
};
struct KeyEqual {
  using is_transparent = void;
  bool operator()(const Block* block, const Name& key) const {
    return block->name() == key.name && block->namespace_() == key.namespace_;
  }
  bool operator()(const Block* a, const Block* b) const {
    return (*this)(a, Name{b->namespace_(), b->name()});
  }
};

struct Cache {
  explicit Cache(Env& env)
      : store(std::make_shared<StoreCore>(env, internal::cache::StoreCoreOptions{})) {}

  void Fill(std::size_t pods) {
    demo::ClusterModel model({.nodes = pods / 100, .namespaces = 100, .pods = pods});
    store->Begin();
    for (const demo::Operation& operation : model.Start()) {
      if (operation.resource != "pods") continue;
      const ObjectRef object =
          internal::BuildFromJson(corev1::Pod::kind_info(), operation.json).OrExit();
      keys.push_back(std::string(object->namespace_()) + "/" + std::string(object->name()));
      messages.emplace_back(object->payload());
      static_cast<void>(store->Put(object));
      objects.push_back(object);
    }
    auto coverage = std::make_shared<Coverage>();
    coverage->complete = true;
    store->SetCoverage(std::move(coverage));
    store->Commit();
    const auto snapshot = store->Snapshot();
    map.reserve(keys.size());
    set.reserve(keys.size());
    for (const std::string& key : keys) {
      const auto [namespace_, name] = internal::SplitStoreKey(key);
      names.push_back({namespace_, name});
      map.emplace(key, snapshot->Get(namespace_, name));
      set.insert(snapshot->Get(namespace_, name));
    }
    SnapshotCore::Cursor cursor;
    while (const Block* block = snapshot->Next(cursor)) handles.push_back(block);
  }

  std::shared_ptr<StoreCore> store;
  std::vector<std::string> keys;
  std::vector<Name> names;
  std::vector<std::string> messages;
  // Keeps alive the objects that the map and the handles point to.
  std::vector<ObjectRef> objects;
  absl::flat_hash_map<std::string, const Block*> map;
  absl::flat_hash_set<const Block*, KeyHash, KeyEqual> set;
  std::vector<const Block*> handles;
};

// Replaces 50,000 pods a second.
class Writer {
 public:
  explicit Writer(Cache& cache)
      : thread_([&cache](const std::stop_token& stop) {
          std::mt19937 random(3);
          auto next = std::chrono::steady_clock::now();
          while (!stop.stop_requested()) {
            cache.store->Begin();
            for (int i = 0; i < 50; ++i) {
              const std::string& message = cache.messages[random() % cache.messages.size()];
              static_cast<void>(cache.store->Put(
                  internal::BuildFromProtobuf(corev1::Pod::kind_info(), message).OrExit()));
            }
            cache.store->Commit();
            next += std::chrono::milliseconds(1);
            std::this_thread::sleep_until(next);
          }
        }) {}

 private:
  std::jthread thread_;
};

struct Contender {
  std::string name;
  std::function<void()> run;
};

// Compares the others with the first contender. `per_run`: operations in a run.
void Compare(const std::string& title, std::size_t rounds, double per_run,
             const std::vector<Contender>& contenders) {
  std::vector<std::vector<double>> times(contenders.size());
  for (std::size_t round = 0; round < rounds + 1; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double start = CpuNanoseconds();
      contenders[i].run();
      // The first round is a warm-up.
      if (round != 0) times[i].push_back((CpuNanoseconds() - start) / per_run);
    }
  }
  std::printf("%s\n", title.c_str());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < rounds; ++round) {
      ratios.push_back(times[i][round] / times[0][round]);
    }
    std::printf("  %-34s %9.1f ns   x %.2f\n", contenders[i].name.c_str(), Median(times[i]),
                Median(ratios));
  }
  std::fflush(stdout);
}

void CompareGets(const std::string& title, std::size_t rounds, Cache& cache,
                 const Lister<corev1::Pod>& lister, std::size_t distinct) {
  std::mt19937 random(2);
  std::vector<std::uint32_t> order(1 << 17);
  const std::size_t stride = cache.keys.size() / distinct;
  for (std::uint32_t& at : order) at = static_cast<std::uint32_t>(random() % distinct * stride);
  const auto each = [&order](auto&& get) {
    return [&order, get] {
      for (const std::uint32_t at : order) Keep(get(at));
    };
  };
  // Takes a new snapshot in each run, as for a read of the current state.
  const auto of_snapshot = [&order, &lister](auto&& get) {
    return [&order, &lister, get] {
      const Snapshot<corev1::Pod> snapshot = lister.Snapshot();
      for (const std::uint32_t at : order) Keep(get(snapshot, at));
    };
  };
  Compare(title, rounds, static_cast<double>(order.size()),
          {{"flat_hash_map::find",
            each([&cache](std::size_t at) { return cache.map.find(cache.keys[at])->second; })},
           // Stores no copies of the keys: compares with the keys inside the objects, as a look-up
           // in the cache does.
           {"flat_hash_set of the objects",
            each([&cache](std::size_t at) { return *cache.set.find(cache.names[at]); })},
           {"the same, and a count of the object", each([&cache](std::size_t at) {
              return ObjectRef::Share(*cache.set.find(cache.names[at])).get();
            })},
           // Also reads the object, as most look-ups do; the map had not touched it before.
           {"flat_hash_map::find, and its node", each([&cache](std::size_t at) {
              return corev1::Pod(cache.map.find(cache.keys[at])->second).spec().nodeName().size();
            })},
           {"Snapshot::GetByKey, and its node",
            of_snapshot([&cache](const Snapshot<corev1::Pod>& snapshot, std::size_t at) {
              return snapshot.GetByKey(cache.keys[at])->spec().nodeName().size();
            })},
           {"Snapshot::Get",
            of_snapshot([&cache](const Snapshot<corev1::Pod>& snapshot, std::size_t at) {
              return *snapshot.Get(cache.names[at].namespace_, cache.names[at].name);
            })},
           {"Snapshot::GetByKey",
            of_snapshot([&cache](const Snapshot<corev1::Pod>& snapshot, std::size_t at) {
              return *snapshot.GetByKey(cache.keys[at]);
            })},
           {"Lister::Get(namespace, name)", each([&cache, &lister](std::size_t at) {
              return lister.Get(cache.names[at].namespace_, cache.names[at].name).ok();
            })},
           {"Lister::GetByKey", each([&cache, &lister](std::size_t at) {
              return lister.GetByKey(cache.keys[at]).ok();
            })},
           {"Lister::Namespace(ns).Get(name)", each([&cache, &lister](std::size_t at) {
              const Name& name = cache.names[at];
              return lister.Namespace(name.namespace_).Get(name.name).ok();
            })}});
}

void CompareWalks(std::size_t rounds, Cache& cache, const Lister<corev1::Pod>& lister) {
  const Snapshot<corev1::Pod> snapshot = lister.Snapshot();
  // The pattern of a scan over heads: a null check and a store for each.
  std::vector<const Block*> out(64);
  Compare("walk of a fresh snapshot's handles, per object", rounds,
          static_cast<double>(cache.handles.size()),
          {{"scan of an array of handles",
            [&] {
              std::size_t n = 0;
              for (const Block* const block : cache.handles) {
                if (block != nullptr) out[n++ % 64] = block;
              }
              Keep(out.data());
            }},
           {"SnapshotCore::NextBatch",
            [&] {
              SnapshotCore::Cursor cursor;
              while (snapshot.core()->NextBatch(cursor, out) != 0) Keep(out.data());
            }},
           {"for (corev1::Pod p : snapshot)", [&] {
              for (const corev1::Pod pod : snapshot) Keep(pod);
            }}});
}

void CompareSnapshots(std::size_t rounds, const Lister<corev1::Pod>& lister) {
  constexpr int kTimes = 200'000;
  Compare("snapshot taken and released", rounds, kTimes,
          {{"a guard",
            [] {
              for (int i = 0; i < kTimes; ++i) {
                const ReadGuard guard;
                Keep(i);
              }
            }},
           // Cost of a guard if readers needed a barrier of their own.
           {"a guard with a barrier",
            [] {
              std::atomic<std::uint64_t> entered{0};
              for (std::uint64_t i = 0; i < kTimes; ++i) {
                entered.exchange(i + 1, std::memory_order_acq_rel);
                entered.store(0, std::memory_order_release);
              }
              Keep(entered.load(std::memory_order_relaxed));
            }},
           {"Lister::Snapshot", [&] {
              for (int i = 0; i < kTimes; ++i) Keep(lister.Snapshot().size());
            }}});
}

int Main(std::size_t pods, std::size_t rounds) {
  Runtime runtime;
  Cache cache(runtime.env());
  std::thread([&] { cache.Fill(pods); }).join();
  Owner owner;
  const auto core = std::make_shared<internal::IndexerCore>(cache.store, owner);
  const Lister<corev1::Pod> lister(core);
  std::printf("%zu pods; table and indexes %.1f B each\n", cache.keys.size(),
              static_cast<double>(cache.store->Stats().table_bytes) /
                  static_cast<double>(cache.keys.size()));
  const std::size_t hot = std::min<std::size_t>(10'000, cache.keys.size());
  // The cost without misses of the core's cache.
  CompareGets("100 keys", rounds, cache, lister, std::min<std::size_t>(100, hot));
  CompareGets("10,000 hot keys", rounds, cache, lister, hot);
  CompareGets("random keys", rounds, cache, lister, cache.keys.size());
  CompareWalks(rounds, cache, lister);
  CompareSnapshots(rounds, lister);
  const Writer writer(cache);
  CompareGets("10,000 hot keys, beside 50,000 writes/s", rounds, cache, lister, hot);
  CompareGets("random keys, beside 50,000 writes/s", rounds, cache, lister, cache.keys.size());
  return 0;
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  std::size_t pods = 150'000;
  std::size_t rounds = 15;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::size_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--pods") pods = value;
    if (option == "--rounds") rounds = value;
  }
  return kinformer::Main(pods, rounds);
}
