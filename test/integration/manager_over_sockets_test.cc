// Managers and clusters made from a Config: their requests to the server, in real time over
// sockets.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/controller/manager.h"

#include "integration/embedded_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns how many of 30 consecutive requests had to wait for the client's own rate limit.
int Limited(const Config& config, const ClusterOptions& options = {}) {
  Runtime runtime;
  const auto cluster = Cluster::New(runtime.env(), config, options).OrExit();
  int limited = 0;
  for (int i = 0; i < 30; ++i) {
    // A wait for the rate limit is longer than this timeout.
    const auto answer = cluster->GetRESTClient().GetRaw("/version", {.timeout = milliseconds(150)});
    if (answer) continue;
    limited += answer.error().message().find("rate limiter") == std::string::npos ? 0 : 1;
  }
  return limited;
}

TEST(ManagerOverSockets, AClusterHasNoLimitOfItsOwnUnlessItIsGivenOne) {
  EmbeddedServer server;
  Config config = server.ClientConfig();
  EXPECT_EQ(Limited(config), 0);
  EXPECT_GT(Limited(config, {.client = {.qps = 0.1, .burst = 1}}), 0);
  config.qps = 0.1;
  config.burst = 1;
  EXPECT_GT(Limited(config), 0);
  config.qps = 0;
  config.burst = 0;
  Runtime runtime;
  config.rate_limiter = flowcontrol::NewTokenBucketRateLimiter(runtime.env(), 0.1, 1);
  EXPECT_GT(Limited(config), 0);
}

TEST(ManagerOverSockets, LeasesWaitForNoLimiter) {
  EmbeddedServer server;
  Runtime runtime;
  Config config = server.ClientConfig();
  config.rate_limiter = flowcontrol::NewFakeNeverRateLimiter(runtime.env());
  const auto manager = Manager::New(runtime.env(), config,
                                    {.leader_election = true,
                                     .leader_election_id = "op",
                                     .leader_election_namespace = "default",
                                     .metrics_bind_address = "0"})
                           .OrExit();
  std::stop_source stop;
  const auto running = runtime.env().NewThread(
      "manager", [&] { EXPECT_TRUE(manager->Start(stop.get_token()).ok()); });
  EXPECT_TRUE(manager->WaitUntilElected({}).ok());
  EXPECT_EQ(manager->GetRESTClient().GetRaw("/version").error().reason(), Reason::kStopped);
  stop.request_stop();
}

// Checks the User-Agent of requests for Leases and of all other requests.
TEST(ManagerOverSockets, LeasesAreAskedForUnderANameOfTheirOwn) {
  for (const std::string name : {"", "printer"}) {
    EmbeddedServer server;
    std::mutex mutex;
    std::vector<std::string> leases;
    std::vector<std::string> others;
    server.AnswerWith([&](const HttpRequest& request) -> std::optional<ScriptedResponse> {
      const std::lock_guard lock(mutex);
      const bool lease = request.target.find("/leases") != std::string::npos;
      (lease ? leases : others).emplace_back(request.headers.Get("User-Agent"));
      return std::nullopt;  // answered by the API server
    });
    Config config = server.ClientConfig();
    config.user_agent = name;
    Runtime runtime;
    const auto manager = Manager::New(runtime.env(), config,
                                      {.leader_election = true,
                                       .leader_election_id = "op",
                                       .leader_election_namespace = "default",
                                       .metrics_bind_address = "0"})
                             .OrExit();
    std::stop_source stop;
    const auto running = runtime.env().NewThread(
        "manager", [&] { EXPECT_TRUE(manager->Start(stop.get_token()).ok()); });
    EXPECT_TRUE(manager->WaitUntilElected({}).ok());
    EXPECT_TRUE(manager->GetRESTClient().GetRaw("/version").ok());
    stop.request_stop();
    running->Join();
    const std::lock_guard lock(mutex);
    ASSERT_FALSE(leases.empty());
    ASSERT_FALSE(others.empty());
    EXPECT_THAT(leases.front(), EndsWith("/leader-election"));
    EXPECT_THAT(leases.front(), HasSubstr(name.empty() ? ") kinformer/" : "printer/"));
    EXPECT_THAT(others.front(), Not(EndsWith("/leader-election")));
    EXPECT_THAT(leases.front(), ::testing::StartsWith(others.front()));
  }
}

}  // namespace
}  // namespace kinformer::testing
