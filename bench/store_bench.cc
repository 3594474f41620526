// The store's rows in docs/inside/benchmarks.md. Times are CPU time of the measuring thread;
// objects have about 1.8 KB.
//
//   store_bench --benchmark_filter=Get

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/runtime.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"

#include "benchmark/benchmark.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {
namespace {

constexpr std::size_t kPayload = 1700;

Env& BenchEnv() {
  static Runtime runtime;
  return runtime.env();
}

ObjectRef MakeObject(std::size_t i, int version) {
  // Only metadata, stored as protobuf like built-in kinds.
  static const KindInfo* type = MetadataKindInfo("bench.example", "v1", "Thing", "things", true);
  const std::string json = R"({"metadata":{"name":"thing-7d9c6b5f48-)" + std::to_string(i) +
                           R"(","namespace":"namespace-)" + std::to_string(i % 20) +
                           R"(","resourceVersion":")" + std::to_string(version) +
                           R"(","annotations":{"text":")" + std::string(kPayload, 'x') + R"("}}})";
  return BuildFromJson(*type, json).OrExit();
}

struct Key {
  std::string namespace_;
  std::string name;
};
std::vector<Key> Keys(std::size_t count) {
  std::vector<Key> keys;
  keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(
        {"namespace-" + std::to_string(i % 20), "thing-7d9c6b5f48-" + std::to_string(i)});
  }
  return keys;
}

std::unique_ptr<StoreCore> Filled(std::size_t count) {
  auto store = std::make_unique<StoreCore>(BenchEnv(), StoreCoreOptions{.name = "bench"});
  store->Begin();
  for (std::size_t i = 0; i < count; ++i) static_cast<void>(store->Put(MakeObject(i, 1)));
  store->Commit();
  return store;
}

// One filled store for all benchmarks that do not depend on earlier changes.
StoreCore& Shared(std::size_t count) {
  static std::size_t size = 0;
  static std::unique_ptr<StoreCore> store;
  if (size != count) {
    store.reset();
    store = Filled(count);
    size = count;
  }
  return *store;
}

void Insert(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<ObjectRef> objects;
    for (std::size_t i = 0; i < count; ++i) objects.push_back(MakeObject(i, 1));
    auto store = std::make_unique<StoreCore>(BenchEnv(), StoreCoreOptions{});
    state.ResumeTiming();
    store->Begin();
    for (ObjectRef& object : objects) static_cast<void>(store->Put(std::move(object)));
    store->Commit();
    state.PauseTiming();
    const StoreStats stats = store->Stats();
    state.counters["table_B_per_object"] =
        static_cast<double>(stats.table_bytes) / static_cast<double>(count);
    store.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
}
BENCHMARK(Insert)->Arg(150000)->Iterations(3)->Unit(benchmark::kMillisecond);

// Replaces random keys in commits of `batch`, freeing included. The objects are made beforehand.
void Replace(benchmark::State& state) {
  StoreCore& store = Shared(static_cast<std::size_t>(state.range(0)));
  const auto batch = static_cast<std::size_t>(state.range(1));
  constexpr std::size_t kPool = 32768;
  std::mt19937 random(1);
  std::vector<ObjectRef> objects;
  std::size_t next = 0;
  const auto refill = [&] {
    objects.clear();
    for (std::size_t i = 0; i < kPool; ++i) {
      objects.push_back(MakeObject(random() % static_cast<std::size_t>(state.range(0)), 2));
    }
    next = 0;
  };
  refill();
  for (auto _ : state) {
    if (next + batch > objects.size()) {
      state.PauseTiming();
      refill();
      state.ResumeTiming();
    }
    store.Begin();
    for (std::size_t i = 0; i < batch; ++i) {
      static_cast<void>(store.Put(std::move(objects[next++])));
    }
    store.Commit();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(batch) * state.iterations());
  while (store.CollectSome(100000)) {
  }
}
BENCHMARK(Replace)->Args({150000, 1})->Args({150000, 16})->Args({150000, 256});

// Replaces about 50,000 objects a second during the measurement.
class Writer {
 public:
  explicit Writer(StoreCore& store, std::size_t count) {
    thread_ = std::thread([this, &store, count] {
      std::mt19937 random(3);
      auto next = std::chrono::steady_clock::now();
      while (!stop_.load(std::memory_order_relaxed)) {
        store.Begin();
        for (int i = 0; i < 50; ++i) static_cast<void>(store.Put(MakeObject(random() % count, 3)));
        store.Commit();
        next += std::chrono::milliseconds(1);
        std::this_thread::sleep_until(next);
      }
    });
  }
  ~Writer() {
    stop_.store(true, std::memory_order_relaxed);
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Args: objects, distinct keys read, 1 to take a Ref, 1 for a concurrent writer.
void Get(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  StoreCore& store = Shared(count);
  const std::vector<Key> keys = Keys(count);
  std::mt19937 random(2);
  std::vector<std::uint32_t> order(1 << 16);
  for (auto& k : order) {
    k = static_cast<std::uint32_t>(random() % static_cast<std::size_t>(state.range(1)));
  }
  std::unique_ptr<Writer> writer;
  if (state.range(3) != 0) writer = std::make_unique<Writer>(store, count);
  const auto snapshot = store.Snapshot();
  std::size_t i = 0;
  for (auto _ : state) {
    const Key& key = keys[order[i++ & (order.size() - 1)]];
    if (state.range(2) != 0) {
      benchmark::DoNotOptimize(store.Get(key.namespace_, key.name));
    } else {
      benchmark::DoNotOptimize(snapshot->Get(key.namespace_, key.name));
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Get)
    ->ArgNames({"objects", "keys", "ref", "writer"})
    ->Args({150000, 10000, 0, 0})
    ->Args({150000, 10000, 1, 0})
    ->Args({150000, 150000, 0, 0})
    ->Args({150000, 150000, 1, 0})
    ->Args({150000, 10000, 1, 1})
    ->Args({150000, 150000, 1, 1});

void TakeSnapshot(benchmark::State& state) {
  StoreCore& store = Shared(150000);
  for (auto _ : state) benchmark::DoNotOptimize(store.Snapshot());
}
BENCHMARK(TakeSnapshot);

void Walk(benchmark::State& state, const SnapshotCore& snapshot) {
  for (auto _ : state) {
    SnapshotCore::Cursor cursor;
    std::array<const Block*, 64> batch{};
    std::size_t seen = 0;
    while (const std::size_t n = snapshot.NextBatch(cursor, batch)) seen += n;
    if (seen != snapshot.size()) state.SkipWithError("the walk missed objects");
  }
}
void WalkFresh(benchmark::State& state) { Walk(state, *Shared(150000).Snapshot()); }
BENCHMARK(WalkFresh)->Unit(benchmark::kMillisecond);

// The snapshot is a million updates old.
void WalkStale(benchmark::State& state) {
  StoreCore& store = Shared(150000);
  auto snapshot = store.Snapshot();
  std::mt19937 random(4);
  for (int i = 0; i < 1000000 / 256; ++i) {
    store.Begin();
    for (int k = 0; k < 256; ++k) static_cast<void>(store.Put(MakeObject(random() % 150000, 4)));
    store.Commit();
  }
  Walk(state, *snapshot);
  snapshot.reset();
  while (store.CollectSome(100000)) {
  }
}
BENCHMARK(WalkStale)->Unit(benchmark::kMillisecond);

void ByNamespace(benchmark::State& state) {
  StoreCore& store = Shared(150000);
  const auto snapshot = store.Snapshot();
  for (auto _ : state) benchmark::DoNotOptimize(snapshot->ByIndex("namespace", "namespace-3"));
  state.SetItemsProcessed(7500 * state.iterations());
}
BENCHMARK(ByNamespace);

}  // namespace
}  // namespace kinformer::internal::cache

BENCHMARK_MAIN();
