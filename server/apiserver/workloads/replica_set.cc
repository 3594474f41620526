#include "apiserver/workloads/replica_set.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "apiserver/workloads/claim.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kComponent = "replicaset-controller";
// Most pods made or deleted in one step, as there.
constexpr std::size_t kBurst = 500;

std::int64_t PhaseRank(const json::Value& pod) {
  const std::string& phase = Text(pod, "/status/phase");
  return phase == "Pending" ? 0 : phase == "Running" ? 2 : 1;
}

std::int64_t RestartsOf(const json::Value& pod) {
  std::int64_t most = 0;
  for (const json::Value& status : pod["status"]["containerStatuses"].items()) {
    most = std::max(most, Number(status, "/restartCount"));
  }
  return most;
}

// Sorts pods by how little they are worth; the least first.
void SortForDeletion(Objects& pods) {
  std::map<std::string, std::int64_t> per_node;
  for (const json::Value* pod : pods) ++per_node[Text(*pod, "/spec/nodeName")];
  const auto worth = [&](const json::Value* pod) {
    const std::string& node = Text(*pod, "/spec/nodeName");
    const auto cost =
        internal::base::NumberIn(Annotation(*pod, "controller.kubernetes.io/pod-deletion-cost"));
    const json::Value& ready = ConditionOf(*pod, "Ready");
    const bool is_ready = IsPodReady(*pod);
    // The one that became ready later goes first.
    const std::int64_t since =
        is_ready ? TimeAt(ready, "/lastTransitionTime").value_or(WallTime()).time_since_epoch() /
                       std::chrono::seconds(1)
                 : 0;
    const std::int64_t made = CreatedAt(*pod).time_since_epoch() / std::chrono::seconds(1);
    return std::tuple(!node.empty(), PhaseRank(*pod), is_ready, cost.value_or(0), -per_node[node],
                      -since, -RestartsOf(*pod), -made, NameOf(*pod));
  };
  std::sort(pods.begin(), pods.end(),
            [&](const json::Value* a, const json::Value* b) { return worth(a) < worth(b); });
}

void Grow(const Scene& scene, const json::Value& replica_set, std::size_t count, Plan& plan) {
  for (std::size_t i = 0; i < std::min(count, kBurst); ++i) {
    json::Value pod = PodOf(replica_set["spec"]["template"], Kind::kReplicaSet, replica_set);
    const std::string name = NameOf(replica_set) + "-" + scene.dice.Letters();
    pod.Ensure("metadata", "name") = name;
    pod.Ensure("metadata", "generateName") = NameOf(replica_set) + "-";
    if (!plan.CreateFor(Kind::kReplicaSet, replica_set, kComponent, Kind::kPod, std::move(pod),
                        "Created pod: " + name)) {
      return;
    }
  }
}

void Shrink(const json::Value& replica_set, Objects pods, std::size_t count, Plan& plan) {
  SortForDeletion(pods);
  for (std::size_t i = 0; i < std::min(count, kBurst); ++i) {
    plan.DeleteFor(Kind::kReplicaSet, replica_set, kComponent, Kind::kPod, *pods[i],
                   "Deleted pod: " + NameOf(*pods[i]));
  }
}

// Sets the condition ReplicaFailure while pods, or their deletion, are refused. A new attempt
// leaves it.
void ReportRefusal(const Scene& scene, std::size_t pods, std::size_t wanted, json::Value& status) {
  static constexpr std::string_view kFailure = "ReplicaFailure";
  if (pods == wanted) return EraseCondition(status, kFailure);
  const bool grows = pods < wanted;
  const std::string why = grows ? std::string(scene.refusal)
                          : scene.delete_refusal.empty()
                              ? std::string()
                              : "unable to delete pods: " + std::string(scene.delete_refusal);
  const auto& conditions = status["conditions"].items();
  const bool there = std::any_of(conditions.begin(), conditions.end(), [](const json::Value& one) {
    return one["type"].StringOrEmpty() == kFailure;
  });
  if (why.empty() || there) return;
  SetCondition(status,
               {.type = kFailure,
                .holds = true,
                .reason = grows ? "FailedCreate" : "FailedDelete",
                .message = why},
               scene.now);
}

}  // namespace

void SyncReplicaSet(const Scene& scene, const json::Value& replica_set, Plan& plan) {
  const Objects claimed = Claim(scene, Kind::kReplicaSet, replica_set, Kind::kPod, plan);
  Objects active;
  std::int64_t terminating = 0;
  for (const json::Value* pod : claimed) {
    if (IsPodActive(*pod)) active.push_back(pod);
    if (IsTerminating(*pod) && !IsPodFinished(*pod)) ++terminating;
  }
  const auto wanted =
      static_cast<std::size_t>(std::max<std::int64_t>(Number(replica_set, "/spec/replicas", 1), 0));
  if (!IsTerminating(replica_set)) {
    if (active.size() < wanted) Grow(scene, replica_set, wanted - active.size(), plan);
    if (active.size() > wanted) Shrink(replica_set, active, active.size() - wanted, plan);
  }
  std::int64_t labeled = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::optional<Duration> again;
  const json::Value& wanted_labels = replica_set["spec"]["template"]["metadata"]["labels"];
  for (const json::Value* pod : active) {
    const auto& labels = wanted_labels.members();
    labeled += std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
      return Label(*pod, label.first) == label.second.StringOrEmpty();
    });
    ready += IsPodReady(*pod);
    available +=
        IsPodAvailable(*pod, Number(replica_set, "/spec/minReadySeconds"), scene.now, again);
  }
  if (again) plan.Again(*again);
  json::Value status = replica_set["status"];
  status.Set("replicas", static_cast<std::int64_t>(active.size()));
  SetCount(status, "fullyLabeledReplicas", labeled);
  SetCount(status, "readyReplicas", ready);
  SetCount(status, "availableReplicas", available);
  status.Set("terminatingReplicas", terminating);
  status.Set("observedGeneration", Number(replica_set, "/metadata/generation"));
  ReportRefusal(scene, active.size(), wanted, status);
  plan.UpdateStatus(Kind::kReplicaSet, replica_set, std::move(status));
}

}  // namespace kinformer::apiserver::workloads
