// entry_bench: cost and savings of the options for building objects, pod by pod: validation,
// dropped managedFields, projections, compression. The counters are bytes per pod from malloc.

#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/projection.h"

#include "micro/pods.h"
#include "object/block/packing.h"

namespace kinformer {
namespace {

using internal::ObjectRef;

const KindInfo& Pods() { return corev1::Pod::kind_info(); }
const KindInfo& DynamicPods() { return *internal::DynamicKindInfo("", "v1", "Pod", "pods", true); }

struct Data {
  std::vector<std::string> json = bench::MakePods();
  std::vector<std::string> protobuf;

  Data() {
    for (const std::string& pod : json) {
      protobuf.emplace_back(internal::BuildFromJson(Pods(), pod).OrExit()->payload());
    }
  }
};

// The struct that a controller might use for such an object.
struct Container {
  std::string name{};
  std::string image{};
};
struct Condition {
  std::string type{};
  std::string status{};
  std::optional<metav1::Time> last_transition_time{};
  static constexpr auto kFields =
      std::tuple(Field("type", &Condition::type), Field("status", &Condition::status),
                 Field("lastTransitionTime", &Condition::last_transition_time));
};
struct Spec {
  std::vector<Container> containers{};
  std::string restart_policy{};
  std::string node_name{};
  std::int64_t grace = 0;
  static constexpr auto kFields = std::tuple(
      Field("containers", &Spec::containers), Field("restartPolicy", &Spec::restart_policy),
      Field("nodeName", &Spec::node_name), Field("terminationGracePeriodSeconds", &Spec::grace));
};
struct Status {
  std::string phase{};
  std::string pod_ip{};
  std::vector<Condition> conditions{};
  static constexpr auto kFields =
      std::tuple(Field("phase", &Status::phase), Field("podIP", &Status::pod_ip),
                 Field("conditions", &Status::conditions));
};
struct OwnPod {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1", .kind = "Pod"};
  Spec spec{};
  std::optional<Status> status{};
};

const Data& AllData() {
  static const Data data;
  return data;
}

ObjectRef BuildOf(const KindInfo& type, std::size_t i, const internal::BuildOptions& options) {
  const Data& data = AllData();
  Result<ObjectRef> built = type.encoding() == internal::Encoding::kJson
                                ? internal::BuildFromJson(type, data.json[i], options)
                                : internal::BuildFromProtobuf(type, data.protobuf[i], options);
  if (!built) std::abort();
  return *std::move(built);
}
ObjectRef Build(bool json, std::size_t i, const internal::BuildOptions& options) {
  return BuildOf(json ? DynamicPods() : Pods(), i, options);
}

void BuildAllOf(benchmark::State& state, const KindInfo& type,
                const internal::BuildOptions& options) {
  const std::size_t count = AllData().json.size();
  std::size_t bytes = 0;
  std::size_t i = 0;
  for (auto _ : state) {
    const ObjectRef object = BuildOf(type, i, options);
    benchmark::DoNotOptimize(object.get());
    bytes += object->allocated_bytes();
    i = (i + 1) % count;
  }
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
void BuildAll(benchmark::State& state, bool json, const internal::BuildOptions& options) {
  BuildAllOf(state, json ? DynamicPods() : Pods(), options);
}

const Projection& Kept() {
  static const Projection projection =
      Projection::Keep<corev1::Pod>({"spec.nodeName", "spec.containers.image", "status.podIP",
                                     "status.phase", "status.conditions"})
          .OrExit();
  return projection;
}
const Projection& Dropped() {
  static const Projection projection =
      Projection::Drop<corev1::Pod>(
          {"metadata.annotations", "spec.volumes", "status.containerStatuses"})
          .OrExit();
  return projection;
}

void BM_Shallow(benchmark::State& state) { BuildAll(state, state.range(0) != 0, {}); }
void BM_Full(benchmark::State& state) {
  BuildAll(state, state.range(0) != 0, {.validation = Validation::kFull});
}
void BM_WithoutManagedFields(benchmark::State& state) {
  BuildAll(state, state.range(0) != 0, {.drop_managed_fields = true});
}
void BM_Keep(benchmark::State& state) {
  BuildAll(state, state.range(0) != 0, {.drop_managed_fields = true, .projection = Kept().tree()});
}
void BM_Drop(benchmark::State& state) {
  BuildAll(state, state.range(0) != 0,
           {.drop_managed_fields = true, .projection = Dropped().tree()});
}
// A kind with a struct of the program: the struct is decoded when the object is built, and the
// object is validated for that.
void BM_WithStruct(benchmark::State& state) {
  BuildAllOf(state, CustomResource<OwnPod>::kind_info(), {});
}
BENCHMARK(BM_WithStruct);
BENCHMARK(BM_Shallow)->ArgName("json")->Arg(0)->Arg(1);
BENCHMARK(BM_Full)->ArgName("json")->Arg(0)->Arg(1);
BENCHMARK(BM_WithoutManagedFields)->ArgName("json")->Arg(0)->Arg(1);
BENCHMARK(BM_Keep)->ArgName("json")->Arg(0)->Arg(1);
BENCHMARK(BM_Drop)->ArgName("json")->Arg(0)->Arg(1);

// ---- Compression; second argument: without managedFields

struct Objects {
  std::vector<ObjectRef> plain;
  std::vector<ObjectRef> packed;
  internal::DictionaryRef dictionary;

  explicit Objects(benchmark::State& state) {
    internal::DictionaryTrainer trainer;
    std::size_t before = 0;
    std::size_t after = 0;
    for (std::size_t i = 0; i < AllData().json.size(); ++i) {
      plain.push_back(Build(state.range(0) != 0, i, {.drop_managed_fields = state.range(1) != 0}));
      before += plain.back()->allocated_bytes();
      if (i < internal::DictionaryTrainer::kSamples) trainer.Add(*plain.back());
    }
    dictionary = trainer.Train();
    if (!dictionary) std::abort();
    for (const ObjectRef& object : plain) {
      packed.push_back(dictionary->Pack(object));
      after += packed.back()->allocated_bytes();
    }
    const auto count = static_cast<double>(plain.size());
    state.counters["plain"] = static_cast<double>(before) / count;
    state.counters["packed"] = static_cast<double>(after) / count;
    state.counters["dictionary"] = static_cast<double>(dictionary->bytes());
  }
};

void BM_Pack(benchmark::State& state) {
  const Objects objects(state);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(objects.dictionary->Pack(objects.plain[i]).get());
    i = (i + 1) % objects.plain.size();
  }
}
void BM_Unpack(benchmark::State& state) {
  const Objects objects(state);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(internal::Unpacked(objects.packed[i]).get());
    i = (i + 1) % objects.packed.size();
  }
}
void BM_Train(benchmark::State& state) {
  const bool json = state.range(0) != 0;
  for (auto _ : state) {
    state.PauseTiming();
    internal::DictionaryTrainer trainer;
    for (std::size_t i = 0; i < internal::DictionaryTrainer::kSamples; ++i) {
      trainer.Add(*Build(json, i, {.drop_managed_fields = state.range(1) != 0}));
    }
    state.ResumeTiming();
    benchmark::DoNotOptimize(static_cast<bool>(trainer.Train()));
  }
}
BENCHMARK(BM_Pack)->ArgNames({"json", "lean"})->ArgsProduct({{0, 1}, {0, 1}});
BENCHMARK(BM_Unpack)->ArgNames({"json", "lean"})->ArgsProduct({{0, 1}, {0, 1}});
BENCHMARK(BM_Train)->ArgNames({"json", "lean"})->ArgsProduct({{0, 1}, {0, 1}});

}  // namespace
}  // namespace kinformer

BENCHMARK_MAIN();
