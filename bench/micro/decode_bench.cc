// decode_bench: decodes bytes to blocks, without a network. *Split* finds the items of a list,
// *Keys* also reads their names, *Build* makes blocks. peers_bench.cc decodes the same bytes with
// other libraries, in the same program.
//
//   decode_bench --benchmark_filter='Pod|Json' --benchmark_repetitions=3

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"
#include "kinformer/object/ref.h"

#include "micro/data.h"
#include "micro/rates.h"
#include "wire/json_bitmap.h"
#include "wire/json_index.h"
#include "wire/json_kernels.h"
#include "wire/json_scanner.h"
#include "wire/list_splitter.h"
#include "wire/protobuf_reader.h"
#include "wire/watch_framer.h"

namespace kinformer::bench {
namespace {

constexpr std::size_t kPiece = 16384;
constexpr std::size_t kBlockOverhead = 150;  // header and index of a pod

const KindInfo& Pods() { return corev1::Pod::kind_info(); }
const KindInfo& DynamicPods() {
  static const KindInfo& type =
      *internal::DynamicKindInfo("example.com", "v1", "Pod", "pods", true);
  return type;
}

// Reads name, namespace and resourceVersion, which the reflector needs.
void ProtobufKeys(std::string_view item, const wire::JsonBitmap*) {
  wire::ProtobufReader root(item);
  while (root.Next() && root.field() != 1) {
  }
  wire::ProtobufReader meta(root.bytes());
  while (meta.Next() && meta.field() <= 6) benchmark::DoNotOptimize(meta.bytes().data());
}

// Also checks that the text is UTF-8.
void JsonKeys(std::string_view item, const wire::JsonBitmap* bitmap) {
  if ((bitmap->notes() & wire::kJsonNotAscii) != 0 && !wire::IsUtf8(item)) std::abort();
  wire::JsonMembers root(item, *bitmap);
  while (root.Next() && root.name() != "metadata") {
  }
  wire::JsonMembers meta(root.rest(), *bitmap);
  for (int found = 0; found < 3 && meta.Next();) {
    if (meta.name() != "name" && meta.name() != "namespace" && meta.name() != "resourceVersion")
      continue;
    benchmark::DoNotOptimize(meta.value().data());
    ++found;
  }
}

template <class Item>
class Each final : public wire::ListSplitter::Sink, public wire::WatchFramer::Sink {
 public:
  explicit Each(Item item) : item_(item) {}
  Result<void> OnItem(std::string_view item, const wire::JsonBitmap* bitmap) override {
    item_(item, bitmap);
    return {};
  }
  Result<void> OnFrame(const wire::WatchFrame& frame) override {
    item_(frame.object, frame.bitmap);
    return {};
  }

 private:
  Item item_;
};

template <class Splitter, class Item>
void Run(benchmark::State& state, internal::Encoding encoding, const std::string& body, Item item) {
  Each<Item> sink(item);
  for (auto _ : state) {
    Splitter splitter(encoding);
    for (std::size_t at = 0; at < body.size(); at += kPiece) {
      if (!splitter.Feed(std::string_view(body).substr(at, kPiece), sink)) std::abort();
    }
    if (!splitter.Finish()) std::abort();
  }
  Rates(state, body.size());
}

void ProtobufListSplitOurs(benchmark::State& state) {
  Run<wire::ListSplitter>(state, internal::Encoding::kProtobuf, AllData().protobuf_list,
                          [](std::string_view, const wire::JsonBitmap*) {});
}
void ProtobufListKeysOurs(benchmark::State& state) {
  Run<wire::ListSplitter>(state, internal::Encoding::kProtobuf, AllData().protobuf_list,
                          ProtobufKeys);
}
void JsonListSplitOurs(benchmark::State& state) {
  Run<wire::ListSplitter>(state, internal::Encoding::kJson, AllData().json_list,
                          [](std::string_view, const wire::JsonBitmap*) {});
}
void JsonListKeysOurs(benchmark::State& state) {
  Run<wire::ListSplitter>(state, internal::Encoding::kJson, AllData().json_list, JsonKeys);
}
void JsonEscapedListKeysOurs(benchmark::State& state) {
  Run<wire::ListSplitter>(state, internal::Encoding::kJson, AllData().escaped_list, JsonKeys);
}
void JsonWatchEventOurs(benchmark::State& state) {
  Run<wire::WatchFramer>(state, internal::Encoding::kJson, AllData().json_watch, JsonKeys);
}
// The same with every kernel that this processor supports, including the portable one.
void JsonListKeysByKernel(benchmark::State& state) {
  const wire::JsonKernel& usual = wire::CurrentJsonKernel();
  const wire::JsonKernel& kernel = wire::JsonKernels()[static_cast<std::size_t>(state.range(0))];
  state.SetLabel(std::string(kernel.name));
  wire::UseJsonKernel(kernel);
  JsonListKeysOurs(state);
  wire::UseJsonKernel(usual);
}
BENCHMARK(JsonListKeysByKernel)
    ->DenseRange(0, static_cast<int>(wire::JsonKernels().size()) - 1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ProtobufListSplitOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(ProtobufListKeysOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonListSplitOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonListKeysOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonEscapedListKeysOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonWatchEventOurs)->Unit(benchmark::kMillisecond);

// All pods together exceed the caches of a core. This many fit into them, like data that was just
// decrypted.
constexpr std::size_t kInCache = 256;

template <class Use>
void RunEach(benchmark::State& state, std::span<const std::string> objects, Use use) {
  std::size_t bytes = 0;
  for (const std::string& object : objects) bytes += object.size();
  for (auto _ : state) {
    for (const std::string& object : objects) use(object);
  }
  Rates(state, bytes, objects.size());
}

template <class Build>
void RunBuild(benchmark::State& state, std::span<const std::string> objects, Build build) {
  RunEach(state, objects, [&](const std::string& object) {
    const Result<internal::ObjectRef> block = build(object);
    if (!block) std::abort();
    benchmark::DoNotOptimize(block->get());
  });
}

std::span<const std::string> JsonInCache() { return std::span(AllData().json).first(kInCache); }

void ProtobufPodBuildOurs(benchmark::State& state) {
  RunBuild(state, AllData().protobuf,
           [](std::string_view pod) { return internal::BuildFromProtobuf(Pods(), pod); });
  // All blocks at once, as in a cache.
  std::vector<internal::ObjectRef> blocks;
  std::size_t payload = 0;
  std::size_t taken = 0;
  for (const std::string& pod : AllData().protobuf) {
    blocks.push_back(internal::BuildFromProtobuf(Pods(), pod).OrExit());
    payload += blocks.back()->payload().size();
    taken += blocks.back()->allocated_bytes();
  }
  state.counters["payload_B"] = static_cast<double>(payload) / static_cast<double>(kPods);
  state.counters["overhead_B"] = static_cast<double>(taken - payload) / static_cast<double>(kPods);
}
// Lower bound for building: memory of the block's size, and one copy.
void ProtobufPodCopyFloor(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const std::string& pod : AllData().protobuf) bytes += pod.size();
  for (auto _ : state) {
    for (const std::string& pod : AllData().protobuf) {
      void* const memory = std::malloc(pod.size() + kBlockOverhead);
      benchmark::DoNotOptimize(std::memcpy(memory, pod.data(), pod.size()));
      benchmark::ClobberMemory();
      std::free(memory);
    }
  }
  Rates(state, bytes);
}
Result<internal::ObjectRef> Keep(std::string_view pod) {
  return internal::BuildFromJson(DynamicPods(), pod);
}
void JsonKeptBuildOurs(benchmark::State& state) { RunBuild(state, AllData().json, Keep); }
void JsonKeptBuildInCacheOurs(benchmark::State& state) { RunBuild(state, JsonInCache(), Keep); }
// With a bitmap that exists already, as from the splitter.
void JsonKeptBuildWithBitmapOurs(benchmark::State& state) {
  static const std::vector<wire::JsonBitmap>* const bitmaps = [] {
    auto* const made = new std::vector<wire::JsonBitmap>(kInCache);
    for (std::size_t i = 0; i < kInCache; ++i) (*made)[i].Read(JsonInCache()[i]);
    return made;
  }();
  std::size_t i = 0;
  RunBuild(state, JsonInCache(), [&](std::string_view pod) {
    return internal::BuildFromJson(DynamicPods(), pod, {}, &(*bitmaps)[i++ % kInCache]);
  });
}
// Lower bound for every way to build a block: one scan of all bytes.
void Scan(const std::string& pod) {
  thread_local wire::JsonBitmap bitmap;
  bitmap.Read(pod);
  benchmark::DoNotOptimize(bitmap.notes());
}
void JsonScanFloor(benchmark::State& state) { RunEach(state, AllData().json, Scan); }
void JsonScanFloorInCache(benchmark::State& state) { RunEach(state, JsonInCache(), Scan); }
BENCHMARK(JsonScanFloor)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonScanFloorInCache)->Unit(benchmark::kMicrosecond);
void JsonKeptBuildWithoutManagedFieldsOurs(benchmark::State& state) {
  RunBuild(state, AllData().json, [](std::string_view pod) {
    return internal::BuildFromJson(DynamicPods(), pod, {.drop_managed_fields = true});
  });
}
void JsonTranscodedBuildOurs(benchmark::State& state) {
  RunBuild(state, AllData().json,
           [](std::string_view pod) { return internal::BuildFromJson(Pods(), pod); });
}
BENCHMARK(ProtobufPodCopyFloor)->Unit(benchmark::kMillisecond);
// From the body of a list to its blocks.
void JsonListBuildOurs(benchmark::State& state) {
  Run<wire::ListSplitter>(state, internal::Encoding::kJson, AllData().json_list,
                          [](std::string_view item, const wire::JsonBitmap* bitmap) {
                            const auto block =
                                internal::BuildFromJson(DynamicPods(), item, {}, bitmap);
                            if (!block) std::abort();
                            benchmark::DoNotOptimize(block->get());
                          });
}
BENCHMARK(JsonListBuildOurs)->Unit(benchmark::kMillisecond);
// Adds memory for the object, and a copy.
void Copy(const std::string& object) {
  void* const copy = std::malloc(object.size() + kBlockOverhead);
  if (copy == nullptr) std::abort();
  std::memcpy(copy, object.data(), object.size());
  benchmark::DoNotOptimize(copy);
  benchmark::ClobberMemory();
  std::free(copy);
}
void JsonCopyFloor(benchmark::State& state) { RunEach(state, AllData().json, Copy); }
void JsonCopyFloorInCache(benchmark::State& state) { RunEach(state, JsonInCache(), Copy); }
BENCHMARK(JsonCopyFloorInCache)->Unit(benchmark::kMicrosecond);
BENCHMARK(JsonCopyFloor)->Unit(benchmark::kMillisecond);
BENCHMARK(ProtobufPodBuildOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonKeptBuildOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonKeptBuildInCacheOurs)->Unit(benchmark::kMicrosecond);
BENCHMARK(JsonKeptBuildWithBitmapOurs)->Unit(benchmark::kMicrosecond);
BENCHMARK(JsonKeptBuildWithoutManagedFieldsOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonTranscodedBuildOurs)->Unit(benchmark::kMillisecond);

void FieldReadOurs(benchmark::State& state) {
  const auto block = internal::BuildFromProtobuf(Pods(), AllData().protobuf.front()).OrExit();
  const Ref<corev1::Pod> pod{block};
  for (auto _ : state) benchmark::DoNotOptimize(pod->spec().nodeName().data());
}
BENCHMARK(FieldReadOurs);

void ConditionReadOurs(benchmark::State& state) {
  const auto block = internal::BuildFromProtobuf(Pods(), AllData().protobuf.front()).OrExit();
  const Ref<corev1::Pod> pod{block};
  for (auto _ : state) {
    benchmark::DoNotOptimize((*pod->status().conditions().begin()).type().data());
  }
}
BENCHMARK(ConditionReadOurs);

void LabelReadOurs(benchmark::State& state) {
  const auto block = internal::BuildFromProtobuf(Pods(), AllData().protobuf.front()).OrExit();
  const Ref<corev1::Pod> pod{block};
  for (auto _ : state) benchmark::DoNotOptimize(pod->metadata().labels()["app"].data());
}
BENCHMARK(LabelReadOurs);

}  // namespace
}  // namespace kinformer::bench
