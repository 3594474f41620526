// Updates that leave an object as it is, and such that do not; and what a patch alone has changed.

#include "controller/matching/updated.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/internal/written_struct.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/object/ref.h"

namespace kinformer::internal::matching {
namespace {

using Pod = corev1::Pod;

constexpr const char* kPod = R"({"kind":"Pod","apiVersion":"v1",
  "metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"7","generation":2,
    "creationTimestamp":"2026-11-29T12:00:00Z","labels":{"app":"web"},
    "finalizers":["example.com/a","example.com/b"],
    "managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",
      "fieldsV1":{"f:spec":{}}}]},
  "spec":{"nodeName":"n","containers":[{"name":"web","image":"web:1",
    "resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]},
  "status":{"phase":"Running"}})";

class Updated : public ::testing::Test {
 protected:
  [[nodiscard]] bool Same(const Pod::Mutable& desired) const {
    return UpdateChangesNothing(*cached_.object(), ToRequestObject<Pod>(desired));
  }
  const Ref<Pod> cached_ = ObjectFromJson(Pod::kind_info(), kPod).OrExit().As<Pod>();
  Pod::Mutable desired_ = cached_->DeepCopy();
};

TEST_F(Updated, Copy_ChangesNothing) { EXPECT_TRUE(Same(desired_)); }

TEST_F(Updated, OnlyACopyHasTheBytes) {
  const auto has_bytes = [&] {
    return HasBytesOf(*cached_.object(), ToWrittenStruct<Pod>(desired_, ""));
  };
  EXPECT_TRUE(has_bytes());
  desired_.metadata.managedFields.clear();
  EXPECT_FALSE(has_bytes()) << "UpdateChangesNothing finds that";
  EXPECT_TRUE(Same(desired_));
  desired_ = cached_->DeepCopy();
  desired_.status.phase = "Failed!";
  EXPECT_FALSE(has_bytes()) << "of the same length";
  desired_ = cached_->DeepCopy();
  desired_.spec.containers.emplace_back();
  EXPECT_FALSE(has_bytes());
}

TEST_F(Updated, EveryOtherField_Changes) {
  desired_.spec.nodeName = "o";
  EXPECT_FALSE(Same(desired_));
  desired_ = cached_->DeepCopy();
  desired_.metadata.labels["tier"] = "front";
  EXPECT_FALSE(Same(desired_));
  desired_ = cached_->DeepCopy();
  desired_.metadata.labels.clear();
  EXPECT_FALSE(Same(desired_));
  desired_ = cached_->DeepCopy();
  desired_.status.phase = "Failed";
  EXPECT_FALSE(Same(desired_));
  desired_ = cached_->DeepCopy();
  desired_.spec.securityContext.emplace();
  EXPECT_FALSE(Same(desired_)) << "an empty object is not an absent one";
}

TEST_F(Updated, MetadataOfTheServer_MayBeLeftOut) {
  desired_.metadata.managedFields.clear();
  desired_.metadata.uid.clear();
  desired_.metadata.generation = 0;
  desired_.metadata.creationTimestamp = {};
  EXPECT_TRUE(Same(desired_));
  desired_.metadata.uid = "v";
  EXPECT_FALSE(Same(desired_)) << "the server has to refuse it";
}

TEST_F(Updated, WithoutTheVersionOfTheCache_IsSent) {
  desired_.metadata.resourceVersion.clear();
  EXPECT_FALSE(Same(desired_));
  desired_.metadata.resourceVersion = "6";
  EXPECT_FALSE(Same(desired_));
}

TEST_F(Updated, Quantities_AreEqualAsTheServerStoresThem) {
  auto& limits = desired_.spec.containers[0].resources.limits;
  limits["cpu"] = resource::Quantity::Parse("1000m").OrExit();
  EXPECT_TRUE(Same(desired_));
  limits["cpu"] = resource::Quantity::Parse("1001m").OrExit();
  EXPECT_FALSE(Same(desired_));
}

TEST_F(Updated, Finalizers_AreASet) {
  std::swap(desired_.metadata.finalizers[0], desired_.metadata.finalizers[1]);
  EXPECT_TRUE(Same(desired_));
  desired_.metadata.finalizers.pop_back();
  EXPECT_FALSE(Same(desired_));
}

TEST_F(Updated, PartialCopy_IsSent) {
  desired_.is_partial = true;
  EXPECT_FALSE(Same(desired_)) << "it has to be refused";
}

TEST_F(Updated, VersionOfARequest_IsRead) {
  EXPECT_EQ(VersionOf(Pod::kind_info(), ToRequestObject<Pod>(desired_)), "7");
  desired_.metadata.resourceVersion.clear();
  EXPECT_EQ(VersionOf(Pod::kind_info(), ToRequestObject<Pod>(desired_)), "");
}

TEST(OnlyPatched, ChangeOfThePatch_IsNobodyElses) {
  const auto is = [](const char* before, const char* after, const char* patch) {
    return OnlyPatched(json::Parse(before).OrExit(), json::Parse(after).OrExit(),
                       json::Parse(patch).OrExit());
  };
  EXPECT_TRUE(is(R"({"a":1,"b":2})", R"({"a":3,"b":2})", R"({"a":3})"));
  EXPECT_TRUE(is(R"({"a":{"x":1}})", R"({"a":{"x":1,"y":2}})", R"({"a":{"y":2}})"));
  EXPECT_TRUE(is(R"({"a":1,"b":2})", R"({"b":2})", R"({"a":null})"));
  EXPECT_FALSE(is(R"({"a":1,"b":2})", R"({"a":3,"b":3})", R"({"a":3})"));
  EXPECT_FALSE(is(R"({"a":1})", R"({"a":3,"b":3})", R"({"a":3})"));
  EXPECT_FALSE(is(R"({"a":1,"b":2})", R"({"a":3})", R"({"a":3})"));
  EXPECT_FALSE(is(R"({"a":[1,2]})", R"({"a":[1,3]})", R"({"a":[3]})")) << "in doubt";
}

}  // namespace
}  // namespace kinformer::internal::matching
