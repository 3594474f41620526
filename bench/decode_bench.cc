// decode_bench: from the bytes of a LIST body to blocks, without a network: pods of the made-up cluster, in pieces of 16 KiB.
// `split` finds the items and throws them away; `build` makes a block of each and frees it.

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/type_info.h"

#include "demo/cluster_model.h"
#include "wire/list_splitter.h"
#include "wire/protobuf_writer.h"

namespace kinformer {
namespace {

constexpr std::size_t kPods = 5000;
constexpr std::size_t kPiece = 16384;

const internal::TypeInfo& Pods() { return corev1::Pod::type_info(); }
const internal::TypeInfo& DynamicPods() {
  return *internal::DynamicTypeInfo("example.com", "v1", "Pod", "pods", true);
}

struct Bodies {
  std::string json =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)";
  std::string protobuf;

  Bodies() {
    demo::ClusterModel model({.nodes = kPods / 100, .namespaces = 100, .pods = kPods});
    std::string list;
    wire::ProtobufWriter writer(list);
    writer.Nested(1, [](wire::ProtobufWriter& meta) { meta.BytesField(2, "7"); });
    for (const demo::Operation& operation : model.Start()) {
      if (operation.resource != "pods") continue;
      if (json.back() == '}') json += ',';
      const auto block = internal::BuildFromJson(Pods(), operation.json);
      if (!block) std::abort();
      json += internal::BlockToJson(**block);
      writer.BytesField(2, (*block)->payload());
    }
    json += "]}";
    protobuf.assign("k8s\0", 4);
    wire::ProtobufWriter(protobuf).BytesField(2, list);
  }
};

const Bodies& AllBodies() {
  static const Bodies bodies;
  return bodies;
}

class Split : public wire::ListSplitter::Sink {
 public:
  Result<void> OnItem(std::string_view item) override {
    ++count;
    benchmark::DoNotOptimize(item.data());
    return {};
  }
  std::size_t count = 0;
};

class Build : public wire::ListSplitter::Sink {
 public:
  Build(const internal::TypeInfo& type, bool json) : type_(type), json_(json) {}
  Result<void> OnItem(std::string_view item) override {
    ++count;
    const auto block =
        json_ ? internal::BuildFromJson(type_, item) : internal::BuildFromProtobuf(type_, item);
    if (!block) return block.error();
    benchmark::DoNotOptimize(block->get());
    return {};
  }
  std::size_t count = 0;

 private:
  const internal::TypeInfo& type_;
  const bool json_;
};

template <class Sink>
void Run(benchmark::State& state, bool json, Sink& sink) {
  const std::string& body = json ? AllBodies().json : AllBodies().protobuf;
  for (auto _ : state) {
    wire::ListSplitter splitter(json ? internal::Encoding::kJson : internal::Encoding::kProtobuf);
    for (std::size_t at = 0; at < body.size(); at += kPiece) {
      if (!splitter.Feed(std::string_view(body).substr(at, kPiece), sink)) std::abort();
    }
    if (!splitter.Finish()) std::abort();
  }
  const auto bytes = static_cast<double>(body.size()) * static_cast<double>(state.iterations());
  state.counters["GB/s"] = benchmark::Counter(bytes / 1e9, benchmark::Counter::kIsRate);
  state.counters["per_object"] = benchmark::Counter(
      static_cast<double>(sink.count), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void SplitProtobuf(benchmark::State& state) {
  Split sink;
  Run(state, false, sink);
}
void SplitJson(benchmark::State& state) {
  Split sink;
  Run(state, true, sink);
}
void BuildProtobuf(benchmark::State& state) {
  Build sink(Pods(), false);
  Run(state, false, sink);
}
void BuildTranscodedJson(benchmark::State& state) {
  Build sink(Pods(), true);
  Run(state, true, sink);
}
void BuildKeptJson(benchmark::State& state) {
  Build sink(DynamicPods(), true);
  Run(state, true, sink);
}
BENCHMARK(SplitProtobuf)->Unit(benchmark::kMillisecond);
BENCHMARK(SplitJson)->Unit(benchmark::kMillisecond);
BENCHMARK(BuildProtobuf)->Unit(benchmark::kMillisecond);
BENCHMARK(BuildTranscodedJson)->Unit(benchmark::kMillisecond);
BENCHMARK(BuildKeptJson)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kinformer

BENCHMARK_MAIN();
