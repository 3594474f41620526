// Waits for conditions by a client against the embedded API server: typed, dynamic and metadata
// clients, faults of the watch, refusals.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/await_condition.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/json/yaml.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using corev1::Pod;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
namespace conditions = wait::conditions;

const GroupVersionResource kPods{"", "v1", "pods"};
const GroupVersionResource kDeployments{"apps", "v1", "deployments"};

class WaitConditions : public ::testing::Test {
 protected:
  WaitConditions() {
    server_
        .Load(R"(
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
)")
        .OrExit();
  }
  void Run(Closure body) {
    const SteadyTime begun = sim_.env().Now();
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(2)));
    took_ = sim_.env().Now() - begun;
  }
  void In(Duration delay, std::function<void()> action) {
    timers_.push_back(sim_.env().loop().RunAt(sim_.env().Now() + delay, std::move(action)));
  }
  void Patch(const GroupVersionResource& resource, const std::string& name, const char* patch) {
    server_.Patch(resource, {"shop", name}, yaml::Parse(patch).OrExit()).OrExit();
  }
  void MakeReady() {
    Patch(kPods, "web-0", "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}");
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  std::vector<Timer> timers_;
  Duration took_{};
};

TEST_F(WaitConditions, TypedClient_ReturnsTheObjectInItsState) {
  In(seconds(10), [&] { MakeReady(); });
  Run([&] {
    const Ref<Pod> pod =
        AwaitCondition(client_.For<Pod>("shop"), "web-0", conditions::PodReady()).OrExit();
    EXPECT_EQ(pod->status().phase(), "Running");
    const auto placed = conditions::Where<Pod>(
        [](const Pod& each) { return each.status().phase() == "Running"; }, "pod that runs");
    EXPECT_TRUE(AwaitCondition(client_.For<Pod>("shop"), "web-0", placed));
  });
  EXPECT_EQ(took_, seconds(10));
}

TEST_F(WaitConditions, DynamicAndMetadataClients) {
  In(seconds(10), [&] { MakeReady(); });
  In(seconds(20), [&] { server_.Delete(kPods, {"shop", "web-0"}).OrExit(); });
  Run([&] {
    const RestMapping mapping = client_.Discovery().MappingFor("pods").OrExit();
    const auto pods = client_.Dynamic(mapping, "shop");
    const Ref<Unstructured> pod = AwaitCondition(pods, "web-0", conditions::PodReady()).OrExit();
    const std::string uid(pod->metadata().uid());
    const auto gone =
        AwaitCondition(client_.Metadata(mapping, "shop"), "web-0", conditions::Deleted(uid));
    ASSERT_TRUE(gone) << gone.error();
    EXPECT_FALSE(*gone);
  });
  EXPECT_EQ(took_, seconds(20));
}

TEST_F(WaitConditions, BrokenAndExpiredWatches_AreResumed_AndNothingIsPolled) {
  server_.faults().Add({.verb = "watch", .action = FaultAction::kCutBody, .count = 2});
  server_.faults().Add(
      {.verb = "watch", .action = FaultAction::kWatchError, .count = 1, .status = 410});
  const auto lists = server_.faults().Add(
      {.verb = "list", .resource = "pods", .action = FaultAction::kDelay, .delay = seconds(1)});
  In(minutes(60), [&] { MakeReady(); });
  Run([&] {
    EXPECT_TRUE(AwaitCondition(client_.For<Pod>("shop"), "web-0", conditions::PodReady()));
  });
  EXPECT_GE(took_, minutes(60));
  EXPECT_LT(took_, minutes(61));
  EXPECT_EQ(server_.faults().hits() - server_.faults().hits(lists), 3U) << "all faults happened";
  EXPECT_LE(server_.faults().hits(lists), 4U) << "lists of an hour";
}

TEST_F(WaitConditions, Rollout_EndsWithTheLastReplica_OrAtTheProgressDeadline) {
  const auto deployments = client_.For<appsv1::Deployment>("shop");
  In(seconds(1), [&] {
    Patch(kDeployments, "web",
          "status: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, "
          "availableReplicas: 1}");
  });
  In(seconds(2), [&] { Patch(kDeployments, "web", "status: {availableReplicas: 2}"); });
  Run([&] { EXPECT_TRUE(AwaitCondition(deployments, "web", conditions::DeploymentRolledOut())); });
  EXPECT_EQ(took_, seconds(2));
  In(seconds(1), [&] {
    Patch(kDeployments, "web",
          "status: {availableReplicas: 0, conditions: [{type: Progressing, status: 'False', "
          "reason: ProgressDeadlineExceeded}]}");
  });
  Run([&] {
    ASSERT_TRUE(
        AwaitCondition(deployments, "web", conditions::StatusCondition("Progressing", "False")));
    EXPECT_THAT(AwaitCondition(deployments, "web", conditions::RolledOut()).error().message(),
                HasSubstr("deployment \"web\" exceeded its progress deadline"));
  });
}

TEST_F(WaitConditions, Refusal_EndsTheWaitAtOnce) {
  Run([&] {
    const RestMapping nothing{
        {"example.com", "v1", "things"}, {"example.com", "v1", "Thing"}, true};
    EXPECT_EQ(AwaitCondition(client_.Dynamic(nothing, "shop"), "a", conditions::Exists())
                  .error()
                  .reason(),
              Reason::kNotFound);
    server_.faults().Add({.resource = "pods", .status = 403});
    EXPECT_EQ(
        AwaitCondition(client_.For<Pod>("shop"), "web-0", conditions::PodReady()).error().reason(),
        Reason::kForbidden);
  });
  EXPECT_LT(took_, seconds(5));
}

TEST_F(WaitConditions, NameWithoutANamespace_IsAMistake) {
  Run([&] {
    for (const auto& [ns, name] : {std::pair("", "web-0"), std::pair("shop", "")}) {
      EXPECT_EQ(AwaitCondition(client_.For<Pod>(ns), name, conditions::Exists()).error().reason(),
                Reason::kInvalidArgument);
    }
  });
}

Task<Result<std::string>> Follow(ResourceClient<Pod> pods) {
  const wait::ObjectCondition ready = conditions::PodReady();
  const Result<Ref<Pod>> pod =
      co_await AsyncAwaitCondition(pods, "web-0", ready).WithTimeout(minutes(5));
  if (!pod) co_return pod.error();
  co_return std::string((*pod)->status().phase());
}

TEST_F(WaitConditions, Coroutine_WaitsOnTheLoop) {
  In(seconds(10), [&] { MakeReady(); });
  std::optional<Result<std::string>> phase;
  Spawn<Result<std::string>>(sim_.env(), sim_.env().loop(), Follow(client_.For<Pod>("shop")),
                             [&](Result<std::string> result) { phase = std::move(result); });
  sim_.RunFor(seconds(11));
  ASSERT_TRUE(phase.has_value());
  EXPECT_EQ(phase->OrExit(), "Running");
}

}  // namespace
}  // namespace kinformer::testing
