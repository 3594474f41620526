// Random writes that a DelegatingClient does not send, since they would change nothing, are sent to
// the real kube-apiserver by a client that does not compare: nothing changes. Label `realserver`.

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/delegating_client.h"

#include "integration/match_oracle.h"
#include "realserver/clients.h"
#include "realserver/real_server.h"

namespace kinformer::testing {
namespace {

TEST(RealMatch, WritesThatAreNotSent_WouldHaveChangedNothing) {
  RealServer real;
  real.Start();
  const Client client = NewClient(real);
  MatchReport all;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto factory = std::make_shared<SharedInformerFactory>(client);
    MatchOracle oracle(DelegatingClient(client, factory),
                       DelegatingClient(client, factory, {.match_before_write = false}), seed);
    const MatchReport report = oracle.Run(100);
    ASSERT_EQ(report.wrong, "") << "seed " << seed;
    all.writes += report.writes;
    all.matched += report.matched;
    all.missed += report.missed;
    all.refused += report.refused;
    factory->Shutdown();
  }
  RecordProperty("writes", all.writes);
  RecordProperty("matched", all.matched);
  RecordProperty("missed", all.missed);
  EXPECT_GT(all.matched, all.writes / 5);
  EXPECT_LT(all.missed, all.matched / 4);
  EXPECT_LT(all.refused, all.writes / 20);
}

}  // namespace
}  // namespace kinformer::testing
