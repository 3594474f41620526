#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::SizeIs;

std::string PodYaml(const std::string& name, const std::string& spec = {}) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec:\n  containers: [{name: m, image: i}]\n" + spec;
}

std::string ReadyOf(LivingServer& server, const std::string& node) {
  return ConditionOf(server.Get(Kind::kNode, node), "Ready")["status"].StringOrEmpty();
}

TEST(SimulatedNodes, ArriveAndLeave_AtTheirTimes) {
  LivingServer server("nodes: [{name: a}, {name: b, arrive: 1m, leaves: 5m}]");
  server.RunFor(seconds(30));
  EXPECT_THAT(server.All(Kind::kNode), SizeIs(1));
  server.RunFor(seconds(31));
  EXPECT_THAT(server.All(Kind::kNode), SizeIs(2));
  EXPECT_EQ(Text(server.Get(Kind::kNode, "b-1"), "/spec/podCIDR"), "10.244.1.0/24");
  server.RunFor(minutes(5));
  EXPECT_THAT(server.All(Kind::kNode), SizeIs(1));
}

TEST(SimulatedNodes, LivingNode_StaysReadyForHours) {
  LivingServer server("nodes: [{name: a}]");
  for (int i = 0; i < 6; ++i) {
    server.RunFor(minutes(31));
    EXPECT_EQ(ReadyOf(server, "a-1"), "True");
  }
  const auto beat =
      TimeAt(ConditionOf(server.Get(Kind::kNode, "a-1"), "Ready"), "/lastHeartbeatTime");
  ASSERT_TRUE(beat.has_value());
  EXPECT_GE(beat->time_since_epoch() + minutes(6), server.Now());
}

TEST(SimulatedNodes, DeadNode_LosesItsPodsToOthers) {
  LivingServer server("nodes: [{name: good}, {name: bad, dies: 1m, leaves: 20m}]");
  server.Load(DeploymentYaml("web", 2, "nginx"));
  const auto on_bad = [&] {
    std::size_t count = 0;
    for (const json::Value& pod : server.Pods("web-")) {
      count += Text(pod, "/spec/nodeName") == "bad-1" ? 1 : 0;
    }
    return count;
  };
  ASSERT_TRUE(server.Until(
      [&] { return Number(server.Get(Kind::kDeployment, "web"), "/status/readyReplicas") == 2; }));
  ASSERT_EQ(on_bad(), 1U);
  // Its last lease is up to ten seconds old when it dies.
  ASSERT_TRUE(server.Until([&] { return ReadyOf(server, "bad-1") == "Unknown"; }, minutes(3)));
  EXPECT_GE(server.Now(), seconds(100));
  EXPECT_LE(server.Now(), seconds(111));
  server.RunFor(seconds(1));
  const json::Value node = server.Get(Kind::kNode, "bad-1");
  EXPECT_EQ(Text(node, "/spec/taints/0/key"), "node.kubernetes.io/unreachable");
  EXPECT_EQ(Number(server.Get(Kind::kDeployment, "web"), "/status/readyReplicas"), 1);
  // After tolerationSeconds the pod is deleted and replaced; it stays until the node leaves.
  server.RunFor(minutes(6));
  EXPECT_EQ(Number(server.Get(Kind::kDeployment, "web"), "/status/readyReplicas"), 2);
  EXPECT_EQ(on_bad(), 1U);
  EXPECT_THAT(server.Pods("web-"), SizeIs(3));
  for (const json::Value& pod : server.Pods("web-")) {
    EXPECT_EQ(IsTrue(pod, "DisruptionTarget"), IsTerminating(pod));
  }
  server.RunFor(minutes(14));
  EXPECT_THAT(server.Pods("web-"), SizeIs(2));
  EXPECT_EQ(on_bad(), 0U);
}

TEST(SimulatedNodes, NodeThatRecovers_IsReadyAgainWithItsPods) {
  LivingServer server("nodes: [{name: a, dies: 1m, recovers: 3m}]");
  server.Load(PodYaml("p"));
  server.RunFor(minutes(2));
  EXPECT_EQ(ReadyOf(server, "a-1"), "Unknown");
  EXPECT_FALSE(IsTrue(server.Get(Kind::kPod, "p"), "Ready"));
  server.RunFor(minutes(2));
  EXPECT_EQ(ReadyOf(server, "a-1"), "True");
  EXPECT_TRUE(server.Get(Kind::kNode, "a-1")["spec"]["taints"].is_null());
  EXPECT_TRUE(IsTrue(server.Get(Kind::kPod, "p"), "Ready"));
}

TEST(SimulatedNodes, NodeThatIsGoneForAMoment_GoesOnWithItsPods) {
  LivingServer server("nodes: [{name: a, dies: 1m, recovers: 80s}]");
  server.RunFor(seconds(59));
  server.Load(PodYaml("p"));
  server.RunFor(seconds(20));
  EXPECT_FALSE(IsTrue(server.Get(Kind::kPod, "p"), "Ready"));
  EXPECT_EQ(ReadyOf(server, "a-1"), "True");
  server.RunFor(seconds(3));
  EXPECT_TRUE(IsTrue(server.Get(Kind::kPod, "p"), "Ready"));
}

TEST(SimulatedNodes, DeletedPod_StopsWithinItsGracePeriod) {
  LivingServer server("pods: [{stopDelay: 5s}]");
  server.Load(PodYaml("slow") + "---\n" + PodYaml("hasty", "  terminationGracePeriodSeconds: 2\n"));
  server.RunFor(seconds(5));
  server.Delete(Kind::kPod, "slow");
  server.Delete(Kind::kPod, "hasty");
  server.RunFor(seconds(1));
  EXPECT_TRUE(IsTerminating(server.Get(Kind::kPod, "slow")));
  EXPECT_TRUE(IsTrue(server.Get(Kind::kPod, "slow"), "Ready"));
  server.RunFor(seconds(2));
  EXPECT_TRUE(server.Get(Kind::kPod, "hasty").is_null());
  EXPECT_FALSE(server.Get(Kind::kPod, "slow").is_null());
  server.RunFor(seconds(3));
  EXPECT_TRUE(server.Get(Kind::kPod, "slow").is_null());
}

TEST(SimulatedScheduler, RequestsBeyondTheCapacity_Wait) {
  LivingServer server("nodes: [{name: a, capacity: {cpu: 1, pods: 2}}]");
  const std::string half = "  - {name: main, image: i, resources: {requests: {cpu: 600m}}}\n";
  const auto with_half = [&](const std::string& name) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n  containers:\n" +
           half;
  };
  server.Load(with_half("p") + "---\n" + with_half("q"));
  server.RunFor(seconds(10));
  const json::Value waiting = server.Get(Kind::kPod, "q");
  const json::Value& scheduled = ConditionOf(waiting, "PodScheduled");
  EXPECT_EQ(scheduled["reason"].StringOrEmpty(), "Unschedulable");
  EXPECT_EQ(scheduled["message"].StringOrEmpty(), "0/1 nodes are available: 1 Insufficient cpu.");
  server.Delete(Kind::kPod, "p");
  ASSERT_TRUE(server.Until([&] { return IsTrue(server.Get(Kind::kPod, "q"), "Ready"); }));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
