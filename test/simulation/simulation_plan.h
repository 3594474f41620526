// simulation/simulation_plan.h
//
// SimulationPlan: one run of the simulation of an informer. Equal plans make equal runs.

#ifndef KINFORMER_TEST_SIMULATION_SIMULATION_PLAN_H_
#define KINFORMER_TEST_SIMULATION_SIMULATION_PLAN_H_

#include <cstdint>
#include <string>

#include "simulation/troubles.h"

namespace kinformer::testing {

struct SimulationPlan {
  std::uint64_t seed = 1;
  int steps = 80;  // writes and troubles
  Trust trust = Trust::kHonest;
  std::uint64_t troubles = 0;  // bits of Trouble and of fault numbers
  bool tells = false;          // the report contains the story of the run
};

// The plan that a seed alone determines; most servers are honest.
[[nodiscard]] SimulationPlan PlanOf(std::uint64_t seed);
// Like the other one, but with this kind of server.
[[nodiscard]] SimulationPlan PlanOf(std::uint64_t seed, Trust trust);
// Text such as "seed 17, 80 steps, honest, troubles: F3 cuts".
[[nodiscard]] std::string Describe(const SimulationPlan& plan);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SIMULATION_PLAN_H_
