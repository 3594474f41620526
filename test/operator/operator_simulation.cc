#include "operator/operator_simulation.h"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/until.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/source.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

#include "base/core/testing/fields_log.h"
#include "operator/cause_check.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A parent is a ConfigMap with a wanted number of children; a child is a ConfigMap that it
// controls. The operator creates and deletes children, marks the parent as ready a minute after all
// of them exist, and keeps a deleted parent until its children are gone.
const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr const char* kFinalizer = "example.com/children";
constexpr int kParents = 4;

using Map = corev1::ConfigMap;

// Invariants shared by all replicas of a run.
struct Watchdog {
  std::string wrong;
  std::int32_t newest_term = -1;
  std::string leader;
  OperatorRun* run = nullptr;
  double trouble = 0;                         // probability that a reconcile fails by itself
  std::map<std::string, std::int32_t> terms;  // for each replica, the last term in which it acted

  void Wrong(const std::string& what) {
    if (wrong.empty()) wrong = what;
  }
  // Checks a write to the server. A replica that is losing the leadership still has its term.
  void Writes(const Replica& replica) {
    const auto term = replica.manager().elector()->LeaderEpoch();
    const auto last = terms.find(replica.name());
    if (!term && last == terms.end()) return Wrong(replica.name() + " writes and has never led");
    Acts(replica.name(), term ? *term : last->second);
  }
  // Checks an action of a leader of that term.
  void Acts(const std::string& who, std::int32_t term) {
    if (term < newest_term || (term == newest_term && who != leader)) {
      Wrong(who + " acts in term " + std::to_string(term) + " while " + leader + " leads in " +
            std::to_string(newest_term));
    }
    terms[who] = term;
    if (term > newest_term) ++run->leaders;
    newest_term = term;
    leader = who;
  }
};

class ParentReconciler final : public Reconciler {
 public:
  ParentReconciler(Manager& manager, std::string replica, Watchdog& dog,
                   std::shared_ptr<CauseCheck> causes)
      : manager_(manager),
        client_(manager.GetClient()),
        replica_(std::move(replica)),
        dog_(dog),
        causes_(std::move(causes)) {}

  Result<ReconcileResult> Reconcile(const ReconcileContext& context,
                                    const Request& request) override {
    ++dog_.run->reconciles;
    const Causes causes = context.causes();
    if (const std::string wrong = causes_->Begins(request, causes); !wrong.empty()) {
      dog_.Wrong(wrong + "; all: " + causes.ToString());
    }
    if (!busy_.insert(request).second) dog_.Wrong(request.ToString() + " is reconciled twice");
    const std::shared_ptr<void> done(nullptr, [&](void*) { busy_.erase(request); });
    if (const auto elector = manager_.elector()) {
      const auto term = elector->LeaderEpoch();
      if (!term) dog_.Wrong(replica_ + " reconciles without leading");
      if (term) dog_.Acts(replica_, *term);
    }
    if (!manager_.GetCache().InformerFor<Map>().HasSynced()) {
      dog_.Wrong("a reconcile before the cache is filled");
    }
    Stumble(context);
    if (Draw(context) < dog_.trouble) return Failed(Error(Reason::kInternalError, "stumbled"));
    if (Draw(context) < dog_.trouble) return ReconcileResult{.requeue = true};
    const auto parent = client_.Get<Map>(request, context.call());
    if (!parent) {
      return IsAbsent(parent.error()) ? IgnoreNotFound(parent.error()) : Failed(parent.error());
    }
    Result<ReconcileResult> result = Act(context, request, **parent);
    return result ? result : Failed(result.error());
  }

 private:
  static double Draw(const ReconcileContext& context) { return RandomUnit(context.env()); }
  Error Failed(Error error) {
    ++dog_.run->errors;
    return error;
  }
  void Stumble(const ReconcileContext& context) {
    if (Draw(context) < dog_.trouble) context.env().SleepFor(seconds(1));
    if (Draw(context) >= dog_.trouble) return;
    ++dog_.run->errors;
    throw std::runtime_error("stumbled");
  }

  Result<ReconcileResult> Act(const ReconcileContext& context, const Request& request,
                              const Map& parent) {
    Map::Mutable change = parent.DeepCopy();
    const bool deleted = parent.metadata().deletionTimestamp().has_value();
    if (!deleted && controllerutil::AddFinalizer(change, kFinalizer)) {
      const auto updated = client_.Update(change, {}, context.call());
      if (!updated) return updated.error();
      return SeesItself(context, request, (*updated)->metadata().resourceVersion());
    }
    const int wanted = deleted ? 0 : std::stoi("0" + std::string(parent.data()["count"]));
    const auto children = client_.List<Map>(
        {.namespace_ = request.namespace_,
         .label_selector = LabelSelector::Parse("parent=" + request.name).OrExit()},
        context.call());
    if (!children) return children.error();
    // Waits between read and write, long enough for another replica to become the leader.
    if (Draw(context) < dog_.trouble) context.env().SleepFor(seconds(10));
    std::set<std::string> there;
    for (const auto& child : *children) there.insert(std::string(child->metadata().name()));
    for (int i = 0; i < wanted; ++i) {
      const std::string name = request.name + "-" + std::to_string(i);
      if (there.erase(name) != 0) continue;
      if (auto made = Make(context, parent, name); !made) return made.error();
    }
    for (const std::string& name : there) {
      const auto gone = client_.Delete<Map>({request.namespace_, name}, {}, context.call());
      if (!gone && !IsNotFound(gone.error())) return gone.error();
    }
    if (deleted) {
      if (!controllerutil::RemoveFinalizer(change, kFinalizer)) return ReconcileResult{};
      const auto updated = client_.Update(change, {}, context.call());
      if (!updated) return updated.error();
      return ReconcileResult{};
    }
    return Ready(context, change, wanted);
  }

  // Marks it ready a minute after the children exist; no event triggers that.
  Result<ReconcileResult> Ready(const ReconcileContext& context, Map::Mutable& change, int wanted) {
    const std::string now = std::to_string(context.env().Now().time_since_epoch() / seconds(1));
    const std::string count = std::to_string(wanted);
    if (change.data["ready"] == count) return ReconcileResult{};
    if (change.data["since"].empty() || change.data["of"] != count) {
      change.data["since"] = now;
      change.data["of"] = count;
      const auto updated = client_.Update(change, {}, context.call());
      if (!updated) return updated.error();
      return ReconcileResult{.requeue_after = minutes(1)};
    }
    const auto left =
        seconds(60) - (seconds(std::stoll(now)) - seconds(std::stoll(change.data["since"])));
    if (left > seconds(0)) return ReconcileResult{.requeue_after = left};
    change.data["ready"] = count;
    const auto updated = client_.Update(change, {}, context.call());
    if (!updated) return updated.error();
    return ReconcileResult{};
  }

  Result<void> Make(const ReconcileContext& context, const Map& parent, const std::string& name) {
    Map::Mutable child;
    child.metadata.namespace_ = "default";
    child.metadata.name = name;
    child.metadata.labels["parent"] = parent.metadata().name();
    if (auto owned = controllerutil::SetControllerReference(parent, child); !owned) return owned;
    const auto made = client_.Create(child, {}, context.call());
    if (!made) return made.error();
    const auto seen = SeesItself(context, {"default", name}, (*made)->metadata().resourceVersion());
    if (!seen) return seen.error();
    return {};
  }

  // A read must return at least the version written before.
  Result<ReconcileResult> SeesItself(const ReconcileContext& context, const ObjectName& name,
                                     std::string_view version) {
    const auto seen = client_.Get<Map>(name, context.call());
    if (!seen) {
      // Another client may delete it.
      if (IsAbsent(seen.error())) return ReconcileResult{};
      return seen.error();
    }
    if (std::stoull(std::string((*seen)->metadata().resourceVersion())) <
        std::stoull(std::string(version))) {
      dog_.Wrong(name.ToString() + " is older than what was written");
    }
    return ReconcileResult{};
  }

  Manager& manager_;
  const DelegatingClient client_;
  const std::string replica_;
  Watchdog& dog_;
  const std::shared_ptr<CauseCheck> causes_;
  std::set<Request> busy_;
};

class World {
 public:
  explicit World(std::uint64_t seed) : env_(Options(seed)) { dog_.run = &run_; }

  OperatorRun Run() {
    dog_.trouble = 0.05;
    for (int i = 0; i < 60 && dog_.wrong.empty(); ++i) {
      while (alive() < 2) StartOne();
      Disturb();
      ChangeSomething();
      env_.RunFor(milliseconds(Dice(20000)));
    }
    dog_.trouble = 0;
    env_.server().faults().Clear();
    for (Replica* const replica : replicas_) {
      if (!replica->running()) continue;
      replica->DelayWatches(Duration(0));
      replica->CrashAtWrite(0);
    }
    while (alive() < 2) StartOne();
    if (dog_.wrong.empty() && !env_.Settle()) dog_.Wrong("it does not come to rest");
    if (dog_.wrong.empty()) Compare();
    CompareCauses();
    if (log_->Count("a fight") > 0) dog_.Wrong("a fight where there is none: " + log_->text());
    run_.wrong = dog_.wrong;
    run_.schedule = env_.Schedule();
    return run_;
  }

 private:
  EnvironmentOptions Options(std::uint64_t seed) {
    EnvironmentOptions options;
    options.seed = seed;
    options.log = log_;
    options.on_write = [this](const Replica& replica, const HttpRequest&) { dog_.Writes(replica); };
    ControllerOptions controller{.enable_warmup = seed % 3 == 0};
    // A program may switch the wait for current caches off; the sync of the sources remains.
    if (seed % 2 == 0) controller.catch_up = [](const std::stop_token&) { return Result<void>(); };
    options.manager = {.controller = controller,
                       .leader_election = true,
                       .leader_election_id = "parents",
                       .leader_election_release_on_cancel = true};
    return options;
  }

  std::int64_t Dice(std::int64_t below) {
    return static_cast<std::int64_t>(env_.env().Random() % static_cast<std::uint64_t>(below));
  }
  int alive() const {
    int count = 0;
    for (const Replica* const replica : replicas_) count += replica->running() ? 1 : 0;
    return count;
  }
  void StartOne() {
    const std::string name = "r" + std::to_string(replicas_.size());
    const auto causes = std::make_shared<CauseCheck>();
    causes_.push_back(causes);
    replicas_.push_back(&env_.AddReplica(name, [&, causes](Manager& manager) {
      ControllerBuilder(manager)
          .For<Map>(predicate::And(
              predicate::LabelSelectorPredicate(LabelSelector::Parse("!parent").OrExit()),
              causes->OfObjects()))
          .Owns<Map>(causes->OfChildren())
          .WatchesRawSource(
              source::Ticker<Request>(env_.env(), std::chrono::hours(24), {"default", "p0"}))
          .WithOptions({.max_concurrent_reconciles = 2})
          .Complete(std::make_shared<ParentReconciler>(manager, name, dog_, causes))
          .OrExit();
      manager
          .Add(std::make_shared<RunnableFunc>(
              [&](const std::stop_token& stop) { return WorkOfTheLeader(manager, stop); }))
          .OrExit();
      manager
          .Add(std::make_shared<RunnableFunc>(
              [this](const std::stop_token& stop) { return WorkOfAll(stop); }, "work of all",
              RunnableGroup::kOthers))
          .OrExit();
    }));
  }
  // Runs while the Lease is held, and takes a moment to end.
  Result<void> WorkOfTheLeader(Manager& manager, const std::stop_token& stop) {
    if (!manager.elector()->IsLeader()) dog_.Wrong("the leader's work begins without leading");
    while (SleepUnlessStopped(env_.env(), stop, std::chrono::hours(1))) {
    }
    env_.env().SleepFor(seconds(1));
    const auto lease =
        env_.server().Get({"coordination.k8s.io", "v1", "leases"}, {"default", "parents"});
    if (lease && (*lease)["spec"]["holderIdentity"].AsString().value_or("").empty()) {
      dog_.Wrong("the Lease is given up while the leader works");
    }
    return {};
  }
  // Delays the end of the runnables after it.
  Result<void> WorkOfAll(const std::stop_token& stop) {
    while (SleepUnlessStopped(env_.env(), stop, std::chrono::hours(1))) {
    }
    env_.env().SleepFor(milliseconds(Dice(3000)));
    return {};
  }
  Replica* Someone() {
    std::vector<Replica*> running;
    for (Replica* const replica : replicas_) {
      if (replica->running()) running.push_back(replica);
    }
    return running.at(static_cast<std::size_t>(Dice(static_cast<std::int64_t>(running.size()))));
  }

  void Disturb() {
    using apiserver::FaultAction;
    switch (Dice(14)) {
      case 0:
        ++run_.crashes;
        Someone()->Crash();
        return;
      case 1:
      case 2:
        ++run_.crashes;
        Someone()->CrashAtWrite(static_cast<int>(1 + Dice(4)));
        return;
      case 3:
        Someone()->DelayWatches(milliseconds(Dice(8000)));
        return;
      case 4:
        Someone()->LoseLeases(seconds(Dice(40)));
        return;
      case 5:
        Someone()->Disconnect(seconds(Dice(40)));
        return;
      case 6:
        Someone()->Stop();
        return;
      case 7:
        env_.server().faults().Add({.action = FaultAction::kRespond,
                                    .probability = 0.3,
                                    .lasts = seconds(Dice(20)),
                                    .status = 500});
        return;
      case 8:
        env_.server().faults().Add({.verb = "watch",
                                    .action = FaultAction::kCutBody,
                                    .count = 2,
                                    .after_bytes = static_cast<std::size_t>(Dice(3000))});
        return;
      case 9:
        env_.server().faults().Add(
            {.action = FaultAction::kRefuse, .probability = 0.2, .lasts = seconds(Dice(20))});
        return;
      case 10:
        StopOneThatCannotSync();
        return;
      default:
        return;
    }
  }
  // A replica leads before its caches have synced, and is stopped before they do.
  void StopOneThatCannotSync() {
    for (Replica* const replica : replicas_) {
      if (replica->running()) replica->Stop();
    }
    env_.server().faults().Add({.resource = "configmaps",
                                .action = apiserver::FaultAction::kRefuse,
                                .lasts = seconds(10)});
    StartOne();
    env_.RunFor(milliseconds(Dice(9000)));
    replicas_.back()->Stop();
  }

  void ChangeSomething() {
    const std::string name = "p" + std::to_string(Dice(kParents));
    const std::string count = std::to_string(Dice(4));
    if (!env_.server().Get(kConfigMaps, {"default", name})) {
      env_.server()
          .Create(kConfigMaps, json::Parse(R"({"metadata":{"namespace":"default","name":")" + name +
                                           R"("},"data":{"count":")" + count + R"("}})")
                                   .OrExit())
          .OrExit();
      return;
    }
    const std::string child = name + "-" + std::to_string(Dice(4));
    switch (Dice(4)) {
      case 0:
        static_cast<void>(env_.server().Delete(kConfigMaps, {"default", name}));
        return;
      case 1:
        // Another client deletes an object of the operator.
        static_cast<void>(env_.server().Delete(kConfigMaps, {"default", child}));
        return;
      default:
        static_cast<void>(
            env_.server().Patch(kConfigMaps, {"default", name},
                                json::Parse(R"({"data":{"count":")" + count + R"("}})").OrExit()));
    }
  }

  // The leader has reconciled everything; the other replica keeps what comes in its queue.
  void CompareCauses() {
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      run_.causes += causes_[i]->compared();
      if (!replicas_[i]->running() || !replicas_[i]->manager().Elected()) continue;
      if (const std::string wrong = causes_[i]->AtRest(); !wrong.empty()) dog_.Wrong(wrong);
    }
  }
  // Compares the actual with the wanted state.
  void Compare() {
    for (int i = 0; i < kParents; ++i) {
      const std::string name = "p" + std::to_string(i);
      const auto parent = env_.server().Get(kConfigMaps, {"default", name});
      const json::Value data = parent ? (*parent)["data"] : json::Value();
      const int wanted =
          parent ? std::stoi("0" + std::string(data["count"].AsString().value_or(""))) : 0;
      if (parent && !(*parent)["metadata"]["deletionTimestamp"].is_null()) {
        dog_.Wrong(name + " is still being deleted");
      }
      if (parent && data["ready"].AsString() != std::to_string(wanted)) {
        dog_.Wrong(name + " is not ready");
      }
      for (int c = 0; c < 4; ++c) {
        const std::string child = name + "-" + std::to_string(c);
        const bool there = env_.server().Get(kConfigMaps, {"default", child}).ok();
        if (there != (c < wanted)) {
          dog_.Wrong(child + (there ? " is there still" : " is missing"));
        }
      }
    }
  }

  OperatorRun run_;
  Watchdog dog_;
  // Keeps warnings, of which fights are some.
  const std::shared_ptr<kinformer::internal::base::FieldsLog> log_ =
      std::make_shared<kinformer::internal::base::FieldsLog>(LogLevel::kWarning);
  Environment env_;
  std::vector<Replica*> replicas_;
  std::vector<std::shared_ptr<CauseCheck>> causes_;  // of each replica
};

}  // namespace

OperatorRun RunOperator(std::uint64_t seed) { return World(seed).Run(); }

}  // namespace kinformer::testing
