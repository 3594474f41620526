#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::seconds;
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

}  // namespace
}  // namespace kinformer::apiserver::workloads
