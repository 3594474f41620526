// Runs the operator's simulation with the unmodified library.

#include "operator/operator_simulation.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "support/heap_holes.h"

namespace kinformer::testing {
namespace {

TEST(OperatorSimulation, WhateverHappensItDoesWhatItShould) {
  // More by KINFORMER_SIMULATION_SEEDS, others by KINFORMER_SIMULATION_FIRST_SEED.
  const char* const wanted = std::getenv("KINFORMER_SIMULATION_SEEDS");
  const std::uint64_t seeds = wanted == nullptr ? 150 : std::stoull(wanted);
  const char* const from = std::getenv("KINFORMER_SIMULATION_FIRST_SEED");
  const std::uint64_t first = from == nullptr ? 1 : std::stoull(from);
  OperatorRun all;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const OperatorRun run = RunOperator(seed);
    ASSERT_EQ(run.wrong, "") << "seed " << seed << "\n" << run.schedule;
    all.reconciles += run.reconciles;
    all.leaders += run.leaders;
    all.crashes += run.crashes;
    all.errors += run.errors;
  }
  EXPECT_GE(all.reconciles, 100 * static_cast<int>(seeds));
  EXPECT_GE(all.leaders, 2 * static_cast<int>(seeds));
  EXPECT_GE(all.crashes, 2 * static_cast<int>(seeds));
  EXPECT_GE(all.errors, 5 * static_cast<int>(seeds));
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
