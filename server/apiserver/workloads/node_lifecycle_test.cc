#include "apiserver/workloads/node_lifecycle.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/workloads/scene_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

TEST(NodeLifecycle, NoExecuteTaint_EvictsPodsThatDoNotTolerateIt) {
  SceneForTest scene;
  const json::Value& node = scene.Put(
      Kind::kNode,
      "metadata: {name: a}\nspec: {taints: [{key: k, effect: NoExecute, timeAdded: "
      "'1970-01-01T00:59:00Z'}]}\nstatus: {conditions: [{type: Ready, status: 'True'}]}\n");
  scene.Put(Kind::kPod, "metadata: {name: gone, namespace: d}\nspec: {nodeName: a}\n");
  scene.Put(Kind::kPod,
            "metadata: {name: late, namespace: d}\nspec: {nodeName: a, tolerations: "
            "[{operator: Exists, tolerationSeconds: 90}]}\n");
  scene.Put(Kind::kPod,
            "metadata: {name: stays, namespace: d}\n"
            "spec: {nodeName: a, tolerations: [{key: k, operator: Exists}]}\n");
  const Scene now = scene.scene();
  Plan plan(now);
  SyncNode(now, node, plan);
  EXPECT_THAT(SceneForTest::Writes(plan), ElementsAre("status Pod gone", "delete Pod gone"));
  EXPECT_EQ(plan.again(), seconds(30));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
