// Builders of kinformer/applyconfig: they are the structs, and an apply sends what they set.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "kinformer/applyconfig/appsv1.h"
#include "kinformer/applyconfig/corev1.h"
#include "kinformer/applyconfig/metav1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/clientset.h"
#include "kinformer/clientset/appsv1.h"
#include "kinformer/clientset/corev1.h"
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

}  // namespace
}  // namespace kinformer::testing
