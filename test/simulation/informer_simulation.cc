#include "simulation/informer_simulation.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/client.h"
#include "kinformer/shared_informer.h"
#include "kinformer/simulation.h"

#include "simulation/delivery_checker.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using Checker = DeliveryChecker<corev1::ConfigMap>;
using State = std::map<std::string, std::string>;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr int kNames = 24;

// splitmix64: the test's own dice, apart from the Env's, so that a change in the library leaves the
// plan as it is.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t Below(std::uint64_t n) { return Next() % n; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

 private:
  std::uint64_t state_;
};

class World {
 public:
  explicit World(const SimulationPlan& plan)
      : plan_(plan),
        dice_(plan.seed),
        sim_({.seed = plan.seed}),
        server_(sim_.env(), {.bookmark_interval = 20s}),
        transport_(
            NewInMemoryTransport(sim_.env(), server_,
                                 {.max_chunk_bytes = 1 + dice_.Below(4096),
                                  .random_chunks = true,
                                  .min_latency = 0ms,
                                  .max_latency = std::chrono::milliseconds(dice_.Below(40))})),
        client_(Client::ForTransport(sim_.env(), transport_,
                                     {.qps = -1, .prefer_json = dice_.OneIn(2)})) {
    for (int i = 0; i < 10; ++i) Write();
    SharedInformer<corev1::ConfigMap> informer(
        sim_.env(), NewFilteredListWatch<corev1::ConfigMap>(client_),
        {.queue = dice_.OneIn(4) ? QueueKind::kDeltaFIFO : QueueKind::kInOrder,
         .initial_list = dice_.OneIn(2) ? InitialList::kList : InitialList::kWatchList});
    informer_ = std::make_unique<SharedInformer<corev1::ConfigMap>>(std::move(informer));
    Join();
    informer_->Start();
  }

  SimulationReport Run() {
    for (int i = 0; i < plan_.steps; ++i) {
      Step();
      if (dice_.OneIn(4)) {
        sim_.RunFor(std::chrono::milliseconds(dice_.Below(3000)));
      } else {
        for (std::uint64_t n = dice_.Below(40); n > 0 && sim_.Step(); --n) {
        }
      }
    }
    server_.faults().Clear();
    if (down_) transport_->Up();
    const bool settled = sim_.RunUntil([this] { return Settled(); }, 10min);
    SimulationReport report;
    report.trace = sim_.TraceHash();
    if (!settled) {
      const InformerStats stats = informer_->Stats();
      report.breaches.push_back(
          "did not settle: " + Difference() + "; " + std::to_string(stats.AllLists()) + " lists, " +
          std::to_string(stats.watches) + " watches, " + std::to_string(stats.errors) +
          " errors, " + std::to_string(stats.queued) +
          " queued, last error: " + stats.status.ErrorText());
    }
    for (std::size_t i = 0; i < handlers_.size(); ++i) {
      report.events += handlers_[i].checker->events();
      for (const std::string& noise : handlers_[i].checker->noise()) {
        report.breaches.push_back("handler " + std::to_string(i) + ": " + noise);
      }
      if (plan_.restore) continue;
      for (const std::string& breach : handlers_[i].checker->breaches()) {
        report.breaches.push_back("handler " + std::to_string(i) + ": " + breach);
      }
    }
    const InformerStats stats = informer_->Stats();
    report.relists = stats.AllLists();
    report.epochs = stats.status.epochs;
    report.watches = stats.watches;
    report.coalesced = stats.coalesced;
    informer_->Stop();
    sim_.RunReady();
    informer_.reset();
    sim_.RunReady();
    return report;
  }

 private:
  struct Handler {
    std::shared_ptr<Checker> checker;
    EventHandlerRegistration registration;
    bool left = false;
  };

  void Step() {
    if (plan_.restore && dice_.OneIn(8)) Restore();
    switch (dice_.Below(10)) {
      case 0:
        if (plan_.cut) transport_->CutSoon(dice_.Below(2000));
        break;
      case 1:
        if (plan_.expire) Expire();
        break;
      case 2:
        if (plan_.restart) UpOrDown();
        break;
      case 3:
        if (plan_.handlers) JoinOrLeave();
        break;
      default:
        for (std::uint64_t n = 1 + dice_.Below(5); n > 0; --n) Write();
    }
  }

  // One create, update or delete, straight into the server.
  void Write() {
    const std::string name = "map-" + std::to_string(dice_.Below(kNames));
    const std::string ns = dice_.OneIn(3) ? "kube-system" : "default";
    const bool exists = server_.Get(kConfigMaps, {ns, name}).ok();
    if (exists && dice_.OneIn(3)) {
      static_cast<void>(server_.Delete(kConfigMaps, {ns, name}).ok());
      return;
    }
    const std::string value(dice_.Below(200), static_cast<char>('a' + dice_.Below(26)));
    json::Value object = json::Value::MakeObject(
        {{"kind", "ConfigMap"},
         {"apiVersion", "v1"},
         {"metadata", json::Value::MakeObject({{"name", name}, {"namespace", ns}})},
         {"data", json::Value::MakeObject({{"value", value}})}});
    const Result<json::Value> stored = exists ? server_.Update(kConfigMaps, std::move(object))
                                              : server_.Create(kConfigMaps, std::move(object));
    if (!stored) {
      problems_.push_back("write: " + stored.error().message());
      return;
    }
    history_.values[{ns + "/" + name, (*stored)["metadata"]["resourceVersion"].StringOrEmpty()}] =
        value;
  }

  void Expire() {
    if (dice_.OneIn(2)) {
      server_.Compact(server_.current_resource_version());
      return;
    }
    apiserver::FaultRule rule;
    rule.resource = "configmaps";
    rule.count = 1;
    if (dice_.OneIn(2)) {
      rule.verb = "watch";
      rule.action = apiserver::FaultAction::kWatchError;
      rule.status = 410;
      rule.after_events = dice_.Below(4);
    } else {
      rule.action = apiserver::FaultAction::kOldResourceVersion;
    }
    server_.faults().Add(rule);
    if (dice_.OneIn(2)) server_.CloseWatches();
  }

  void UpOrDown() {
    if (down_) {
      transport_->Up();
    } else {
      transport_->Down();
      // A server that starts again has no history of before.
      if (dice_.OneIn(2)) server_.Compact(server_.current_resource_version());
    }
    down_ = !down_;
  }

  // To the backup, or makes one. At times the informer is given the time to notice; else the new
  // history may get beyond what it knows before it is back, and the consistency check must find
  // what is wrong.
  void Restore() {
    if (down_ || !informer_->HasSynced()) return;
    if (backup_ == 0 || dice_.OneIn(2)) {
      backup_ = server_.current_resource_version();
      return;
    }
    if (!server_.Restore(backup_).ok()) {  // compacted since
      backup_ = 0;
      return;
    }
    if (dice_.OneIn(2)) return;
    const bool found = sim_.RunUntil([this] { return Settled(); }, 5min);
    if (!found) problems_.push_back("not settled after a restore: " + Difference());
  }

  void JoinOrLeave() {
    const auto staying = std::find_if(handlers_.begin() + 1, handlers_.end(),
                                      [](const Handler& handler) { return !handler.left; });
    if (staying != handlers_.end() && dice_.OneIn(2)) {
      staying->left = true;
      const auto registration = staying->registration;
      sim_.RunBlocking([&] { static_cast<void>(informer_->RemoveEventHandler(registration).ok()); },
                       1min);
    } else if (handlers_.size() < 6) {
      Join();
    }
  }

  void Join() {
    Handler handler;
    handler.checker = std::make_shared<Checker>(history_);
    HandlerOptions options;
    // Small bounds, so that coalescing and the difference after a drop are exercised too.
    if (dice_.OneIn(2)) options.max_events = 1 + dice_.Below(8);
    if (dice_.OneIn(4)) options.overflow = OverflowPolicy::kDropAndResync;
    if (dice_.OneIn(4)) options.overflow = OverflowPolicy::kBlock;
    handler.registration =
        informer_
            ->AddEventHandler(
                std::static_pointer_cast<ResourceEventHandler<corev1::ConfigMap>>(handler.checker),
                options)
            .OrExit();
    handlers_.push_back(std::move(handler));
  }

  [[nodiscard]] State Cached() const {
    State state;
    const auto snapshot = informer_->Snapshot();
    for (const corev1::ConfigMap map : snapshot) {
      state[std::string(map.metadata().namespace_()) + "/" + std::string(map.metadata().name())] =
          map.metadata().resourceVersion();
    }
    return state;
  }

  [[nodiscard]] bool Settled() const { return Difference().empty(); }

  // What still differs from the server.
  [[nodiscard]] std::string Difference() const {
    if (!problems_.empty()) return problems_.front();
    if (!informer_->HasSynced()) return "not synced";
    const State wanted = server_.DumpState(kConfigMaps);
    if (Cached() != wanted) return "the cache differs from the server";
    for (std::size_t i = 0; i < handlers_.size(); ++i) {
      if (handlers_[i].left) continue;
      if (handlers_[i].checker->believed() != wanted)
        return "handler " + std::to_string(i) + " differs";
      if (!handlers_[i].registration.HasSynced())
        return "handler " + std::to_string(i) + " is not synced";
    }
    return {};
  }

  const SimulationPlan plan_;
  Dice dice_;
  Simulation sim_;
  apiserver::ApiServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  Client client_;
  ServerHistory history_;
  std::vector<std::string> problems_;
  std::vector<Handler> handlers_;
  std::unique_ptr<SharedInformer<corev1::ConfigMap>> informer_;
  bool down_ = false;
  std::int64_t backup_ = 0;  // a version; 0: none
};

}  // namespace

SimulationReport RunInformerSimulation(const SimulationPlan& plan) { return World(plan).Run(); }

}  // namespace kinformer::testing
