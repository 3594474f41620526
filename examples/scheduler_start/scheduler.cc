#include "scheduler_start/scheduler.h"

#include <chrono>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/factory_accessors.h"

namespace scheduler {

namespace corev1 = kinformer::corev1;
using kinformer::Added;
using kinformer::Deleted;
using kinformer::ObjectName;
using kinformer::Result;
using kinformer::Updated;

namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

bool AssignedPod(corev1::Pod pod) { return !pod.spec().nodeName().empty(); }

bool ResponsibleForPod(corev1::Pod pod) {
  const std::string_view name = pod.spec().schedulerName();
  return name.empty() || name == "default-scheduler";
}

}  // namespace

// Pods that have ended are not needed here: a custom constructor excludes them with a field
// selector on the server.
Scheduler::Pods Scheduler::MakePods(kinformer::SharedInformerFactory& factory,
                                    const kinformer::Client& client) {
  return factory.InformerFor<corev1::Pod>([&client](kinformer::Duration resync) {
    auto list_watch = kinformer::NewFilteredListWatch<corev1::Pod>(
        client, "", [](kinformer::ListOptions& options) {
          options.fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
        });
    return kinformer::SharedInformer<corev1::Pod>(client.env(), std::move(list_watch),
                                                  {.resync_period = resync});
  });
}

Scheduler::Scheduler(const kinformer::Client& client, Options options)
    : client_(client),
      options_(std::move(options)),
      factory_(std::make_shared<kinformer::SharedInformerFactory>(client)),
      dynamic_factory_(client),
      writer_(client, factory_),
      pods_(MakePods(*factory_, client)),
      nodes_(factory_->Core().V1().Nodes().Informer()),
      widgets_(dynamic_factory_.ForResource({"example.com", "v1", "widgets"}).OrExit()),
      queue_(client.env(), {.name = "unscheduled"}),
      claims_(factory_->InformerFor<corev1::PersistentVolumeClaim>()) {
  AddAllEventHandlers();
}

void Scheduler::AddAllEventHandlers() {
  // Scheduled pods are added to the cache.
  handlers_.push_back(
      pods_
          .AddEventHandler(kinformer::FilteringResourceEventHandler<corev1::Pod>(
              {.object = [](corev1::Pod pod) { return AssignedPod(pod); },
               .deleted =
                   [](const Deleted<corev1::Pod>& t) {
                     // The carried object may be stale, so it does not tell whether the pod was
                     // assigned at the end. It is removed in any case.
                     return t.final_state_unknown || AssignedPod(t.object);
                   }},
              {.on_add = [this](const Added<corev1::Pod>& e) { AddPodToCache(e); },
               .on_update = [this](const Updated<corev1::Pod>& e) { UpdatePodInCache(e); },
               .on_delete = [this](const Deleted<corev1::Pod>& e) { DeletePodFromCache(e); }}))
          .OrExit());
  // Unscheduled pods wait in the queue.
  const auto enqueue = [this](const auto& e) { queue_.Add(e.object_name()); };
  handlers_.push_back(
      pods_
          .AddEventHandler(kinformer::FilteringResourceEventHandler<corev1::Pod>(
              {.object =
                   [](corev1::Pod pod) { return !AssignedPod(pod) && ResponsibleForPod(pod); },
               .deleted =
                   [](const Deleted<corev1::Pod>& t) { return ResponsibleForPod(t.object); }},
              {.on_add = enqueue,
               .on_update = enqueue,
               .on_delete =
                   [this](const Deleted<corev1::Pod>& e) { queue_.Forget(e.object_name()); }}))
          .OrExit());
  // A new node may have room for pods that did not fit before.
  handlers_.push_back(nodes_
                          .AddEventHandler({.on_add =
                                                [this](const Added<corev1::Node>&) {
                                                  for (corev1::Pod pod : pods_.Snapshot()) {
                                                    if (!AssignedPod(pod) && ResponsibleForPod(pod))
                                                      queue_.Add(kinformer::ObjectName{
                                                          std::string(pod.metadata().namespace_()),
                                                          std::string(pod.metadata().name())});
                                                  }
                                                }})
                          .OrExit());
  handlers_.push_back(
      widgets_.AddEventHandler({.on_add = [](const Added<kinformer::Unstructured>&) {}}).OrExit());
  for (const Registration& handler : handlers_) scopes_.push_back(handler.Scoped());
}

Result<void> Scheduler::StartInformersAndWaitForSync(const std::stop_token& stop) {
  factory_->Start();
  dynamic_factory_.Start();
  if (Result<void> synced = factory_->WaitForCacheSync(stop); !synced) return synced;
  if (Result<void> synced = dynamic_factory_.WaitForCacheSync(stop); !synced) return synced;
  // WaitForHandlersSync: all handlers have received the initial objects.
  for (const Registration& handler : handlers_) {
    if (Result<void> synced = handler.WaitForSync(stop); !synced) return synced;
  }
  if (Result<void> synced = claims_.WaitForSync(stop); !synced) return synced;
  handlers_synced_ = true;
  options_.say("caches and handlers synced: " + std::to_string(pods_.Snapshot().size()) +
               " pods on " + std::to_string(nodes_.Snapshot().size()) + " nodes, " +
               std::to_string(widgets_.Snapshot().size()) + " widgets");
  return {};
}

Result<void> Scheduler::BeforeElection(const std::stop_token& stop) {
  if (options_.delay_cache_until_active) return {};
  return StartInformersAndWaitForSync(stop);
}

void Scheduler::Lead(const std::stop_token& stop) {
  options_.say("leads");
  if (options_.delay_cache_until_active) {
    if (const Result<void> synced = StartInformersAndWaitForSync(stop); !synced) {
      options_.say("not synced: " + synced.error().message());
      return;
    }
  }
  const std::stop_callback on_stop(stop, [this] { queue_.ShutDown(); });
  while (const std::optional<ObjectName> name = queue_.Get()) {
    ScheduleOne(*name);
    queue_.Done(*name);
  }
}

void Scheduler::AddPodToCache(const Added<corev1::Pod>& event) {
  const std::lock_guard lock(mutex_);
  assigned_[event.key] = event.object.spec().nodeName();
}

void Scheduler::UpdatePodInCache(const Updated<corev1::Pod>& event) {
  const std::lock_guard lock(mutex_);
  assigned_[event.key] = event.new_object.spec().nodeName();
}

// The pod may never have been added: a tombstone of a pod whose binding was not seen.
void Scheduler::DeletePodFromCache(const Deleted<corev1::Pod>& event) {
  const std::lock_guard lock(mutex_);
  assigned_.erase(event.key);
  options_.say((event.final_state_unknown ? "gone unseen: " : "gone: ") + event.key);
}

std::map<std::string, std::string> Scheduler::assigned() const {
  const std::lock_guard lock(mutex_);
  return assigned_;
}

void Scheduler::ScheduleOne(const ObjectName& name) {
  const auto pod = pods_.lister().Get(name.namespace_, name.name);
  if (!pod || AssignedPod(**pod)) return queue_.Forget(name);
  const auto nodes = nodes_.Snapshot();
  std::vector<std::string> names;
  for (corev1::Node node : nodes) names.emplace_back(node.metadata().name());
  if (names.empty()) return;  // retried when a node is added
  const std::string node = names[next_node_++ % names.size()];
  {
    // assume: counts the pod before the server has answered.
    const std::lock_guard lock(mutex_);
    assigned_[name.ToString()] = node;
  }
  Result<void> bound = SelectNodeForClaims(**pod, node);
  if (bound) bound = Bind(**pod, node);
  if (!bound) {
    options_.say("not bound: " + bound.error().message());
    // The pod may be deleted already: only the assumed assignment is undone.
    const std::lock_guard lock(mutex_);
    assigned_.erase(name.ToString());
    if (!kinformer::IsNotFound(bound.error())) queue_.AddRateLimited(name);
    return;
  }
  queue_.Forget(name);
  options_.say("bound " + name.ToString());
}

Result<void> Scheduler::SelectNodeForClaims(const corev1::Pod& pod, const std::string& node) {
  for (corev1::Volume volume : pod.spec().volumes()) {
    const auto source = volume.persistentVolumeClaim();
    if (!source) continue;
    const ObjectName claim{std::string(pod.metadata().namespace_()),
                           std::string(source->claimName())};
    if (!NodeOfClaim(claim.ToString()).empty()) continue;
    const std::string patch = "{\"metadata\":{\"annotations\":{\"" + std::string(kSelectedNode) +
                              "\":\"" + node + "\"}}}";
    const auto updated =
        writer_.Patch<corev1::PersistentVolumeClaim>(claim, kinformer::Patch{.body = patch});
    if (!updated) return updated.error();
    if (Result<void> assumed = claims_.Assume(*updated); !assumed) return assumed;
  }
  return {};
}

std::string Scheduler::NodeOfClaim(const std::string& key) const {
  const auto claim = claims_.Get(key);
  if (!claim) return "";
  return std::string(claim->metadata().annotations().Find(kSelectedNode).value_or(""));
}

Result<void> Scheduler::Bind(const corev1::Pod& pod, const std::string& node) {
  corev1::Binding::Mutable binding;
  binding.metadata.uid = pod.metadata().uid();
  binding.target.kind = "Node";
  binding.target.name = node;
  const ObjectName name{std::string(pod.metadata().namespace_()),
                        std::string(pod.metadata().name())};
  const auto bound = writer_.SubResource("binding").Create<corev1::Pod>(name, binding);
  if (!bound) return bound.error();
  return {};
}

}  // namespace scheduler
