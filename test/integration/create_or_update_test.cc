// CreateOrUpdate and CreateOrPatch against the embedded API server, in simulated time.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/matchers.h"

namespace kinformer::testing {
namespace {

using controllerutil::CreateOrPatch;
using controllerutil::CreateOrUpdate;
using controllerutil::OperationResult;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ConfigMap = corev1::ConfigMap;
using Deployment = appsv1::Deployment;

class CreateOrUpdateTest : public ::testing::Test {
 protected:
  void Run(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  const ResourceClient<ConfigMap> maps_ = client_.For<ConfigMap>("default");
  const ResourceClient<Deployment> deployments_ = client_.For<Deployment>("default");
};

Result<void> Blue(ConfigMap::Mutable& map) {
  map.data["color"] = "blue";
  return {};
}

TEST_F(CreateOrUpdateTest, CreatedUpdatedUnchanged_CU02) {
  Run([&] {
    const auto made = CreateOrUpdate(maps_, "settings", Blue);
    ASSERT_TRUE(made.ok()) << made.error();
    EXPECT_EQ(made->result, OperationResult::kCreated);
    const auto same = CreateOrUpdate(maps_, "settings", Blue).OrExit();
    EXPECT_EQ(same.result, OperationResult::kNone);
    EXPECT_EQ(same.object->metadata().resourceVersion(),
              made->object->metadata().resourceVersion());
    const auto changed = CreateOrUpdate(maps_, "settings", [](ConfigMap::Mutable& map) {
                           map.data["color"] = "red";
                           return Result<void>();
                         }).OrExit();
    EXPECT_EQ(changed.result, OperationResult::kUpdated);
    EXPECT_EQ(changed.object->data()["color"], "red");
  });
}

TEST_F(CreateOrUpdateTest, MutationRenamesOrFails_IsAnError_CU02) {
  const auto rename = [](ConfigMap::Mutable& map) {
    map.metadata.name = "other";
    return Result<void>();
  };
  const auto move = [](ConfigMap::Mutable& map) {
    map.metadata.namespace_ = "other";
    return Result<void>();
  };
  const auto refuse = [](ConfigMap::Mutable&) {
    return Result<void>(Error(Reason::kInvalid, "not today"));
  };
  Run([&] {
    for (const bool there : {false, true}) {
      EXPECT_THAT(CreateOrUpdate(maps_, "settings", rename).error().message(),
                  HasSubstr("must not change the object's name or namespace"));
      EXPECT_EQ(CreateOrPatch(maps_, "settings", move).error().reason(), Reason::kInvalidArgument);
      EXPECT_EQ(CreateOrUpdate(maps_, "settings", refuse).error().message(), "not today");
      EXPECT_EQ(CreateOrPatch(maps_, "settings", refuse).error().message(), "not today");
      EXPECT_EQ(maps_.Get("settings").ok(), there);
      ASSERT_TRUE(CreateOrUpdate(maps_, "settings", Blue).ok());
    }
    EXPECT_FALSE(CreateOrUpdate(maps_, "Not A Name", Blue).ok());
  });
}

TEST_F(CreateOrUpdateTest, AGetThatFailsEndsIt_CU02) {
  const Client none = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  server_.transport()->Down();
  Run([&] {
    EXPECT_EQ(CreateOrUpdate(none.For<ConfigMap>("default"), "settings", Blue).error().reason(),
              Reason::kConnectionRefused);
    EXPECT_EQ(CreateOrPatch(none.For<ConfigMap>("default"), "settings", Blue).error().reason(),
              Reason::kConnectionRefused);
  });
  server_.transport()->Up();
}

TEST_F(CreateOrUpdateTest, PatchesOfObjectAndStatus_CU02) {
  const auto shape = [](int replicas, int ready) {
    return [=](Deployment::Mutable& deployment) {
      deployment.spec.replicas = replicas;
      deployment.spec.selector.emplace().matchLabels["app"] = "web";
      deployment.spec.template_.metadata.labels["app"] = "web";
      if (deployment.spec.template_.spec.containers.empty()) {
        deployment.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
      }
      deployment.status.replicas = ready;
      deployment.status.readyReplicas = ready;
      return Result<void>();
    };
  };
  const auto result = [&](int replicas, int ready) {
    const auto outcome = CreateOrPatch(deployments_, "web", shape(replicas, ready));
    EXPECT_TRUE(outcome.ok()) << outcome.error();
    if (!outcome) return OperationResult::kNone;
    const auto now = deployments_.Get("web").OrExit();
    EXPECT_EQ(now->spec().replicas(), replicas);
    if (outcome->result != OperationResult::kCreated) {
      EXPECT_EQ(now->status().readyReplicas(), ready);
    }
    EXPECT_EQ(outcome->object->metadata().resourceVersion(), now->metadata().resourceVersion());
    return outcome->result;
  };
  Run([&] {
    EXPECT_EQ(result(1, 0), OperationResult::kCreated);
    EXPECT_EQ(result(1, 0), OperationResult::kNone);
    EXPECT_EQ(result(2, 0), OperationResult::kUpdated);
    EXPECT_EQ(result(2, 1), OperationResult::kUpdatedStatusOnly);
    EXPECT_EQ(result(3, 2), OperationResult::kUpdatedStatus);
  });
}

// Only what differs is sent.
TEST_F(CreateOrUpdateTest, APatchLeavesWhatOthersChangedMeanwhile) {
  Run([&] {
    ASSERT_TRUE(CreateOrUpdate(maps_, "settings", Blue).ok());
    const auto outcome = CreateOrPatch(maps_, "settings", [&](ConfigMap::Mutable& map) {
      EXPECT_TRUE(maps_.Patch("settings", {.body = R"({"data":{"size":"7"}})"}).ok());
      map.data["color"] = "red";
      return Result<void>();
    });
    ASSERT_TRUE(outcome.ok()) << outcome.error();
    EXPECT_EQ(outcome->object->data()["size"], "7");
    EXPECT_EQ(outcome->object->data()["color"], "red");
    const auto conflict = CreateOrUpdate(maps_, "settings", [&](ConfigMap::Mutable& map) {
      EXPECT_TRUE(maps_.Patch("settings", {.body = R"({"data":{"size":"8"}})"}).ok());
      map.data["color"] = "green";
      return Result<void>();
    });
    EXPECT_TRUE(!conflict && IsConflict(conflict.error()));
  });
}

struct Gadget {
  static constexpr CustomKind kKind{.group = "shop.example", .version = "v1"};
  std::string color{};
};

TEST_F(CreateOrUpdateTest, ObjectsOfAStructOfTheProgramsOwn_CU02) {
  using Gadgets = CustomResource<Gadget>;
  ASSERT_TRUE(server_.Load(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - {name: v1, served: true, storage: true,
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)"));
  const ResourceClient<Gadgets> gadgets = client_.For<Gadgets>("default");
  std::string color = "blue";
  std::string label = "a";
  const auto change = [&](Gadgets::Mutable& gadget) -> Result<void> {
    gadget.color = color;
    gadget.metadata.labels["l"] = label;
    return {};
  };
  Run([&] {
    const auto made = CreateOrUpdate(gadgets, "g", change);
    ASSERT_TRUE(made.ok()) << made.error();
    EXPECT_EQ(made->result, OperationResult::kCreated);
    EXPECT_EQ(CreateOrUpdate(gadgets, "g", change).OrExit().result, OperationResult::kNone);
    EXPECT_EQ(CreateOrPatch(gadgets, "g", change).OrExit().result, OperationResult::kNone);
    label = "b";
    EXPECT_EQ(CreateOrUpdate(gadgets, "g", change).OrExit().result, OperationResult::kUpdated)
        << "the metadata alone";
    label = "c";
    EXPECT_EQ(CreateOrPatch(gadgets, "g", change).OrExit().result, OperationResult::kUpdated);
    color = "red";
    const auto red = CreateOrPatch(gadgets, "g", change).OrExit();
    EXPECT_THAT(red.object, AllOf(HasField(".color", "red"), HasLabel("l", "c")));
  });
}

}  // namespace
}  // namespace kinformer::testing
