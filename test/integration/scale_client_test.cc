// A ScaleClient against the embedded API server: built-in and custom kinds, found by discovery.

#include "kinformer/client/scale_client.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;
using Scale = ScaleClient::Scale;

const GroupResource kDeployments{"apps", "deployments"};
const GroupResource kCarts{"shop.example", "carts"};

class ScaleClients : public ::testing::Test {
 protected:
  ScaleClients() {
    server_
        .Load(R"(
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.shop.example}
spec:
  group: shop.example
  scope: Cluster
  names: {plural: carts, kind: Cart}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}
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
    server_
        .Create({"shop.example", "v1", "carts"},
                json::Parse(R"({"apiVersion":"shop.example/v1","kind":"Cart",
                                "metadata":{"name":"a"},"spec":{"count":1}})")
                    .OrExit())
        .OrExit();
  }
  void Run(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(10)));
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  const ScaleClient scales_ = ScaleClient(client_).Scales("shop");
};

TEST_F(ScaleClients, ScaleOfABuiltInKind_IsReadAndWritten) {
  Run([&] {
    Scale scale = scales_.Get(kDeployments, "web").OrExit();
    EXPECT_EQ(scale.metadata.name, "web");
    EXPECT_EQ(scale.spec.replicas, 2);
    EXPECT_EQ(scale.status.selector, "app=web");
    scale.spec.replicas = 5;
    EXPECT_EQ(scales_.Update(kDeployments, scale).OrExit().spec.replicas, 5);
    EXPECT_EQ(scales_.Update(kDeployments, scale).error().reason(), Reason::kConflict)
        << "of an older version";
    EXPECT_EQ(scales_
                  .Patch({"apps", "v1", "deployments"}, "web",
                         {PatchType::kMergePatch, R"({"spec":{"replicas":7}})"})
                  .OrExit()
                  .spec.replicas,
              7);
    EXPECT_EQ(scales_.Get(GroupKind{"apps", "Deployment"}, "web").OrExit().spec.replicas, 7);
    Scale nameless;
    nameless.metadata.name = "web";
    nameless.spec.replicas = 1;
    EXPECT_EQ(scales_.Update(GroupKind{"apps", "Deployment"}, nameless, {.dryRun = {"All"}})
                  .OrExit()
                  .spec.replicas,
              1);
    EXPECT_EQ(scales_.Get(kDeployments, "web").OrExit().spec.replicas, 7) << "only tried";
  });
}

TEST_F(ScaleClients, ScaleOfACustomClusterScopedKind) {
  Run([&] {
    Scale scale = scales_.Get(kCarts, "a").OrExit();
    EXPECT_EQ(scale.spec.replicas, 1);
    scale.spec.replicas = 4;
    EXPECT_EQ(scales_.Update(kCarts, scale).OrExit().spec.replicas, 4);
    EXPECT_EQ(
        server_.Get({"shop.example", "v1", "carts"}, {"", "a"}).OrExit()["spec"]["count"].AsInt64(),
        4);
    const auto kind = scales_.ScaleForResource({"shop.example", "v1", "carts"}).OrExit();
    EXPECT_EQ(kind.group + "/" + kind.version + " " + kind.kind, "autoscaling/v1 Scale");
  });
}

TEST_F(ScaleClients, ResourcesWithoutAScale_AreNotFound) {
  Run([&] {
    const Error pods = scales_.Get(GroupResource{"", "pods"}, "p").error();
    EXPECT_EQ(pods.reason(), Reason::kNotFound);
    EXPECT_THAT(pods.message(), HasSubstr("v1 pods have no scale"));
    EXPECT_EQ(scales_.Get(GroupResource{"", "nothings"}, "p").error().reason(), Reason::kNotFound);
    EXPECT_EQ(scales_.Get(kDeployments, "none").error().reason(), Reason::kNotFound);
    EXPECT_EQ(ScaleClient(client_).Get(kDeployments, "web").error().reason(),
              Reason::kInvalidArgument)
        << "without a namespace";
  });
}

Task<Result<int>> Grow(ScaleClient scales) {
  const GroupResource resource = kDeployments;
  Result<Scale> scale = co_await scales.AsyncGet(resource, "web");
  if (!scale) co_return scale.error();
  scale->spec.replicas += 1;
  Scale& changed = *scale;
  const Result<Scale> updated = co_await scales.AsyncUpdate(resource, changed);
  if (!updated) co_return updated.error();
  co_return updated->spec.replicas;
}

TEST_F(ScaleClients, CoroutineChangesAScale_OnTheLoop) {
  std::optional<Result<int>> replicas;
  Spawn<Result<int>>(sim_.env(), sim_.env().loop(), Grow(scales_),
                     [&](const Result<int>& result) { replicas = result; });
  sim_.RunFor(std::chrono::seconds(5));
  ASSERT_TRUE(replicas.has_value());
  EXPECT_EQ(replicas->OrExit(), 3);
  Reason reason{};
  const Timer timer = sim_.env().loop().RunAt(
      sim_.env().Now(), [&] { reason = scales_.Get(kDeployments, "web").error().reason(); });
  sim_.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(reason, Reason::kWouldDeadlock) << "a blocking call there";
}

}  // namespace
}  // namespace kinformer::testing
