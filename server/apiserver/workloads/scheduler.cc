#include "apiserver/workloads/scheduler.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/object/quantity.h"

#include "apiserver/workloads/node_lifecycle.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

using Amounts = std::map<std::string, resource::Quantity>;

Amounts RequestsOf(const json::Value& pod) {
  Amounts sum;
  for (const json::Value& container : pod["spec"]["containers"].items()) {
    for (const auto& [name, amount] : container["resources"]["requests"].members()) {
      if (const auto quantity = resource::Quantity::Parse(amount.StringOrEmpty())) {
        sum[name] += *quantity;
      }
    }
  }
  return sum;
}

// Returns the resource of which the node has too little left; empty if it has enough of all.
// `pods`: those on the node that are not finished.
std::string Missing(const Amounts& wanted, const json::Value& node, const Objects& pods) {
  const json::Value& allocatable = node["status"]["allocatable"];
  const auto most = resource::Quantity::Parse(allocatable["pods"].StringOrEmpty());
  if (most && static_cast<std::int64_t>(pods.size()) >= most->Value()) return "pods";
  if (wanted.empty()) return {};
  Amounts used;
  for (const json::Value* pod : pods) {
    for (const auto& [name, amount] : RequestsOf(*pod)) used[name] += amount;
  }
  for (const auto& [name, amount] : wanted) {
    const auto there = resource::Quantity::Parse(allocatable[name].StringOrEmpty());
    if (used[name] + amount > there.value_or(resource::Quantity())) return name;
  }
  return {};
}

bool Satisfies(const json::Value& term, const std::string* value) {
  const std::string& operation = term["operator"].StringOrEmpty();
  const auto& values = term["values"].items();
  const bool listed =
      value != nullptr && std::any_of(values.begin(), values.end(), [&](const json::Value& item) {
        return item.StringOrEmpty() == *value;
      });
  if (operation == "In") return listed;
  if (operation == "NotIn") return !listed;
  if (operation == "Exists") return value != nullptr;
  if (operation == "DoesNotExist") return value == nullptr;
  const auto number =
      value == nullptr ? std::optional<std::int64_t>() : internal::base::NumberIn(*value);
  const auto bound = internal::base::NumberIn(term["values"][0].StringOrEmpty());
  if (!number || !bound) return false;
  return operation == "Gt" ? *number > *bound : *number < *bound;
}

bool TermAllows(const json::Value& term, const json::Value& node) {
  for (const json::Value& expression : term["matchExpressions"].items()) {
    const json::Value* label = LabelsOf(node).Find(expression["key"].StringOrEmpty());
    if (!Satisfies(expression, label == nullptr ? nullptr : &label->StringOrEmpty())) return false;
  }
  for (const json::Value& field : term["matchFields"].items()) {
    if (!Satisfies(field, &NameOf(node))) return false;
  }
  return term["matchExpressions"].size() + term["matchFields"].size() > 0;
}

// Returns why the pod cannot run on the node; empty if it can.
std::string Obstacle(const json::Value& pod, const Amounts& wanted, const json::Value& node,
                     const Objects& pods) {
  for (const json::Value& taint : node["spec"]["taints"].items()) {
    const std::string& effect = taint["effect"].StringOrEmpty();
    if (effect == "PreferNoSchedule" || ToleratesTaint(pod, taint)) continue;
    return "node(s) had untolerated taint(s)";
  }
  if (!AffinityAllows(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  const std::string missing = Missing(wanted, node, pods);
  if (missing == "pods") return "Too many pods";
  return missing.empty() ? "" : "Insufficient " + missing;
}

// Returns why the pod cannot be scheduled whatever the nodes are; empty if nothing stands against
// it.
std::string UnboundClaim(const Scene& scene, const json::Value& pod) {
  for (const json::Value& volume : pod["spec"]["volumes"].items()) {
    std::string name = Text(volume, "/persistentVolumeClaim/claimName");
    if (!volume["ephemeral"].is_null()) name = NameOf(pod) + "-" + volume["name"].StringOrEmpty();
    if (name.empty()) continue;
    const json::Value* claim = scene.cluster.Find(Kind::kVolumeClaim, NamespaceOf(pod), name);
    if (claim == nullptr) return "persistentvolumeclaim \"" + name + "\" not found";
    if (Text(*claim, "/status/phase") != "Bound") {
      return "pod has unbound immediate PersistentVolumeClaims";
    }
  }
  return {};
}

void Refuse(const Scene& scene, const json::Value& pod, const std::string& reason,
            const std::string& message, Plan& plan) {
  json::Value status = pod["status"];
  const bool changed = SetCondition(
      status, {.type = "PodScheduled", .holds = false, .reason = reason, .message = message},
      scene.now);
  plan.UpdateStatus(Kind::kPod, pod, std::move(status));
  if (!changed || reason == "SchedulingGated") return;
  plan.Event(Kind::kPod, pod, "default-scheduler", "FailedScheduling", message, /*warning=*/true);
}

void Bind(const Scene& scene, const json::Value& pod, const std::string& node, Plan& plan) {
  json::Value bound = pod;
  bound.Ensure("spec", "nodeName") = node;
  SetCondition(bound.Ensure("status"), {.type = "PodScheduled", .holds = true}, scene.now);
  plan.Bind(std::move(bound));
  plan.Remember();
  plan.Event(Kind::kPod, pod, "default-scheduler", "Scheduled",
             "Successfully assigned " + KeyOf(pod) + " to " + node);
  plan.UnlessRefused();
}

std::string Counted(std::size_t nodes, const std::map<std::string, int>& obstacles) {
  std::string message = "0/" + std::to_string(nodes) + " nodes are available";
  const char* separator = ": ";
  for (const auto& [obstacle, count] : obstacles) {
    message += separator + std::to_string(count) + " " + obstacle;
    separator = ", ";
  }
  return message + ".";
}

}  // namespace

bool AffinityAllows(const json::Value& pod, const json::Value& node) {
  for (const auto& [key, value] : pod["spec"]["nodeSelector"].members()) {
    if (Label(node, key) != value.StringOrEmpty()) return false;
  }
  const json::Value& terms = pod.At(
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
      "/nodeSelectorTerms");
  if (terms.size() == 0) return true;
  return std::any_of(terms.items().begin(), terms.items().end(),
                     [&](const json::Value& term) { return TermAllows(term, node); });
}

void SchedulePod(const Scene& scene, const json::Value& pod, Plan& plan) {
  if (!Text(pod, "/spec/nodeName").empty() || !IsPodActive(pod)) return;
  const std::string& scheduler = Text(pod, "/spec/schedulerName");
  if (!scheduler.empty() && scheduler != "default-scheduler") return;
  if (pod["spec"]["schedulingGates"].size() > 0) {
    return Refuse(scene, pod, "SchedulingGated",
                  "Scheduling is blocked due to non-empty "
                  "scheduling gates",
                  plan);
  }
  if (const std::string why = UnboundClaim(scene, pod); !why.empty()) {
    const std::size_t nodes = scene.cluster.All(Kind::kNode).size();
    return Refuse(scene, pod, "Unschedulable",
                  "0/" + std::to_string(nodes) + " nodes are available: " + why + ".", plan);
  }
  if (!scene.refusal.empty()) {
    return Refuse(
        scene, pod, "SchedulerError",
        "binding rejected: running Bind plugin \"DefaultBinder\": " + std::string(scene.refusal),
        plan);
  }
  const Amounts wanted = RequestsOf(pod);
  std::map<std::string, int> obstacles;
  const std::string* best = nullptr;
  std::size_t fewest = 0;
  for (const auto& [name, node] : scene.cluster.All(Kind::kNode)) {
    Objects pods = scene.cluster.PodsOn(name);
    std::erase_if(pods, [](const json::Value* other) { return IsPodFinished(*other); });
    const std::string obstacle = Obstacle(pod, wanted, node, pods);
    if (!obstacle.empty()) {
      ++obstacles[obstacle];
    } else if (best == nullptr || pods.size() < fewest) {
      best = &name;
      fewest = pods.size();
    }
  }
  if (best != nullptr) return Bind(scene, pod, *best, plan);
  Refuse(scene, pod, "Unschedulable", Counted(scene.cluster.All(Kind::kNode).size(), obstacles),
         plan);
}

}  // namespace kinformer::apiserver::workloads
