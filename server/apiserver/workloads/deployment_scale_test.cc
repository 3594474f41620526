#include "apiserver/workloads/deployment_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver::workloads {
namespace {

RollingLimits LimitsIn(const char* spec) {
  json::Value deployment = json::Value::MakeObject();
  deployment.Set("spec", yaml::Parse(spec).OrExit());
  return LimitsOf(deployment);
}

TEST(DeploymentScale, Limits_RoundSurgeUpAndUnavailableDown) {
  RollingLimits limits = LimitsIn("{replicas: 10}");
  EXPECT_EQ(limits.surge, 3);
  EXPECT_EQ(limits.unavailable, 2);
  limits = LimitsIn("{replicas: 4, strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}}");
  EXPECT_EQ(limits.surge, 0);
  EXPECT_EQ(limits.unavailable, 1);
  limits = LimitsIn("{replicas: 4, strategy: {type: Recreate}}");
  EXPECT_EQ(limits.surge + limits.unavailable, 0);
}

// Runs an update until nothing changes, while all pods become available at once. Returns the
// number of steps; checks the limits in each.
int StepsOf(const RollingLimits& limits) {
  SetSize newest;
  std::vector<SetSize> old(1);
  old[0].replicas = old[0].available = limits.replicas;
  for (int steps = 0;; ++steps) {
    RollStep(limits, newest, old);
    EXPECT_LE(newest.next + old[0].next, limits.replicas + limits.surge);
    EXPECT_GE(newest.available + old[0].next, limits.replicas - limits.unavailable);
    if (newest.next == newest.replicas && old[0].next == old[0].replicas) {
      EXPECT_EQ(newest.replicas, limits.replicas);
      EXPECT_EQ(old[0].replicas, 0);
      return steps;
    }
    newest.replicas = newest.available = newest.next;
    old[0].replicas = old[0].available = old[0].next;
  }
}

TEST(DeploymentScale, RollingUpdate_StaysWithinItsLimits) {
  EXPECT_EQ(StepsOf({.replicas = 10, .surge = 3, .unavailable = 2}), 5);
  EXPECT_EQ(StepsOf({.replicas = 3, .surge = 1, .unavailable = 0}), 6);
  EXPECT_EQ(StepsOf({.replicas = 3, .surge = 0, .unavailable = 1}), 6);
  EXPECT_EQ(StepsOf({.replicas = 0, .surge = 0, .unavailable = 0}), 0);
}

TEST(DeploymentScale, OldPodsThatAreNotAvailable_GoFirst) {
  SetSize newest{.replicas = 3};
  std::vector<SetSize> old = {{.replicas = 2, .available = 0}, {.replicas = 8, .available = 8}};
  RollStep({.replicas = 10, .surge = 3, .unavailable = 2}, newest, old);
  EXPECT_EQ(old[0].next, 0);
  EXPECT_EQ(old[1].next, 8);
}

TEST(DeploymentScale, ScaledDuringAnUpdate_KeepsTheProportion) {
  SetSize a{.replicas = 8};
  SetSize b{.replicas = 5};
  std::vector<SetSize*> sets = {&a, &b};
  ScaleInProportion({.replicas = 20, .surge = 5}, 13, sets);
  EXPECT_EQ(a.next + b.next, 25);
  EXPECT_EQ(a.next, 15);
  sets = {&a, &b};
  ScaleInProportion({.replicas = 0}, 13, sets);
  EXPECT_EQ(a.next + b.next, 0);
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
