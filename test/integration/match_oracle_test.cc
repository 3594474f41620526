// Random writes that a DelegatingClient does not send, since they would change nothing, are sent by
// a client that does not compare: nothing changes.

#include "integration/match_oracle.h"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/testing/api_server.h"

#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

MatchReport RunSeed(std::uint64_t seed) {
  Simulation sim({.seed = seed});
  ApiServer server(sim, {.field_owners = true});
  const Client client = Client::ForTransport(sim.env(), server.transport(), {.qps = -1});
  const auto factory = std::make_shared<SharedInformerFactory>(client);
  MatchReport report;
  const bool ended = sim.RunBlocking(
      [&] {
        MatchOracle oracle(DelegatingClient(client, factory),
                           DelegatingClient(client, factory, {.match_before_write = false}), seed);
        report = oracle.Run(60);
      },
      std::chrono::hours(1));
  if (!ended) report.wrong = "it does not end";
  return report;
}

TEST(MatchOracle, WritesThatAreNotSent_WouldHaveChangedNothing) {
  MatchReport all;
  const Seeds seeds = SeedsToRun(60);
  ForSeeds(seeds, [&](std::uint64_t seed) {
    const MatchReport report = RunSeed(seed);
    ASSERT_EQ(report.wrong, "");
    all.writes += report.writes;
    all.matched += report.matched;
    all.missed += report.missed;
    all.refused += report.refused;
  });
  RecordProperty("writes", all.writes);
  RecordProperty("matched", all.matched);
  RecordProperty("missed", all.missed);
  if (HasFailure() || seeds.count < 10) return;
  EXPECT_GT(all.matched, all.writes / 4);
  EXPECT_LT(all.missed, all.matched / 5);
  EXPECT_LT(all.refused, all.writes / 20);
}

}  // namespace
}  // namespace kinformer::testing
