// Patches that leave an object as it is, and such that do not.

#include "controller/matching/patched.h"

#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/appsv1.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::matching {
namespace {

constexpr const char* kDeployment = R"({"apiVersion":"apps/v1","kind":"Deployment",
  "metadata":{"name":"web","namespace":"default","resourceVersion":"7",
    "labels":{"app":"web"},"finalizers":["example.com/a","example.com/b"]},
  "spec":{"replicas":3,"template":{"spec":{"containers":[
    {"name":"web","image":"web:1","args":["-v"],"resources":{"limits":{"cpu":"1","memory":"1Gi"}}},
    {"name":"log","image":"log:1"}]}}}})";

bool Leaves(PatchType type, const std::string& body) {
  return PatchChangesNothing(appsv1::Deployment::kind_info(), json::Parse(kDeployment).OrExit(),
                             {type, body});
}
bool Merge(const std::string& body) { return Leaves(PatchType::kMergePatch, body); }
bool Strategic(const std::string& body) { return Leaves(PatchType::kStrategicMerge, body); }
bool Json(const std::string& body) { return Leaves(PatchType::kJsonPatch, body); }

TEST(Patched, MergePatch_OfWhatIsThere_ChangesNothing) {
  EXPECT_TRUE(Merge(R"({"spec":{"replicas":3}})"));
  EXPECT_TRUE(Merge(R"({"metadata":{"labels":{"app":"web","gone":null}}})"));
  EXPECT_TRUE(Merge("{}"));
}

TEST(Patched, MergePatch_OfAnotherValue_Changes) {
  EXPECT_FALSE(Merge(R"({"spec":{"replicas":4}})"));
  EXPECT_FALSE(Merge(R"({"spec":{"replicas":null}})"));
  EXPECT_FALSE(Merge(R"({"metadata":{"labels":{"tier":"front"}}})"));
  EXPECT_FALSE(Merge(R"({"metadata":{"annotations":{}}})")) << "adds an empty object";
  EXPECT_FALSE(Merge(R"({"spec":{"replicas":{}}})"));
  EXPECT_FALSE(Merge(R"({"spec":{"template":{"spec":{"containers":[{"name":"web"}]}}}})"))
      << "a merge patch replaces lists";
}

TEST(Patched, MergePatch_WithTheVersionOfTheObject_ChangesNothing) {
  EXPECT_TRUE(Merge(R"({"metadata":{"resourceVersion":"7"},"spec":{"replicas":3}})"));
  EXPECT_FALSE(Merge(R"({"metadata":{"resourceVersion":"6"},"spec":{"replicas":3}})"))
      << "the server has to answer with a conflict";
}

TEST(Patched, Quantities_AreEqualAsTheServerStoresThem) {
  const auto limits = [](const std::string& text) {
    return R"({"spec":{"template":{"spec":{"containers":[{"name":"web","resources":{"limits":{)" +
           text + "}}}]}}}}";
  };
  EXPECT_TRUE(Strategic(limits(R"("cpu":"1000m")")));
  EXPECT_TRUE(Strategic(limits(R"("cpu":1)")));
  EXPECT_TRUE(Strategic(limits(R"("memory":"1024Mi")")));
  EXPECT_FALSE(Strategic(limits(R"("cpu":"1001m")")));
  EXPECT_FALSE(Strategic(limits(R"("memory":"1073741824")"))) << "would be stored as another text";
  EXPECT_FALSE(Merge(R"({"metadata":{"labels":{"app":"1000m"}}})"));
}

TEST(Patched, StrategicPatch_OfItems_FindsThemByTheirKey) {
  const auto containers = [](const std::string& items) {
    return R"({"spec":{"template":{"spec":{"containers":[)" + items + "]}}}}";
  };
  EXPECT_TRUE(Strategic(containers(R"({"name":"log","image":"log:1"})")));
  EXPECT_TRUE(Strategic(containers(R"({"name":"web"},{"name":"log"})")));
  EXPECT_FALSE(Strategic(containers(R"({"name":"log"},{"name":"web"})"))) << "another order";
  EXPECT_FALSE(Strategic(containers(R"({"name":"log","image":"log:2"})")));
  EXPECT_FALSE(Strategic(containers(R"({"name":"new"})")));
  EXPECT_FALSE(Strategic(containers(R"({"image":"log:1"})"))) << "without a key";
  EXPECT_FALSE(Strategic(containers(R"({"name":"web","args":["-v","-v"]})")));
}

TEST(Patched, StrategicPatch_OfListsOfTexts_Merges) {
  EXPECT_TRUE(Strategic(R"({"metadata":{"finalizers":["example.com/b"]}})"));
  EXPECT_FALSE(Strategic(R"({"metadata":{"finalizers":["example.com/c"]}})"));
  EXPECT_FALSE(Merge(R"({"metadata":{"finalizers":["example.com/b"]}})"));
}

TEST(Patched, StrategicPatch_WithDirectives_IsSent) {
  EXPECT_FALSE(Strategic(R"({"metadata":{"labels":{"$patch":"replace","app":"web"}}})"));
  EXPECT_FALSE(Strategic(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x"]}})"));
}

TEST(Patched, JsonPatch_IsAppliedToACopy) {
  EXPECT_TRUE(Json(R"([{"op":"replace","path":"/spec/replicas","value":3}])"));
  EXPECT_TRUE(Json("[]"));
  EXPECT_FALSE(Json(R"([{"op":"replace","path":"/spec/replicas","value":4}])"));
  EXPECT_FALSE(Json(R"([{"op":"add","path":"/metadata/finalizers/-","value":"x"}])"));
  EXPECT_FALSE(Json(R"([{"op":"remove","path":"/spec/paused"}])")) << "the server has to refuse it";
  EXPECT_FALSE(Json(R"([{"op":"test","path":"/spec/replicas","value":3}])"))
      << "asks what the server has";
}

TEST(Patched, Bodies_ThatCannotBeRead_AreSent) {
  EXPECT_FALSE(Merge("no: json"));
  EXPECT_FALSE(Merge("[]"));
  EXPECT_FALSE(Json("{}"));
  EXPECT_FALSE(Strategic(""));
}

}  // namespace
}  // namespace kinformer::internal::matching
