// test/simulation/informer_simulation.h
//
// InformerSimulation: a few informers on one embedded API server in simulated time, with random
// troubles. After the troubles, caches and handlers must equal the server; meanwhile, every cache
// and every handler must keep the rules.

#ifndef KINFORMER_TEST_SIMULATION_INFORMER_SIMULATION_H_
#define KINFORMER_TEST_SIMULATION_INFORMER_SIMULATION_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/simulation_plan.h"
#include "simulation/troubles.h"

namespace kinformer::testing {

struct SimulationReport {
  std::vector<std::string> breaches;  // empty: all is well
  std::vector<std::string> story;     // if the plan asks for it
  std::uint64_t trace = 0;            // equal for equal plans
  std::uint64_t events = 0;           // told to all handlers
  std::uint64_t writes = 0;
  std::uint64_t relists = 0;
  std::uint64_t epochs = 0;
  std::uint64_t watches = 0;
  std::uint64_t coalesced = 0;
  std::uint64_t dropped = 0;
  std::uint64_t gaps = 0;
  std::uint64_t inconsistencies = 0;
  std::uint64_t restarts = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t expired = 0;  // of what change feeds were asked
  std::uint64_t windows = 0;  // between two moments: all events against all changes
  // Number of times each trouble occurred; for faults, the number of affected requests.
  std::array<std::uint64_t, kTroubles> hits{};

  bool operator==(const SimulationReport&) const = default;
};

SimulationReport RunInformerSimulation(const SimulationPlan& plan);

// Returns the shortest plan, with the fewest troubles, that still fails.
SimulationPlan Shrink(SimulationPlan plan);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_INFORMER_SIMULATION_H_
