// Runs the simulation of drift with bugs planted in the library: each must be found.

#include "planted/matches_bugs.h"

#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

#include "operator/drift_simulation.h"

namespace kinformer::testing {
namespace {

TEST(DriftSimulation, EveryPlantedBugIsCaught) {
  for (int bug = 1; bug < static_cast<int>(PlantedBug::kEnd); ++bug) {
    planted_bug = static_cast<PlantedBug>(bug);
    std::string wrong;
    std::uint64_t seed = 0;
    while (wrong.empty() && seed < 300) wrong = RunDrift(++seed).wrong;
    EXPECT_NE(wrong, "") << "planted bug " << bug << " is not caught";
    RecordProperty("bug_" + std::to_string(bug), std::to_string(seed) + " seeds: " + wrong);
    std::printf("bug %d: %llu seeds: %s\n", bug, static_cast<unsigned long long>(seed),
                wrong.c_str());
  }
  planted_bug = PlantedBug::kNone;
  EXPECT_EQ(RunDrift(1).wrong, "");
}

}  // namespace
}  // namespace kinformer::testing
