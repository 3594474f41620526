#include "apiserver/workloads/endpoint_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/workloads/scene_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string PodYaml(const std::string& name, const std::string& port) {
  return "metadata: {name: " + name +
         ", namespace: default, labels: {app: web}}\n"
         "spec: {nodeName: n, containers: [{name: m, ports: [" +
         port +
         "]}]}\n"
         "status: {podIP: 10.0.0.1, conditions: [{type: Ready, status: 'True'}]}\n";
}

TEST(EndpointSlices, NamedPorts_MakeASliceForEachNumber) {
  SceneForTest scene;
  const json::Value& service =
      scene.Put(Kind::kService,
                "metadata: {name: web, namespace: default}\n"
                "spec: {selector: {app: web}, ports: [{name: a, port: 80, targetPort: http}]}\n");
  scene.Put(Kind::kPod, PodYaml("a", "{name: http, containerPort: 1}"));
  scene.Put(Kind::kPod, PodYaml("b", "{name: http, containerPort: 2}"));
  const Scene now = scene.scene();
  Plan plan(now);
  SyncEndpointSlices(now, service, plan);
  EXPECT_THAT(SceneForTest::Writes(plan), SizeIs(2));
  EXPECT_THAT(SceneForTest::Writes(plan), Each(StartsWith("create EndpointSlice web-")));
}

TEST(EndpointSlices, ManyPods_ShareSlicesOfAHundred) {
  SceneForTest scene;
  const json::Value& service = scene.Put(
      Kind::kService, "metadata: {name: web, namespace: default}\nspec: {selector: {app: web}}\n");
  for (int i = 0; i < 250; ++i) scene.Put(Kind::kPod, PodYaml("p" + std::to_string(i), ""));
  const Scene now = scene.scene();
  Plan plan(now);
  SyncEndpointSlices(now, service, plan);
  std::vector<std::size_t> sizes;
  for (const PlannedWrite& write : plan.writes()) {
    sizes.push_back(write.object["endpoints"].size());
    scene.Put(Kind::kEndpointSlice, write.object.Dump());
  }
  EXPECT_THAT(sizes, ElementsAre(100, 100, 50));
  // A pod that goes changes only its slice.
  scene.cluster.Remove(Kind::kPod, "default/p7");
  const Scene later = scene.scene();
  Plan next(later);
  SyncEndpointSlices(later, service, next);
  EXPECT_THAT(SceneForTest::Writes(next), ElementsAre(StartsWith("update EndpointSlice web-")));
}

TEST(EndpointSlices, ServiceWithoutSelector_IsLeftAlone) {
  SceneForTest scene;
  const json::Value& service =
      scene.Put(Kind::kService, "metadata: {name: web, namespace: default}\nspec: {}\n");
  const Scene now = scene.scene();
  Plan plan(now);
  SyncEndpointSlices(now, service, plan);
  EXPECT_THAT(plan.writes(), SizeIs(0));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
