// kinformer/apiserver/workload_script.h
//
// WorkloadScript: what the simulated nodes and pods of a server do
// (ApiServerOptions::simulate_workloads), and its form in YAML, which docs/server/workloads.md
// describes.
//
//   auto script = std::make_shared<apiserver::WorkloadScript>();
//   script->seed = 7;
//   kinformer::testing::ApiServer living({.simulate_workloads = script});

#ifndef KINFORMER_APISERVER_WORKLOAD_SCRIPT_H_
#define KINFORMER_APISERVER_WORKLOAD_SCRIPT_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/object_name.h"

namespace kinformer::apiserver {

// A length of time that the seed chooses, from `least` to `most`.
struct DelayRange {
  Duration least{0};
  Duration most{0};
};

// A group of equal nodes. All times count from the start of the server.
struct SimulatedNodes {
  std::string name{"node"};  // the nodes are node-1, node-2 and so on
  int count{1};
  std::map<std::string, std::string> labels{};
  // Quantities, by the resource's name.
  std::map<std::string, std::string> capacity{
      {"cpu", "8"}, {"memory", "32Gi"}, {"pods", "110"}, {"ephemeral-storage", "100Gi"}};
  Duration arrive{0};
  std::optional<Duration> dies{};      // its kubelet says nothing more
  std::optional<Duration> recovers{};  // ... until then
  std::optional<Duration> leaves{};    // the Node is deleted
};

// A container's way to fail.
struct SimulatedCrash {
  DelayRange after{};     // since its start
  double probability{1};  // of each run
  int exit_code{1};
  std::optional<int> times{};  // number of crashes of one container; empty: no limit
};

// Behaviour of the pods and containers that match. The first of a script's behaviours that matches
// counts.
struct PodBehaviour {
  std::string namespace_{};  // empty: all
  LabelSelector selector{};
  std::string image{};  // with * for any text; empty: all

  DelayRange start_delay{std::chrono::seconds(1), std::chrono::seconds(2)};
  DelayRange ready_delay{};  // after the start
  DelayRange stop_delay{std::chrono::milliseconds(200), std::chrono::milliseconds(800)};
  // Time until the container ends by itself. Empty: 2 to 4 seconds for pods that are not restarted
  // always, and never for the others.
  std::optional<DelayRange> runs_for{};
  int exit_code{0};  // of a container that ends by itself
  bool never_ready{false};
  bool image_pull_fails{false};
  std::optional<SimulatedCrash> crash{};
};

// The usage of all pods of a workload together, from a moment on.
struct LoadStep {
  Duration at{0};
  std::map<std::string, std::string> usage{};  // quantities, by resource: cpu, memory
};

// The load of a workload, which its HorizontalPodAutoscaler sees.
struct WorkloadLoad {
  std::string kind{"Deployment"};
  ObjectName target{};
  std::vector<LoadStep> steps{};  // in the order of time
};

// A value. The default has three nodes, and pods that start in one to two seconds.
struct WorkloadScript {
  std::uint64_t seed{1};
  std::vector<SimulatedNodes> nodes{{.count = 3}};
  std::vector<PodBehaviour> pods{};
  DelayRange claim_delay{std::chrono::milliseconds(200), std::chrono::milliseconds(500)};
  std::vector<WorkloadLoad> loads{};
};

// Reads a script. kConfig: names the file, the line, the field, and what it may be.
[[nodiscard]] Result<WorkloadScript> ParseWorkloadScript(std::string_view yaml,
                                                         std::string_view file);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WORKLOAD_SCRIPT_H_
