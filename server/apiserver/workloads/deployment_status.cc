#include "apiserver/workloads/deployment_status.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "apiserver/workloads/deployment_scale.h"
#include "apiserver/workloads/object_parts.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver::workloads {
namespace {

std::int64_t Sum(const Objects& sets, std::string_view pointer) {
  std::int64_t sum = 0;
  for (const json::Value* set : sets) sum += Number(*set, pointer);
  return sum;
}

void Put(json::Value& status, const char* name, std::int64_t number) {
  if (number == 0) {
    status.Erase(name);
  } else {
    status.Set(name, number);
  }
}

bool Progressed(const json::Value& before, const json::Value& now) {
  return Number(now, "/updatedReplicas") > Number(before, "/updatedReplicas") ||
         Number(now, "/replicas") - Number(now, "/updatedReplicas") <
             Number(before, "/replicas") - Number(before, "/updatedReplicas") ||
         Number(now, "/readyReplicas") > Number(before, "/readyReplicas") ||
         Number(now, "/availableReplicas") > Number(before, "/availableReplicas");
}

// Renews the condition Progressing, whose lastUpdateTime says when there was progress.
void SetProgress(json::Value& status, std::string_view reason, const std::string& message,
                 WallTime now) {
  EraseCondition(status, "Progressing");
  SetCondition(status,
               {.type = "Progressing",
                .holds = reason != "ProgressDeadlineExceeded",
                .reason = reason,
                .message = message,
                .has_update_time = true},
               now);
}

void ReportProgress(const Scene& scene, const json::Value& deployment, const std::string& set,
                    bool created, json::Value& status, Plan& plan) {
  const json::Value& before = ConditionOf(deployment, "Progressing");
  const std::string& reason = before["reason"].StringOrEmpty();
  const std::string quoted = "ReplicaSet \"" + set + "\"";
  const Duration deadline =
      internal::base::SaturatedSeconds(Number(deployment, "/spec/progressDeadlineSeconds", 600));
  if (IsRolledOut(deployment, status)) {
    if (reason != "NewReplicaSetAvailable") {
      SetProgress(status, "NewReplicaSetAvailable", quoted + " has successfully progressed.",
                  scene.now);
    }
    return;
  }
  if (created) {
    return SetProgress(status, "NewReplicaSetCreated", "Created new replica set \"" + set + "\"",
                       scene.now);
  }
  if (Flag(deployment, "/spec/paused") || reason == "DeploymentPaused") return;
  if (before.is_null() || Progressed(deployment["status"], status)) {
    SetProgress(status, "ReplicaSetUpdated", quoted + " is progressing.", scene.now);
    return plan.Again(deadline);
  }
  // A finished rollout that lost replicas has no deadline.
  if (reason == "NewReplicaSetAvailable" || reason == "ProgressDeadlineExceeded") return;
  const WallTime end = internal::base::SaturatedAfter(
      TimeAt(before, "/lastUpdateTime").value_or(scene.now), deadline);
  if (scene.now < end) return plan.AgainAt(end);
  SetProgress(status, "ProgressDeadlineExceeded", quoted + " has timed out progressing.",
              scene.now);
}

void ReportPause(const Scene& scene, const json::Value& deployment, json::Value& status) {
  const bool paused = Flag(deployment, "/spec/paused");
  const std::string& reason = ConditionOf(deployment, "Progressing")["reason"].StringOrEmpty();
  if (paused && reason != "DeploymentPaused") {
    EraseCondition(status, "Progressing");
    SetCondition(status,
                 {.type = "Progressing",
                  .reason = "DeploymentPaused",
                  .message = "Deployment is paused",
                  .status = "Unknown",
                  .has_update_time = true},
                 scene.now);
  } else if (!paused && reason == "DeploymentPaused") {
    EraseCondition(status, "Progressing");
    SetCondition(status,
                 {.type = "Progressing",
                  .reason = "DeploymentResumed",
                  .message = "Deployment is resumed",
                  .status = "Unknown",
                  .has_update_time = true},
                 scene.now);
  }
}

// Shows why the newest ReplicaSet, else another one, gets no pods.
void ReportFailure(const Scene& scene, const Objects& sets, const json::Value* newest,
                   json::Value& status) {
  constexpr std::string_view kFailure = "ReplicaFailure";
  const json::Value* failure = newest == nullptr ? nullptr : &ConditionOf(*newest, kFailure);
  for (const json::Value* set : sets) {
    if (failure == nullptr || failure->is_null()) failure = &ConditionOf(*set, kFailure);
  }
  if (failure == nullptr || failure->is_null()) return EraseCondition(status, kFailure);
  SetCondition(status,
               {.type = kFailure,
                .reason = (*failure)["reason"].StringOrEmpty(),
                .message = (*failure)["message"].StringOrEmpty(),
                .status = (*failure)["status"].StringOrEmpty(),
                .has_update_time = true},
               scene.now);
}

}  // namespace

bool IsRolledOut(const json::Value& deployment, const json::Value& status) {
  const std::int64_t wanted = Number(deployment, "/spec/replicas", 1);
  return Number(status, "/updatedReplicas") == wanted && Number(status, "/replicas") == wanted &&
         Number(status, "/availableReplicas") == wanted;
}

void ReportDeployment(const Scene& scene, const json::Value& deployment, const Objects& sets,
                      const json::Value* newest, const std::string& created, Plan& plan) {
  json::Value status = deployment["status"];
  const std::int64_t total = Sum(sets, "/status/replicas");
  const std::int64_t available = Sum(sets, "/status/availableReplicas");
  const std::int64_t wanted_by_sets = Sum(sets, "/spec/replicas");
  status.Set("observedGeneration", Number(deployment, "/metadata/generation"));
  Put(status, "replicas", total);
  Put(status, "updatedReplicas", newest == nullptr ? 0 : Number(*newest, "/status/replicas"));
  Put(status, "readyReplicas", Sum(sets, "/status/readyReplicas"));
  Put(status, "availableReplicas", available);
  Put(status, "unavailableReplicas", std::max<std::int64_t>(wanted_by_sets - available, 0));
  status.Set("terminatingReplicas", Sum(sets, "/status/terminatingReplicas"));
  const RollingLimits limits = LimitsOf(deployment);
  const bool enough = available >= limits.replicas - limits.unavailable;
  SetCondition(status,
               {.type = "Available",
                .holds = enough,
                .reason = enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                .message = enough ? "Deployment has minimum availability."
                                  : "Deployment does not have minimum availability.",
                .has_update_time = true},
               scene.now);
  ReportFailure(scene, sets, newest, status);
  ReportPause(scene, deployment, status);
  if (newest != nullptr || !created.empty()) {
    ReportProgress(scene, deployment, newest != nullptr ? NameOf(*newest) : created,
                   !created.empty(), status, plan);
  }
  plan.UpdateStatus(Kind::kDeployment, deployment, std::move(status));
}

}  // namespace kinformer::apiserver::workloads
