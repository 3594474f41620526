// Bugs planted in the library (planted/informer.edits), each of which the simulation must find.
// Prints the number of seeds for each: docs/inside/simulation.md has the table.

#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

#include "planted/informer_bugs.h"
#include "simulation/informer_simulation.h"

namespace kinformer::testing {
namespace {

struct Planted {
  PlantedBug bug;
  const char* name;
  // If the bug only shows with a dishonest server, or with a trouble that not every seed has, only
  // such seeds count.
  Trust trust = Trust::kHonest;
  std::uint64_t troubles = 0;
};
constexpr Planted kBugs[] = {
#define BUG(name, ...) {PlantedBug::name, #name __VA_OPT__(, ) __VA_ARGS__}
    BUG(kAddLost),
    BUG(kDeleteLost),
    BUG(kDeleteUntold),
    BUG(kStaleEventApplied, Trust::kGoesBack, BitOf(14)),
    BUG(kGapNotNoticed, Trust::kLies, BitOf(15)),
    BUG(kUidChangeJoined),
    BUG(kOldAndNewSwapped),
    BUG(kDoubleDelivery),
    BUG(kOrderOfKeysSwapped),
    BUG(kOrderOfOneKeySwapped),
    BUG(kEpochNotNoticed, Trust::kGoesBack),
    BUG(kOldBookmarkTaken, Trust::kHonest, BitOf(11)),
    BUG(kResumesTooFar),
    BUG(kResumesFromNowAt410),
    BUG(kExpiredPagesKept, Trust::kHonest, BitOf(4) | BitOf(5)),
    BUG(kTornRelist),
    BUG(kRelistKeepsVanished),
    BUG(kRestartTellsNothing),
    BUG(kSyncedTooEarly),
    BUG(kNotFoundBeforeSync),
    BUG(kCheckFindsNothing, Trust::kGoesBack, BitOf(kRestores)),
    BUG(kVersionGoesBack, Trust::kGoesBack, BitOf(14)),
    BUG(kIndexNotUpdated),
    BUG(kSnapshotSeesLater),
    BUG(kJointTakesWhatIsHeld, Trust::kHonest, BitOf(kJointSnapshots)),
    BUG(kJointOrderSwapped, Trust::kHonest, BitOf(kJointSnapshots)),
    BUG(kWindowEndNotNoticed, Trust::kHonest, BitOf(kFeeds)),
    BUG(kNetChangeOfTheLast, Trust::kHonest, BitOf(kFeeds)),
    BUG(kLastStateIsEarlier, Trust::kHonest, BitOf(kFeeds)),
    BUG(kChangesAcrossEpochs, Trust::kGoesBack, BitOf(kFeeds)),
    BUG(kPromisesForgotten, Trust::kHonest, BitOf(kLimits)),
    BUG(kLeftOutForgotten, Trust::kHonest, BitOf(kLimits)),
    BUG(kLeftOutUntold, Trust::kHonest, BitOf(kLimits)),
    BUG(kFullCountsAsSynced, Trust::kHonest, BitOf(kLimits)),
    BUG(kRoomNotOffered, Trust::kHonest, BitOf(kLimits)),
    BUG(kListedTakenForAbsent, Trust::kHonest, BitOf(kLimits) | BitOf(kJointSnapshots)),
    BUG(kFullNotChecked, Trust::kGoesBack, BitOf(kLimits) | BitOf(kRestores)),
    BUG(kTombstoneMissed),
    BUG(kReplaySkipsFirst),
    BUG(kInitialFlagAlways),
    BUG(kUnchangedTold),
    BUG(kHandlerSyncedTooEarly),
    BUG(kEventAfterRemove),
    BUG(kThrowEndsHandler),
    BUG(kCoalescedOldIsLast),
    BUG(kCoalescingLosesReAdd),
    BUG(kDropsWithoutResync),
#undef BUG
};
static_assert(std::size(kBugs) + 1 == static_cast<std::size_t>(PlantedBug::kEnd),
              "each bug is in the table");

// Number of seeds in which each bug must be found.
constexpr std::uint64_t kMost = 1000;

TEST(PlantedBugs, WithoutABug_NoneIsFound) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SimulationReport report = RunInformerSimulation(PlanOf(seed));
    EXPECT_TRUE(report.breaches.empty())
        << Describe(PlanOf(seed)) << ": " << report.breaches.front();
  }
}

TEST(PlantedBugs, EachBug_IsCaught) {
  for (const Planted& planted : kBugs) {
    planted_bug = planted.bug;
    std::string caught;
    std::uint64_t seed = 0;
    while (caught.empty() && seed < kMost) {
      SimulationPlan plan = PlanOf(++seed, planted.trust);
      // Effects of a second server are not caused by the bug.
      plan.troubles &= ~BitOf(kTwoServers);
      plan.troubles |= planted.troubles;
      const SimulationReport report = RunInformerSimulation(plan);
      if (!report.breaches.empty()) caught = report.breaches.front();
    }
    planted_bug = PlantedBug::kNone;
    EXPECT_FALSE(caught.empty()) << planted.name << " is not caught in " << kMost << " seeds";
    std::printf("%-24s seed %3d: %s\n", planted.name + 1, static_cast<int>(seed), caught.c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace kinformer::testing
