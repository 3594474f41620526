#include "apiserver/workloads/daemon_set.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/workloads/claim.h"
#include "apiserver/workloads/node_lifecycle.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "apiserver/workloads/revisions.h"
#include "apiserver/workloads/scheduler.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kComponent = "daemonset-controller";
constexpr const char* kRevisionLabel = "controller-revision-hash";
constexpr const char* kGeneration = "deprecated.daemonset.template.generation";
constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

struct Tolerated {
  std::string_view key;
  std::string_view effect;
};
// Taints that pods of DaemonSets stand, beside those of the template.
constexpr auto kTolerated =
    std::to_array<Tolerated>({{"node.kubernetes.io/not-ready", "NoExecute"},
                              {"node.kubernetes.io/unreachable", "NoExecute"},
                              {"node.kubernetes.io/disk-pressure", "NoSchedule"},
                              {"node.kubernetes.io/memory-pressure", "NoSchedule"},
                              {"node.kubernetes.io/pid-pressure", "NoSchedule"},
                              {"node.kubernetes.io/unschedulable", "NoSchedule"}});

// Returns the pod for a node: bound to it by affinity, so that the scheduler puts it there.
json::Value PodFor(const json::Value& set, const std::string& hash, const std::string& node) {
  json::Value pod = PodOf(set["spec"]["template"], Kind::kDaemonSet, set);
  json::Value& labels = pod.Ensure("metadata", "labels");
  labels.Set(kRevisionLabel, hash);
  labels.Set("pod-template-generation", Annotation(set, kGeneration));
  pod.Ensure("metadata", "generateName") = NameOf(set) + "-";
  const json::Value here = json::Value::MakeArray({json::Value::MakeObject(
      {{"key", "metadata.name"}, {"operator", "In"}, {"values", json::Value::MakeArray({node})}})});
  json::Value& terms =
      pod.Ensure("spec", "affinity", "nodeAffinity", kRequired, "nodeSelectorTerms");
  if (terms.size() == 0) terms.Append(json::Value::MakeObject());
  for (json::Value& term : terms.EnsureArray()) term.Set("matchFields", here);
  for (const Tolerated& tolerated : kTolerated) {
    pod.Ensure("spec", "tolerations")
        .Append(json::Value::MakeObject(
            {{"key", tolerated.key}, {"operator", "Exists"}, {"effect", tolerated.effect}}));
  }
  return pod;
}

// Returns the node of a pod, whether it is bound already or not.
std::string NodeOf(const json::Value& pod) {
  const std::string& bound = Text(pod, "/spec/nodeName");
  if (!bound.empty()) return bound;
  const json::Value& terms =
      pod["spec"]["affinity"]["nodeAffinity"][kRequired]["nodeSelectorTerms"];
  return terms[0]["matchFields"][0]["values"][0].StringOrEmpty();
}

// Returns whether the set wants a pod on the node; `stays`: whether one that is there may stay.
bool Wants(const json::Value& pod, const json::Value& node, bool& stays) {
  stays = AffinityAllows(pod, node);
  bool wanted = stays;
  for (const json::Value& taint : node["spec"]["taints"].items()) {
    const std::string& effect = taint["effect"].StringOrEmpty();
    if (effect == "PreferNoSchedule" || ToleratesTaint(pod, taint)) continue;
    wanted = false;
    if (effect == "NoExecute") stays = false;
  }
  // A node that does not answer has taints of both effects, of which one is not tolerated.
  return wanted;
}

class DaemonSetRound {
 public:
  DaemonSetRound(const Scene& scene, const json::Value& set, Plan& plan)
      : scene_(scene), set_(set), plan_(plan) {
    revisions_ = RevisionsOf(scene, Kind::kDaemonSet, set, plan);
    claimed_ = Claim(scene, Kind::kDaemonSet, set, Kind::kPod, plan);
    for (const json::Value* pod : claimed_) by_node_[NodeOf(*pod)].push_back(pod);
  }

  void Run() {
    for (const auto& [name, node] : scene_.cluster.All(Kind::kNode)) Visit(name, node);
    for (const auto& [name, pods] : by_node_) {
      if (scene_.cluster.Find(Kind::kNode, name) != nullptr) continue;
      for (const json::Value* pod : pods) Remove(*pod);
    }
    if (!IsTerminating(set_) && Text(set_, "/spec/updateStrategy/type") != "OnDelete") Update();
    Report();
    ForgetRevisions(revisions_, set_, claimed_, {}, plan_);
  }

 private:
  [[nodiscard]] bool IsUpdated(const json::Value& pod) const {
    return Label(pod, kRevisionLabel) == revisions_.hash;
  }
  [[nodiscard]] bool IsAvailable(const json::Value& pod) {
    std::optional<Duration> again;
    const bool available =
        IsPodActive(pod) &&
        IsPodAvailable(pod, Number(set_, "/spec/minReadySeconds"), scene_.now, again);
    if (again) plan_.Again(*again);
    return available;
  }
  void Remove(const json::Value& pod) {
    if (IsTerminating(pod)) return;
    plan_.DeleteFor(Kind::kDaemonSet, set_, kComponent, Kind::kPod, pod,
                    "Deleted pod: " + NameOf(pod));
  }

  void Visit(const std::string& name, const json::Value& node) {
    json::Value pod = PodFor(set_, revisions_.hash, name);
    bool stays = false;
    const bool wanted = Wants(pod, node, stays);
    const json::Value* there = nullptr;
    bool leaving = false;
    for (const json::Value* other : by_node_[name]) {
      if (IsTerminating(*other)) {
        leaving = true;
      } else if (there != nullptr || !stays || IsPodFinished(*other)) {
        Remove(*other);
        leaving = true;
      } else {
        there = other;
      }
    }
    if (there != nullptr) (wanted ? kept_ : misplaced_).push_back(there);
    if (!wanted) return;
    ++desired_;
    if (there != nullptr || leaving || IsTerminating(set_)) return;
    const std::string pod_name = NameOf(set_) + "-" + scene_.dice.Letters();
    pod.Ensure("metadata", "name") = pod_name;
    plan_.CreateFor(Kind::kDaemonSet, set_, kComponent, Kind::kPod, std::move(pod),
                    "Created pod: " + pod_name);
  }

  // Removes pods of earlier templates: those that are not available, and of the others as many as
  // may be missing.
  void Update() {
    const json::Value& most = set_.At("/spec/updateStrategy/rollingUpdate/maxUnavailable");
    std::int64_t budget =
        std::max<std::int64_t>(PartOf(most, desired_, /*round_up=*/true, /*otherwise=*/1), 1);
    Objects old;
    std::int64_t available = 0;
    for (const json::Value* pod : kept_) {
      available += IsAvailable(*pod);
      if (IsUpdated(*pod)) continue;
      if (IsAvailable(*pod)) {
        old.push_back(pod);
      } else {
        Remove(*pod);
      }
    }
    budget -= desired_ - available;
    for (const json::Value* pod : old) {
      if (budget-- > 0) Remove(*pod);
    }
  }

  void Report() {
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t updated = 0;
    for (const json::Value* pod : kept_) {
      ready += IsPodReady(*pod);
      available += IsAvailable(*pod);
      updated += IsUpdated(*pod);
    }
    json::Value status = set_["status"];
    status.Set("observedGeneration", Number(set_, "/metadata/generation"));
    status.Set("currentNumberScheduled", static_cast<std::int64_t>(kept_.size()));
    status.Set("desiredNumberScheduled", desired_);
    status.Set("numberMisscheduled", static_cast<std::int64_t>(misplaced_.size()));
    status.Set("numberReady", ready);
    SetCount(status, "numberAvailable", available);
    SetCount(status, "numberUnavailable", desired_ - available);
    SetCount(status, "updatedNumberScheduled", updated);
    plan_.UpdateStatus(Kind::kDaemonSet, set_, std::move(status));
  }

  const Scene& scene_;
  const json::Value& set_;
  Plan& plan_;
  Revisions revisions_;
  Objects claimed_;
  std::map<std::string, Objects> by_node_;
  Objects kept_;       // the pods of nodes that shall have one
  Objects misplaced_;  // on nodes that shall have none
  std::int64_t desired_ = 0;
};

}  // namespace

void SyncDaemonSet(const Scene& scene, const json::Value& daemon_set, Plan& plan) {
  DaemonSetRound(scene, daemon_set, plan).Run();
}

}  // namespace kinformer::apiserver::workloads
