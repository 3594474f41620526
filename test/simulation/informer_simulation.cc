#include "simulation/informer_simulation.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"

#include "simulation/cache_shape.h"
#include "simulation/faulty_connections.h"
#include "simulation/joint_reader.h"
#include "simulation/recovery_bound.h"
#include "simulation/server_pair.h"
#include "simulation/simulated_informer.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr std::uint64_t kNames = 20;
constexpr std::uint64_t kManyNames = 200;
// Faults end after at most a quarter of an hour, which is when a silent server is given up.
constexpr Duration kPatience = minutes(45);
// Objects without room are listed again after at most an hour.
constexpr Duration kPatienceWithLimits = minutes(120);

// Adds the library's log lines to the story of the run.
class StoryLog final : public LogSink {
 public:
  using Tell = std::function<void(std::string)>;
  explicit StoryLog(Tell tell) : tell_(std::move(tell)) {}
  [[nodiscard]] LogLevel level() const override { return LogLevel::kDebug; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string line = "  log: " + std::string(message);
    for (const LogField& field : fields) {
      line += ' ' + std::string(field.key) + '=' + std::string(field.value);
    }
    tell_(std::move(line));
  }

 private:
  const Tell tell_;
};

class World {
 public:
  explicit World(const SimulationPlan& plan)
      : plan_(plan),
        setup_(plan.seed),
        sim_({.seed = plan.seed,
              .log = plan.tells ? std::make_shared<StoryLog>(
                                      [this](std::string line) { Tell(std::move(line)); })
                                : nullptr,
              .start = WallTime(std::chrono::hours(480'000))}),
        servers_(sim_.env(), {.bookmark_interval = seconds(20), .bootstrap_objects = false},
                 plan.seed, (plan.troubles & BitOf(kTwoServers)) != 0),
        server_(servers_.first()),
        chunk_bytes_(64 + setup_.Below(4096)),
        latency_(setup_.Milliseconds(40)),
        network_(NewInMemoryTransport(sim_.env(), servers_,
                                      {.max_chunk_bytes = chunk_bytes_,
                                       .random_chunks = true,
                                       .min_latency = milliseconds(0),
                                       .max_latency = latency_})),
        connections_(std::make_shared<FaultyConnections>(sim_.env(), network_, plan.seed)),
        scene_{.sim = sim_,
               .history = history_,
               .plan = plan_,
               .trust = plan.trust,
               .version = [this] { return server_.current_resource_version(); },
               .oldest_version = [this] { return servers_.oldest_version(); },
               .tell = [this](std::string line) { Tell(std::move(line)); }} {
    server_.faults().Seed(plan.seed);
    for (int i = Has(kManyObjects) ? 1000 : 15; i > 0; --i) Write(setup_);
    const std::uint64_t informers = 1 + setup_.Below(4);
    for (std::uint64_t i = 0; i < informers; ++i) {
      clients_.push_back(
          Client::ForTransport(sim_.env(), connections_,
                               {.qps = -1, .timeout = minutes(1), .prefer_json = setup_.OneIn(2)}));
      informers_.push_back(std::make_unique<SimulatedInformer>(scene_, clients_.back(),
                                                               static_cast<int>(i), setup_));
    }
    if (Has(kJointSnapshots)) joint_ = std::make_unique<JointReader>(scene_, informers_);
    for (const auto& informer : informers_) {
      // Some informers start only when the server is already in trouble.
      if (setup_.OneIn(3)) continue;
      informer->Start();
    }
  }

  SimulationReport Run() {
    for (int step = 0; step < plan_.steps && scene_.problems.empty(); ++step) {
      // Random numbers of its own: a step does the same, whatever the other steps do.
      Dice dice(plan_.seed, 1'000'000 + static_cast<std::uint64_t>(step));
      Act(dice);
      if (dice.OneIn(4)) {
        sim_.RunFor(dice.Milliseconds(3000));
        Look();
      } else {
        for (std::uint64_t n = dice.Below(60); n > 0 && sim_.Step(); --n) Look();
      }
      for (const auto& informer : informers_) informer->Read(dice);
      if (dice.OneIn(3)) LookClosely();
      Ask(step);
    }
    const std::uint64_t asked = servers_.requests();
    Costs("while things went wrong", asked - std::min(asked, written_for_), 6, 0.6,
          sim_.env().Now() - began_);
    Calm();
    Settle();
    if (servers_.apart()) scene_.Problem("the two servers are not the same any more");
    report_.hits[kTwoServers] += servers_.answers_from_behind();
    if (joint_ != nullptr) joint_->Finish(report_);
    joint_.reset();
    for (const auto& informer : informers_) informer->Finish(report_);
    report_.trace = sim_.TraceHash();
    report_.breaches = std::move(scene_.problems);
    informers_.clear();
    clients_.clear();
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool Has(int trouble) const { return scene_.Has(trouble); }
  // Number of names per namespace.
  [[nodiscard]] std::uint64_t names() const { return Has(kManyObjects) ? kManyNames : kNames; }
  void Tell(std::string text) {
    if (!plan_.tells) return;
    const auto now = std::chrono::duration_cast<milliseconds>(sim_.env().Now().time_since_epoch());
    report_.story.push_back(std::to_string(now.count() - 3'600'000) + " ms, version " +
                            std::to_string(server_.current_resource_version()) + ": " +
                            std::move(text));
  }
  // Counts and records that trouble if the plan has it; otherwise returns false.
  bool Comes(int trouble, const char* what) {
    if (!Has(trouble)) return false;
    ++report_.hits[static_cast<std::size_t>(trouble)];
    bound_.Bit(trouble, sim_.env().Now());
    Tell(what);
    return true;
  }
  void Look() {
    for (const auto& informer : informers_) informer->Look();
    SeeWhatBites();
  }

  // Notes which troubles are active, and whether an informer still suffers from earlier ones.
  void SeeWhatBites() {
    const SteadyTime now = sim_.env().Now();
    if (now < looks_again_) return;
    looks_again_ = now + milliseconds(200);
    for (Rule& rule : rules_) {
      const std::uint64_t hits = server_.faults().hits(rule.id);
      if (std::exchange(rule.hits, hits) != hits) bound_.Bit(rule.fault, now);
    }
    if (down_) bound_.Bit(kDowntimes, now);
    const bool well = std::all_of(informers_.begin(), informers_.end(),
                                  [](const auto& informer) { return informer->IsWell(); });
    if (well) bound_.AllWell(now);
    // A new history overtakes the old one before all informers have noticed the restore.
    if (well) restored_from_ = 0;
    if (restored_from_ != 0 && server_.current_resource_version() >= restored_from_) {
      bound_.Bit(RecoveryBound::kOvertaken, now);
      restored_from_ = 0;
    }
  }

  // Checks the change feeds, and joint snapshots of several informers.
  void Ask(int step) {
    Dice dice(plan_.seed, 2'000'000 + static_cast<std::uint64_t>(step));
    for (const auto& informer : informers_) informer->Follow(dice);
    if (joint_ != nullptr) joint_->Look(dice);
  }

  void LookClosely() {
    // After this, all received events are in the queues and counted.
    sim_.RunReady();
    Look();
    for (const auto& informer : informers_) informer->LookClosely();
  }

  void Act(Dice& dice) {
    SimulatedInformer& informer = *informers_[dice.Below(informers_.size())];
    switch (dice.Below(24)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return AddFault(dice);
      case 4:
        if (Comes(kCuts, "cuts")) network_->CutSoon(dice.Below(2000));
        return;
      case 5:
        if (Comes(kDowntimes, down_ ? "up" : "down")) UpOrDown(dice);
        return;
      case 6:
        if (Comes(kHttp2, "a connection fails")) connections_->Disturb();
        return;
      case 7:
        if (Comes(kCompactions, "compaction")) {
          servers_.Compact(server_.current_resource_version() -
                           static_cast<std::int64_t>(dice.Below(20)));
        }
        return;
      case 8:
        if (Comes(kClosedWatches, "watches closed")) servers_.CloseWatches();
        return;
      case 9:
        if (Comes(kJoins, "a handler joins or leaves")) informer.JoinOrLeave(dice);
        return;
      case 10:
        return StartOrStop(informer);
      case 11:
      case 12:
        if (Comes(kSnapshots, "a snapshot is taken or let go")) {
          ++report_.snapshots;
          informer.HoldOrRelease(dice);
        }
        return;
      case 13:
        if (Has(kRestores)) Restore(dice);
        return;
      case 14:
        if (dice.OneIn(3) && Comes(kConflicts, "conflicts")) CountUp(dice);
        return;
      default:
        for (std::uint64_t n = 1 + dice.Below(20); n > 0; --n) Write(dice);
    }
  }

  void AddFault(Dice& dice) {
    const auto faults = DrawnFaults();
    const DrawnFault& fault = faults[dice.Below(faults.size())];
    if (!Has(fault.number) || fault.trust > plan_.trust) return;
    if (fault.number == 14 && fault.trust == Trust::kGoesBack) {
      // A resumed watch would first check the version. The 410 forces a list and a new watch.
      server_.faults().Add({.verb = "watch",
                            .action = apiserver::FaultAction::kRespond,
                            .count = static_cast<std::int64_t>(informers_.size()),
                            .status = 410});
      server_.CloseWatches();
    }
    const auto id = server_.faults().Add(fault.draw(dice, plan_.trust));
    rules_.push_back({.id = id, .fault = fault.number, .hits = 0});
    Tell("fault F" + std::to_string(fault.number));
    // Most faults affect the next request.
    if (dice.OneIn(2)) servers_.CloseWatches();
  }

  // Creates, updates or deletes one object directly on the server.
  void Write(Dice& dice) {
    const std::string name = "map-" + std::to_string(dice.Below(names()));
    const std::string ns = dice.OneIn(3) ? "kube-system" : "default";
    const std::string key = ns + "/" + name;
    ++report_.writes;
    const bool exists = server_.Get(kConfigMaps, {ns, name}).ok();
    if (exists && dice.OneIn(3)) {
      if (servers_.Delete(kConfigMaps, {ns, name}).ok()) {
        history_.Delete(key, server_.current_resource_version());
      }
      // Created again at once, with another uid.
      if (!dice.OneIn(3)) return;
    }
    const std::string value = Value(dice);
    const json::Value object = json::Value::MakeObject(
        {{"metadata",
          json::Value::MakeObject({{"name", name},
                                   {"namespace", ns},
                                   {"labels", json::Value::MakeObject({{kTier, TierOf(value)}})}})},
         {"data", json::Value::MakeObject({{"value", value}})}});
    const Result<json::Value> stored = servers_.Put(kConfigMaps, object);
    if (!stored) return scene_.Problem("write: " + stored.error().message());
    Record(key, *stored);
  }

  static std::string Value(Dice& dice) {
    std::string value(dice.Below(200), static_cast<char>('a' + dice.Below(26)));
    return value;
  }

  void Record(const std::string& key, const json::Value& stored) {
    history_.Put(
        key, {std::stoll(stored["metadata"]["resourceVersion"].StringOrEmpty()),
              stored["metadata"]["uid"].StringOrEmpty(), stored["data"]["value"].StringOrEmpty(),
              stored["metadata"]["labels"][kTier].StringOrEmpty()});
  }

  // A client that reads, changes and writes back, and retries on 409 (F22), during all other
  // troubles.
  void CountUp(Dice& dice) {
    const std::string name = "map-" + std::to_string(dice.Below(names()));
    const std::string key = "default/" + name;
    if (down_ || !server_.Get(kConfigMaps, {"default", name}).ok()) return;
    const auto rule = server_.faults().Add({.verb = "update",
                                            .action = apiserver::FaultAction::kRespond,
                                            .probability = 0.6,
                                            .status = 409});
    const auto maps = clients_.front().For<corev1::ConfigMap>("default");
    for (int i = 0; i < 3; ++i) {
      const std::string value = Value(dice);
      // A handler may see the value before the writer does.
      history_.Announce(key, value);
      scene_.history_lags = true;
      const auto write = [&] {
        for (int attempt = 0; attempt < 30; ++attempt) {
          written_for_ += 2;  // at most
          const auto now = maps.Get(name);
          if (!now) continue;
          corev1::ConfigMap::Mutable wanted = (**now).DeepCopy();
          wanted.data["value"] = value;
          wanted.metadata.labels[kTier] = TierOf(value);
          const auto updated = maps.Update(wanted);
          if (updated) return;
          if (IsConflict(updated.error())) ++report_.hits[kConflicts];
        }
      };
      if (!sim_.RunBlocking(write, minutes(60))) scene_.Problem("an update does not end");
      if (const auto stored = server_.Get(kConfigMaps, {"default", name})) Record(key, *stored);
      scene_.history_lags = false;
      ++report_.writes;
    }
    server_.faults().Remove(rule);
  }

  void UpOrDown(Dice& dice) {
    if (down_) {
      network_->Up();
    } else {
      network_->Down();
      // A restarted server may have no earlier history.
      if (dice.OneIn(2)) servers_.Compact(server_.current_resource_version());
    }
    down_ = !down_;
  }

  void StartOrStop(SimulatedInformer& informer) {
    if (!informer.running()) {
      Tell("informer " + informer.Describe() + " starts");
      informer.Start();
    } else if (Comes(kRestarts, "an informer stops:")) {
      Tell(informer.Describe());
      ++report_.restarts;
      informer.Stop();
    }
  }

  // Restores the backup, or makes one. Sometimes the informers have time to notice; otherwise the
  // new history may overtake their version before they are back, and the consistency check must
  // find the differences.
  void Restore(Dice& dice) {
    if (backup_ == 0 || dice.OneIn(3)) {
      backup_ = server_.current_resource_version();
      return;
    }
    if (!down_ && dice.OneIn(2)) {
      RestoreAndOvertake(dice, 5);
    } else {
      RestoreBackup();
    }
    if (dice.OneIn(2)) sim_.RunFor(dice.Milliseconds(100'000));
  }

  void RestoreBackup() {
    restored_from_ = std::max(restored_from_, server_.current_resource_version());
    if (server_.Restore(backup_).ok()) {
      ++report_.hits[kRestores];
      bound_.Bit(kRestores, sim_.env().Now());
      Tell("restored to version " + std::to_string(backup_));
      history_.Restore(backup_);
    } else {
      backup_ = 0;  // compacted since then
    }
  }

  // The new history overtakes the old one before any informer is back.
  void RestoreAndOvertake(Dice& dice, std::uint64_t beyond) {
    const std::int64_t before = server_.current_resource_version();
    network_->Down();
    RestoreBackup();
    bound_.Bit(RecoveryBound::kOvertaken, sim_.env().Now());
    const auto end = before + static_cast<std::int64_t>(beyond);
    while (server_.current_resource_version() < end) Write(dice);
    network_->Up();
  }

  // Ends the troubles.
  void Calm() {
    scene_.calm = true;
    // One last restore, without later events that would show it.
    Dice dice(plan_.seed, 5);
    if (Has(kRestores) && backup_ != 0 && !down_) RestoreAndOvertake(dice, dice.Below(2));
    looks_again_ = {};
    SeeWhatBites();
    for (const Rule& rule : rules_) {
      report_.hits[static_cast<std::size_t>(rule.fault)] += rule.hits;
    }
    report_.hits[23] += connections_->hits();
    server_.faults().Clear();
    if (down_) network_->Up();
    connections_->Calm();
    servers_.Calm();
    servers_.CloseWatches();
    Tell("the end of all troubles");
    for (const auto& informer : informers_) informer->Start();
  }

  // Runs twice, since equality may be a coincidence, and again with room for all objects.
  void Settle() {
    const SteadyTime end = sim_.env().Now();
    const Duration bound = bound_.After(end) + OnItsWay();
    const std::string why = bound_.Why(end);
    const auto soon = [&](const char* what) {
      const Duration left =
          std::max<Duration>(end + bound - sim_.env().Now(), seconds(5) + OnItsWay());
      const Duration took = Settle(kPatience, left);
      if (took <= left || !scene_.problems.empty()) return;
      scene_.Problem(std::string(what) + " only " + Text(took) + " after the last trouble" +
                     (why.empty() ? "" : ", which was " + why) + "; it may take " + Text(left));
    };
    const std::uint64_t asked = servers_.requests();
    soon("equal");
    // Each stream lists and watches again, after a version check; after failures it backs off.
    Costs("until all were equal", servers_.requests() - asked, 5, 0.7, sim_.env().Now() - end);
    Dice dice(plan_.seed, 2);
    for (int i = 0; i < 5; ++i) Write(dice);
    Ask(plan_.steps);
    soon("equal again after some writes");
    StayQuiet();
    if (!Has(kLimits)) return;
    MakeRoom();
    (void)Settle(kPatienceWithLimits, seconds(0));
  }

  // Returns the time that this network needs to deliver all events to the informer that is furthest
  // behind, or to send it a list.
  [[nodiscard]] Duration OnItsWay() const {
    constexpr std::int64_t kObject = 900;  // bytes, with framing
    std::int64_t behind = 0;
    for (const auto& informer : informers_) {
      behind = std::max(behind, server_.current_resource_version() - informer->version());
    }
    const auto objects = static_cast<std::int64_t>(history_.Now("").size());
    // On average, half of the longest chunk and half of the longest latency.
    const auto chunks = (behind + objects) * kObject / static_cast<std::int64_t>(chunk_bytes_ / 2);
    return chunks * (latency_ / 2);
  }

  // Without troubles and writes: requests of this phase would continue forever.
  void StayQuiet() {
    if (!scene_.problems.empty()) return;
    const std::uint64_t asked = servers_.requests();
    sim_.RunFor(minutes(1));
    Look();
    Costs("in a quiet minute", servers_.requests() - asked, 2, 0, minutes(1));
  }

  // Checks the number of requests: `each` per stream, `each_second` per second, besides the lists.
  void Costs(const char* when, std::uint64_t requests, double each, double each_second,
             Duration time) {
    const double length = std::chrono::duration<double>(time).count();
    double may = 0;
    for (const auto& informer : informers_) {
      may += informer->streams() * (each + each_second * length) + informer->Lists(time);
    }
    if (static_cast<double>(requests) <= may) return;
    scene_.Problem(std::to_string(requests) + " requests " + when + ", in " + Text(time) +
                   "; there may be " + std::to_string(static_cast<std::uint64_t>(may)));
  }

  static std::string Text(Duration time) {
    return std::to_string(std::chrono::duration_cast<milliseconds>(time).count()) + " ms";
  }

  // Returns how long it took. Checks in detail for the first `closely`.
  Duration Settle(Duration patience, Duration closely) {
    std::string difference = "not looked at";
    const SteadyTime begin = sim_.env().Now();
    while (scene_.problems.empty() && !difference.empty() && sim_.env().Now() < begin + patience) {
      sim_.RunFor(sim_.env().Now() - begin <= closely ? milliseconds(250) : milliseconds(1000));
      Look();
      difference = Difference();
    }
    const Duration took = sim_.env().Now() - begin;
    if (!difference.empty() && scene_.problems.empty()) {
      scene_.Problem("not settled: " + difference);
    }
    LookClosely();
    return took;
  }

  void MakeRoom() {
    scene_.roomy = true;
    const Contents all = history_.Now("");
    std::size_t left = all.size();
    for (const auto& [key, state] : all) {
      if (left-- <= CacheLimit::kLeast) return;
      const std::size_t slash = key.find('/');
      if (!servers_.Delete(kConfigMaps, {key.substr(0, slash), key.substr(slash + 1)}).ok()) {
        return scene_.Problem("delete: " + key);
      }
      history_.Delete(key, server_.current_resource_version());
      ++report_.writes;
    }
  }

  [[nodiscard]] std::string Difference() const {
    for (const auto& informer : informers_) {
      if (std::string difference = informer->Difference(); !difference.empty()) return difference;
    }
    return {};
  }

  const SimulationPlan plan_;
  Dice setup_;
  Simulation sim_;
  const SteadyTime began_ = sim_.env().Now();
  ServerPair servers_;
  apiserver::ApiServer& server_;  // the first one
  const std::size_t chunk_bytes_;
  const Duration latency_;
  std::shared_ptr<InMemoryTransport> network_;
  std::shared_ptr<FaultyConnections> connections_;
  ServerHistory history_;
  SimulatedScene scene_;
  std::vector<Client> clients_;
  JointReader::Informers informers_;
  std::unique_ptr<JointReader> joint_;  // null: no joint snapshots
  SimulationReport report_;
  std::uint64_t written_for_ = 0;  // requests of the counting client, not of informers
  struct Rule {
    apiserver::FaultPlan::RuleId id;
    int fault;
    std::uint64_t hits;
  };
  std::vector<Rule> rules_;
  RecoveryBound bound_;
  SteadyTime looks_again_{};
  std::int64_t restored_from_ = 0;  // 0: no restore that an informer has still to notice
  bool down_ = false;
  std::int64_t backup_ = 0;  // a version; 0: none
};

}  // namespace

SimulationReport RunInformerSimulation(const SimulationPlan& plan) { return World(plan).Run(); }

SimulationPlan Shrink(SimulationPlan plan) {
  const auto fails = [](const SimulationPlan& smaller) {
    return !RunInformerSimulation(smaller).breaches.empty();
  };
  for (int trouble = 1; trouble < kTroubles; ++trouble) {
    SimulationPlan without = plan;
    without.troubles &= ~BitOf(trouble);
    if (without.troubles != plan.troubles && fails(without)) plan = without;
  }
  for (int steps = plan.steps / 2; steps > 0; steps /= 2) {
    SimulationPlan shorter = plan;
    shorter.steps = plan.steps - steps;
    while (shorter.steps > 0 && fails(shorter)) {
      plan = shorter;
      shorter.steps -= steps;
    }
  }
  return plan;
}

}  // namespace kinformer::testing
