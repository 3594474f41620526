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

DeleteRequest DeletionOf(const PlannedWrite& write) {
  return {.grace_period_seconds = write.grace,
          .uid = UidOf(write.object),
          .propagation = write.propagation};
}

// Has an event tell why the write before it was refused.
void TellRefusal(const std::string& why, PlannedWrite& event, Dice& dice) {
  event.object.Set("reason", event.if_refused->reason);
  event.object.Set("message", event.if_refused->text + why);
  event.object.Set("type", "Warning");
  if (!event.only_if_refused) return;
  json::Value& metadata = event.object.Ensure("metadata");
  metadata.Set("name", std::as_const(metadata)["name"].StringOrEmpty() + dice.Letters(16));
}

}  // namespace

struct Workloads::Writes {
  Step step;
  std::vector<PlannedWrite> all{};
  std::size_t made = 0;  // or refused
  std::optional<Duration> again{};
  bool failed = false;
  bool outdated = false;  // others have changed an object
  // Outcome of the last one, events not counted.
  enum class Last : std::uint8_t { kMade, kRefused, kSkipped } last = Last::kMade;
  std::string why{};            // it was refused
  bool create_refused = false;  // no other one follows it
  bool waits = false;
  bool waited = false;
  Place place{};  // of the last update or delete
  // Versions of objects as these writes have left them, by uid, if admission reviews them.
  std::map<std::string, std::int64_t> left{};
};

Workloads::Workloads(ServerState& state, ObjectWriter& writer, WriteRequests& requests,
                     const WorkloadScript& script)
    : state_(state),
      writer_(writer),
      requests_(requests),
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
  static const Refusals kNone;
  const auto found = refusals_.find(step);
  const Refusals& refusals = found == refusals_.end() ? kNone : found->second;
  const Scene scene{.cluster = cluster_,
                    .script = script_,
                    .dice = dice_,
                    .now = state_.env.WallNow(),
                    .start = start_,
                    .delete_refusal = refusals.of_delete,
                    .refusal = refusals.of_other,
                    .reviewed = requests_.Any()};
  Plan plan(scene);
  Decide(step, scene, plan);
  if (plan.again()) {
    const bool refused = found != refusals_.end();
    Remind(step, refused ? std::min(*plan.again(), kRetry) : *plan.again());
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
  if (!state_.acts() || !Goes(*writes, write)) return true;
  if (write.verb != Verb::kCreate && !NoteVersion(*writes, write)) return true;
  if (!requests_.Any()) {
    const Result<void> made = Make(write);
    Note(*writes, write, made);
    return true;
  }
  writes->waits = false;
  bool begun = false;
  Request(*writes, write, [this, writes, &begun](const Result<void>& made) {
    Note(*writes, writes->all[writes->made - 1], made);
    if (!writes->waits) {
      begun = true;
      return;
    }
    busy_.erase(writes->step);
    MakeAll(writes);
  });
  writes->waits = !begun;
  writes->waited = writes->waited || writes->waits;
  return begun;
}

bool Workloads::Goes(Writes& writes, PlannedWrite& write) {
  using Last = Writes::Last;
  const bool is_event = write.kind == Kind::kEvent;
  bool goes = !writes.outdated;
  if (write.only_if_refused && writes.last != Last::kRefused) goes = false;
  if (write.if_refused && writes.last != Last::kMade) {
    const bool tells = writes.last == Last::kRefused && !write.if_refused->reason.empty();
    if (tells) TellRefusal(writes.why, write, dice_);
    goes = goes && tells;
  } else if (write.verb == Verb::kCreate && writes.create_refused) {
    goes = false;
  }
  if (!is_event) writes.last = goes ? Last::kMade : Last::kSkipped;
  return goes;
}

void Workloads::Request(const Writes& writes, PlannedWrite& write,
                        const WriteRequests::Done& done) {
  WriteTarget target = TargetOf(write);
  target.user = UserOf(writes.step);
  switch (write.verb) {
    case Verb::kCreate:
      return requests_.Create(target, std::move(write.object), done);
    case Verb::kDelete:
      return requests_.Delete(target, DeletionOf(write), done);
    case Verb::kUpdateStatus:
      target.subresource = "status";
      return requests_.Update(target, std::move(write.object), done);
    case Verb::kUpdate:
      break;
  }
  if (write.through == Through::kScale) return requests_.UpdateScale(target, write.object, done);
  if (write.through == Through::kBinding) {
    return requests_.Bind(target, std::move(write.object), done);
  }
  requests_.Update(target, std::move(write.object), done);
}

void Workloads::Finish(const Writes& writes) {
  if (writes.failed) Remind(writes.step, std::min(writes.again.value_or(kRetry), kRetry));
  if (postponed_.erase(writes.step) > 0 || writes.outdated) {
    Enqueue(writes.step.first, writes.step.second);
  }
}

void Workloads::Note(Writes& writes, const PlannedWrite& write, const Result<void>& made) {
  if (made.ok() || IsNotFound(made.error())) return NoteLeft(writes, write);
  if (write.verb != Verb::kCreate && IsConflict(made.error())) {
    writes.outdated = true;
    return;
  }
  const std::string& why = made.error().message();
  state_.env.log().Log(LogLevel::kInfo, "a write of a simulated workload was refused",
                       {{"kind", std::string(NamesOf(write.kind).kind)},
                        {"controller_object", writes.step.second},
                        {"error", why}});
  writes.failed = true;
  if (write.kind == Kind::kEvent) return;
  if (write.verb == Verb::kCreate && IsOfTerminatingNamespace(made.error())) {
    return;
  }
  writes.last = Writes::Last::kRefused;
  writes.why = why;
  writes.create_refused = writes.create_refused || write.verb == Verb::kCreate;
  if (!write.remembered) return;
  Refusals& refusals = refusals_[writes.step];
  std::string& refusal = write.verb == Verb::kDelete ? refusals.of_delete : refusals.of_other;
  if (refusal.empty()) refusal = why;
  Enqueue(writes.step.first, writes.step.second);
}

void Workloads::NoteLeft(Writes& writes, const PlannedWrite& write) const {
  if (!requests_.Any() || write.verb == Verb::kCreate || write.verb == Verb::kDelete) return;
  const StoredObjectPtr stored = StoredOf(write.kind, writes.place);
  if (stored != nullptr) writes.left[std::string(stored->uid())] = stored->resource_version();
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

StoredObjectPtr Workloads::StoredOf(Kind kind, const Place& place) const {
  return resources_[static_cast<std::size_t>(kind)].resource->Find(place.first, place.second);
}

bool Workloads::NoteVersion(Writes& writes, PlannedWrite& write) const {
  writes.place = {NamespaceOf(write.object), NameOf(write.object)};
  const StoredObjectPtr stored = StoredOf(write.kind, writes.place);
  if (stored == nullptr || stored->uid() != UidOf(write.object)) return false;
  if (write.verb == Verb::kDelete) return true;
  json::Value& metadata = write.object.Ensure("metadata");
  const std::string now = std::to_string(stored->resource_version());
  // An earlier write of the same plan may have changed it.
  const auto left = writes.left.find(UidOf(write.object));
  const bool own = left != writes.left.end() && left->second == stored->resource_version();
  if (writes.waited && !own && std::as_const(metadata)["resourceVersion"].StringOrEmpty() != now) {
    writes.outdated = true;
    return false;
  }
  metadata.Set("resourceVersion", now);
  return true;
}

Result<void> Workloads::Make(PlannedWrite write) {
  WriteTarget target = TargetOf(write);
  const auto outcome = [&]() -> Result<WriteOutcome> {
    if (write.verb == Verb::kCreate) return writer_.Create(target, std::move(write.object));
    if (write.verb == Verb::kDelete) return writer_.Delete(target, DeletionOf(write));
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
