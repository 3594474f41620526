// apiserver/workloads/pod_run.h
//
// PodRun: the containers of a pod on a simulated node: when each of them starts, is ready, ends and
// is started again.

#ifndef KINFORMER_APISERVER_WORKLOADS_POD_RUN_H_
#define KINFORMER_APISERVER_WORKLOADS_POD_RUN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

#include "apiserver/workloads/dice.h"

namespace kinformer::apiserver::workloads {

enum class ContainerState : std::uint8_t {
  kWaiting,  // for the containers that initialize the pod
  kCreating,
  kPullFailed,
  kPullBackOff,
  kRunning,
  kEnded,
  kCrashBackOff,
};

enum class RestartRule : std::uint8_t { kAlways, kOnFailure, kNever };

struct ContainerRun {
  std::string name{};
  std::string image{};
  std::string id{};
  PodBehaviour behaviour{};
  RestartRule rule{};
  bool initializes = false;  // an init container that ends
  bool sidecar = false;      // an init container that keeps running

  ContainerState state{ContainerState::kWaiting};
  std::optional<WallTime> due{};  // of the next change
  WallTime started{};
  WallTime finished{};
  std::optional<WallTime> ends{};  // of this run, and how
  int next_exit_code = 0;
  bool next_is_crash = false;
  int exit_code = 0;
  bool ended_before = false;  // a run before this one has ended
  WallTime last_started{};
  WallTime last_finished{};
  int last_exit_code = 0;
  bool ready = false;
  int restarts = 0;
  int crashes = 0;
  int failed_pulls = 0;
  Duration back_off{0};  // before the next restart

  [[nodiscard]] bool IsDone() const;  // it need not, or must not, run again
  [[nodiscard]] bool Passed() const;  // lets the next container initialize
};

// A change that is worth an Event.
struct ContainerChange {
  ContainerRun* container = nullptr;
  enum class What : std::uint8_t { kStarted, kPullFailed, kBackOff } what{};
};

struct PodRun {
  std::string key{};
  std::string ip{};
  WallTime begun{};
  std::optional<WallTime> stops{};  // when its containers stop, after its deletion
  std::vector<ContainerRun> inits{};
  std::vector<ContainerRun> containers{};

  // Does all that is due. Returns the changes, which refer to this.
  std::vector<ContainerChange> Advance(const Dice& dice, WallTime now);
  // Ends all containers.
  void Stop(WallTime now);
  [[nodiscard]] std::optional<WallTime> Due() const;
};

// Returns the behaviour of a container: the first that matches, or the usual one.
[[nodiscard]] PodBehaviour BehaviourOf(const WorkloadScript& script, const json::Value& pod,
                                       const std::string& image);

[[nodiscard]] PodRun NewPodRun(const WorkloadScript& script, const json::Value& pod, WallTime now);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_POD_RUN_H_
