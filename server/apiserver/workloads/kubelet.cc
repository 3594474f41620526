#include "apiserver/workloads/kubelet.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kComponent = "kubelet";
constexpr int kAddresses = 253;  // of a node's pods: .2 to .254

void Report(const json::Value& pod, const std::vector<ContainerChange>& changes, Plan& plan) {
  using What = ContainerChange::What;
  for (const ContainerChange& change : changes) {
    const ContainerRun& run = *change.container;
    switch (change.what) {
      case What::kStarted:
        plan.Event(Kind::kPod, pod, kComponent, "Pulled",
                   "Container image \"" + run.image + "\" already present on machine");
        plan.Event(Kind::kPod, pod, kComponent, "Created", "Created container: " + run.name);
        plan.Event(Kind::kPod, pod, kComponent, "Started", "Started container " + run.name);
        break;
      case What::kPullFailed:
        plan.Event(Kind::kPod, pod, kComponent, "Failed",
                   "Failed to pull image \"" + run.image + "\": not found", /*warning=*/true);
        break;
      case What::kBackOff:
        plan.Event(Kind::kPod, pod, kComponent, "BackOff",
                   "Back-off restarting failed container " + run.name + " in pod " + NameOf(pod),
                   /*warning=*/true);
        break;
    }
  }
}

std::string AddressOf(const json::Value& node) {
  for (const json::Value& address : node["status"]["addresses"].items()) {
    if (address["type"].StringOrEmpty() == "InternalIP") return address["address"].StringOrEmpty();
  }
  return {};
}

}  // namespace

void Kubelets::GiveAddress(const Scene& scene, const json::Value& node, const json::Value& pod,
                           PodRun& run) {
  if (Flag(pod, "/spec/hostNetwork")) {
    run.ip = AddressOf(node);
    return;
  }
  std::set<std::string> taken;
  for (const json::Value* other : scene.cluster.PodsOn(NameOf(node))) {
    if (!IsPodFinished(*other)) taken.insert(Text(*other, "/status/podIP"));
  }
  const std::string& range = Text(node, "/spec/podCIDR");
  const std::string prefix = range.substr(0, range.rfind('.') + 1);
  int& last = last_addresses_[NameOf(node)];
  for (int i = 0; i < kAddresses; ++i) {
    last = last % kAddresses + 1;
    run.ip = prefix + std::to_string(last + 1);
    if (taken.count(run.ip) == 0) return;
  }
}

void Kubelets::Terminate(const Scene& scene, const json::Value& pod, PodRun& run,
                         const std::string& host_ip, Plan& plan) {
  if (!run.stops) {
    const Duration grace =
        internal::base::SaturatedSeconds(Number(pod, "/metadata/deletionGracePeriodSeconds"));
    const DelayRange range =
        BehaviourOf(scene.script, pod,
                    run.containers.empty() ? std::string() : run.containers.front().image)
            .stop_delay;
    run.stops = scene.now + std::min(grace, scene.dice.Delay(range, run.key + "/stop"));
    for (const ContainerRun& container : run.containers) {
      if (container.state != ContainerState::kRunning) continue;
      plan.Event(Kind::kPod, pod, kComponent, "Killing", "Stopping container " + container.name);
    }
  }
  if (scene.now < *run.stops && Number(pod, "/metadata/deletionGracePeriodSeconds") > 0) {
    return plan.AgainAt(*run.stops);
  }
  run.Stop(scene.now);
  plan.UpdateStatus(Kind::kPod, pod, PodStatusOf(pod, run, host_ip, scene.now));
  plan.Delete(Kind::kPod, pod, 0);
}

void Kubelets::Sync(const Scene& scene, const json::Value& pod, Plan& plan) {
  const std::string& node_name = Text(pod, "/spec/nodeName");
  const Duration since = scene.now - scene.start;
  std::optional<Duration> next;
  if (!nodes_.IsAlive(node_name, since, next)) {
    if (next) plan.Again(*next - since);
    return;
  }
  const json::Value* node = scene.cluster.Find(Kind::kNode, node_name);
  if (node == nullptr) return;
  if (IsPodFinished(pod)) {
    if (IsTerminating(pod)) plan.Delete(Kind::kPod, pod, 0);
    return;
  }
  auto found = runs_.find(UidOf(pod));
  if (found == runs_.end()) {
    found = runs_.emplace(UidOf(pod), NewPodRun(scene.script, pod, scene.now)).first;
    GiveAddress(scene, *node, pod, found->second);
  }
  PodRun& run = found->second;
  if (IsTerminating(pod)) return Terminate(scene, pod, run, AddressOf(*node), plan);
  const std::vector<ContainerChange> changes = run.Advance(scene.dice, scene.now);
  for (const ContainerChange& change : changes) {
    if (change.what != ContainerChange::What::kStarted) continue;
    change.container->id = "simulated://" + scene.dice.Letters(32);
  }
  plan.UpdateStatus(Kind::kPod, pod, PodStatusOf(pod, run, AddressOf(*node), scene.now));
  Report(pod, changes, plan);
  if (const auto due = run.Due()) plan.AgainAt(*due);
}

}  // namespace kinformer::apiserver::workloads
