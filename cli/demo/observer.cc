#include "demo/observer.h"

#include <utility>

namespace kinformer::demo {
namespace {

// Maximum number of log lines kept for the screen; older lines are dropped.
constexpr std::size_t kLogLines = 200;
constexpr int kMaxRetries = 6;

}  // namespace

std::string PodState(corev1::Pod pod) {
  for (const corev1::ContainerStatus status : pod.status().containerStatuses()) {
    if (const auto waiting = status.state().waiting()) return std::string(waiting->reason());
  }
  return std::string(pod.status().phase());
}

Observer::Observer(const Client& client)
    : env_(client.env()),
      client_(client),
      factory_(client),
      pods_(factory_.InformerFor<corev1::Pod>(
          {.indexers = {{"spec.nodeName",
                         [](corev1::Pod pod, auto& out) { out.Add(pod.spec().nodeName()); }}}})),
      queue_(env_, {.name = "crashing-pods"}) {
  Add("pods", pods_);
  Add("nodes", factory_.InformerFor<corev1::Node>());
  Add("namespaces", factory_.InformerFor<corev1::Namespace>());
  Add("services", factory_.InformerFor<corev1::Service>());
  Add("deployments", factory_.InformerFor<appsv1::Deployment>());
  Add("replicasets", factory_.InformerFor<appsv1::ReplicaSet>());
  Add("endpointslices", factory_.InformerFor<discoveryv1::EndpointSlice>());

  // The first component writes a log and counts pods from events alone. The count is compared with
  // the cache at the end.
  pods_
      .AddEventHandler({.on_add =
                            [this](const Added<corev1::Pod>& e) {
                              ++believed_pods_;
                              if (!e.is_in_initial_list) Note("+ " + e.key);
                            },
                        .on_update =
                            [this](const Updated<corev1::Pod>& e) {
                              const std::string before = PodState(e.old_object);
                              const std::string after = PodState(e.new_object);
                              if (before != after)
                                Note("~ " + e.key + "  " + before + " -> " + after);
                            },
                        .on_delete =
                            [this](const Deleted<corev1::Pod>& e) {
                              --believed_pods_;
                              Note("- " + e.key + (e.final_state_unknown ? "  (tombstone)" : ""));
                            }},
                       {.name = "log"})
      .OrExit();
  // The second feeds a work queue: crashing pods are checked until they run.
  pods_
      .AddEventHandler(FilteringResourceEventHandler<corev1::Pod>(
                           [](corev1::Pod pod) { return PodState(pod) == "CrashLoopBackOff"; },
                           {.on_add =
                                [this](const Added<corev1::Pod>& e) {
                                  ++added_;
                                  queue_.Add(e.object_name());
                                }}),
                       {.name = "crashing-pods"})
      .OrExit();
  // The others share the same caches; each receives all events.
  for (int i = 2; i < kComponents; ++i) {
    pods_
        .AddEventHandler({.on_add = [](const Added<corev1::Pod>&) {}},
                         {.name = "component-" + std::to_string(i + 1)})
        .OrExit();
  }
}

Observer::~Observer() {
  queue_.ShutDown();
  workers_.Join();
  factory_.Shutdown();
}

void Observer::Start() {
  workers_ = RunWorkers(env_, queue_, 2, [this](const ObjectName& key) { return Reconcile(key); });
  factory_.Start();
}

// Returns "namespace/name" and resourceVersion of all objects in a range.
template <class Range>
std::map<std::string, std::string> VersionsOf(const Range& objects) {
  std::map<std::string, std::string> versions;
  for (const auto object : objects) {
    const auto metadata = object.metadata();
    const ObjectName name{std::string(metadata.namespace_()), std::string(metadata.name())};
    versions[name.ToString()] = metadata.resourceVersion();
  }
  return versions;
}

template <class T>
void Observer::Add(const char* name, SharedInformer<T> informer) {
  const KindInfo& type = T::kind_info();
  resources_.push_back(
      {name,
       {std::string(type.group), std::string(type.version), std::string(type.resource)},
       [informer] { return informer.Stats(); },
       [informer] { return informer.HasSynced(); },
       [informer] { return VersionsOf(informer.Snapshot()); },
       [client = client_]() -> Result<std::map<std::string, std::string>> {
         auto list = client.For<T>().List();
         if (!list) return std::move(list).error();
         return VersionsOf(*list);
       }});
}

bool Observer::HasSynced() const {
  for (const CachedResource& resource : resources_) {
    if (!resource.synced()) return false;
  }
  return true;
}

void Observer::Note(std::string line) {
  const std::lock_guard lock(mutex_);
  log_.push_back(std::move(line));
  if (log_.size() > kLogLines) log_.pop_front();
}

std::vector<std::string> Observer::TakeLog() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines(log_.begin(), log_.end());
  log_.clear();
  return lines;
}

QueueFigures Observer::Queue() const {
  return {queue_.Len(), added_.load(), retried_.load(), done_.load()};
}

// Returns an error while the pod still crashes, so retries come with increasing delays.
Result<void> Observer::Reconcile(const ObjectName& key) {
  auto pod = pods_.lister().Namespace(key.namespace_).Get(key.name);
  if (!pod && !IsNotFound(pod.error())) return std::move(pod).error();
  if (pod && PodState(**pod) == "CrashLoopBackOff" && queue_.NumRequeues(key) < kMaxRetries) {
    ++retried_;
    return Error(Reason::kServiceUnavailable, "pod " + key.ToString() + " still crashes");
  }
  ++done_;
  return {};
}

}  // namespace kinformer::demo
