// A client never sees its own write missing: two clients, random writes, watches that lag and
// break.

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "simulation/own_writes_simulation.h"

namespace kinformer::testing {
namespace {

TEST(OwnWrites, AreNeverMissing) {
  // More by KINFORMER_SIMULATION_SEEDS, others by KINFORMER_SIMULATION_FIRST_SEED.
  const char* const wanted = std::getenv("KINFORMER_SIMULATION_SEEDS");
  const std::uint64_t seeds = wanted == nullptr ? 300 : std::stoull(wanted);
  const char* const from = std::getenv("KINFORMER_SIMULATION_FIRST_SEED");
  const std::uint64_t first = from == nullptr ? 1 : std::stoull(from);
  OwnWritesReport sum;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const OwnWritesReport report = RunOwnWrites(seed);
    ASSERT_TRUE(report.breaches.empty()) << report.breaches.front();
    sum.writes += report.writes;
    sum.reads += report.reads;
    sum.stale += report.stale;
  }
  RecordProperty("writes", static_cast<int>(sum.writes));
  RecordProperty("stale", static_cast<int>(sum.stale));
  EXPECT_LT(sum.stale * 50, sum.reads) << "to be stale is no way to be right";
}

}  // namespace
}  // namespace kinformer::testing
