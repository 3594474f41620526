// Finalizers, owners and conditions.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "kinformer/api/batchv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/finalizers.h"
#include "kinformer/controller/merge_from.h"
#include "kinformer/controller/meta.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/ref.h"

namespace kinformer {
namespace {

using controllerutil::HasControllerReference;
using controllerutil::Owner;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Pod = corev1::Pod::Mutable;

Owner OwnerNamed(const std::string& name, const std::string& namespace_ = "default") {
  Owner owner;
  owner.apiVersion = "apps/v1";
  owner.kind = "ReplicaSet";
  owner.namespace_ = namespace_;
  owner.name = name;
  owner.uid = "uid-of-" + name;
  return owner;
}

Pod NewPod() {
  Pod pod;
  pod.metadata.namespace_ = "default";
  pod.metadata.name = "web-0";
  return pod;
}

TEST(OwnerReferences, SecondController_IsRefused_CU01) {
  Pod pod = NewPod();
  ASSERT_TRUE(SetControllerReference(OwnerNamed("web"), pod).ok());
  ASSERT_EQ(pod.metadata.ownerReferences.size(), 1U);
  const metav1::OwnerReferenceMutable& reference = pod.metadata.ownerReferences[0];
  EXPECT_EQ(reference.apiVersion, "apps/v1");
  EXPECT_EQ(reference.kind, "ReplicaSet");
  EXPECT_EQ(reference.name, "web");
  EXPECT_EQ(reference.uid, "uid-of-web");
  EXPECT_EQ(reference.controller, true);
  EXPECT_EQ(reference.blockOwnerDeletion, true);
  const Result<void> another = SetControllerReference(OwnerNamed("other"), pod);
  EXPECT_EQ(another.error().reason(), Reason::kAlreadyExists);
  EXPECT_THAT(another.error().message(),
              HasSubstr("default/web-0 is already controlled by ReplicaSet web"));
  EXPECT_EQ(pod.metadata.ownerReferences.size(), 1U);
  EXPECT_TRUE(SetOwnerReference(OwnerNamed("other"), pod).ok());
  EXPECT_EQ(pod.metadata.ownerReferences.size(), 2U);
  EXPECT_EQ(pod.metadata.ownerReferences[1].controller, std::nullopt);
}

TEST(OwnerReferences, OwnerReference_SetAgain_TakesNewOptions_CU01) {
  using Options = controllerutil::OwnerReferenceOptions;
  Pod pod = NewPod();
  const auto only = [&pod] {
    EXPECT_EQ(pod.metadata.ownerReferences.size(), 1U);
    return pod.metadata.ownerReferences.at(0);
  };
  ASSERT_TRUE(SetOwnerReference(OwnerNamed("web"), pod).ok());
  ASSERT_TRUE(SetOwnerReference(OwnerNamed("web"), pod).ok());
  EXPECT_EQ(only().blockOwnerDeletion, std::nullopt);
  EXPECT_FALSE(HasControllerReference(pod));
  ASSERT_TRUE(
      SetOwnerReference(OwnerNamed("web"), pod, Options{.block_owner_deletion = true}).ok());
  EXPECT_EQ(only().blockOwnerDeletion, true);
  EXPECT_EQ(only().controller, std::nullopt);
  pod.metadata.ownerReferences[0].controller = false;
  ASSERT_TRUE(
      SetControllerReference(OwnerNamed("web"), pod, Options{.block_owner_deletion = false}).ok());
  EXPECT_EQ(only().controller, true);
  EXPECT_EQ(only().blockOwnerDeletion, false);
  EXPECT_TRUE(HasControllerReference(pod));
  ASSERT_TRUE(SetControllerReference(OwnerNamed("web"), pod).ok());
  EXPECT_EQ(only().blockOwnerDeletion, true);
  const auto sent = internal::BuildFromJson(
      corev1::Pod::kind_info(),
      R"({"metadata":{"ownerReferences":[{"name":"a"},{"name":"b","controller":true}]}})");
  const Ref<corev1::Pod> controlled(sent.value());
  EXPECT_TRUE(HasControllerReference(*controlled));
}

TEST(OwnerReferences, InvalidApiVersion_MatchesNoOwner_CU01) {
  Pod pod = NewPod();
  ASSERT_TRUE(SetOwnerReference(OwnerNamed("web"), pod).ok());
  pod.metadata.ownerReferences[0].apiVersion = "apps/v1/fail";
  EXPECT_FALSE(HasOwnerReference(pod.metadata, OwnerNamed("web")));
}

TEST(OwnerReferences, AnotherVersionOrUidTakesThePlace_CU01) {
  Pod pod = NewPod();
  ASSERT_TRUE(SetOwnerReference(OwnerNamed("web"), pod).ok());
  Owner later = OwnerNamed("web");
  later.apiVersion = "apps/v2";
  later.uid = "another";
  ASSERT_TRUE(SetControllerReference(later, pod).ok());
  ASSERT_EQ(pod.metadata.ownerReferences.size(), 1U);
  EXPECT_EQ(pod.metadata.ownerReferences[0].apiVersion, "apps/v2");
  EXPECT_EQ(pod.metadata.ownerReferences[0].uid, "another");
  Owner of_another_group = later;
  of_another_group.apiVersion = "extensions/v1";
  ASSERT_TRUE(SetOwnerReference(of_another_group, pod).ok());
  EXPECT_EQ(pod.metadata.ownerReferences.size(), 2U);
}

TEST(OwnerReferences, Scopes_CU01) {
  Pod pod = NewPod();
  EXPECT_TRUE(SetOwnerReference(OwnerNamed("of-the-cluster", ""), pod).ok());
  EXPECT_THAT(SetOwnerReference(OwnerNamed("web", "elsewhere"), pod).error().message(),
              HasSubstr("in another namespace"));
  metav1::ObjectMetaMutable node;
  node.name = "node-1";
  EXPECT_THAT(SetControllerReference(OwnerNamed("web"), node).error().message(),
              HasSubstr("ReplicaSet default/web is in a namespace and cannot own node-1"));
  EXPECT_THAT(node.ownerReferences, IsEmpty());
}

TEST(OwnerReferences, Removal_CU01) {
  Pod pod = NewPod();
  EXPECT_EQ(RemoveOwnerReference(OwnerNamed("web"), pod).error().reason(), Reason::kNotFound);
  ASSERT_TRUE(SetOwnerReference(OwnerNamed("web"), pod).ok());
  EXPECT_TRUE(HasOwnerReference(pod.metadata, OwnerNamed("web")));
  EXPECT_EQ(RemoveControllerReference(OwnerNamed("web"), pod).error().reason(), Reason::kNotFound)
      << "it does not control";
  EXPECT_TRUE(RemoveOwnerReference(OwnerNamed("web"), pod).ok());
  EXPECT_FALSE(HasOwnerReference(pod.metadata, OwnerNamed("web")));
  ASSERT_TRUE(SetControllerReference(OwnerNamed("web"), pod).ok());
  ASSERT_TRUE(SetOwnerReference(OwnerNamed("other"), pod).ok());
  EXPECT_EQ(RemoveControllerReference(OwnerNamed("other"), pod).error().reason(), Reason::kNotFound)
      << "somebody else does";
  EXPECT_EQ(RemoveOwnerReference(OwnerNamed("third"), pod).error().reason(), Reason::kNotFound);
  EXPECT_EQ(pod.metadata.ownerReferences.size(), 2U);
  EXPECT_TRUE(RemoveControllerReference(OwnerNamed("web"), pod).ok());
  EXPECT_TRUE(RemoveOwnerReference(OwnerNamed("other"), pod).ok());
  EXPECT_THAT(pod.metadata.ownerReferences, IsEmpty());
  ASSERT_TRUE(SetControllerReference(OwnerNamed("web"), pod).ok());
  EXPECT_TRUE(RemoveOwnerReference(OwnerNamed("web"), pod).ok()) << "though it controls";
  EXPECT_THAT(pod.metadata.ownerReferences, IsEmpty());
}

TEST(FinalizersTest, Finalizer_AddedOnceAndRemovedEverywhere_CU03) {
  Pod pod = NewPod();
  EXPECT_TRUE(controllerutil::AddFinalizer(pod, "a"));
  EXPECT_FALSE(controllerutil::AddFinalizer(pod, "a"));
  pod.metadata.finalizers = {"a", "b", "a"};
  EXPECT_TRUE(controllerutil::ContainsFinalizer(pod, "b"));
  EXPECT_TRUE(controllerutil::RemoveFinalizer(pod, "a"));
  EXPECT_FALSE(controllerutil::RemoveFinalizer(pod, "a"));
  EXPECT_THAT(pod.metadata.finalizers, ElementsAre("b"));
  EXPECT_FALSE(controllerutil::ContainsFinalizer(pod, "a"));
}

TEST(FinalizersTest, Finalize_ReportsUpdatesOfObjectAndStatus_CU03) {
  Finalizers<corev1::Pod> finalizers;
  bool fails = true;
  bool changes = false;
  const auto finalizer = [&](Pod& pod) -> Result<void> {
    if (changes) pod.spec.nodeName = "none";
    if (changes) pod.status.message = "almost gone";
    if (fails) return Error(Reason::kTimeout, "finalizer failed");
    return {};
  };
  Pod pod = NewPod();
  pod.metadata.deletionTimestamp = metav1::Time(1);
  FinalizeResult done = finalizers.Finalize(pod);
  EXPECT_FALSE(done.updated || done.status_updated) << "nothing is registered";
  ASSERT_TRUE(finalizers.Register("disks", finalizer).ok());
  done = finalizers.Finalize(pod);
  EXPECT_FALSE(done.updated || done.status_updated) << "it has no finalizer";
  pod.metadata.finalizers = {"disks", "of-another"};
  done = finalizers.Finalize(pod);
  EXPECT_FALSE(done.updated || done.status_updated);
  EXPECT_FALSE(done.result.ok());
  EXPECT_THAT(pod.metadata.finalizers, ElementsAre("disks", "of-another"));
  changes = true;
  done = finalizers.Finalize(pod);
  EXPECT_TRUE(done.updated) << "what it did before it failed";
  EXPECT_TRUE(done.status_updated);
  EXPECT_FALSE(done.result.ok());
  fails = false;
  done = finalizers.Finalize(pod);
  EXPECT_TRUE(done.updated) << "the finalizer is gone";
  EXPECT_FALSE(done.status_updated) << "as it was before";
  EXPECT_TRUE(done.result.ok());
  EXPECT_THAT(pod.metadata.finalizers, ElementsAre("of-another"));
}

TEST(FinalizersTest, TheRegistry_CU03) {
  Finalizers<corev1::Pod> finalizers;
  int freed = 0;
  bool fails = true;
  ASSERT_TRUE(finalizers
                  .Register("disks",
                            [&](Pod&) -> Result<void> {
                              if (fails) return Error(Reason::kTimeout, "the disk is busy");
                              ++freed;
                              return {};
                            })
                  .ok());
  ASSERT_TRUE(finalizers
                  .Register("names",
                            [&](Pod&) -> Result<void> {
                              ++freed;
                              return {};
                            })
                  .ok());
  EXPECT_EQ(finalizers.Register("disks", {}).error().reason(), Reason::kAlreadyExists);

  Pod pod = NewPod();
  EXPECT_TRUE(finalizers.Finalize(pod).updated);
  EXPECT_THAT(pod.metadata.finalizers, ElementsAre("disks", "names"));
  EXPECT_FALSE(finalizers.Finalize(pod).updated);
  EXPECT_EQ(freed, 0);

  pod.metadata.finalizers.emplace_back("of-another");
  pod.metadata.deletionTimestamp = metav1::Time(1);
  const FinalizeResult first = finalizers.Finalize(pod);
  EXPECT_TRUE(first.updated);
  EXPECT_THAT(first.result.error().message(),
              HasSubstr(R"(finalizer "disks" failed: Timeout: the disk is busy)"));
  EXPECT_THAT(pod.metadata.finalizers, ElementsAre("disks", "of-another"));
  EXPECT_EQ(freed, 1);
  fails = false;
  const FinalizeResult second = finalizers.Finalize(pod);
  EXPECT_TRUE(second.updated);
  EXPECT_TRUE(second.result.ok());
  EXPECT_THAT(pod.metadata.finalizers, ElementsAre("of-another"));
  EXPECT_FALSE(finalizers.Finalize(pod).updated);
  EXPECT_EQ(freed, 2);
}

struct Gadget {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  std::string color{};
};

TEST(FinalizersTest, CustomResourceStruct_IsFinalized_CU03) {
  using Gadgets = CustomResource<Gadget>;
  Finalizers<Gadgets> finalizers;
  ASSERT_TRUE(finalizers
                  .Register("example.com/paint",
                            [](Gadgets::Mutable& gadget) -> Result<void> {
                              gadget.color = "none";
                              return {};
                            })
                  .ok());
  Gadgets::Mutable gadget;
  EXPECT_TRUE(finalizers.Finalize(gadget).updated);
  EXPECT_THAT(gadget.metadata.finalizers, ElementsAre("example.com/paint"));
  gadget.metadata.deletionTimestamp.emplace();
  const FinalizeResult done = finalizers.Finalize(gadget);
  EXPECT_TRUE(done.updated);
  EXPECT_FALSE(done.status_updated);
  EXPECT_EQ(gadget.color, "none");
  EXPECT_THAT(gadget.metadata.finalizers, IsEmpty());
}

TEST(MergeFromTest, MergePatch_HasChangedFieldsOnly) {
  Pod before = NewPod();
  before.metadata.labels["app"] = "web";
  before.metadata.resourceVersion = "100500";
  EXPECT_EQ(MergeFrom(before, before).OrExit().body, "{}");
  Pod after = before;
  after.metadata.labels.clear();
  after.metadata.annotations["foo"] = "bar";
  after.spec.hostNetwork = true;
  const Patch patch = MergeFrom(before, after).OrExit();
  EXPECT_EQ(patch.type, PatchType::kMergePatch);
  EXPECT_EQ(json::Parse(patch.body).OrExit(),
            json::Parse(R"({"metadata":{"annotations":{"foo":"bar"},"labels":null},
                            "spec":{"hostNetwork":true}})")
                .OrExit());
}

TEST(MergeFromTest, OptimisticLock_SendsResourceVersionOfOriginal) {
  Pod before = NewPod();
  before.metadata.resourceVersion = "100500";
  Pod after = before;
  after.spec.hostNetwork = true;
  after.metadata.resourceVersion = "100501";
  EXPECT_EQ(json::Parse(MergeFrom(before, after, {.optimistic_lock = true}).OrExit().body).OrExit(),
            json::Parse(R"({"metadata":{"resourceVersion":"100500"},"spec":{"hostNetwork":true}})")
                .OrExit());
  before.metadata.resourceVersion.clear();
  const Error error = MergeFrom(before, after, {.optimistic_lock = true}).error();
  EXPECT_EQ(error.reason(), Reason::kInvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("resourceVersion"));
}

TEST(MergeFromTest, MergePatch_OfLargeNumbersAndCustomStructs) {
  batchv1::Job::Mutable job;
  job.spec.activeDeadlineSeconds = 9223372036854775807;
  const batchv1::Job::Mutable before = job;
  job.spec.activeDeadlineSeconds = 9223372036854775800;
  EXPECT_EQ(MergeFrom(before, job).OrExit().body,
            R"({"spec":{"activeDeadlineSeconds":9223372036854775800}})");
  CustomResource<Gadget>::Mutable gadget;
  const CustomResource<Gadget>::Mutable plain = gadget;
  gadget.color = "red";
  EXPECT_EQ(MergeFrom(plain, gadget).OrExit().body, R"({"color":"red"})");
}

TEST(ConditionsTest, LastTransitionTime_ChangesWithStatusOnly) {
  Simulation sim({.start = WallTime(std::chrono::seconds(1000))});
  meta::Conditions conditions;
  EXPECT_TRUE(meta::SetStatusCondition(sim.env(), conditions,
                                       {.type = "Ready", .status = "False", .reason = "Starting"}));
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0].lastTransitionTime, metav1::Time(1000));
  sim.RunFor(std::chrono::milliseconds(5500));
  EXPECT_FALSE(meta::SetStatusCondition(
      sim.env(), conditions, {.type = "Ready", .status = "False", .reason = "Starting"}));
  EXPECT_TRUE(meta::SetStatusCondition(sim.env(), conditions,
                                       {.type = "Ready", .status = "False", .reason = "Slow"}));
  EXPECT_EQ(conditions[0].lastTransitionTime, metav1::Time(1000)) << "the status is the same";
  EXPECT_TRUE(meta::SetStatusCondition(sim.env(), conditions,
                                       {.type = "Ready", .status = "True", .reason = "Running"}));
  EXPECT_EQ(conditions[0].lastTransitionTime, metav1::Time(1005));
  EXPECT_TRUE(meta::SetStatusCondition(sim.env(), conditions,
                                       {.type = "Ready",
                                        .status = "False",
                                        .lastTransitionTime = metav1::Time(7),
                                        .reason = "Said"}));
  EXPECT_EQ(conditions[0].lastTransitionTime, metav1::Time(7));
  EXPECT_EQ(conditions.size(), 1U);
}

TEST(ConditionsTest, Conditions_AreFoundAndRemovedByType) {
  Simulation sim;
  meta::Conditions conditions;
  meta::SetStatusCondition(sim.env(), conditions, {.type = "Ready", .status = "True"});
  meta::SetStatusCondition(sim.env(), conditions, {.type = "Stuck", .status = "Unknown"});
  EXPECT_TRUE(meta::IsStatusConditionTrue(conditions, "Ready"));
  EXPECT_FALSE(meta::IsStatusConditionFalse(conditions, "Ready"));
  EXPECT_FALSE(meta::IsStatusConditionTrue(conditions, "Stuck"));
  EXPECT_FALSE(meta::IsStatusConditionFalse(conditions, "Stuck"));
  EXPECT_FALSE(meta::IsStatusConditionFalse(conditions, "Other"));
  EXPECT_TRUE(meta::IsStatusConditionPresentAndEqual(conditions, "Stuck", "Unknown"));
  EXPECT_TRUE(meta::RemoveStatusCondition(conditions, "Ready"));
  EXPECT_FALSE(meta::RemoveStatusCondition(conditions, "Ready"));
  EXPECT_EQ(meta::FindStatusCondition(conditions, "Ready"), nullptr);
  EXPECT_NE(meta::FindStatusCondition(conditions, "Stuck"), nullptr);
}

}  // namespace
}  // namespace kinformer
