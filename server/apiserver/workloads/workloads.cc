#include "apiserver/workloads/workloads.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/base/log.h"

#include "apiserver/registry/conversion.h"
#include "apiserver/workloads/controller_users.h"
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

// Returns whether the error says that the namespace is being deleted, where nothing is missing.
bool IsOfTerminatingNamespace(const Error& error) {
  const auto& causes = error.details().causes;
  return std::any_of(causes.begin(), causes.end(), [](const StatusCause& cause) {
    return cause.reason == "NamespaceTerminating";
  });
}

// Has an event tell why the create before it was refused; returns whether it does.
bool TellRefusal(const std::string& why, PlannedWrite& event) {
  if (event.refused_reason.empty()) return false;
  event.object.Set("reason", event.refused_reason);
  event.object.Set("message", event.refused_text + why);
  event.object.Set("type", "Warning");
  return true;
}

}  // namespace

struct Workloads::Writes {
  Step step;
  std::vector<PlannedWrite> all{};
  std::size_t made = 0;  // or refused
  std::optional<Duration> again{};
  bool failed = false;
  std::string refusal{};  // of a create; no other one follows it
  bool told = false;      // an event has told it
  bool waits = false;
};

Workloads::Workloads(ServerState& state, ObjectWriter& writer, CreateRequests& creates,
                     const WorkloadScript& script)
    : state_(state),
      writer_(writer),
      creates_(creates),
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
    if (busy_.count(step) > 0) {
      postponed_.insert(step);
    } else {
      Run(step);
    }
  }
  posted_ = !queue_.empty();
  if (posted_) state_.Post([this] { Turn(); });
}

void Workloads::Run(const Step& step) {
  const auto refusal = refusals_.find(step);
  const Scene scene{.cluster = cluster_,
                    .script = script_,
                    .dice = dice_,
                    .now = state_.env.WallNow(),
                    .start = start_,
                    .refusal = refusal == refusals_.end() ? std::string_view() : refusal->second};
  Plan plan(scene);
  Decide(step, scene, plan);
  if (plan.again()) {
    Remind(step, scene.refusal.empty() ? *plan.again() : std::min(*plan.again(), kRetry));
  }
  auto writes = std::make_shared<Writes>(
      Writes{.step = step, .all = plan.TakeWrites(), .again = plan.again()});
  MakeAll(writes);
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

void Workloads::MakeAll(const std::shared_ptr<Writes>& writes) {
  while (writes->made < writes->all.size()) {
    if (!MakeNext(writes)) {
      busy_.insert(writes->step);
      return;
    }
  }
  Finish(*writes);
}

bool Workloads::MakeNext(const std::shared_ptr<Writes>& writes) {
  PlannedWrite& write = writes->all[writes->made++];
  if (!state_.acts()) return true;
  if (!writes->refusal.empty()) {
    const bool tells = !writes->told && TellRefusal(writes->refusal, write);
    writes->told = writes->told || tells;
    if (write.verb == Verb::kCreate && !tells) return true;
  }
  if (write.verb != Verb::kCreate) {
    Note(*writes, write, Change(write));
    return true;
  }
  const WriteTarget target = TargetOf(write);
  if (!creates_.Any()) {
    const Result<WriteOutcome> made = writer_.Create(target, std::move(write.object));
    Note(*writes, write, made.ok() ? Result<void>() : made.error());
    return true;
  }
  WriteTarget by = target;
  by.user = UserOf(writes->step);
  writes->waits = false;
  bool begun = false;
  creates_.Create(by, std::move(write.object), [this, writes, &begun](const Result<void>& made) {
    Note(*writes, writes->all[writes->made - 1], made);
    if (!writes->waits) {
      begun = true;
      return;
    }
    busy_.erase(writes->step);
    MakeAll(writes);
  });
  writes->waits = !begun;
  return begun;
}

void Workloads::Finish(const Writes& writes) {
  if (writes.failed) Remind(writes.step, std::min(writes.again.value_or(kRetry), kRetry));
  if (postponed_.erase(writes.step) > 0) Enqueue(writes.step.first, writes.step.second);
}

void Workloads::Note(Writes& writes, const PlannedWrite& write, const Result<void>& made) {
  if (made.ok() || IsNotFound(made.error())) return;
  const std::string& why = made.error().message();
  state_.env.log().Log(LogLevel::kInfo, "a write of a simulated workload was refused",
                       {{"kind", std::string(NamesOf(write.kind).kind)},
                        {"controller_object", writes.step.second},
                        {"error", why}});
  writes.failed = true;
  if (write.verb != Verb::kCreate || write.kind == Kind::kEvent ||
      IsOfTerminatingNamespace(made.error())) {
    return;
  }
  writes.refusal = why;
  if (!write.remembered) return;
  refusals_.insert_or_assign(writes.step, why);
  Enqueue(writes.step.first, writes.step.second);
}

UserInfoPtr Workloads::UserOf(const Step& step) const {
  const Controller controller = step.first;
  const std::string& key = step.second;
  const auto account = [&]() -> std::string_view {
    switch (controller) {
      case Controller::kNodeKeeper:
      case Controller::kKubelet:
      case Controller::kScheduler:
        return {};
      case Controller::kNodeLifecycle:
        return "node-controller";
      case Controller::kPodCollector:
        return "pod-garbage-collector";
      case Controller::kReplicaSet:
        return "replicaset-controller";
      case Controller::kDeployment:
        return "deployment-controller";
      case Controller::kEndpointSlices:
        return "endpointslice-controller";
      case Controller::kStatefulSet:
        return "statefulset-controller";
      case Controller::kDaemonSet:
        return "daemon-set-controller";
      case Controller::kJob:
        return "job-controller";
      case Controller::kCronJob:
        return "cronjob-controller";
      case Controller::kVolumeClaim:
      case Controller::kVolume:
        return "persistent-volume-binder";
      case Controller::kAutoscaler:
        return "horizontal-pod-autoscaler";
    }
    return {};
  }();
  if (!account.empty()) return ControllerUser(account);
  if (controller == Controller::kScheduler) return SchedulerUser();
  if (controller == Controller::kNodeKeeper) return KubeletUser(key);
  const json::Value* const pod = cluster_.Find(Kind::kPod, key);
  return KubeletUser(pod == nullptr ? std::string() : Text(*pod, "/spec/nodeName"));
}

WriteTarget Workloads::TargetOf(const PlannedWrite& write) const {
  return {.at = resources_[static_cast<std::size_t>(write.kind)],
          .namespace_ = NamespaceOf(write.object),
          .name = NameOf(write.object),
          .keep_status = true};
}

Result<void> Workloads::Change(PlannedWrite write) {
  WriteTarget target = TargetOf(write);
  const auto outcome = [&]() -> Result<WriteOutcome> {
    if (write.verb == Verb::kDelete) {
      return writer_.Delete(target, {.grace_period_seconds = write.grace,
                                     .uid = UidOf(write.object),
                                     .propagation = write.propagation});
    }
    const StoredObjectPtr stored = target.at.resource->Find(target.namespace_, target.name);
    if (stored == nullptr || stored->uid() != UidOf(write.object)) return WriteOutcome{};
    // An earlier write of the same plan may have changed it.
    write.object.Ensure("metadata")
        .Set("resourceVersion", std::to_string(stored->resource_version()));
    if (write.verb == Verb::kUpdateStatus) target.subresource = "status";
    return writer_.Update(target, std::move(write.object));
  }();
  return outcome.ok() ? Result<void>() : outcome.error();
}

void Workloads::Remind(const Step& step, Duration delay) {
  if (const auto found = reminders_.find(step); found != reminders_.end()) {
    state_.deadlines.Remove(found->second);
    reminders_.erase(found);
  }
  const SteadyTime when = internal::base::After(state_.env.Now(), delay);
  reminders_.emplace(step, state_.deadlines.Add(when, [this, step] {
    reminders_.erase(step);
    refusals_.erase(step);
    Enqueue(step.first, step.second);
  }));
}

}  // namespace kinformer::apiserver::workloads
