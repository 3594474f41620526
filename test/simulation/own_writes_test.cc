// A client never sees its own write missing: two clients, random writes, watches that lag and
// break.

#include <cstdint>
#include <gtest/gtest.h>

#include "simulation/own_writes_simulation.h"
#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

TEST(OwnWrites, AreNeverMissing) {
  OwnWritesReport sum;
  ForSeeds(300, [&](std::uint64_t seed) {
    const OwnWritesReport report = RunOwnWrites(seed);
    ASSERT_TRUE(report.breaches.empty()) << report.breaches.front();
    sum.writes += report.writes;
    sum.reads += report.reads;
    sum.stale += report.stale;
  });
  RecordProperty("writes", static_cast<int>(sum.writes));
  RecordProperty("stale", static_cast<int>(sum.stale));
  EXPECT_LT(sum.stale * 50, sum.reads) << "to be stale is no way to be right";
}

}  // namespace
}  // namespace kinformer::testing
