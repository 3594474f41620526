#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/client/wait_conditions.h"

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::SizeIs;

std::string SetYaml(const std::string& image, const std::string& more = {}) {
  return "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec:\n"
         "  selector: {matchLabels: {app: agent}}\n"
         "  template:\n    metadata: {labels: {app: agent}}\n"
         "    spec:\n      containers: [{name: main, image: " +
         image + "}]\n" + more;
}

class DaemonSetTest : public ::testing::Test {
 protected:
  bool BothAvailable() {
    return Number(server_.Get(Kind::kDaemonSet, "agent"), "/status/numberAvailable") == 2;
  }
  bool RolledOut() {
    const auto state = wait::RolloutStateOf(server_.Get(Kind::kDaemonSet, "agent"));
    return state.ok() && state->done;
  }
  LivingServer server_{
      "nodes:\n- {name: old, count: 2, labels: {disk: ssd}}\n"
      "- {name: new, arrive: 1m, leaves: 10m}\n"};
};

TEST_F(DaemonSetTest, EachNode_HasAPodAlsoLater) {
  server_.Load(SetYaml("a"));
  ASSERT_TRUE(server_.Until([&] { return BothAvailable(); }));
  ASSERT_TRUE(RolledOut());
  for (const json::Value& pod : server_.Pods("agent-")) {
    EXPECT_EQ(Label(pod, "pod-template-generation"), "1");
    EXPECT_FALSE(Label(pod, "controller-revision-hash").empty());
  }
  server_.RunFor(minutes(2));
  EXPECT_THAT(server_.Pods("agent-"), SizeIs(3));
  EXPECT_EQ(Number(server_.Get(Kind::kDaemonSet, "agent"), "/status/desiredNumberScheduled"), 3);
  // The pod goes with its node.
  server_.RunFor(minutes(9));
  EXPECT_THAT(server_.Pods("agent-"), SizeIs(2));
}

TEST_F(DaemonSetTest, NodeSelector_LimitsTheNodes) {
  server_.Load(SetYaml("a", "      nodeSelector: {disk: ssd}\n"));
  server_.RunFor(minutes(2));
  EXPECT_THAT(server_.Pods("agent-"), SizeIs(2));
}

TEST_F(DaemonSetTest, NewTemplate_ReplacesOnePodAtATime) {
  server_.Load(SetYaml("a"));
  ASSERT_TRUE(server_.Until([&] { return BothAvailable(); }));
  server_.Load(SetYaml("b"));
  std::int64_t least = 2;
  ASSERT_TRUE(server_.Until([&] {
    const json::Value set = server_.Get(Kind::kDaemonSet, "agent");
    least = std::min(least, Number(set, "/status/numberAvailable"));
    return RolledOut() && Number(set, "/status/updatedNumberScheduled") == 2;
  }));
  EXPECT_EQ(least, 1);
  for (const json::Value& pod : server_.Pods("agent-")) {
    EXPECT_EQ(Text(pod, "/spec/containers/0/image"), "b");
  }
}

TEST_F(DaemonSetTest, CordonedNode_KeepsItsPod) {
  server_.Load(SetYaml("a"));
  ASSERT_TRUE(server_.Until([&] { return BothAvailable(); }));
  server_.Patch(Kind::kNode, "old-1", "spec: {unschedulable: true}");
  server_.RunFor(seconds(30));
  EXPECT_THAT(server_.Pods("agent-"), SizeIs(2));
  EXPECT_EQ(Text(server_.Get(Kind::kNode, "old-1"), "/spec/taints/0/key"),
            "node.kubernetes.io/unschedulable");
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
