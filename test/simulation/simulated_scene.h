// test/simulation/simulated_scene.h
//
// SimulatedScene: state shared by all informers of a simulation.

#ifndef KINFORMER_TEST_SIMULATION_SIMULATED_SCENE_H_
#define KINFORMER_TEST_SIMULATION_SIMULATED_SCENE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "simulation/informer_simulation.h"
#include "simulation/server_history.h"
#include "simulation/troubles.h"

namespace kinformer::testing {

struct SimulatedScene {
  Simulation& sim;
  ServerHistory& history;
  const SimulationPlan& plan;
  Trust trust;
  // Current version of the server.
  std::function<std::int64_t()> version;
  // Oldest version that the server which is further behind still has.
  std::function<std::int64_t()> oldest_version;
  // Adds a line to the story of the run, if one is recorded.
  std::function<void(std::string)> tell;
  // Called while an informer writes into its store, for each object. May be empty.
  std::function<void()> amid_write{};
  // A write is under way that the history may not have yet.
  bool history_lags = false;
  // The run is ending: handlers neither wait nor throw.
  bool calm = false;
  // Few enough objects are left that all fit into the limits of each informer.
  bool roomy = false;
  std::vector<std::string> problems{};

  [[nodiscard]] bool Has(int trouble) const { return (plan.troubles & BitOf(trouble)) != 0; }
  void Problem(std::string text) {
    if (problems.size() < 20) problems.push_back(std::move(text));
  }
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SIMULATED_SCENE_H_
