// Builders of kinformer/applyconfig: they are the structs, and an apply sends what they set.

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>

#include "kinformer/applyconfig/appsv1.h"
#include "kinformer/applyconfig/corev1.h"
#include "kinformer/applyconfig/metav1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/clientset.h"
#include "kinformer/clientset/appsv1.h"
#include "kinformer/clientset/corev1.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

namespace apps = applyconfig::appsv1;
namespace core = applyconfig::corev1;
namespace meta = applyconfig::metav1;

TEST(ApplyBuilders, ABuiltObject_IsTheSameAsItsStruct) {
  const auto built =
      core::Pod("web-0", "shop")
          .WithLabels({{"app", "web"}})
          .WithLabels({{"tier", "front"}})
          .WithFinalizers("example.com/keep", "example.com/more")
          .WithOwnerReferences(meta::OwnerReference().WithName("web").WithUID("u"))
          .WithSpec(core::PodSpec()
                        .WithNodeName("node-7")
                        .WithHostPID(true)
                        .WithTerminationGracePeriodSeconds(5)
                        .WithNodeSelector({{"zone", "a"}})
                        .WithContainers(
                            core::Container().WithName("a").WithImage("i").WithArgs("-v", "-x"),
                            core::Container().WithName("b").WithSecurityContext(
                                core::SecurityContext().WithRunAsUser(0)))
                        .WithVolumes(core::Volume().WithName("v").WithEmptyDir(
                            core::EmptyDirVolumeSource().WithMedium("Memory"))));
  corev1::Pod::Mutable plain;
  plain.metadata.name = "web-0";
  plain.metadata.namespace_ = "shop";
  plain.metadata.labels = {{"app", "web"}, {"tier", "front"}};
  plain.metadata.finalizers = {"example.com/keep", "example.com/more"};
  plain.metadata.ownerReferences.push_back({.name = "web", .uid = "u"});
  plain.spec.nodeName = "node-7";
  plain.spec.hostPID = true;
  plain.spec.terminationGracePeriodSeconds = 5;
  plain.spec.nodeSelector = {{"zone", "a"}};
  plain.spec.containers.push_back({.name = "a", .image = "i", .args = {"-v", "-x"}});
  plain.spec.containers.push_back({.name = "b"});
  plain.spec.containers[1].securityContext.emplace().runAsUser = 0;
  plain.spec.volumes.emplace_back().name = "v";
  plain.spec.volumes[0].emptyDir.emplace().medium = "Memory";
  EXPECT_EQ(static_cast<const corev1::Pod::Mutable&>(built), plain);
}

TEST(ApplyBuilders, ABuiltObject_IsAppliedThroughAClientset) {
  Simulation sim;
  ApiServer server(sim);
  const Clientset clientset(Client::ForTransport(sim.env(), server.transport(), {.qps = -1}));
  ASSERT_TRUE(sim.RunBlocking(
      [&] {
        const auto deployments = clientset.AppsV1().Deployments("shop");
        clientset.CoreV1()
            .Namespaces()
            .Apply(core::Namespace("shop"), {.fieldManager = "me"})
            .OrExit();
        const auto web = [](int replicas) {
          return apps::Deployment("web", "shop")
              .WithSpec(
                  apps::DeploymentSpec()
                      .WithReplicas(replicas)
                      .WithSelector(meta::LabelSelector().WithMatchLabels({{"app", "web"}}))
                      .WithTemplate(core::PodTemplateSpec()
                                        .WithLabels({{"app", "web"}})
                                        .WithSpec(core::PodSpec().WithContainers(
                                            core::Container().WithName("c").WithImage("i")))));
        };
        for (const int replicas : {3, 0}) {
          const auto applied =
              deployments.Apply(web(replicas), {.fieldManager = "me", .force = true});
          ASSERT_TRUE(applied.ok()) << applied.error();
          EXPECT_EQ((*applied)->spec().replicas(), replicas);
        }
      },
      std::chrono::minutes(10)));
}

TEST(ApplyBuilders, AnExtractedObject_HasWhatItsManagerHasAppliedAndNothingElse) {
  Simulation sim;
  ApiServer server(sim, {.field_owners = true});
  const Clientset clientset(Client::ForTransport(sim.env(), server.transport(), {.qps = -1}));
  ASSERT_TRUE(sim.RunBlocking(
      [&] {
        const auto maps = clientset.CoreV1().ConfigMaps("default");
        maps.Apply(core::ConfigMap("m", "default").WithData({{"a", "1"}, {"b", "2"}}),
                   {.fieldManager = "me"})
            .OrExit();
        const auto live = maps.Apply(core::ConfigMap("m", "default")
                                         .WithData({{"c", "3"}})
                                         .WithLabels({{"app", "web"}}),
                                     {.fieldManager = "other"})
                              .OrExit();

        const auto mine = core::ExtractConfigMap(*live, "me");
        ASSERT_TRUE(mine.ok()) << mine.error();
        EXPECT_EQ(static_cast<const corev1::ConfigMap::Mutable&>(*mine),
                  core::ConfigMap("m", "default").WithData({{"a", "1"}, {"b", "2"}}));
        EXPECT_EQ(static_cast<const corev1::ConfigMap::Mutable&>(
                      core::ExtractConfigMap(*live, "nobody").OrExit()),
                  core::ConfigMap("m", "default"));

        // Fields that a manager takes out of its document go, and those of others stay.
        core::ConfigMap changed = *mine;
        changed.data.erase("a");
        const auto after = maps.Apply(changed.WithData({{"b", "4"}}), {.fieldManager = "me"});
        ASSERT_TRUE(after.ok()) << after.error();
        const corev1::ConfigMap::Mutable left = (*after)->DeepCopy();
        EXPECT_EQ(left.data, (std::map<std::string, std::string>{{"b", "4"}, {"c", "3"}}));
      },
      std::chrono::minutes(10)));
}

TEST(ApplyBuilders, AnExtractedStatus_IsWhatWasAppliedToTheStatus) {
  const auto live = ObjectFromJson(corev1::Pod::kind_info(), R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {"name": "web-0", "namespace": "shop", "managedFields": [
        {"manager": "me", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
         "fieldsV1": {"f:spec": {"f:nodeName": {}}}},
        {"manager": "me", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
         "subresource": "status", "fieldsV1": {"f:status": {"f:phase": {}}}}]},
      "spec": {"nodeName": "node-7"}, "status": {"phase": "Running", "hostIP": "10.0.0.1"}})")
                        .OrExit()
                        .As<corev1::Pod>();
  EXPECT_EQ(static_cast<const corev1::Pod::Mutable&>(core::ExtractPod(*live, "me").OrExit()),
            core::Pod("web-0", "shop").WithSpec(core::PodSpec().WithNodeName("node-7")));
  const auto status = core::Pod("web-0", "shop").WithStatus(core::PodStatus().WithPhase("Running"));
  for (const auto& extracted : {core::ExtractPodStatus(*live, "me").OrExit(),
                                core::ExtractPodFrom(*live, "me", "status").OrExit()}) {
    EXPECT_EQ(static_cast<const corev1::Pod::Mutable&>(extracted), status);
  }
}

}  // namespace
}  // namespace kinformer::testing
