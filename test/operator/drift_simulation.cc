#include "operator/drift_simulation.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Map = corev1::ConfigMap;

const GroupVersionResource kMaps{"", "v1", "configmaps"};
constexpr int kObjects = 3;

// Each object has a goal, which others set, and a color, which the operator derives of it, and
// which others paint over.
class Drift {
 public:
  explicit Drift(std::uint64_t seed)
      : seed_(seed), env_({.seed = seed, .server = {.field_owners = true}, .metrics = metrics_}) {}

  DriftRun Run() {
    for (int i = 0; i < kObjects; ++i) {
      env_.server()
          .Create(kMaps, *json::Parse(R"({"metadata":{"namespace":"default","name":")" + Name(i) +
                                      R"("},"data":{"goal":"0"}})"))
          .OrExit();
    }
    Replica& replica = env_.AddReplica("a", [this](Manager& manager) { SetUp(manager); });
    for (int i = 0; i < 40; ++i) {
      Disturb(replica);
      const std::string what = Dice(2) == 0 ? R"("goal":")" + std::to_string(Dice(3))
                                            : R"("color":"color-)" + std::to_string(Dice(3));
      static_cast<void>(env_.server().Patch(kMaps,
                                            {"default", Name(static_cast<int>(Dice(kObjects)))},
                                            *json::Parse(R"({"data":{)" + what + R"("}})")));
      env_.RunFor(milliseconds(Dice(4000)));
    }
    env_.server().faults().Clear();
    replica.DelayWatches(Duration(0));
    if (!env_.Settle()) Wrong("it does not come to rest");
    for (int i = 0; i < kObjects; ++i) Check(Name(i));
    run_.matched = Sum("kinformer_writes_matched_total{");
    run_.filtered = Sum("kinformer_own_events_filtered_total{");
    return run_;
  }

 private:
  static std::string Name(int i) { return "map-" + std::to_string(i); }
  void Wrong(const std::string& what) {
    if (run_.wrong.empty()) run_.wrong = what;
  }
  std::uint64_t Dice(std::uint64_t below) { return env_.env().Random() % below; }

  void SetUp(Manager& manager) {
    ControllerBuilder(manager)
        .For<Map>()
        .WithOptions({.max_concurrent_reconciles = 2, .filter_own_events = seed_ % 2 == 0})
        .Complete([this, client = manager.GetClient()](
                      const ReconcileContext& context,
                      const Request& request) -> Result<ReconcileResult> {
          ++run_.reconciles;
          const auto map = client.Get<Map>(request, context.call());
          if (!map) return IgnoreNotFound(map.error());
          const std::string goal((**map).data()["goal"]);
          if (Dice(5) == 0) context.env().SleepFor(milliseconds(Dice(3000)));
          const auto painted = Paint(context, client, **map, "color-" + goal);
          if (!painted) return painted.error();
          // One that has failed for good returns by the event of its own write.
          const bool changed =
              (**painted).metadata().resourceVersion() != (**map).metadata().resourceVersion();
          if (changed && Dice(6) == 0) return TerminalError(Error(Reason::kInvalid, "enough"));
          ++run_.writes;
          const auto seen = client.Patch<Map>(
              request, {.body = R"({"metadata":{"annotations":{"seen":")" + goal + R"("}}})"}, {},
              context.call());
          if (!seen) return seen.error();
          return ReconcileResult{};
        })
        .OrExit();
  }

  Result<Ref<Map>> Paint(const ReconcileContext& context, const DelegatingClient& client,
                         const Map& map, const std::string& color) {
    ++run_.writes;
    const ObjectName name{"default", std::string(map.metadata().name())};
    switch (seed_ / 2 % 4) {
      case 0: {
        Map::Mutable change = map.DeepCopy();
        change.data["color"] = color;
        return client.Update(change, {}, context.call());
      }
      case 1:
        return client.Patch<Map>(name, {.body = R"({"data":{"color":")" + color + R"("}})"}, {},
                                 context.call());
      case 2:
        return client.Patch<Map>(
            name, {PatchType::kStrategicMerge, R"({"data":{"color":")" + color + R"("}})"}, {},
            context.call());
      default: {
        Map::Mutable wanted;
        wanted.metadata.namespace_ = name.namespace_;
        wanted.metadata.name = name.name;
        wanted.data["color"] = color;
        return client.Apply(wanted, {.fieldManager = "painter", .force = true}, context.call());
      }
    }
  }

  void Disturb(Replica& replica) {
    switch (Dice(8)) {
      case 0:
      case 1:
        replica.DelayWatches(milliseconds(Dice(8000)));
        return;
      case 2:
        replica.DelayWatches(Duration(0));
        return;
      case 3:
        replica.Disconnect(seconds(Dice(20)));
        return;
      case 4:
        env_.server().With([](apiserver::ApiServer& server) { server.CloseWatches(); });
        return;
      case 5:
        env_.server().faults().Add({.verb = "patch",
                                    .action = FaultAction::kDelay,
                                    .probability = 0.5,
                                    .lasts = seconds(Dice(10)),
                                    .delay = milliseconds(Dice(2000))});
        return;
      case 6:  // the next list shows several changes as one
        env_.server().With([](apiserver::ApiServer& server) {
          server.Compact(server.current_resource_version());
          server.CloseWatches();
        });
        return;
      default:
        return;
    }
  }

  void Check(const std::string& name) {
    const auto map = env_.server().Get(kMaps, {"default", name});
    if (!map) return Wrong(name + " is gone");
    const std::string goal = (*map)["data"]["goal"].StringOrEmpty();
    if ((*map)["data"]["color"].StringOrEmpty() != "color-" + goal) {
      Wrong(name + " keeps the color of another writer: " + map->Dump());
    }
    if ((*map)["metadata"]["annotations"]["seen"].StringOrEmpty() != goal) {
      Wrong(name + ": the last goal was not seen: " + map->Dump());
    }
  }

  [[nodiscard]] double Sum(const std::string& name) const {
    const std::string text = metrics_->Text();
    double sum = 0;
    for (std::size_t at = text.find("\n" + name); at != std::string::npos;
         at = text.find("\n" + name, at + 1)) {
      sum += std::stod(text.substr(text.find("} ", at) + 2));
    }
    return sum;
  }

  const std::uint64_t seed_;
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  DriftRun run_;
  Environment env_;
};

}  // namespace

DriftRun RunDrift(std::uint64_t seed) { return Drift(seed).Run(); }

}  // namespace kinformer::testing
