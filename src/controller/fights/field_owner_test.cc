#include "controller/fights/field_owner.h"

#include <gtest/gtest.h>

#include "kinformer/json/json.h"

namespace kinformer::internal::fights {
namespace {

json::Value Object() {
  return json::Parse(R"({"metadata":{"managedFields":[
    {"manager":"old","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:spec":{"f:replicas":{}}}},
    {"manager":"operator","time":"2026-01-03T00:00:00Z",
     "fieldsV1":{"f:spec":{"f:replicas":{},"f:template":{"f:spec":{}}}}},
    {"manager":"hpa","time":"2026-01-02T00:00:00Z","fieldsV1":{"f:spec":{"f:replicas":{}}}},
    {"manager":"kubelet","time":"2026-01-05T00:00:00Z",
     "fieldsV1":{"f:status":{".":{},"f:phase":{}}}}]}})")
      .OrExit();
}

TEST(OwnerOfTest, SeveralOwners_TheOneThatWroteLast) {
  EXPECT_EQ(OwnerOf(Object(), {"spec", "replicas"}, ""), "operator");
}

TEST(OwnerOfTest, AnotherOneIsAskedFor_TheNewestOfTheOthers) {
  EXPECT_EQ(OwnerOf(Object(), {"spec", "replicas"}, "operator"), "hpa");
}

TEST(OwnerOfTest, TheOnlyOwnerIsNotWanted_ItIsNamedAllTheSame) {
  EXPECT_EQ(OwnerOf(Object(), {"status", "phase"}, "kubelet"), "kubelet");
}

TEST(OwnerOfTest, PartOfAnAtomicField_HasItsOwner) {
  EXPECT_EQ(OwnerOf(Object(), {"spec", "template", "spec", "nodeSelector"}, ""), "operator");
}

TEST(OwnerOfTest, FieldThatIsGone_TheOneThatWroteLastOfAll) {
  EXPECT_EQ(OwnerOf(Object(), {"status", "reason"}, "operator"), "kubelet");
}

TEST(OwnerOfTest, NoManagedFields_Nobody) {
  EXPECT_EQ(OwnerOf(json::Value::MakeObject(), {"spec"}, ""), "");
}

}  // namespace
}  // namespace kinformer::internal::fights
