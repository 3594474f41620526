// Parts of the helpers of controllers, with texts and limits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/finalizers.h"
#include "kinformer/controller/merge_from.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/ref.h"

namespace kinformer {
namespace {

using controllerutil::OperationResult;
using controllerutil::Owner;
using ::testing::ElementsAre;

TEST(OperationResults, Names_AreThoseOfControllerRuntime) {
  for (const auto& [result, name] : std::vector<std::pair<OperationResult, std::string>>{
           {OperationResult::kNone, "unchanged"},
           {OperationResult::kCreated, "created"},
           {OperationResult::kUpdated, "updated"},
           {OperationResult::kUpdatedStatus, "updatedStatus"},
           {OperationResult::kUpdatedStatusOnly, "updatedStatusOnly"}}) {
    std::ostringstream out;
    out << result;
    EXPECT_EQ(out.str(), name);
    EXPECT_EQ(controllerutil::ToString(result), name);
  }
}

TEST(SameObject, NameAndNamespace_AreBothCompared) {
  metav1::ObjectMetaMutable metadata;
  metadata.namespace_ = "n";
  metadata.name = "a";
  EXPECT_TRUE(controllerutil::internal::CheckSameObject(metadata, "n", "a").ok());
  for (const auto& [namespace_, name] :
       std::vector<std::pair<std::string, std::string>>{{"n", "b"}, {"m", "a"}, {"m", "b"}}) {
    const Result<void> same = controllerutil::internal::CheckSameObject(metadata, namespace_, name);
    ASSERT_FALSE(same.ok()) << namespace_ << "/" << name;
    EXPECT_EQ(same.error().ToString(),
              "InvalidArgument: the function that was to change " + namespace_ + "/" + name +
                  " has made it n/a: it must not change the object's name or namespace");
  }
}

struct Change {
  const char* before;
  const char* after;
  const char* object;
  const char* status;
};

TEST(PatchesBetween, ObjectAndStatus_HavePatchesOfTheirOwn) {
  for (const Change& row : std::vector<Change>{
           {R"({"a":1,"status":{"s":1}})", R"({"a":1,"status":{"s":1}})", "null", "null"},
           {R"({"a":1,"status":{"s":1}})", R"({"a":2,"status":{"s":1}})", R"({"a":2})", "null"},
           {R"({"a":1,"status":{"s":1}})", R"({"a":1,"status":{"s":2}})", "null",
            R"({"status":{"s":2}})"},
           {R"({"a":1,"status":{"s":1}})", R"({"a":1})", "null", R"({"status":null})"},
           {R"({"a":1,"b":1})", R"({"a":2,"b":2,"status":{"s":2}})", R"({"a":2,"b":2})",
            R"({"status":{"s":2}})"}}) {
    const auto patches = controllerutil::internal::PatchesBetween(row.before, row.after).OrExit();
    EXPECT_EQ(patches.object.Dump(), row.object) << row.before << " " << row.after;
    EXPECT_EQ(patches.status.Dump(), row.status) << row.before << " " << row.after;
  }
}

TEST(PatchesBetween, TextWithoutMergePatch_IsAnError) {
  EXPECT_FALSE(controllerutil::internal::PatchesBetween("{", "{}").ok());
  EXPECT_FALSE(controllerutil::internal::PatchesBetween("{}", "{").ok());
  const auto null = controllerutil::internal::PatchesBetween("{}", R"({"a":null})");
  ASSERT_FALSE(null.ok());
  EXPECT_EQ(null.error().reason(), Reason::kInvalidArgument);
  const Patch patch = controllerutil::internal::MergePatch(json::Parse(R"({"a":1})").OrExit());
  EXPECT_EQ(patch.type, PatchType::kMergePatch);
  EXPECT_EQ(patch.body, R"({"a":1})");
}

TEST(MergeFromTest, NullMember_HasNoMergePatch) {
  const Result<Patch> patch =
      MergeFrom(json::Parse("{}").OrExit(), json::Parse(R"({"a":null})").OrExit());
  ASSERT_FALSE(patch.ok());
  EXPECT_EQ(patch.error().reason(), Reason::kInvalidArgument);
}

TEST(FinalizersTest, SingleFinalizer_IsRemovedAndReported) {
  metav1::ObjectMetaMutable metadata;
  metadata.finalizers = {"a"};
  EXPECT_FALSE(controllerutil::RemoveFinalizer(metadata, "b"));
  EXPECT_TRUE(controllerutil::RemoveFinalizer(metadata, "a"));
  EXPECT_TRUE(metadata.finalizers.empty());
  const auto sent =
      internal::BuildFromJson(corev1::Pod::kind_info(), R"({"metadata":{"finalizers":["a","b"]}})");
  const Ref<corev1::Pod> pod(sent.value());
  EXPECT_TRUE(controllerutil::ContainsFinalizer(pod->metadata(), "a"));
  EXPECT_TRUE(controllerutil::ContainsFinalizer(pod->metadata(), "b"));
  EXPECT_FALSE(controllerutil::ContainsFinalizer(pod->metadata(), "c"));
}

TEST(FinalizersTest, EachFailure_IsInTheResult) {
  Finalizers<corev1::Pod> finalizers;
  for (const std::string name : {"a", "b"}) {
    ASSERT_TRUE(finalizers
                    .Register(name,
                              [name](corev1::Pod::Mutable&) -> Result<void> {
                                return Error(Reason::kTimeout, name + " is busy");
                              })
                    .ok());
  }
  EXPECT_EQ(finalizers.Register("a", {}).error().ToString(),
            R"(AlreadyExists: finalizer "a" is registered already)");
  corev1::Pod::Mutable pod;
  pod.metadata.deletionTimestamp = metav1::Time(1);
  pod.metadata.finalizers = {"a", "b"};
  EXPECT_EQ(finalizers.Finalize(pod).result.error().message(),
            R"(finalizer "a" failed: Timeout: a is busy; )"
            R"(finalizer "b" failed: Timeout: b is busy)");
  EXPECT_THAT(pod.metadata.finalizers, ElementsAre("a", "b"));
}

Owner Controller(const std::string& name) {
  Owner owner;
  owner.apiVersion = "apps/v1";
  owner.kind = "ReplicaSet";
  owner.namespace_ = "n";
  owner.name = name;
  owner.uid = "u-" + name;
  return owner;
}

TEST(OwnerReferences, OwnerThatMayControl_IsNoController) {
  metav1::ObjectMetaMutable pod;
  pod.namespace_ = "n";
  pod.name = "web";
  for (const std::optional<bool> controls : {std::optional<bool>(), std::optional(false)}) {
    pod.ownerReferences.clear();
    pod.ownerReferences.emplace_back().name = "other";
    pod.ownerReferences[0].controller = controls;
    EXPECT_FALSE(controllerutil::HasControllerReference(pod));
    EXPECT_EQ(RemoveControllerReference(Controller("other"), pod).error().reason(),
              Reason::kNotFound);
    EXPECT_TRUE(SetControllerReference(Controller("web"), pod).ok());
    EXPECT_TRUE(controllerutil::HasControllerReference(pod));
    EXPECT_EQ(pod.ownerReferences.size(), 2U);
  }
  for (const auto& [references, controlled] : std::vector<std::pair<std::string, bool>>{
           {"[]", false},
           {R"([{"name":"a"}])", false},
           {R"([{"name":"a","controller":false}])", false},
           {R"([{"name":"a"},{"name":"b","controller":true}])", true}}) {
    const auto sent = internal::BuildFromJson(
        corev1::Pod::kind_info(), R"({"metadata":{"ownerReferences":)" + references + "}}");
    const Ref<corev1::Pod> pod_there(sent.value());
    EXPECT_EQ(controllerutil::HasControllerReference(*pod_there), controlled) << references;
  }
}

TEST(OwnerReferences, Errors_NameOwnerAndObject) {
  metav1::ObjectMetaMutable pod;
  pod.namespace_ = "n";
  pod.name = "web";
  EXPECT_EQ(RemoveOwnerReference(Controller("a"), pod).error().ToString(),
            "NotFound: ReplicaSet n/a does not own n/web");
  metav1::ObjectMetaMutable elsewhere = pod;
  elsewhere.namespace_ = "m";
  EXPECT_EQ(SetOwnerReference(Controller("a"), elsewhere).error().ToString(),
            "InvalidArgument: ReplicaSet n/a cannot own m/web, which is in another namespace");
  metav1::ObjectMetaMutable node;
  node.name = "node";
  EXPECT_EQ(SetOwnerReference(Controller("a"), node).error().ToString(),
            "InvalidArgument: ReplicaSet n/a is in a namespace and cannot own node, which is in "
            "none");
  Owner cluster = Controller("a");
  cluster.namespace_.clear();
  EXPECT_EQ(RemoveOwnerReference(cluster, node).error().ToString(),
            "NotFound: ReplicaSet a does not own node");
  // An owner is found by group, kind and name together.
  ASSERT_TRUE(SetOwnerReference(Controller("a"), pod).ok());
  for (const auto& change :
       std::vector<void (*)(Owner&)>{[](Owner& owner) { owner.apiVersion = "batch/v1"; },
                                     [](Owner& owner) { owner.kind = "DaemonSet"; },
                                     [](Owner& owner) { owner.name = "b"; }}) {
    Owner other = Controller("a");
    change(other);
    EXPECT_FALSE(controllerutil::HasOwnerReference(pod, other));
  }
  EXPECT_TRUE(controllerutil::HasOwnerReference(pod, Controller("a")));
}

}  // namespace
}  // namespace kinformer
