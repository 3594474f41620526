// RolloutStateOf: the rules of `kubectl rollout status`, and its words.

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/client/wait_conditions.h"

namespace kinformer::wait {
namespace {

std::string Number(std::int64_t number) { return std::to_string(number); }

// Numbers in an object's status and spec; missing ones are 0.
struct Rollout {
  explicit Rollout(const json::Value& whole)
      : object(whole),
        spec(whole["spec"]),
        status(whole["status"]),
        name("\"" + whole["metadata"]["name"].StringOrEmpty() + "\"") {}

  [[nodiscard]] std::int64_t Count(std::string_view member) const {
    return status[member].AsInt64().value_or(0);
  }
  [[nodiscard]] bool Observed() const {
    return object["metadata"]["generation"].AsInt64().value_or(0) <= Count("observedGeneration");
  }
  // Returns spec.replicas, whose default is 1.
  [[nodiscard]] std::int64_t Replicas() const { return spec["replicas"].AsInt64().value_or(1); }
  [[nodiscard]] RolloutState Waiting(std::string_view what, const std::string& reason) const {
    return {false, "Waiting for " + std::string(what) + " " + name +
                       " rollout to finish: " + reason + "..."};
  }

  const json::Value& object;
  const json::Value& spec;
  const json::Value& status;
  const std::string name;
};

Result<RolloutState> OfDeployment(const Rollout& rollout) {
  if (!rollout.Observed()) {
    return RolloutState{false, "Waiting for deployment spec update to be observed..."};
  }
  for (const json::Value& condition : rollout.status["conditions"].items()) {
    if (condition["type"].StringOrEmpty() != "Progressing") continue;
    if (condition["reason"].StringOrEmpty() == "ProgressDeadlineExceeded") {
      return Error(Reason::kTimeout,
                   "deployment " + rollout.name + " exceeded its progress deadline");
    }
  }
  const std::int64_t updated = rollout.Count("updatedReplicas");
  if (updated < rollout.Replicas()) {
    return rollout.Waiting("deployment", Number(updated) + " out of " + Number(rollout.Replicas()) +
                                             " new replicas have been updated");
  }
  if (rollout.Count("replicas") > updated) {
    return rollout.Waiting("deployment", Number(rollout.Count("replicas") - updated) +
                                             " old replicas are pending termination");
  }
  if (rollout.Count("availableReplicas") < updated) {
    return rollout.Waiting("deployment", Number(rollout.Count("availableReplicas")) + " of " +
                                             Number(updated) + " updated replicas are available");
  }
  return RolloutState{true, "deployment " + rollout.name + " successfully rolled out"};
}

Result<RolloutState> OfDaemonSet(const Rollout& rollout) {
  if (!rollout.Observed()) {
    return RolloutState{false, "Waiting for daemon set spec update to be observed..."};
  }
  const std::int64_t wanted = rollout.Count("desiredNumberScheduled");
  if (rollout.Count("updatedNumberScheduled") < wanted) {
    return rollout.Waiting("daemon set", Number(rollout.Count("updatedNumberScheduled")) +
                                             " out of " + Number(wanted) +
                                             " new pods have been updated");
  }
  if (rollout.Count("numberAvailable") < wanted) {
    return rollout.Waiting("daemon set", Number(rollout.Count("numberAvailable")) + " of " +
                                             Number(wanted) + " updated pods are available");
  }
  return RolloutState{true, "daemon set " + rollout.name + " successfully rolled out"};
}

Result<RolloutState> OfStatefulSet(const Rollout& rollout) {
  if (rollout.Count("observedGeneration") == 0 || !rollout.Observed()) {
    return RolloutState{false, "Waiting for statefulset spec update to be observed..."};
  }
  const std::int64_t missing = rollout.Replicas() - rollout.Count("readyReplicas");
  if (missing > 0) {
    return RolloutState{false, "Waiting for " + Number(missing) + " pods to be ready..."};
  }
  const std::int64_t updated = rollout.Count("updatedReplicas");
  const json::Value& partition = rollout.spec["updateStrategy"]["rollingUpdate"]["partition"];
  if (partition.AsInt64()) {
    const std::int64_t wanted = rollout.Replicas() - *partition.AsInt64();
    if (updated < wanted) {
      return RolloutState{false, "Waiting for partitioned roll out to finish: " + Number(updated) +
                                     " out of " + Number(wanted) +
                                     " new pods have been updated..."};
    }
    return RolloutState{true, "partitioned roll out complete: " + Number(updated) +
                                  " new pods have been updated..."};
  }
  const std::string& newest = rollout.status["updateRevision"].StringOrEmpty();
  const std::string& current = rollout.status["currentRevision"].StringOrEmpty();
  if (newest != current) {
    return RolloutState{false, "waiting for statefulset rolling update to complete " +
                                   Number(updated) + " pods at revision " + newest + "..."};
  }
  return RolloutState{true, "statefulset rolling update complete " +
                                Number(rollout.Count("currentReplicas")) + " pods at revision " +
                                current + "..."};
}

}  // namespace

Result<RolloutState> RolloutStateOf(const json::Value& object) {
  const Rollout rollout(object);
  const std::string& kind = object["kind"].StringOrEmpty();
  if (kind == "Deployment") return OfDeployment(rollout);
  if (kind != "DaemonSet" && kind != "StatefulSet") {
    return Error(Reason::kInvalidArgument,
                 "a " + (kind.empty() ? std::string("object without a kind") : kind) +
                     " has no rollout: Deployments, DaemonSets and StatefulSets have");
  }
  const json::Value& strategy = rollout.spec["updateStrategy"]["type"];
  if (strategy.is_string() && strategy.StringOrEmpty() != "RollingUpdate") {
    return Error(Reason::kInvalidArgument,
                 "rollout status is only available for RollingUpdate strategy type");
  }
  return kind == "DaemonSet" ? OfDaemonSet(rollout) : OfStatefulSet(rollout);
}

}  // namespace kinformer::wait
