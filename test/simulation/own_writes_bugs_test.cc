// Bugs planted in read-your-own-writes (planted/own_writes.edits), each of which the simulation
// must find.

#include "planted/own_writes_bugs.h"

#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>

#include "simulation/own_writes_simulation.h"

namespace kinformer::testing {
namespace {

// Each bug must be found within this number of seeds.
constexpr std::uint64_t kMost = 100;

TEST(OwnWritesBugs, EachBug_IsCaught) {
  for (int bug = 1; bug < static_cast<int>(PlantedBug::kEnd); ++bug) {
    planted_bug = static_cast<PlantedBug>(bug);
    std::uint64_t seed = 1;
    while (seed <= kMost && RunOwnWrites(seed).breaches.empty()) ++seed;
    EXPECT_LE(seed, kMost) << "bug " << bug << " is not caught";
    std::printf("bug %d: seed %d\n", bug, static_cast<int>(seed));
  }
  planted_bug = PlantedBug::kNone;
}

}  // namespace
}  // namespace kinformer::testing
