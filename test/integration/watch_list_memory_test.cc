// A client's memory of a server without support for watch-lists, against the embedded API server in
// simulated time.

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using corev1::Secret;
using std::chrono::hours;
using std::chrono::minutes;

class WatchListMemory : public ::testing::Test {
 protected:
  void StartAndSync() {
    factory_.Start();
    ASSERT_TRUE(sim_.RunBlocking(
        [&] { EXPECT_TRUE(factory_.WaitForCacheSync({}, {.timeout = minutes(1)})); }, hours(1)));
  }
  // Returns how many watch-lists were requested.
  [[nodiscard]] std::uint64_t Asked() { return server_.faults().hits(counter_); }

  Simulation sim_;
  ApiServer server_{sim_, {.watch_list = false}};
  // Only counts requests.
  const apiserver::FaultPlan::RuleId counter_ =
      server_.faults().Add({.only_initial_events = true, .action = apiserver::FaultAction::kDelay});
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  SharedInformerFactory factory_{client_};
};

TEST_F(WatchListMemory, WatchListRefused_IsRememberedForTheClient_W34) {
  const auto all = factory_.InformerFor<ConfigMap>({.relist_period = minutes(10)});
  StartAndSync();
  EXPECT_EQ(Asked(), 1U);
  const auto some = factory_.InformerFor<ConfigMap>({.namespace_ = "default"});
  StartAndSync();
  EXPECT_EQ(Asked(), 1U);
  EXPECT_EQ(some.Stats().lists, 1U);
  EXPECT_EQ(some.Stats().watch_lists, 0U);
  // The memory is per resource.
  const auto secrets = factory_.InformerFor<Secret>();
  StartAndSync();
  EXPECT_EQ(Asked(), 2U);
  sim_.RunFor(minutes(58));
  EXPECT_EQ(all.Stats().lists, 6U);
  EXPECT_EQ(Asked(), 2U);
  // After an hour the client tries again, since the server may have been upgraded.
  sim_.RunFor(minutes(17));
  EXPECT_EQ(all.Stats().lists, 8U);
  EXPECT_EQ(Asked(), 3U);
}

}  // namespace
}  // namespace kinformer::testing
