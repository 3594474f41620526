#include "kinformer/client/managedfields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/client/csaupgrade.h"

namespace kinformer::managedfields {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

json::Value Json(std::string_view text) { return json::Parse(text).OrExit(); }
FieldSet Set(std::string_view text) { return FieldSet::FromFieldsV1(Json(text)).OrExit(); }

TEST(FieldSet, Text_IsWrittenInTheOrderOfServers) {
  const char* kOrdered =
      R"({"f:a":{},"f:list":{"k:{\"name\":\"x\"}":{".":{},"f:image":{}},"v:\"s\"":{},"i:2":{},)"
      R"("i:10":{}},"f:z":{".":{},"f:y":{}}})";
  EXPECT_EQ(Set(kOrdered).ToFieldsV1().Dump(), kOrdered);
  const char* kMixed = R"({"f:z":{"f:y":{},".":{}},"f:list":{"i:10":{},"v:\"s\"":{},"i:2":{},)"
                       R"("k:{\"name\":\"x\"}":{"f:image":{},".":{}}},"f:a":{}})";
  EXPECT_EQ(Set(kMixed).ToFieldsV1().Dump(), kOrdered);
}

TEST(FieldSet, UnionAndIntersection) {
  const FieldSet a = Set(R"({"f:m":{".":{},"f:a":{}},"f:x":{}})");
  const FieldSet b = Set(R"({"f:m":{"f:a":{},"f:b":{}},"f:y":{}})");
  EXPECT_EQ(a.Union(b).ToFieldsV1().Dump(),
            R"({"f:m":{".":{},"f:a":{},"f:b":{}},"f:x":{},"f:y":{}})");
  EXPECT_EQ(a.Intersection(b).ToFieldsV1().Dump(), R"({"f:m":{"f:a":{}}})");
  EXPECT_TRUE(a.Intersection(Set(R"({"f:y":{}})")).Empty());
  EXPECT_TRUE(a.Intersection(FieldSet()).Empty());
  EXPECT_FALSE(a.Empty());
}

TEST(FieldSet, Leaves_AreTheFieldsWithNothingBelow) {
  EXPECT_EQ(Set(R"({"f:m":{".":{},"f:a":{}},"f:x":{}})").Leaves().ToFieldsV1().Dump(),
            R"({"f:m":{"f:a":{}},"f:x":{}})");
}

TEST(FieldSet, MalformedFields_AreErrorsThatNameThePlace) {
  for (const char* text :
       {R"({"x":{}})", R"({"q:a":{}})", R"({"f:a":1})", R"({"k:{":{}})", R"({"k:[]":{}})",
        R"({"i:a":{}})", R"({"i:-1":{}})", R"({".":{}})", R"([])", R"({"f:a":{"b":{}}})"}) {
    const Result<FieldSet> set = FieldSet::FromFieldsV1(Json(text));
    ASSERT_FALSE(set) << text;
    EXPECT_EQ(set.error().reason(), Reason::kDecode);
  }
  EXPECT_THAT(FieldSet::FromFieldsV1(Json(R"({"f:a":{"b":{}}})")).error().message(),
              HasSubstr("the step \"b\""));
}

// A Deployment of which "me" has applied a part.
constexpr const char* kLive = R"({
  "apiVersion": "apps/v1", "kind": "Deployment",
  "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "7",
    "labels": {"a": "1", "b": "2"}, "finalizers": ["x/one", "x/two"],
    "managedFields": [
      {"manager": "me", "operation": "Update", "apiVersion": "apps/v1",
       "fieldsV1": {"f:spec": {"f:paused": {}}}},
      {"manager": "me", "operation": "Apply", "apiVersion": "apps/v1", "subresource": "status",
       "fieldsV1": {"f:status": {"f:replicas": {}}}},
      {"manager": "me", "operation": "Apply", "apiVersion": "apps/v1", "fieldsV1": {
        "f:metadata": {"f:labels": {".": {}, "f:b": {}}, "f:finalizers": {"v:\"x/two\"": {}}},
        "f:spec": {"f:replicas": {}, "f:missing": {}, "f:args": {"i:1": {}},
          "f:containers": {
            "k:{\"name\":\"c\"}": {".": {}, "f:name": {}, "f:image": {}, "f:ports": {
               "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}},
            "k:{\"name\":\"gone\"}": {".": {}, "f:image": {}}},
          "f:volume": {}}}}]},
  "spec": {"replicas": 3, "paused": true, "args": ["zero", "one"],
    "containers": [{"name": "other", "image": "o"},
                   {"name": "c", "image": "i", "tty": true,
                    "ports": [{"containerPort": 80, "protocol": "TCP", "name": "http"}]}],
    "volume": {"emptyDir": {"medium": "Memory"}}},
  "status": {"replicas": 3, "ready": 1}})";

TEST(Extract, HasWhatTheManagerHasApplied_WithTheKeysOfItems) {
  EXPECT_EQ(Extract(Json(kLive), "me").OrExit(), Json(R"({
    "apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop", "labels": {"b": "2"},
                 "finalizers": ["x/two"]},
    "spec": {"replicas": 3, "args": ["one"],
      "containers": [{"name": "c", "image": "i",
                      "ports": [{"containerPort": 80, "protocol": "TCP"}]}],
      "volume": {"emptyDir": {"medium": "Memory"}}}})"));
}

TEST(Extract, Subresource_HasADocumentOfItsOwn) {
  const json::Value status = Extract(Json(kLive), "me", "status").OrExit();
  EXPECT_EQ(status["status"], Json(R"({"replicas": 3})"));
  EXPECT_FALSE(status.contains("spec"));
}

TEST(Extract, ManagerThatHasAppliedNothing_GetsTheIdentityOnly) {
  EXPECT_EQ(Extract(Json(kLive), "you").OrExit(), Json(R"({
    "apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop"}})"));
}

TEST(Extract, MalformedEntry_IsAnErrorThatNamesTheManager) {
  json::Value live = Json(kLive);
  live.Ensure("metadata", "managedFields", 2, "fieldsV1") = Json(R"({"spec":{}})");
  const Result<json::Value> mine = Extract(live, "me");
  ASSERT_FALSE(mine);
  EXPECT_THAT(mine.error().message(), HasSubstr("fields of me: malformed fieldsV1"));
}

}  // namespace
}  // namespace kinformer::managedfields

namespace kinformer::csaupgrade {
namespace {

using ::testing::SizeIs;

json::Value Json(std::string_view text) { return json::Parse(text).OrExit(); }
json::Value Entry(const std::string& manager, const std::string& operation,
                  const std::string& fields, const std::string& subresource = "",
                  const std::string& version = "v1") {
  json::Value entry = json::Value::MakeObject({{"manager", manager},
                                               {"operation", operation},
                                               {"apiVersion", version},
                                               {"fieldsV1", Json(fields)}});
  if (!subresource.empty()) entry.Set("subresource", subresource);
  return entry;
}
json::Value With(json::Array entries) {
  json::Value object = Json(R"({"metadata":{"name":"a","resourceVersion":"7"}})");
  object.Ensure("metadata", "managedFields") = std::move(entries);
  return object;
}
const json::Value& Fields(const json::Value& object) { return object["metadata"]["managedFields"]; }

TEST(CsaUpgrade, FieldsOfUpdates_GoToTheManagerThatApplies) {
  json::Value object =
      With({Entry("old", "Update", R"({"f:a":{}})"), Entry("other", "Update", R"({"f:x":{}})"),
            Entry("new", "Apply", R"({"f:b":{}})"), Entry("older", "Update", R"({"f:c":{}})"),
            Entry("old", "Update", R"({"f:s":{}})", "status")});
  ASSERT_TRUE(UpgradeManagedFields(object, {"old", "older"}, "new"));
  EXPECT_EQ(Fields(object),
            json::Value(json::Array{Entry("other", "Update", R"({"f:x":{}})"),
                                    Entry("new", "Apply", R"({"f:a":{},"f:b":{},"f:c":{}})"),
                                    Entry("old", "Update", R"({"f:s":{}})", "status")}));
}

TEST(CsaUpgrade, WithoutAnApplyEntry_TheFirstOldOneBecomesIt) {
  json::Value object =
      With({Entry("old", "Update", R"({"f:a":{}})"), Entry("older", "Update", R"({"f:b":{}})"),
            Entry("older", "Update", R"({"f:c":{}})", "", "v2")});
  ASSERT_TRUE(UpgradeManagedFields(object, {"old", "older"}, "new"));
  EXPECT_EQ(Fields(object),
            json::Value(json::Array{Entry("new", "Apply", R"({"f:a":{},"f:b":{}})")}))
      << "fields of another version cannot be united";
}

TEST(CsaUpgrade, Subresource_IsUpgradedAlone) {
  json::Value object = With(
      {Entry("old", "Update", R"({"f:a":{}})"), Entry("old", "Update", R"({"f:s":{}})", "status")});
  ASSERT_TRUE(UpgradeManagedFields(object, {"old"}, "new", {.subresource = "status"}));
  EXPECT_EQ(Fields(object),
            json::Value(json::Array{Entry("old", "Update", R"({"f:a":{}})"),
                                    Entry("new", "Apply", R"({"f:s":{}})", "status")}));
}

TEST(CsaUpgrade, Patch_IsGuardedByTheVersion) {
  const json::Value object = With({Entry("old", "Update", R"({"f:a":{}})")});
  const auto patch = UpgradeManagedFieldsPatch(object, {"old"}, "new").OrExit();
  ASSERT_TRUE(patch.has_value());
  EXPECT_EQ(patch->type, PatchType::kJsonPatch);
  json::Value operations = Json(patch->body);
  ASSERT_THAT(operations.items(), SizeIs(2));
  EXPECT_EQ(operations[0]["op"], json::Value("replace"));
  EXPECT_EQ(operations[0]["path"], json::Value("/metadata/managedFields"));
  EXPECT_EQ(operations[0]["value"],
            json::Value(json::Array{Entry("new", "Apply", R"({"f:a":{}})")}));
  EXPECT_EQ(operations[1],
            Json(R"({"op":"replace","path":"/metadata/resourceVersion","value":"7"})"));
}

TEST(CsaUpgrade, WithoutFieldsToHandOver_NothingChanges) {
  json::Value object = With({Entry("old", "Apply", R"({"f:a":{}})")});
  const json::Value before = object;
  ASSERT_TRUE(UpgradeManagedFields(object, {"old"}, "new"));
  EXPECT_EQ(object, before);
  EXPECT_FALSE(UpgradeManagedFieldsPatch(object, {"old"}, "new").OrExit().has_value());
}

TEST(CsaUpgrade, MalformedFields_ChangeNothing) {
  json::Value object =
      With({Entry("old", "Update", R"({"f:a":{}})"), Entry("older", "Update", R"({"b":{}})")});
  const json::Value before = object;
  EXPECT_EQ(UpgradeManagedFields(object, {"old", "older"}, "new").error().reason(),
            Reason::kDecode);
  EXPECT_EQ(object, before);
}

TEST(CsaUpgrade, PatchOfAnObjectWithoutAVersion_IsAMistake) {
  json::Value object = With({Entry("old", "Update", R"({"f:a":{}})")});
  object.Ensure("metadata").Erase("resourceVersion");
  EXPECT_EQ(UpgradeManagedFieldsPatch(object, {"old"}, "new").error().reason(),
            Reason::kInvalidArgument);
}

TEST(CsaUpgrade, FindFieldsOwners_ReturnsEntriesOfTheOperationThatOwnSomeOfTheFields) {
  const json::Array entries = {
      Entry("a", "Update", R"({"f:x":{"f:y":{}}})"), Entry("b", "Apply", R"({"f:x":{"f:y":{}}})"),
      Entry("c", "Update", R"({"f:z":{}})"), Entry("d", "Update", R"({"broken":{}})"),
      Entry("e", "Update", R"({"f:x":{"f:w":{},"f:y":{}}})")};
  const auto fields = managedfields::FieldSet::FromFieldsV1(Json(R"({"f:x":{"f:y":{}}})")).OrExit();
  EXPECT_EQ(FindFieldsOwners(entries, "Update", fields), (json::Array{entries[0], entries[4]}));
}

}  // namespace
}  // namespace kinformer::csaupgrade
