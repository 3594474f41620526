// Whole courses of events: crash loops, two equal runs, a server without workloads.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(LivingWorkloads, CrashLoop_BacksOff) {
  LivingServer server("pods: [{startDelay: 0s, crash: {after: 1s}}]");
  server.Load(DeploymentYaml("web", 1, "nginx"));
  const auto status = [&](std::string_view pointer) {
    const auto pods = server.Pods("web-");
    return pods.empty()
               ? json::Value()
               : json::Value(pods[0].At("/status/containerStatuses/0" + std::string(pointer)));
  };
  std::vector<std::int64_t> restarted;  // at these seconds
  ASSERT_TRUE(server.Until([&] {
    const auto restarts = status("/restartCount").AsInt64().value_or(0);
    if (static_cast<std::size_t>(restarts) > restarted.size()) {
      restarted.push_back(std::chrono::duration_cast<seconds>(server.Now()).count());
    }
    return restarts == 5;
  }));
  // The first follows at once, then 10, 20, 40 and 80 seconds, each after a second's run.
  for (std::size_t i = 1; i < restarted.size(); ++i) {
    EXPECT_EQ(restarted[i] - restarted[i - 1], 1 + (5 << i)) << i;
  }
  server.RunFor(seconds(2));
  EXPECT_EQ(status("/state/waiting/reason").StringOrEmpty(), "CrashLoopBackOff");
  EXPECT_EQ(status("/lastState/terminated/exitCode").AsInt64(), 1);
  std::vector<std::string> reasons;
  for (const json::Value& event : server.All(Kind::kEvent)) {
    reasons.push_back(event["reason"].StringOrEmpty());
  }
  EXPECT_THAT(reasons, Contains("BackOff"));
  EXPECT_THAT(reasons, Contains("SuccessfulCreate"));
  EXPECT_THAT(reasons, Contains("ScalingReplicaSet"));
  EXPECT_THAT(reasons, Contains("Scheduled"));
}

// Runs a mixed load; returns all events of all pods, Deployments and Jobs.
std::vector<std::string> Course(int seed) {
  LivingServer server("seed: " + std::to_string(seed) +
                      "\nnodes: [{name: a, count: 3}, {name: b, dies: 2m, leaves: 9m}]\n"
                      "pods: [{crash: {after: 5s-60s, probability: 0.3}}]\n");
  std::vector<std::unique_ptr<testing::OpenReply>> watches;
  for (const char* path : {"/api/v1/pods?watch=1", "/apis/apps/v1/deployments?watch=1",
                           "/apis/batch/v1/jobs?watch=1", "/api/v1/events?watch=1"}) {
    watches.push_back(server.server().Open(path));
  }
  std::vector<std::string> events;
  const auto run_for = [&](int count) {
    for (int i = 0; i < count; ++i) {
      server.RunFor(minutes(1));  // history is kept for five
      for (const auto& watch : watches) {
        for (std::string& event : watch->Events()) events.push_back(std::move(event));
      }
    }
  };
  server.Load(DeploymentYaml("web", 6, "nginx:1"));
  run_for(1);
  server.Load(DeploymentYaml("web", 9, "nginx:2"));
  server.Load(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {completions: 4, "
      "template: {spec: {restartPolicy: Never, containers: [{name: m, image: i}]}}}\n");
  run_for(12);
  return events;
}

TEST(LivingWorkloads, EqualSeeds_GiveEqualEvents) {
  const std::vector<std::string> first = Course(7);
  EXPECT_THAT(first, SizeIs(Gt(200U)));
  EXPECT_EQ(first, Course(7));
  EXPECT_NE(first, Course(8));
}

TEST(LivingWorkloads, RestoredServer_GoesOnFromThere) {
  LivingServer server;
  server.Load(DeploymentYaml("web", 2, "nginx"));
  ASSERT_TRUE(server.Until([&] { return server.Pods("web-").size() == 2; }));
  server.RunFor(seconds(5));
  const std::int64_t then = server.server().server().current_resource_version();
  server.Patch(Kind::kDeployment, "web", "spec: {replicas: 0}");
  server.RunFor(seconds(30));
  ASSERT_THAT(server.Pods("web-"), IsEmpty());
  ASSERT_TRUE(server.server().server().Restore(then).ok());
  server.RunFor(seconds(10));
  EXPECT_EQ(Number(server.Get(Kind::kDeployment, "web"), "/status/readyReplicas"), 2);
  server.Patch(Kind::kDeployment, "web", "spec: {replicas: 3}");
  ASSERT_TRUE(server.Until(
      [&] { return Number(server.Get(Kind::kDeployment, "web"), "/status/readyReplicas") == 3; }));
}

TEST(LivingWorkloads, OrphanedPod_IsAdoptedAndAPodWithOtherLabelsReleased) {
  LivingServer server;
  server.Load(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: lone, labels: {app: web}}\n"
      "spec: {containers: [{name: m, image: i}]}\n");
  server.RunFor(seconds(5));
  server.Load(
      "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: set}\nspec:\n  replicas: 2\n"
      "  selector: {matchLabels: {app: web}}\n  template:\n"
      "    metadata: {labels: {app: web}}\n    spec: {containers: [{name: m, image: i}]}\n");
  server.RunFor(seconds(10));
  EXPECT_EQ(ControllerOf(server.Get(Kind::kPod, "lone"))["name"].StringOrEmpty(), "set");
  EXPECT_THAT(server.All(Kind::kPod), SizeIs(2));
  server.Patch(Kind::kPod, "lone", "metadata: {labels: {app: other}}");
  server.RunFor(seconds(10));
  EXPECT_TRUE(ControllerOf(server.Get(Kind::kPod, "lone")).is_null());
  EXPECT_THAT(server.All(Kind::kPod), SizeIs(3));
}

TEST(LivingWorkloads, DeletedNamespace_IsEmptiedWithItsPods) {
  LivingServer server;
  server.Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
  std::string web = DeploymentYaml("web", 2, "nginx");
  web.replace(web.find("{name: web}"), 11, "{name: web, namespace: shop}");
  server.Load(web);
  ASSERT_TRUE(server.Until([&] { return server.Pods("web-").size() == 2; }));
  ASSERT_EQ(server.server().Do("DELETE", "/api/v1/namespaces/shop").status, 200);
  EXPECT_TRUE(server.Until(
      [&] { return server.server().Get("/api/v1/namespaces/shop").status == 404; }, minutes(2)));
}

TEST(LivingWorkloads, ServerWithout_MakesNoPods) {
  testing::TestServer server;
  ASSERT_TRUE(server.server().Load(DeploymentYaml("web", 2, "nginx")).ok());
  server.sim().RunFor(minutes(1));
  EXPECT_EQ(server.server().ObjectCount(testing::kPods), 0U);
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
