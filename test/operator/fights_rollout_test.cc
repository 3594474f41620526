// Rolling updates of 2,000 simulated pods, of which some crash, an autoscaler that goes up and
// down, and an operator that owns the Deployments and mirrors their status: nothing of that is a
// fight.

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/metrics.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Map = corev1::ConfigMap;

const GroupVersionResource kMaps{"", "v1", "configmaps"};
const GroupVersionResource kDeployments{"apps", "v1", "deployments"};

std::shared_ptr<const apiserver::WorkloadScript> Script() {
  auto script = std::make_shared<apiserver::WorkloadScript>();
  script->nodes = {{.count = 30}};
  for (apiserver::SimulatedNodes& nodes : script->nodes) nodes.capacity["cpu"] = "64";
  script->pods.push_back(
      {.image = "flaky*",
       .crash = apiserver::SimulatedCrash{.after = {seconds(2), seconds(20)}, .probability = 0.5}});
  return script;
}

class FightsRolloutTest : public ::testing::Test {
 protected:
  FightsRolloutTest()
      : env_({.server = {.field_owners = true, .simulate_workloads = Script()},
              .log = log_,
              .metrics = metrics_}) {}

  // Starts an operator. A ConfigMap has the image, and the operator's parts: the Deployment of the
  // same name, the counts of its status in the ConfigMap, and notes of them in the Deployment. If
  // `scales`, it sets the replicas too.
  void Begin(bool scales) {
    env_.AddReplica("operator", [&](Manager& manager) {
      ControllerBuilder(manager)
          .For<Map>()
          .Owns<appsv1::Deployment>()
          .Named("apps")
          .WithOptions({.max_concurrent_reconciles = 4})
          .Complete([scales, this, client = manager.GetClient()](
                        const ReconcileContext& context,
                        const Request& request) -> Result<ReconcileResult> {
            const auto map = client.Get<Map>(request, context.call());
            if (!map) return IgnoreNotFound(map.error());
            if ((*map)->data()["image"].empty()) return ReconcileResult{};
            if (auto done = Apply(client, **map, scales); !done) return done.error();
            const auto web = client.Get<appsv1::Deployment>(request, context.call());
            if (!web) return IgnoreNotFound(web.error());
            if (auto done = Mirror(client, **map, **web); !done) return done.error();
            return ReconcileResult{};
          })
          .OrExit();
    });
    env_.RunFor(seconds(5));
  }
  Result<void> Apply(const DelegatingClient& client, const Map& map, bool scales) {
    appsv1::Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = map.metadata().name();
    if (auto owned = controllerutil::SetControllerReference(map, web); !owned) return owned;
    if (scales) web.spec.replicas = std::stoi("0" + std::string(map.data()["replicas"]));
    web.spec.selector.emplace().matchLabels["app"] = web.metadata.name;
    web.spec.template_.metadata.labels["app"] = web.metadata.name;
    web.spec.template_.spec.containers.push_back(
        {.name = "main", .image = std::string(map.data()["image"])});
    const auto applied = client.Apply(web, {.fieldManager = "apps", .force = true});
    if (!applied) return applied.error();
    return {};
  }
  Result<void> Mirror(const DelegatingClient& client, const Map& map,
                      const appsv1::Deployment& web) {
    const std::string ready = std::to_string(web.status().readyReplicas());
    const std::string updated = std::to_string(web.status().updatedReplicas());
    Map::Mutable change = map.DeepCopy();
    change.data["ready"] = ready;
    change.data["updated"] = updated;
    change.data["complete"] = ready == updated ? "yes" : "no";
    const auto counted = client.Update(change);
    if (!counted && !IsConflict(counted.error())) return counted.error();
    if (counted) ++writes_;
    const auto noted = client.Patch<appsv1::Deployment>(
        {"default", std::string(web.metadata().name())},
        {.body = R"({"metadata":{"annotations":{"ready":")" + ready + "\"}}}"});
    if (!noted) return noted.error();
    return {};
  }
  void Make(const std::string& name, const std::string& image, int replicas) {
    env_.server()
        .Create(kMaps, *json::Parse(R"({"metadata":{"namespace":"default","name":")" + name +
                                    R"("},"data":{"image":")" + image + R"(","replicas":")" +
                                    std::to_string(replicas) + "\"}}"))
        .OrExit();
  }
  void Set(const std::string& name, const std::string& key, const std::string& value) {
    env_.server()
        .Patch(kMaps, {"default", name},
               *json::Parse(R"({"data":{")" + key + R"(":")" + value + "\"}}"))
        .OrExit();
  }
  [[nodiscard]] std::string Of(const std::string& name, const std::string& key) {
    const json::Value map = env_.server().Get(kMaps, {"default", name}).OrExit();
    return map["data"][key].StringOrEmpty();
  }
  void ExpectNoFight() const {
    EXPECT_EQ(log_->Count("a fight"), 0U) << log_->text();
    const std::string text = metrics_->Text();
    EXPECT_NE(text.find("kinformer_fights_found_total{controller=\"apps\"} 0\n"),
              std::string::npos);
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  const std::shared_ptr<kinformer::internal::base::FieldsLog> log_ =
      std::make_shared<kinformer::internal::base::FieldsLog>();
  int writes_ = 0;  // of the operator's counts
  Environment env_;
};

TEST_F(FightsRolloutTest, RolloutsOfTwoThousandPods_AreNoFight) {
  Begin(/*scales=*/true);
  const auto name = [](int i) { return "web-" + std::to_string(i); };
  for (int i = 0; i < 20; ++i) Make(name(i), i < 2 ? "flaky:1" : "web:1", 100);
  env_.RunFor(minutes(1));
  EXPECT_EQ(Of("web-9", "ready"), "100");
  for (int i = 0; i < 20; ++i) Set(name(i), "image", i < 2 ? "flaky:2" : "web:2");
  env_.RunFor(minutes(2));
  EXPECT_EQ(Of("web-9", "updated"), "100");
  EXPECT_EQ(Of("web-9", "ready"), "100");
  // Back and forth, as people do who look for the version that works.
  for (const char* const image : {"web:1", "web:2", "web:1"}) {
    for (int i = 2; i < 6; ++i) Set(name(i), "image", image);
    env_.RunFor(seconds(10));
  }
  env_.RunFor(minutes(2));
  EXPECT_EQ(Of("web-3", "ready"), "100");
  EXPECT_GT(writes_, 500) << "the counts were mirrored";
  ExpectNoFight();
}

TEST_F(FightsRolloutTest, AutoscalerThatGoesUpAndDown_IsNoFight) {
  Begin(/*scales=*/false);
  Make("web-0", "web:1", 0);
  env_.RunFor(seconds(30));
  for (int i = 0; i < 40; ++i) {
    env_.server()
        .Patch(
            kDeployments, {"default", "web-0"},
            *json::Parse(i % 2 == 0 ? R"({"spec":{"replicas":5}})" : R"({"spec":{"replicas":3}})"))
        .OrExit();
    env_.RunFor(seconds(i < 20 ? 90 : 8));
  }
  env_.RunFor(minutes(1));
  EXPECT_EQ(Of("web-0", "ready"), "3");
  EXPECT_GT(writes_, 60);
  ExpectNoFight();
}

// It scales the operator's own object, and so the operator sets the replicas up and down itself.
TEST_F(FightsRolloutTest, AutoscalerOfTheParentThatOscillatesSlowly_IsNoFight) {
  Begin(/*scales=*/true);
  Make("web-0", "web:1", 3);
  env_.RunFor(seconds(30));
  for (const int pause : {90, 45, 29, 20, 10, 4}) {
    for (int i = 0; i < 12; ++i) {
      Set("web-0", "replicas", i % 2 == 0 ? "5" : "3");
      env_.RunFor(seconds(pause));
      const json::Value web = env_.server().Get(kDeployments, {"default", "web-0"}).OrExit();
      EXPECT_EQ(web["spec"]["replicas"].Dump(), i % 2 == 0 ? "5" : "3") << "nothing holds it";
    }
  }
  env_.RunFor(minutes(1));
  EXPECT_EQ(Of("web-0", "ready"), "3");
  EXPECT_GT(writes_, 70);
  ExpectNoFight();
}

// Both at once: the operator keeps the replicas that the autoscaler has set last, since it updates
// what it has read.
TEST_F(FightsRolloutTest, AutoscalerBesideRollouts_IsNoFight) {
  Begin(/*scales=*/false);
  Make("web-0", "web:1", 0);
  env_.RunFor(seconds(30));
  for (int i = 0; i < 30; ++i) {
    env_.server()
        .Patch(
            kDeployments, {"default", "web-0"},
            *json::Parse(i % 2 == 0 ? R"({"spec":{"replicas":6}})" : R"({"spec":{"replicas":2}})"))
        .OrExit();
    if (i % 3 == 0) Set("web-0", "image", i % 2 == 0 ? "web:1" : "web:2");
    env_.RunFor(seconds(12));
  }
  env_.RunFor(minutes(1));
  EXPECT_EQ(Of("web-0", "ready"), "2");
  ExpectNoFight();
}

TEST_F(FightsRolloutTest, TwoWritersOfTheReplicas_AreAFight) {
  Begin(/*scales=*/true);
  Make("web-0", "web:1", 3);
  env_.RunFor(seconds(30));
  for (int i = 0; i < 20; ++i) {
    env_.server()
        .Patch(kDeployments, {"default", "web-0"}, *json::Parse(R"({"spec":{"replicas":5}})"))
        .OrExit();
    env_.RunFor(seconds(2));
  }
  EXPECT_EQ(log_->Count("a fight: "), 1U);
  EXPECT_EQ(log_->Count("object=Deployment.apps default/web-0 field=spec.replicas manager=apps"),
            1U);
}

}  // namespace
}  // namespace kinformer::testing
