#include "apiserver/workloads/workloads.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/base/log.h"

#include "apiserver/registry/conversion.h"
#include "apiserver/workloads/cron_job.h"
#include "apiserver/workloads/daemon_set.h"
#include "apiserver/workloads/deployment.h"
#include "apiserver/workloads/endpoint_slices.h"
#include "apiserver/workloads/job.h"
#include "apiserver/workloads/node_lifecycle.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "apiserver/workloads/replica_set.h"
#include "apiserver/workloads/scheduler.h"
#include "apiserver/workloads/stateful_set.h"
#include "apiserver/workloads/volume_claim.h"
#include "base/core/deadline.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver::workloads {
namespace {

// Steps in one turn of the loop: other requests come between the turns.
constexpr int kStepsPerTurn = 32;
// Time until a refused write is tried again.
constexpr Duration kRetry = std::chrono::seconds(10);

}  // namespace

Workloads::Workloads(ServerState& state, ObjectWriter& writer, const WorkloadScript& script)
    : state_(state),
      writer_(writer),
      script_(script),
      start_(state.env.WallNow()),
      dice_(script.seed),
      nodes_(script),
      node_keeper_(nodes_),
      kubelets_(nodes_) {
  for (std::size_t i = 0; i < kKinds; ++i) {
    const KindNames& names = kKindNames[i];
    resources_[i] = state.resources.Find(names.group, names.version, names.plural);
    if (i != static_cast<std::size_t>(Kind::kEvent)) {
      kinds_.emplace(resources_[i].resource.get(), static_cast<Kind>(i));
    }
  }
  writer.AddObserver(*this);
  for (const auto& [name, entry] : nodes_.all()) Enqueue(Controller::kNodeKeeper, name);
}

std::optional<Kind> Workloads::KindOf(const ServedResource& resource) const {
  const auto found = kinds_.find(&resource);
  return found == kinds_.end() ? std::nullopt : std::optional<Kind>(found->second);
}

void Workloads::Reload() {
  cluster_.Clear();
  for (std::size_t i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const ResourceAt& at = resources_[i];
    if (kind == Kind::kEvent) continue;
    at.resource->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
      cluster_.Put(kind, ObjectIn(at, *stored));
      return true;
    });
  }
  for (std::size_t i = 0; i < kKinds; ++i) {
    for (const auto& [key, object] : cluster_.All(static_cast<Kind>(i))) {
      Concern(static_cast<Kind>(i), nullptr, &object);
    }
  }
}

void Workloads::AfterPut(const ObjectPut& put) {
  const auto kind = KindOf(*put.at.resource);
  if (!kind) return;
  json::Value object = ObjectIn(resources_[static_cast<std::size_t>(*kind)], *put.stored);
  const std::optional<json::Value> before = cluster_.Put(*kind, std::move(object));
  Concern(*kind, before ? &*before : nullptr, cluster_.Find(*kind, put.stored->key()));
}

void Workloads::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  const auto kind = KindOf(*at.resource);
  if (!kind) return;
  const std::optional<json::Value> before = cluster_.Remove(*kind, old->key());
  if (!before) return;
  if (*kind == Kind::kPod) kubelets_.Forget(UidOf(*before));
  if (*kind == Kind::kAutoscaler) autoscalers_.Forget(UidOf(*before));
  Concern(*kind, &*before, nullptr);
}

void Workloads::Enqueue(Controller controller, const std::string& key) {
  Step step(controller, key);
  if (!queued_.insert(step).second) return;
  queue_.push_back(std::move(step));
  if (std::exchange(posted_, true)) return;
  state_.Post([this] { Turn(); });
}

void Workloads::EnqueueAll(Controller controller, Kind kind) {
  for (const auto& [key, object] : cluster_.All(kind)) Enqueue(controller, key);
}

void Workloads::EnqueueIn(Controller controller, Kind kind, const std::string& namespace_) {
  for (const json::Value* object : cluster_.In(kind, namespace_)) {
    Enqueue(controller, KeyOf(*object));
  }
}

std::optional<Workloads::Controller> Workloads::ControllerFor(Kind kind) {
  switch (kind) {
    case Kind::kReplicaSet:
      return Controller::kReplicaSet;
    case Kind::kDeployment:
      return Controller::kDeployment;
    case Kind::kStatefulSet:
      return Controller::kStatefulSet;
    case Kind::kDaemonSet:
      return Controller::kDaemonSet;
    case Kind::kJob:
      return Controller::kJob;
    case Kind::kCronJob:
      return Controller::kCronJob;
    case Kind::kService:
      return Controller::kEndpointSlices;
    case Kind::kVolumeClaim:
      return Controller::kVolumeClaim;
    case Kind::kVolume:
      return Controller::kVolume;
    case Kind::kAutoscaler:
      return Controller::kAutoscaler;
    default:
      return std::nullopt;
  }
}

void Workloads::ConcernOwner(const json::Value& object) {
  const json::Value& owner = ControllerOf(object);
  const auto kind = KindNamed(owner["kind"].StringOrEmpty());
  const auto controller = kind ? ControllerFor(*kind) : std::nullopt;
  if (!controller) return;
  Enqueue(*controller, JoinedKey(NamespaceOf(object), owner["name"].StringOrEmpty()));
}

void Workloads::ConcernPod(const json::Value* before, const json::Value* after) {
  const json::Value& pod = after != nullptr ? *after : *before;
  const std::string key = KeyOf(pod);
  const std::string& namespace_ = NamespaceOf(pod);
  const bool bound = !Text(pod, "/spec/nodeName").empty();
  if (after != nullptr) {
    Enqueue(bound ? Controller::kKubelet : Controller::kScheduler, key);
    Enqueue(Controller::kPodCollector, key);
    if (bound) Enqueue(Controller::kNodeLifecycle, Text(pod, "/spec/nodeName"));
  }
  if (bound && (after == nullptr || IsPodFinished(*after))) ScheduleWaiting();
  bool orphan = false;
  for (const json::Value* state : {before, after}) {
    if (state == nullptr) continue;
    ConcernOwner(*state);
    orphan = orphan || ControllerOf(*state).is_null();
  }
  if (orphan) {
    EnqueueIn(Controller::kReplicaSet, Kind::kReplicaSet, namespace_);
    EnqueueIn(Controller::kStatefulSet, Kind::kStatefulSet, namespace_);
    EnqueueIn(Controller::kDaemonSet, Kind::kDaemonSet, namespace_);
  }
  EnqueueIn(Controller::kEndpointSlices, Kind::kService, namespace_);
  for (const json::Value& volume : pod["spec"]["volumes"].items()) {
    const std::string& claim = Text(volume, "/persistentVolumeClaim/claimName");
    if (!claim.empty()) Enqueue(Controller::kVolumeClaim, JoinedKey(namespace_, claim));
  }
}

void Workloads::ScheduleWaiting() {
  for (const json::Value* waiting : cluster_.PodsOn("")) {
    Enqueue(Controller::kScheduler, KeyOf(*waiting));
  }
}

void Workloads::ConcernNode(const std::string& name) {
  Enqueue(Controller::kNodeKeeper, name);
  Enqueue(Controller::kNodeLifecycle, name);
  ScheduleWaiting();
  for (const json::Value* pod : cluster_.PodsOn(name)) {
    Enqueue(Controller::kKubelet, KeyOf(*pod));
    Enqueue(Controller::kPodCollector, KeyOf(*pod));
  }
  EnqueueAll(Controller::kDaemonSet, Kind::kDaemonSet);
}

void Workloads::Concern(Kind kind, const json::Value* before, const json::Value* after) {
  const json::Value& object = after != nullptr ? *after : *before;
  if (const auto controller = ControllerFor(kind)) Enqueue(*controller, KeyOf(object));
  switch (kind) {
    case Kind::kNode:
      return ConcernNode(NameOf(object));
    case Kind::kLease:
      if (NamespaceOf(object) != "kube-node-lease") return;
      return Enqueue(Controller::kNodeLifecycle, NameOf(object));
    case Kind::kPod:
      return ConcernPod(before, after);
    case Kind::kReplicaSet:
      if (!ControllerOf(object).is_null()) return ConcernOwner(object);
      return EnqueueIn(Controller::kDeployment, Kind::kDeployment, NamespaceOf(object));
    case Kind::kRevision:
    case Kind::kEndpointSlice:
      return ConcernOwner(object);
    case Kind::kJob:
      ConcernOwner(object);
      if (after == nullptr) {
        for (const json::Value* pod : cluster_.OwnedBy(Kind::kPod, UidOf(object))) {
          Enqueue(Controller::kPodCollector, KeyOf(*pod));
        }
      }
      return;
    case Kind::kVolumeClaim:
      ScheduleWaiting();
      for (const auto& [name, volume] : cluster_.All(Kind::kVolume)) {
        if (Text(volume, "/spec/claimRef/uid") == UidOf(object)) Enqueue(Controller::kVolume, name);
      }
      return;
    case Kind::kVolume: {
      const json::Value& claim = object["spec"]["claimRef"];
      if (!claim.is_null()) {
        return Enqueue(Controller::kVolumeClaim, JoinedKey(claim["namespace"].StringOrEmpty(),
                                                           claim["name"].StringOrEmpty()));
      }
      return EnqueueAll(Controller::kVolumeClaim, Kind::kVolumeClaim);
    }
    default:
      return;
  }
}

void Workloads::Turn() {
  const internal::base::WorkSlice slice(state_.env);
  for (int i = 0; i < kStepsPerTurn && !queue_.empty() && !slice.over(); ++i) {
    const Step step = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(step);
    Run(step);
  }
  posted_ = !queue_.empty();
  if (posted_) state_.Post([this] { Turn(); });
}

void Workloads::Run(const Step& step) {
  const Scene scene{.cluster = cluster_,
                    .script = script_,
                    .dice = dice_,
                    .now = state_.env.WallNow(),
                    .start = start_};
  Plan plan(scene);
  Decide(step, scene, plan);
  if (plan.again()) Remind(step, *plan.again());
  bool all_made = true;
  for (PlannedWrite& write : plan.TakeWrites()) all_made = Make(std::move(write)) && all_made;
  if (!all_made) Remind(step, std::min(plan.again().value_or(kRetry), kRetry));
}

void Workloads::Decide(const Step& step, const Scene& scene, Plan& plan) {
  const auto& [controller, key] = step;
  const auto with = [&](Kind kind, const auto& run) {
    if (const json::Value* object = cluster_.Find(kind, key)) run(*object);
  };
  switch (controller) {
    case Controller::kNodeKeeper:
      return node_keeper_.Sync(scene, key, plan);
    case Controller::kNodeLifecycle:
      return with(Kind::kNode, [&](const json::Value& node) { SyncNode(scene, node, plan); });
    case Controller::kScheduler:
      return with(Kind::kPod, [&](const json::Value& pod) { SchedulePod(scene, pod, plan); });
    case Controller::kKubelet:
      return with(Kind::kPod, [&](const json::Value& pod) { kubelets_.Sync(scene, pod, plan); });
    case Controller::kPodCollector:
      return with(Kind::kPod,
                  [&](const json::Value& pod) { pod_collector_.Sync(scene, pod, plan); });
    case Controller::kReplicaSet:
      return with(Kind::kReplicaSet,
                  [&](const json::Value& object) { SyncReplicaSet(scene, object, plan); });
    case Controller::kDeployment:
      return with(Kind::kDeployment,
                  [&](const json::Value& object) { SyncDeployment(scene, object, plan); });
    case Controller::kEndpointSlices:
      return with(Kind::kService,
                  [&](const json::Value& object) { SyncEndpointSlices(scene, object, plan); });
    case Controller::kStatefulSet:
      return with(Kind::kStatefulSet,
                  [&](const json::Value& object) { SyncStatefulSet(scene, object, plan); });
    case Controller::kDaemonSet:
      return with(Kind::kDaemonSet,
                  [&](const json::Value& object) { SyncDaemonSet(scene, object, plan); });
    case Controller::kJob:
      return with(Kind::kJob, [&](const json::Value& object) { SyncJob(scene, object, plan); });
    case Controller::kCronJob:
      return with(Kind::kCronJob,
                  [&](const json::Value& object) { SyncCronJob(scene, object, plan); });
    case Controller::kVolumeClaim:
      return with(Kind::kVolumeClaim,
                  [&](const json::Value& object) { SyncVolumeClaim(scene, object, plan); });
    case Controller::kVolume:
      return with(Kind::kVolume,
                  [&](const json::Value& object) { SyncVolume(scene, object, plan); });
    case Controller::kAutoscaler:
      return with(Kind::kAutoscaler,
                  [&](const json::Value& object) { autoscalers_.Sync(scene, object, plan); });
  }
}

bool Workloads::Make(PlannedWrite write) {
  if (!state_.acts()) return true;
  WriteTarget target{.at = resources_[static_cast<std::size_t>(write.kind)],
                     .namespace_ = NamespaceOf(write.object),
                     .name = NameOf(write.object),
                     .keep_status = true};
  std::optional<Result<WriteOutcome>> outcome;
  if (write.verb == Verb::kCreate) {
    outcome.emplace(writer_.Create(target, std::move(write.object)));
  } else if (write.verb == Verb::kDelete) {
    outcome.emplace(writer_.Delete(target, {.grace_period_seconds = write.grace,
                                            .uid = UidOf(write.object),
                                            .propagation = write.propagation}));
  } else {
    const StoredObjectPtr stored = target.at.resource->Find(target.namespace_, target.name);
    if (stored == nullptr || stored->uid() != UidOf(write.object)) return true;
    // An earlier write of the same plan may have changed it.
    write.object.Ensure("metadata")
        .Set("resourceVersion", std::to_string(stored->resource_version()));
    if (write.verb == Verb::kUpdateStatus) target.subresource = "status";
    outcome.emplace(writer_.Update(target, std::move(write.object)));
  }
  if (outcome->ok() || IsNotFound(outcome->error())) return true;
  // For example since the namespace is being deleted.
  state_.env.log().Log(LogLevel::kInfo, "a write of a simulated workload was refused",
                       {{"kind", std::string(NamesOf(write.kind).kind)},
                        {"object", JoinedKey(target.namespace_, target.name)},
                        {"error", outcome->error().message()}});
  return false;
}

void Workloads::Remind(const Step& step, Duration delay) {
  if (const auto found = reminders_.find(step); found != reminders_.end()) {
    state_.deadlines.Remove(found->second);
    reminders_.erase(found);
  }
  const SteadyTime when = internal::base::After(state_.env.Now(), delay);
  reminders_.emplace(step, state_.deadlines.Add(when, [this, step] {
    reminders_.erase(step);
    Enqueue(step.first, step.second);
  }));
}

}  // namespace kinformer::apiserver::workloads
