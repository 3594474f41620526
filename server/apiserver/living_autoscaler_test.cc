#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kAutoscaler = R"(
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 8
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
)";

std::string WebYaml() {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n"
         "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
         "    spec: {containers: [{name: m, image: i, resources: {requests: {cpu: 200m}}}]}\n";
}

class AutoscalerTest : public ::testing::Test {
 protected:
  std::int64_t Replicas() {
    return Number(server_.Get(Kind::kDeployment, "web"), "/spec/replicas");
  }
  json::Value Scaler() { return server_.Get(Kind::kAutoscaler, "web"); }
  LivingServer server_{R"(
loads:
- name: web
  steps:
  - {at: 0s, usage: {cpu: 200m}}
  - {at: 5m, usage: {cpu: 450m}}
  - {at: 10m, usage: {cpu: 2}}
  - {at: 20m, usage: {cpu: 100m}}
)"};
};

TEST_F(AutoscalerTest, DeclaredLoad_SetsTheReplicas) {
  server_.Load(WebYaml() + "---" + kAutoscaler);
  server_.RunFor(minutes(4));
  EXPECT_EQ(Replicas(), 2);
  EXPECT_EQ(Number(Scaler(), "/status/currentMetrics/0/resource/current/averageUtilization"), 50);
  EXPECT_TRUE(IsTrue(Scaler(), "ScalingActive"));
  server_.RunFor(seconds(90));
  EXPECT_EQ(Replicas(), 5);  // 450m need five pods of 100m
  server_.RunFor(minutes(5));
  EXPECT_EQ(Replicas(), 8);
  EXPECT_EQ(ConditionOf(Scaler(), "ScalingLimited")["reason"].StringOrEmpty(), "TooManyReplicas");
  EXPECT_FALSE(Text(Scaler(), "/status/lastScaleTime").empty());
  server_.RunFor(minutes(11));
  EXPECT_EQ(Replicas(), 8);  // for five minutes
  EXPECT_EQ(ConditionOf(Scaler(), "AbleToScale")["reason"].StringOrEmpty(), "ScaleDownStabilized");
  server_.RunFor(minutes(5));
  EXPECT_EQ(Replicas(), 2);
  EXPECT_EQ(Number(Scaler(), "/status/desiredReplicas"), 2);
}

TEST_F(AutoscalerTest, LoadThatIsNotDeclared_ScalesNothing) {
  server_.Load(DeploymentYaml("web", 3, "i") + "---" + kAutoscaler);
  server_.RunFor(minutes(2));
  EXPECT_EQ(Replicas(), 3);
  EXPECT_EQ(ConditionOf(Scaler(), "ScalingActive")["status"].StringOrEmpty(), "False");
  EXPECT_THAT(ConditionOf(Scaler(), "ScalingActive")["message"].StringOrEmpty(),
              HasSubstr("missing request for cpu"));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
