#include "apiserver/workloads/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "apiserver/workloads/scene_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using ::testing::HasSubstr;

TEST(Scheduler, TaintsAndSelectors_ChooseTheNode) {
  SceneForTest scene;
  scene.Put(Kind::kNode,
            "metadata: {name: a}\nspec: {taints: [{key: k, value: v, effect: NoSchedule}]}\n");
  scene.Put(Kind::kNode, "metadata: {name: b, labels: {disk: hdd, age: '7'}}\n");
  const auto node_for = [&](const std::string& spec) {
    const json::Value& pod =
        scene.Put(Kind::kPod, "metadata: {name: p, namespace: d}\nspec: " + spec + "\n");
    const Scene now = scene.scene();
    Plan plan(now);
    SchedulePod(now, pod, plan);
    const json::Value bound = SceneForTest::Written(plan, Verb::kUpdate, Kind::kPod);
    return bound.is_null()
               ? ConditionOf(SceneForTest::Written(plan, Verb::kUpdateStatus, Kind::kPod),
                             "PodScheduled")["message"]
                     .StringOrEmpty()
               : Text(bound, "/spec/nodeName");
  };
  const auto affinity = [](const std::string& expression) {
    return "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "{nodeSelectorTerms: [{matchExpressions: [" +
           expression + "]}]}}}}";
  };
  EXPECT_EQ(node_for("{}"), "b");
  EXPECT_EQ(node_for("{tolerations: [{key: k, value: v}]}"), "a");
  EXPECT_EQ(node_for("{tolerations: [{operator: Exists}]}"), "a");
  EXPECT_THAT(node_for("{nodeSelector: {disk: ssd}}"),
              HasSubstr("1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had "
                        "untolerated taint(s)"));
  EXPECT_EQ(node_for(affinity("{key: age, operator: Gt, values: ['5']}")), "b");
  EXPECT_EQ(node_for(affinity("{key: disk, operator: In, values: [hdd]}")), "b");
  EXPECT_THAT(node_for(affinity("{key: disk, operator: DoesNotExist}")), HasSubstr("0/2"));
  EXPECT_THAT(node_for("{schedulingGates: [{name: g}]}"), HasSubstr("scheduling gates"));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
