#include "simulation/simulation_plan.h"

#include "simulation/dice.h"

namespace kinformer::testing {

SimulationPlan PlanOf(std::uint64_t seed) {
  Dice dice(seed, 3);
  static constexpr Trust kTrusts[] = {Trust::kHonest, Trust::kHonest, Trust::kHonest,
                                      Trust::kGoesBack, Trust::kLies};
  return PlanOf(seed, dice.OneOf(kTrusts));
}

SimulationPlan PlanOf(std::uint64_t seed, Trust trust) {
  Dice dice(seed, 4);
  return {.seed = seed, .trust = trust, .troubles = DrawTroubles(dice, trust)};
}

std::string Describe(const SimulationPlan& plan) {
  static constexpr const char* kTrusts[] = {"an honest server", "a server that goes back in time",
                                            "a server that lies"};
  return "seed " + std::to_string(plan.seed) + ", " + std::to_string(plan.steps) + " steps, " +
         kTrusts[static_cast<int>(plan.trust)] + ", troubles: " + NamesOf(plan.troubles);
}

}  // namespace kinformer::testing
