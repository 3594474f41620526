#include "apiserver/workloads/node_lifecycle.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/object_parts.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver::workloads {
namespace {

using internal::base::SaturatedAfter;
using internal::base::SaturatedSeconds;

// Kube-controller-manager's --node-monitor-grace-period.
constexpr Duration kGrace = std::chrono::seconds(50);
constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";
constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kUnschedulable = "node.kubernetes.io/unschedulable";

bool Tolerates(const json::Value& toleration, const json::Value& taint) {
  const auto same = [&](const char* member, bool empty_matches) {
    const std::string& wanted = toleration[member].StringOrEmpty();
    return (empty_matches && wanted.empty()) || wanted == taint[member].StringOrEmpty();
  };
  if (!same("effect", true) || !same("key", true)) return false;
  const std::string& operation = toleration["operator"].StringOrEmpty();
  return operation == "Exists" || same("value", false);
}

json::Value Taint(std::string_view key, std::string_view effect, WallTime now) {
  json::Value taint = json::Value::MakeObject({{"key", key}, {"effect", effect}});
  if (effect == "NoExecute") taint.Set("timeAdded", FormatTime(now));
  return taint;
}

// Sets or removes a taint.
void SetTaint(json::Value& taints, std::string_view key, std::string_view effect, bool wanted,
              WallTime now) {
  json::Array& all = taints.EnsureArray();
  const auto is_it = [&](const json::Value& taint) {
    return taint["key"].StringOrEmpty() == key && taint["effect"].StringOrEmpty() == effect;
  };
  if (!wanted) {
    std::erase_if(all, is_it);
  } else if (std::none_of(all.begin(), all.end(), is_it)) {
    all.push_back(Taint(key, effect, now));
  }
}

// Marks the node and its pods as unknown, once its lease is too old. Returns whether it did.
bool Monitor(const Scene& scene, const json::Value& node, Plan& plan) {
  const json::Value* lease = scene.cluster.Find(Kind::kLease, "kube-node-lease", NameOf(node));
  const auto renewed = lease == nullptr ? std::nullopt : TimeAt(*lease, "/spec/renewTime");
  if (!renewed || ConditionOf(node, "Ready")["status"].StringOrEmpty() == "Unknown") return false;
  if (scene.now < *renewed + kGrace) {
    plan.AgainAt(*renewed + kGrace);
    return false;
  }
  json::Value status = node["status"];
  for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    SetCondition(status,
                 {.type = type,
                  .reason = "NodeStatusUnknown",
                  .message = "Kubelet stopped posting node status.",
                  .status = "Unknown"},
                 scene.now);
  }
  plan.UpdateStatus(Kind::kNode, node, std::move(status));
  plan.Event(Kind::kNode, node, "node-controller", "NodeNotReady",
             "Node " + NameOf(node) + " status is now: NodeNotReady");
  for (const json::Value* pod : scene.cluster.PodsOn(NameOf(node))) {
    if (!IsTrue(*pod, "Ready")) continue;
    json::Value pod_status = (*pod)["status"];
    SetCondition(pod_status, {.type = "Ready", .holds = false}, scene.now);
    plan.UpdateStatus(Kind::kPod, *pod, std::move(pod_status));
  }
  return true;
}

// Returns how long the pod may stay beside the taint; empty: for ever.
std::optional<Duration> StayOf(const json::Value& pod, const json::Value& taint) {
  std::optional<Duration> stay = Duration::zero();
  bool tolerated = false;
  for (const json::Value& toleration : pod["spec"]["tolerations"].items()) {
    if (!Tolerates(toleration, taint)) continue;
    const auto seconds = toleration["tolerationSeconds"].AsInt64();
    const std::optional<Duration> its =
        seconds ? std::optional<Duration>(SaturatedSeconds(std::max<std::int64_t>(*seconds, 0)))
                : std::nullopt;
    if (!tolerated || !stay || (its && *its < *stay)) stay = its;
    tolerated = true;
  }
  return stay;
}

void Evict(const Scene& scene, const json::Value& pod, const json::Value& taints, Plan& plan) {
  if (IsTerminating(pod)) return;
  for (const json::Value& taint : taints.items()) {
    if (taint["effect"].StringOrEmpty() != "NoExecute") continue;
    const std::optional<Duration> stay = StayOf(pod, taint);
    if (!stay) continue;
    const WallTime end = SaturatedAfter(TimeAt(taint, "/timeAdded").value_or(scene.now), *stay);
    if (scene.now < end) {
      plan.AgainAt(end);
      continue;
    }
    json::Value status = pod["status"];
    SetCondition(status,
                 {.type = "DisruptionTarget",
                  .holds = true,
                  .reason = "DeletionByTaintManager",
                  .message = "Taint manager: deleting due to NoExecute taint"},
                 scene.now);
    plan.UpdateStatus(Kind::kPod, pod, std::move(status));
    plan.Event(Kind::kPod, pod, "taint-eviction-controller", "TaintManagerEviction",
               "Marking for deletion Pod " + KeyOf(pod));
    return plan.Delete(Kind::kPod, pod);
  }
}

}  // namespace

bool ToleratesTaint(const json::Value& pod, const json::Value& taint) {
  const auto& tolerations = pod["spec"]["tolerations"].items();
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const json::Value& toleration) { return Tolerates(toleration, taint); });
}

void SyncNode(const Scene& scene, const json::Value& node, Plan& plan) {
  if (Monitor(scene, node, plan)) return;  // the write of the node calls this again
  const std::string ready = ConditionOf(node, "Ready")["status"].StringOrEmpty();
  json::Value taints = node["spec"]["taints"];
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    SetTaint(taints, kUnreachable, effect, ready == "Unknown", scene.now);
    SetTaint(taints, kNotReady, effect, ready == "False", scene.now);
  }
  SetTaint(taints, kUnschedulable, "NoSchedule", Flag(node, "/spec/unschedulable"), scene.now);
  if (taints.size() == 0) taints = json::Value();
  if (!(taints == node["spec"]["taints"])) {
    json::Value next = node;
    if (taints.is_null()) {
      next.Ensure("spec").Erase("taints");
    } else {
      next.Ensure("spec").Set("taints", taints);
    }
    plan.Update(Kind::kNode, std::move(next));
  }
  for (const json::Value* pod : scene.cluster.PodsOn(NameOf(node))) {
    Evict(scene, *pod, taints, plan);
  }
}

}  // namespace kinformer::apiserver::workloads
