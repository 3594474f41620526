// LeaderHealthzAdaptor: the result of a health check for a leader election.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "controller/election/testing/fake_lock.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using testing::FakeLease;
using testing::FakeLock;
using ::testing::HasSubstr;

TEST(LeaderHealthzAdaptorTest, Check_PassesBeforeThereIsAnElector_LE23) {
  Simulation sim;
  FakeLease lease;
  auto lock = std::make_unique<FakeLock>(lease, "a");
  FakeLock& asked = *lock;
  const std::shared_ptr<LeaderElector> elector =
      LeaderElector::New(sim.env(), std::move(lock),
                         {.callbacks = {.on_started_leading = [](const std::stop_token&) {},
                                        .on_stopped_leading = [] {}}})
          .OrExit();
  LeaderHealthzAdaptor health(seconds(1));
  EXPECT_TRUE(health.Check().ok());
  health.SetLeaderElection(elector);
  EXPECT_TRUE(health.Check().ok());
  std::stop_source stop;
  const auto thread = sim.env().NewThread("candidate", [&] { elector->Run(stop.get_token()); });
  sim.RunFor(seconds(30));
  EXPECT_TRUE(health.Check().ok());
  // The renewing thread hangs.
  bool hangs = true;
  asked.fault = [&](const std::string&, const CallOptions&) -> Result<void> {
    while (hangs) sim.env().SleepFor(seconds(1));
    return {};
  };
  sim.RunFor(seconds(19));
  EXPECT_THAT(health.Check().error().message(), HasSubstr("default/lease"));
  EXPECT_FALSE(elector->IsLeader());
  hangs = false;
  stop.request_stop();
  sim.RunFor(seconds(2));
}

}  // namespace
}  // namespace kinformer
