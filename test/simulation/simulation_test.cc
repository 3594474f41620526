// The informer against the embedded API server under faults, by seeds. KINFORMER_SIMULATION_SEEDS
// sets how many, KINFORMER_SIMULATION_SEED runs one.

#include <gtest/gtest.h>
#include <stdlib.h>

#include "simulation/informer_simulation.h"

namespace kinformer::testing {
namespace {

std::uint64_t NumberFrom(const char* variable, std::uint64_t fallback) {
  const char* text = getenv(variable);
  return text != nullptr ? strtoull(text, nullptr, 10) : fallback;
}

std::string Describe(const SimulationReport& report) {
  std::string out;
  for (const std::string& breach : report.breaches) out += "\n  " + breach;
  return out;
}

// The shortest plan, with the fewest kinds of faults, that still fails.
SimulationPlan Shrink(SimulationPlan plan) {
  for (bool SimulationPlan::* fault : {&SimulationPlan::cut, &SimulationPlan::expire,
                                       &SimulationPlan::restart, &SimulationPlan::handlers}) {
    SimulationPlan without = plan;
    without.*fault = false;
    if (!RunInformerSimulation(without).breaches.empty()) plan = without;
  }
  for (int steps = plan.steps / 2; steps > 0; steps /= 2) {
    SimulationPlan shorter = plan;
    shorter.steps = plan.steps - steps;
    while (shorter.steps > 0 && !RunInformerSimulation(shorter).breaches.empty()) {
      plan = shorter;
      shorter.steps -= steps;
    }
  }
  return plan;
}

TEST(Simulation, CacheAndHandlersEqualTheServerAfterAnyFaults) {
  const std::uint64_t only = NumberFrom("KINFORMER_SIMULATION_SEED", 0);
  const std::uint64_t seeds = NumberFrom("KINFORMER_SIMULATION_SEEDS", 1000);
  std::uint64_t events = 0;
  std::uint64_t relists = 0;
  std::uint64_t coalesced = 0;
  for (std::uint64_t seed = only != 0 ? only : 1; seed <= (only != 0 ? only : seeds); ++seed) {
    const SimulationReport report = RunInformerSimulation({.seed = seed});
    if (!report.breaches.empty()) {
      const SimulationPlan small = Shrink({.seed = seed});
      FAIL() << "seed " << seed << ":" << Describe(report) << "\nstill fails with " << small.steps
             << " steps, cut " << small.cut << ", expire " << small.expire << ", restart "
             << small.restart << ", handlers " << small.handlers << ":"
             << Describe(RunInformerSimulation(small));
    }
    events += report.events;
    relists += report.relists;
    coalesced += report.coalesced;
  }
  // The faults must have bitten, or the runs prove nothing.
  if (only == 0 && seeds >= 100) {
    EXPECT_GT(events, seeds * 20);
    EXPECT_GT(relists, seeds * 2);
    EXPECT_GT(coalesced, 0U);
  }
}

TEST(Simulation, CacheAndHandlersEqualARestoredServer) {
  const std::uint64_t seeds = NumberFrom("KINFORMER_SIMULATION_SEEDS", 300);
  std::uint64_t epochs = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const SimulationReport report = RunInformerSimulation({.seed = seed, .restore = true});
    ASSERT_TRUE(report.breaches.empty()) << "seed " << seed << ":" << Describe(report);
    epochs += report.epochs;
  }
  if (seeds >= 100) {
    EXPECT_GT(epochs, seeds / 10);
  }
}

TEST(Simulation, TheSameSeedGivesTheSameRun) {
  for (const std::uint64_t seed : {3U, 17U, 99U}) {
    const SimulationReport first = RunInformerSimulation({.seed = seed});
    const SimulationReport second = RunInformerSimulation({.seed = seed});
    EXPECT_EQ(first.trace, second.trace) << "seed " << seed;
    EXPECT_EQ(first.events, second.events) << "seed " << seed;
  }
  EXPECT_NE(RunInformerSimulation({.seed = 3}).trace, RunInformerSimulation({.seed = 4}).trace);
}

}  // namespace
}  // namespace kinformer::testing
