// Runs the operator's simulation with the unmodified library.

#include "operator/operator_simulation.h"

#include <gtest/gtest.h>

#include "simulation/seeds.h"
#include "support/heap_holes.h"

namespace kinformer::testing {
namespace {

TEST(OperatorSimulation, WhateverHappensItDoesWhatItShould) {
  const Seeds seeds = SeedsToRun(150);
  OperatorRun all;
  ForSeeds(seeds, [&](std::uint64_t seed) {
    const OperatorRun run = RunOperator(seed);
    ASSERT_EQ(run.wrong, "") << run.schedule;
    all.reconciles += run.reconciles;
    all.leaders += run.leaders;
    all.crashes += run.crashes;
    all.errors += run.errors;
    all.causes += run.causes;
  });
  if (HasFailure() || seeds.count < 10) return;
  EXPECT_GE(all.reconciles, 100 * static_cast<int>(seeds.count));
  EXPECT_GE(all.leaders, 2 * static_cast<int>(seeds.count));
  EXPECT_GE(all.crashes, 2 * static_cast<int>(seeds.count));
  EXPECT_GE(all.errors, 5 * static_cast<int>(seeds.count));
  EXPECT_GE(all.causes, 100 * static_cast<int>(seeds.count));
}

TEST(OperatorSimulation, TheSameSeedGivesTheSameRun) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const OperatorRun first = RunOperator(seed);
    const auto holes = HolesInTheHeap();
    const OperatorRun second = RunOperator(seed);
    EXPECT_EQ(first.schedule, second.schedule);
    EXPECT_TRUE(first == second) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kinformer::testing
