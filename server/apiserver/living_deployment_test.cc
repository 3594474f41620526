#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "kinformer/client/wait_conditions.h"

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class DeploymentTest : public ::testing::Test {
 protected:
  bool RolledOut() {
    const auto state = wait::RolloutStateOf(server_.Get(Kind::kDeployment, "web"));
    return state.ok() && state->done;
  }
  // Returns the numbers of wanted replicas of all ReplicaSets with revision, as "1:0".
  std::vector<std::string> Sets() {
    std::vector<std::string> out;
    for (const json::Value& set : server_.All(Kind::kReplicaSet)) {
      out.push_back(Annotation(set, "deployment.kubernetes.io/revision") + ":" +
                    std::to_string(Number(set, "/spec/replicas")));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  std::string Reason(const char* condition) {
    return ConditionOf(server_.Get(Kind::kDeployment, "web"), condition)["reason"].StringOrEmpty();
  }

  LivingServer server_{R"(
pods:
  - match: {image: never}
    neverReady: true
)"};
};

TEST_F(DeploymentTest, Restored_AfterItWasDeleted_KeepsItsPods) {
  server_.Load(DeploymentYaml("web", 3, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  ApiServer& server = server_.server().server();
  const std::int64_t version = server.current_resource_version();
  server_.Delete(Kind::kDeployment, "web");
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("web-").empty(); }));
  ASSERT_TRUE(server.Restore(version).ok());
  server_.RunFor(minutes(1));
  EXPECT_TRUE(RolledOut());
  EXPECT_THAT(server_.PodNames("web-"), SizeIs(3));
}

TEST_F(DeploymentTest, New_RollsOut) {
  server_.Load(DeploymentYaml("web", 3, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  EXPECT_GE(server_.Now(), seconds(1));
  EXPECT_LE(server_.Now(), seconds(4));
  const json::Value deployment = server_.Get(Kind::kDeployment, "web");
  EXPECT_EQ(Number(deployment, "/status/readyReplicas"), 3);
  EXPECT_EQ(Annotation(deployment, "deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(Reason("Progressing"), "NewReplicaSetAvailable");
  EXPECT_EQ(Reason("Available"), "MinimumReplicasAvailable");
  const auto pods = server_.Pods("web-");
  ASSERT_THAT(pods, SizeIs(3));
  std::set<std::string> nodes;
  std::set<std::string> addresses;
  for (const json::Value& pod : pods) {
    nodes.insert(Text(pod, "/spec/nodeName"));
    addresses.insert(Text(pod, "/status/podIP"));
    EXPECT_EQ(Text(pod, "/status/phase"), "Running");
    EXPECT_EQ(ControllerOf(pod)["kind"].StringOrEmpty(), "ReplicaSet");
    EXPECT_THAT(NameOf(pod), StartsWith("web-" + Label(pod, "pod-template-hash") + "-"));
  }
  EXPECT_THAT(nodes, SizeIs(3));
  EXPECT_THAT(addresses, SizeIs(3));
}

TEST_F(DeploymentTest, NewImage_RollsOverWithinTheLimits) {
  server_.Load(DeploymentYaml("web", 4, "nginx:1"));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  server_.Load(DeploymentYaml("web", 4, "nginx:2"));
  EXPECT_FALSE(RolledOut());
  std::size_t most = 0;
  std::int64_t least = 4;
  ASSERT_TRUE(server_.Until([&] {
    std::size_t active = 0;
    std::int64_t ready = 0;
    for (const json::Value& pod : server_.Pods("web-")) {
      if (IsTerminating(pod)) continue;
      ++active;
      ready += IsTrue(pod, "Ready");
    }
    most = std::max(most, active);
    least = std::min(least, ready);
    return RolledOut();
  }));
  EXPECT_EQ(most, 5U);
  EXPECT_EQ(least, 3);
  EXPECT_THAT(Sets(), ElementsAre("1:0", "2:4"));
  server_.RunFor(seconds(5));
  for (const json::Value& pod : server_.Pods("web-")) {
    EXPECT_EQ(Text(pod, "/spec/containers/0/image"), "nginx:2");
  }
}

TEST_F(DeploymentTest, ChangedBack_UsesTheOldReplicaSetAsANewRevision) {
  for (const char* image : {"nginx:1", "nginx:2", "nginx:1"}) {
    server_.Load(DeploymentYaml("web", 2, image));
    ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  }
  EXPECT_THAT(Sets(), ElementsAre("2:0", "3:2"));
  for (const json::Value& set : server_.All(Kind::kReplicaSet)) {
    const bool newest = Annotation(set, "deployment.kubernetes.io/revision") == "3";
    EXPECT_EQ(Annotation(set, "deployment.kubernetes.io/revision-history"), newest ? "1" : "");
  }
}

TEST_F(DeploymentTest, OldReplicaSets_AreKeptUpToTheLimit) {
  for (const char* image : {"a", "b", "c", "d"}) {
    server_.Load(DeploymentYaml("web", 1, image, "  revisionHistoryLimit: 1\n"));
    ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
    server_.RunFor(seconds(5));
  }
  EXPECT_THAT(Sets(), ElementsAre("3:0", "4:1"));
}

TEST_F(DeploymentTest, Scaled_KeepsItsRevision) {
  server_.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  server_.Patch(Kind::kDeployment, "web", "spec: {replicas: 5}");
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  EXPECT_THAT(server_.Pods("web-"), SizeIs(5));
  server_.Patch(Kind::kDeployment, "web", "spec: {replicas: 1}");
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("web-").size() == 1; }));
  EXPECT_TRUE(RolledOut());
  EXPECT_THAT(Sets(), ElementsAre("1:1"));
}

TEST_F(DeploymentTest, PodsThatAreNeverReady_ExceedTheDeadline) {
  server_.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  server_.Load(DeploymentYaml("web", 2, "never", "  progressDeadlineSeconds: 60\n"));
  ASSERT_TRUE(server_.Until([&] { return Reason("Progressing") == "ProgressDeadlineExceeded"; },
                            minutes(3)));
  EXPECT_GE(server_.Now(), seconds(60));
  const auto state = wait::RolloutStateOf(server_.Get(Kind::kDeployment, "web"));
  ASSERT_FALSE(state.ok());
  EXPECT_THAT(state.error().message(), HasSubstr("exceeded its progress deadline"));
  EXPECT_EQ(Reason("Available"), "MinimumReplicasAvailable");
}

TEST_F(DeploymentTest, Recreate_EndsOldPodsFirst) {
  const std::string recreate = "  strategy: {type: Recreate}\n";
  server_.Load(DeploymentYaml("web", 2, "nginx:1", recreate));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  server_.Load(DeploymentYaml("web", 2, "nginx:2", recreate));
  bool mixed = false;
  ASSERT_TRUE(server_.Until([&] {
    std::set<std::string> images;
    for (const json::Value& pod : server_.Pods("web-")) {
      images.insert(Text(pod, "/spec/containers/0/image"));
    }
    mixed = mixed || images.size() > 1;
    return RolledOut();
  }));
  EXPECT_FALSE(mixed);
}

TEST_F(DeploymentTest, Paused_DoesNotRollOut) {
  server_.Load(DeploymentYaml("web", 1, "nginx:1"));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  server_.Load(DeploymentYaml("web", 1, "nginx:2", "  paused: true\n"));
  server_.RunFor(minutes(1));
  EXPECT_THAT(Sets(), ElementsAre("1:1"));
  EXPECT_EQ(Reason("Progressing"), "DeploymentPaused");
  server_.Patch(Kind::kDeployment, "web", "spec: {paused: false}");
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  EXPECT_THAT(Sets(), ElementsAre("1:0", "2:1"));
}

TEST_F(DeploymentTest, Deleted_TakesItsPodsWithIt) {
  server_.Load(DeploymentYaml("web", 3, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return RolledOut(); }));
  server_.Delete(Kind::kDeployment, "web");
  server_.RunFor(seconds(1));
  EXPECT_THAT(server_.All(Kind::kReplicaSet), SizeIs(0));
  EXPECT_TRUE(server_.Until([&] { return server_.Pods("web-").empty(); }, minutes(1)));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
