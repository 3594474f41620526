#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/workloads/endpoint_slices.h"
#include "apiserver/workloads/living_server_for_test.h"
#include "apiserver/workloads/scene_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kService =
    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  selector: {app: web}\n"
    "  ports: [{name: http, port: 80, targetPort: 8080}]\n";

class EndpointSlicesTest : public ::testing::Test {
 protected:
  // Returns the endpoints of the Service, each as "ready serving terminating".
  std::vector<std::string> Endpoints() {
    std::vector<std::string> out;
    for (const json::Value& slice : Slices()) {
      for (const json::Value& endpoint : slice["endpoints"].items()) {
        std::string text;
        for (const char* condition : {"ready", "serving", "terminating"}) {
          text += endpoint["conditions"][condition].AsBool().value_or(false) ? "1" : "0";
        }
        out.push_back(text);
      }
    }
    return out;
  }
  std::vector<json::Value> Slices() {
    std::vector<json::Value> out;
    for (json::Value& slice : server_.All(Kind::kEndpointSlice)) {
      if (Label(slice, "kubernetes.io/service-name") == "web") out.push_back(std::move(slice));
    }
    return out;
  }
  LivingServer server_{"pods: [{stopDelay: 2s}]"};
};

TEST_F(EndpointSlicesTest, ReadyPods_BecomeEndpointsUntilTheyEnd) {
  server_.Load(kService);
  server_.RunFor(seconds(1));
  ASSERT_THAT(Slices(), SizeIs(1));
  EXPECT_THAT(Endpoints(), SizeIs(0));
  server_.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(server_.Until([&] { return Endpoints().size() == 2; }));
  ASSERT_TRUE(server_.Until([&] { return Endpoints()[0] == "110" && Endpoints()[1] == "110"; }));
  const json::Value slice = Slices()[0];
  EXPECT_THAT(NameOf(slice), StartsWith("web-"));
  EXPECT_EQ(Number(slice, "/ports/0/port"), 8080);
  EXPECT_EQ(Text(slice, "/endpoints/0/targetRef/kind"), "Pod");
  EXPECT_EQ(ControllerOf(slice)["name"].StringOrEmpty(), "web");
  server_.Patch(Kind::kDeployment, "web", "spec: {replicas: 1}");
  server_.RunFor(seconds(1));
  auto endpoints = Endpoints();
  std::sort(endpoints.begin(), endpoints.end());
  EXPECT_THAT(endpoints, ElementsAre("011", "110"));
  server_.RunFor(seconds(3));
  EXPECT_THAT(Endpoints(), ElementsAre("110"));
  server_.Delete(Kind::kService, "web");
  server_.RunFor(seconds(1));
  EXPECT_THAT(Slices(), SizeIs(0));
}

std::string PodYaml(const std::string& name, const std::string& port) {
  return "metadata: {name: " + name +
         ", namespace: default, labels: {app: web}}\n"
         "spec: {nodeName: n, containers: [{name: m, ports: [" + port + "]}]}\n"
         "status: {podIP: 10.0.0.1, conditions: [{type: Ready, status: 'True'}]}\n";
}

TEST(EndpointSlices, NamedPorts_MakeASliceForEachNumber) {
  SceneForTest scene;
  const json::Value& service = scene.Put(
      Kind::kService,
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
  const json::Value& service =
      scene.Put(Kind::kService,
                "metadata: {name: web, namespace: default}\nspec: {selector: {app: web}}\n");
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
