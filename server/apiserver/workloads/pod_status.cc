#include "apiserver/workloads/pod_status.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/object_parts.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver::workloads {
namespace {

using State = ContainerState;

json::Value Terminated(const ContainerRun& run, int exit_code, WallTime started,
                       WallTime finished) {
  return json::Value::MakeObject(
      {{"terminated", json::Value::MakeObject({{"exitCode", exit_code},
                                               {"reason", exit_code == 0 ? "Completed" : "Error"},
                                               {"startedAt", FormatTime(started)},
                                               {"finishedAt", FormatTime(finished)},
                                               {"containerID", run.id}})}});
}

json::Value Waiting(std::string_view reason, const std::string& message = {}) {
  json::Value waiting = json::Value::MakeObject({{"reason", reason}});
  if (!message.empty()) waiting.Set("message", message);
  return json::Value::MakeObject({{"waiting", std::move(waiting)}});
}

std::string BackOffMessage(const PodRun& pod, const ContainerRun& run) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(run.back_off).count();
  const std::string delay =
      seconds < 60        ? std::to_string(seconds) + "s"
      : seconds % 60 == 0 ? std::to_string(seconds / 60) + "m0s"
                          : std::to_string(seconds / 60) + "m" + std::to_string(seconds % 60) + "s";
  return "back-off " + delay + " restarting failed container=" + run.name + " pod=" + pod.key;
}

json::Value StateOf(const PodRun& pod, const ContainerRun& run) {
  switch (run.state) {
    case State::kWaiting:
    case State::kCreating:
      return Waiting(std::all_of(pod.inits.begin(), pod.inits.end(),
                                 [](const ContainerRun& init) { return init.Passed(); })
                         ? "ContainerCreating"
                         : "PodInitializing");
    case State::kPullFailed:
      return Waiting("ErrImagePull", "failed to pull image \"" + run.image + "\": not found");
    case State::kPullBackOff:
      return Waiting("ImagePullBackOff", "Back-off pulling image \"" + run.image + "\"");
    case State::kRunning:
      return json::Value::MakeObject(
          {{"running", json::Value::MakeObject({{"startedAt", FormatTime(run.started)}})}});
    case State::kEnded:
      return Terminated(run, run.exit_code, run.started, run.finished);
    case State::kCrashBackOff:
      return Waiting("CrashLoopBackOff", BackOffMessage(pod, run));
  }
  return {};
}

json::Value ContainerStatus(const PodRun& pod, const ContainerRun& run) {
  const bool begun = !run.id.empty();
  json::Value last = json::Value::MakeObject();
  if (run.state == State::kCrashBackOff) {
    last = Terminated(run, run.exit_code, run.started, run.finished);
  } else if (run.ended_before) {
    last = Terminated(run, run.last_exit_code, run.last_started, run.last_finished);
  }
  json::Value status =
      json::Value::MakeObject({{"name", run.name},
                               {"image", run.image},
                               {"imageID", begun ? "simulated://" + run.image : ""},
                               {"ready", run.ready},
                               {"started", run.state == State::kRunning && !run.initializes},
                               {"restartCount", run.restarts},
                               {"state", StateOf(pod, run)},
                               {"lastState", std::move(last)}});
  if (begun) status.Set("containerID", run.id);
  return status;
}

json::Value ContainerStatuses(const PodRun& pod, const std::vector<ContainerRun>& runs) {
  json::Value out = json::Value::MakeArray();
  for (const ContainerRun& run : runs) out.Append(ContainerStatus(pod, run));
  return out;
}

std::string PhaseOf(const PodRun& run) {
  for (const ContainerRun& init : run.inits) {
    if (init.initializes && init.IsDone() && init.exit_code != 0) return "Failed";
  }
  bool all_done = true;
  bool failed = false;
  for (const ContainerRun& container : run.containers) {
    const bool begun = container.state == State::kRunning || container.state == State::kEnded ||
                       container.state == State::kCrashBackOff;
    if (!begun) return "Pending";
    all_done = all_done && container.IsDone();
    failed = failed || container.exit_code != 0;
  }
  if (!all_done) return "Running";
  return failed ? "Failed" : "Succeeded";
}

std::string NamesOfUnready(const std::vector<ContainerRun>& runs,
                           bool (*well)(const ContainerRun&)) {
  std::string names;
  for (const ContainerRun& run : runs) {
    if (!well(run)) names += (names.empty() ? "" : " ") + run.name;
  }
  return names;
}

void SetReady(json::Value& status, const json::Value& pod, const PodRun& run,
              const std::string& phase, WallTime now) {
  const bool finished = phase == "Succeeded" || phase == "Failed";
  const auto ready = [](const ContainerRun& container) { return container.ready; };
  const std::string unready = NamesOfUnready(run.containers, ready);
  const std::string done = phase == "Failed" ? "PodFailed" : "PodCompleted";
  const std::string reason = finished ? done : unready.empty() ? "" : "ContainersNotReady";
  const std::string message =
      finished || unready.empty() ? "" : "containers with unready status: [" + unready + "]";
  const bool holds = !finished && unready.empty();
  bool gates = true;
  for (const json::Value& gate : pod["spec"]["readinessGates"].items()) {
    gates = gates && IsTrue(pod, gate["conditionType"].StringOrEmpty());
  }
  const bool gated = holds && !gates;
  SetCondition(status,
               {.type = "Ready",
                .holds = holds && gates,
                .reason = gated ? "ReadinessGatesNotReady" : std::string_view(reason),
                .message = gated ? "the readiness gates of the pod are not all true"
                                 : std::string_view(message)},
               now);
  SetCondition(status,
               {.type = "ContainersReady", .holds = holds, .reason = reason, .message = message},
               now);
}

}  // namespace

json::Value PodStatusOf(const json::Value& pod, const PodRun& run, const std::string& host_ip,
                        WallTime now) {
  json::Value status = pod["status"];
  const std::string phase = PhaseOf(run);
  status.Set("phase", phase);
  if (const auto generation = pod["metadata"]["generation"].AsInt64()) {
    status.Set("observedGeneration", *generation);
  }
  status.Set("hostIP", host_ip);
  status.Set("hostIPs", json::Value::MakeArray({json::Value::MakeObject({{"ip", host_ip}})}));
  if (!run.ip.empty()) {
    status.Set("podIP", run.ip);
    status.Set("podIPs", json::Value::MakeArray({json::Value::MakeObject({{"ip", run.ip}})}));
  }
  status.Set("startTime", FormatTime(run.begun));
  if (!run.inits.empty()) {
    status.Set("initContainerStatuses", ContainerStatuses(run, run.inits));
  }
  status.Set("containerStatuses", ContainerStatuses(run, run.containers));
  const std::string waiting =
      NamesOfUnready(run.inits, [](const ContainerRun& init) { return init.Passed(); });
  SetCondition(
      status, {.type = "PodReadyToStartContainers", .holds = phase == "Running" || !run.ip.empty()},
      now);
  SetCondition(
      status,
      {.type = "Initialized",
       .holds = waiting.empty(),
       .reason = waiting.empty() ? "" : "ContainersNotInitialized",
       .message = waiting.empty() ? "" : "containers with incomplete status: [" + waiting + "]"},
      now);
  SetReady(status, pod, run, phase, now);
  SetCondition(status, {.type = "PodScheduled", .holds = true}, now);
  return status;
}

bool IsPodReady(const json::Value& pod) { return IsTrue(pod, "Ready"); }

bool IsPodFinished(const json::Value& pod) {
  const std::string& phase = pod["status"]["phase"].StringOrEmpty();
  return phase == "Succeeded" || phase == "Failed";
}

bool IsPodActive(const json::Value& pod) { return !IsPodFinished(pod) && !IsTerminating(pod); }

bool IsPodAvailable(const json::Value& pod, std::int64_t min_ready_seconds, WallTime now,
                    std::optional<Duration>& again) {
  const json::Value& ready = ConditionOf(pod, "Ready");
  if (ready["status"].StringOrEmpty() != "True") return false;
  if (min_ready_seconds <= 0) return true;
  const WallTime since = TimeAt(ready, "/lastTransitionTime").value_or(now);
  const WallTime available =
      internal::base::SaturatedAfter(since, internal::base::SaturatedSeconds(min_ready_seconds));
  if (now >= available) return true;
  const Duration left = available - now;
  again = again ? std::min(*again, left) : left;
  return false;
}

}  // namespace kinformer::apiserver::workloads
