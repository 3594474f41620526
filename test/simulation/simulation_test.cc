// Informers with the embedded API server under troubles, chosen by seeds.
//
//   KINFORMER_SIMULATION_SEEDS=10000 bin/simulation_test --gtest_filter='Simulation.*'
//
// runs that many seeds, from KINFORMER_SIMULATION_FIRST_SEED on if it is set; with
// KINFORMER_SIMULATION_SEED=17 only that one. A failing seed is shrunk and its story printed.

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "simulation/informer_simulation.h"
#include "simulation/seeds.h"
#include "support/heap_holes.h"

namespace kinformer::testing {
namespace {

// Sanitizers make each seed ten times slower, and find their own faults in fewer seeds.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif
constexpr std::uint64_t kSeeds = kSanitized ? 100 : 1500;
constexpr std::uint64_t kEvents = 1'000'000;

std::string Lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += "\n  " + line;
  return out;
}

std::string Test() {
  const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::string(info->test_suite_name()) + "." + info->name();
}

// Report of a failing seed.
std::string Failure(const SimulationPlan& plan, const SimulationReport& report) {
  SimulationPlan small = Shrink(plan);
  small.tells = true;
  const SimulationReport again = RunInformerSimulation(small);
  return Describe(plan) + ":" + Lines(report.breaches) +
         "\nreplay it with KINFORMER_SIMULATION_SEED=" + std::to_string(plan.seed) +
         " simulation_test --gtest_filter=" + Test() + "\nit still fails as " + Describe(small) +
         ":" + Lines(again.breaches) + "\nwhere this happened:" + Lines(again.story);
}

void Add(SimulationReport& sum, const SimulationReport& report) {
  sum.events += report.events;
  sum.writes += report.writes;
  sum.relists += report.relists;
  sum.epochs += report.epochs;
  sum.watches += report.watches;
  sum.coalesced += report.coalesced;
  sum.dropped += report.dropped;
  sum.gaps += report.gaps;
  sum.inconsistencies += report.inconsistencies;
  sum.restarts += report.restarts;
  sum.snapshots += report.snapshots;
  sum.expired += report.expired;
  sum.windows += report.windows;
  for (std::size_t i = 0; i < sum.hits.size(); ++i) sum.hits[i] += report.hits[i];
}

// Runs the requested seed, or all from the first one on; returns the sum of their reports.
SimulationReport RunSeeds(const Seeds& seeds,
                          const std::function<SimulationPlan(std::uint64_t)>& plan_of) {
  SimulationReport sum;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const SimulationPlan plan = plan_of(seed);
    const SimulationReport report = RunInformerSimulation(plan);
    Add(sum, report);
    if (!report.breaches.empty()) {
      ADD_FAILURE() << Failure(plan, report);
      break;
    }
  }
  GTEST_LOG_(INFO) << seeds.count << " seeds: " << sum.events << " events of " << sum.writes
                   << " writes; " << sum.relists << " lists, " << sum.watches << " watches, "
                   << sum.epochs << " epochs, " << sum.gaps << " gaps, " << sum.inconsistencies
                   << " differences found by the check; " << sum.coalesced << " coalesced, "
                   << sum.dropped << " dropped, " << sum.hits[kThrows] << " exceptions, "
                   << sum.restarts << " restarts, " << sum.snapshots << " snapshots, "
                   << sum.hits[kJointSnapshots] << " joint ones; " << sum.hits[kFeeds]
                   << " feeds told changes, " << sum.expired << " could not; caches were full in "
                   << sum.hits[kLimits] << " versions; " << sum.windows
                   << " windows compared event by event";
  return sum;
}

TEST(Simulation, CacheAndHandlersEqualTheServerAfterAnyFaults) {
  const Seeds run = SeedsToRun(kSeeds);
  const SimulationReport sum = RunSeeds(run, [](std::uint64_t seed) { return PlanOf(seed); });
  const std::uint64_t seeds = run.count;
  if (HasFailure() || seeds < 100) return;
  // Each trouble must have had an effect, otherwise the runs prove nothing.
  for (int trouble = 1; trouble < kTroubles; ++trouble) {
    if (trouble > 24 && trouble < kCuts) continue;
    // In one of forty runs, and not in each of those does a cache get that full.
    if (trouble == kManyObjects && seeds < 1000) continue;
    EXPECT_GT(sum.hits[static_cast<std::size_t>(trouble)], 0U) << NamesOf(BitOf(trouble));
  }
  EXPECT_GT(sum.relists, seeds * 3);
  EXPECT_GT(sum.windows, seeds * 5);
  EXPECT_GT(sum.epochs, seeds / 20);
  EXPECT_GT(sum.gaps, 0U);
  EXPECT_GT(sum.inconsistencies, 0U);
  EXPECT_GT(sum.coalesced, seeds);
  EXPECT_GT(sum.dropped, seeds);
  EXPECT_GT(sum.hits[kThrows], seeds);
  EXPECT_GT(sum.hits[kJointSnapshots], seeds * 10);
  EXPECT_GT(sum.hits[kFeeds], seeds * 2);
  EXPECT_GT(sum.expired, seeds);
  EXPECT_GT(sum.hits[kLimits], seeds);
  if (seeds >= 1500) {
    EXPECT_GE(sum.events, kEvents);
  }
}

TEST(Simulation, CacheAndHandlersEqualARestoredServer) {
  const Seeds run = SeedsToRun(kSeeds).OneIn(5);
  const SimulationReport sum = RunSeeds(run, [](std::uint64_t seed) {
    SimulationPlan plan = PlanOf(seed, Trust::kGoesBack);
    plan.troubles |= BitOf(kRestores);
    return plan;
  });
  const std::uint64_t seeds = run.count;
  if (HasFailure() || seeds < 20) return;
  EXPECT_GT(sum.hits[kRestores], seeds / 2);
  EXPECT_GT(sum.epochs, seeds / 2);
  EXPECT_GT(sum.inconsistencies, 0U);
}

// The run must not depend on the memory of the process, so that others can replay a seed by its
// number alone.
TEST(Simulation, TheSameSeedGivesTheSameRun) {
  ForSeeds(SeedsToRun(kSeeds).OneIn(20), [](std::uint64_t seed) {
    const SimulationReport first = RunInformerSimulation(PlanOf(seed));
    const auto holes = HolesInTheHeap();
    const SimulationReport second = RunInformerSimulation(PlanOf(seed));
    EXPECT_EQ(first.trace, second.trace) << "seed " << seed;
    EXPECT_EQ(first.events, second.events) << "seed " << seed;
    EXPECT_TRUE(first == second) << "seed " << seed;
  });
  EXPECT_NE(RunInformerSimulation(PlanOf(3)).trace, RunInformerSimulation(PlanOf(4)).trace);
}

}  // namespace
}  // namespace kinformer::testing
