// No change of another writer is filtered away.
//
// KINFORMER_SIMULATION_SEEDS=10000 for the long form.

#include "operator/drift_simulation.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

TEST(DriftSimulation, ChangesOfOthers_AreNeverFilteredAway) {
  const Seeds seeds = SeedsToRun(120);
  DriftRun all;
  ForSeeds(seeds, [&](std::uint64_t seed) {
    const DriftRun run = RunDrift(seed);
    ASSERT_EQ(run.wrong, "");
    all.reconciles += run.reconciles;
    all.writes += run.writes;
    all.matched += run.matched;
    all.filtered += run.filtered;
  });
  RecordProperty("reconciles", all.reconciles);
  RecordProperty("writes", all.writes);
  RecordProperty("matched", static_cast<int>(all.matched));
  RecordProperty("filtered", static_cast<int>(all.filtered));
  if (HasFailure() || seeds.count < 16) return;
  EXPECT_GT(all.matched, all.writes / 4.0);
  EXPECT_GT(all.filtered, all.reconciles / 20.0);
}

}  // namespace
}  // namespace kinformer::testing
