#include "apiserver/workloads/replica_set.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/workloads/scene_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

class ReplicaSetTest : public ::testing::Test {
 protected:
  const json::Value& Set(int replicas, const std::string& more = {}) {
    return scene_.Put(Kind::kReplicaSet,
                      "metadata: {name: set, namespace: d, generation: 4}\nspec:\n  replicas: " +
                          std::to_string(replicas) + "\n" + more +
                          "  selector: {matchLabels: {app: a}}\n"
                          "  template: {metadata: {labels: {app: a}}, spec: {}}\n");
  }
  void Pod(const std::string& name, const std::string& node, const std::string& phase, bool ready,
           const std::string& since = "00:00:00", const std::string& annotations = "{}") {
    scene_.Put(Kind::kPod,
               "metadata:\n  name: " + name +
                   "\n  namespace: d\n  labels: {app: a}\n  annotations: " + annotations +
                   "\n  ownerReferences: [{uid: ReplicaSet-set, controller: true}]\n"
                   "spec: {nodeName: '" +
                   node + "'}\nstatus:\n  phase: " + phase +
                   "\n  conditions: [{type: Ready, status: '" + (ready ? "True" : "False") +
                   "', lastTransitionTime: '1970-01-01T" + since + "Z'}]\n");
  }
  std::vector<std::string> Writes(const json::Value& set) {
    const Scene now = scene_.scene();
    Plan plan(now);
    SyncReplicaSet(now, set, plan);
    status_ = SceneForTest::Written(plan, Verb::kUpdateStatus, Kind::kReplicaSet)["status"];
    again_ = plan.again();
    return SceneForTest::Writes(plan);
  }
  SceneForTest scene_{};
  json::Value status_{};
  std::optional<Duration> again_{};
};

TEST_F(ReplicaSetTest, MissingPods_AreMade) {
  Pod("x", "n", "Failed", false);
  EXPECT_THAT(Writes(Set(2)), ElementsAre(StartsWith("create Pod set-"),
                                          StartsWith("create Pod set-"), "status ReplicaSet set"));
  EXPECT_EQ(status_["replicas"].AsInt64(), 0);
  EXPECT_EQ(status_["observedGeneration"].AsInt64(), 4);
}

TEST_F(ReplicaSetTest, TooManyPods_GoByTheirWorth) {
  Pod("a-old", "n1", "Running", true, "00:10:00");
  Pod("b-new", "n2", "Running", true, "00:50:00");
  Pod("c-unready", "n2", "Running", false);
  Pod("d-pending", "n3", "Pending", false);
  Pod("e-unbound", "", "Pending", false);
  Pod("f-cheap", "n4", "Running", true, "00:00:00",
      "{controller.kubernetes.io/pod-deletion-cost: '-5'}");
  EXPECT_THAT(Writes(Set(1)),
              ElementsAre("delete Pod e-unbound", "delete Pod d-pending", "delete Pod c-unready",
                          "delete Pod f-cheap", "delete Pod b-new", "status ReplicaSet set"));
  EXPECT_EQ(status_["readyReplicas"].AsInt64(), 3);
}

TEST_F(ReplicaSetTest, MinReadySeconds_DelayAvailability) {
  Pod("a", "n", "Running", true, "00:59:50");
  EXPECT_THAT(Writes(Set(1, "  minReadySeconds: 30\n")), ElementsAre("status ReplicaSet set"));
  EXPECT_EQ(status_["readyReplicas"].AsInt64(), 1);
  EXPECT_TRUE(status_["availableReplicas"].is_null());
  EXPECT_EQ(again_, std::chrono::seconds(20));
}

TEST_F(ReplicaSetTest, NothingToDo_WritesNothing) {
  Pod("a", "n", "Running", true);
  ASSERT_THAT(Writes(Set(1)), ElementsAre("status ReplicaSet set"));
  json::Value set = Set(1);
  set.Set("status", status_);
  EXPECT_TRUE(Writes(scene_.Put(Kind::kReplicaSet, set.Dump())).empty());
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
