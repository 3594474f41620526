// Decoding of server-side apply: its errors in the words of a real server, and its warnings.

#include "apiserver/write/request/apply_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ApplyPatchTest : public ::testing::Test {
 protected:
  ResourceAt At(std::string_view group, std::string_view plural) {
    return table_.Find(group, "v1", plural);
  }
  // Returns "code message", or "" if the patch is taken.
  std::string Decode(const ResourceAt& at, std::string_view body, std::string_view mode = "Warn") {
    const auto patch = DecodeApplyPatch(at, body, mode);
    if (patch) {
      warnings_ = patch->warnings;
      object_ = patch->object;
      return "";
    }
    return std::to_string(patch.error().http_status()) + " " + patch.error().message();
  }

  ResourceTable table_{HistoryLimits{}};
  std::vector<std::string> warnings_;
  json::Value object_;
};

TEST_F(ApplyPatchTest, Body_MustBeAnObjectOfTheKind) {
  struct Row {
    std::string_view body;
    std::string_view result;
  };
  const std::vector<Row> rows = {
      {R"({"apiVersion":"v1","kind":"Pod"})", ""},
      {"apiVersion: v1\nkind: Pod\n", ""},
      {"- a\n", "400 error decoding YAML: it is not an object"},
      {"[]", "400 error decoding YAML: it is not an object"},
      {"", "400 error decoding YAML: it is not an object"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[]}})",
       "400 metadata.managedFields must be nil"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":null}})", ""},
      {R"({"apiVersion":"v1","kind":"Node"})", "400 invalid object type: /v1, Kind=Node"},
      {R"({"apiVersion":"apps/v1","kind":"Pod"})", "400 invalid object type: apps/v1, Kind=Pod"},
      {R"({"apiVersion":"v1"})", "400 invalid object type: /v1, Kind="},
      {R"({"kind":"Pod"})", "400 invalid object type: /, Kind=Pod"},
  };
  for (const Row& row : rows) EXPECT_EQ(Decode(At("", "pods"), row.body), row.result) << row.body;
  EXPECT_THAT(Decode(At("", "pods"), "a: [\n"), ::testing::StartsWith("400 error decoding YAML: "));
  EXPECT_EQ(Decode(At("", "pods"), "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"), "");
  EXPECT_EQ(object_.At("/metadata/name").StringOrEmpty(), "x");
}

TEST_F(ApplyPatchTest, UnknownFields_AreNamedByTheirPlaceInEveryMode) {
  struct Row {
    std::string_view spec;
    std::string_view problems;
  };
  const std::string begin = "500 failed to create typed patch object (ns/p; /v1, Kind=Pod): ";
  const std::vector<Row> rows = {
      {R"({"containers":[{"name":"c","imge":"i"}]})",
       ".spec.containers[name=\"c\"].imge: field not declared in schema"},
      {R"({"containers":[{"name":"c"},{"name":"d","ports":[{"prt":1}]}]})",
       ".spec.containers[name=\"d\"].ports[0].prt: field not declared in schema"},
      {R"({"containers":[{"name":"c"},{"name":"d","env":[{"name":"e","vlue":"1"}]}]})",
       ".spec.containers[name=\"d\"].env[name=\"e\"].vlue: field not declared in schema"},
      {R"({"zz":1,"aa":2})",
       "errors:\n  .spec.aa: field not declared in schema"
       "\n  .spec.zz: field not declared in schema"},
      {R"({"zz":1,"containers":[{"name":"c","b":1}],"aa":{}})",
       "errors:\n  .spec.aa: field not declared in schema"
       "\n  .spec.containers[name=\"c\"].b: field not declared in schema"
       "\n  .spec.zz: field not declared in schema"},
  };
  for (const Row& row : rows) {
    for (const char* mode : {"Ignore", "Warn", "Strict"}) {
      EXPECT_EQ(
          Decode(At("", "pods"),
                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"},)"
                 R"("spec":)" +
                     std::string(row.spec) + "}",
                 mode),
          begin + std::string(row.problems))
          << mode;
    }
  }
  EXPECT_EQ(
      Decode(At("apps", "deployments"), R"({"apiVersion":"apps/v1","kind":"Deployment","a[b":1})"),
      "500 failed to create typed patch object (/; apps/v1, Kind=Deployment): .a[b: field not "
      "declared in schema");
  EXPECT_EQ(
      Decode(At("apps", "deployments"), R"({"apiVersion":"apps/v1","kind":"Deployment","nope":1})"),
      "500 failed to create typed patch object (/; apps/v1, Kind=Deployment): .nope: field "
      "not declared in schema");
}

TEST_F(ApplyPatchTest, WrongType_IsAnErrorToo) {
  const std::string error = Decode(
      At("", "pods"), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":7})");
  EXPECT_THAT(error, ::testing::StartsWith(
                         "500 failed to create typed patch object (/p; /v1, Kind=Pod): "));
  EXPECT_THAT(error, ::testing::HasSubstr("spec"));
  EXPECT_THAT(error, ::testing::Not(::testing::HasSubstr("errors:")));
}

TEST_F(ApplyPatchTest, RepeatedMembers_WarnOrAreRefused) {
  const std::string line =
      R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"},"data":{"b":"3"}})";
  const std::string lines =
      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\n\"data\":{\"a\":\"1\",\"a\":\"2\"}}";
  const std::string yaml = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: '1'\n  a: '2'\n";
  const ResourceAt maps = At("", "configmaps");
  EXPECT_EQ(Decode(maps, line, "Warn"), "");
  EXPECT_THAT(warnings_, ElementsAre("line 1: key \"a\" already set in map",
                                     "line 1: key \"data\" already set in map"));
  EXPECT_EQ(Decode(maps, lines, "Warn"), "");
  EXPECT_THAT(warnings_, ElementsAre("key \"a\" already set in map"));
  EXPECT_EQ(object_.At("/data/a").StringOrEmpty(), "2") << "the last one counts";
  EXPECT_EQ(Decode(maps, yaml, "Warn"), "");
  EXPECT_THAT(warnings_, ElementsAre("line 5: key \"a\" already set in map"));
  for (const std::string& body : {line, lines, yaml}) {
    EXPECT_EQ(Decode(maps, body, "Ignore"), "");
    EXPECT_THAT(warnings_, IsEmpty());
  }
  EXPECT_EQ(Decode(maps, line, "Strict"),
            "400 error strict decoding patch: error converting YAML to JSON: yaml: unmarshal "
            "errors:\n  line 1: key \"a\" already set in map\n  line 1: key \"data\" already set "
            "in map");
  EXPECT_EQ(Decode(maps, yaml, "Strict"),
            "400 error strict decoding patch: error converting YAML to JSON: yaml: unmarshal "
            "errors:\n  line 5: key \"a\" already set in map");
  EXPECT_EQ(Decode(maps, R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}})", "Strict"),
            "");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ApplyPatchTest, Create_NeedsTheNameAndPlaceOfTheUrlAndNoUid) {
  struct Row {
    std::string_view metadata;
    bool namespaced;
    std::string_view result;
  };
  const std::vector<Row> rows = {
      {R"({"name":"a","namespace":"ns"})", true, ""},
      {R"({"name":"a","namespace":"far"})", false, ""},
      {R"({"name":"a","uid":""})", true, ""},
      {R"({"name":"a","uid":"u"})", true,
       "409 Operation cannot be fulfilled on configmaps \"a\": uid mismatch: the provided object "
       "specified uid u, and no existing object was found"},
      {R"({"name":"b"})", true, "400"},
      {R"({"name":"a","namespace":"far"})", true, "400"},
  };
  for (const Row& row : rows) {
    const ResourceAt at = At("", row.namespaced ? "configmaps" : "namespaces");
    const auto fit = CheckAppliedCreate(
        at, json::Value::MakeObject({{"metadata", Json(row.metadata)}}), "ns", "a");
    const std::string text =
        fit ? "" : std::to_string(fit.error().http_status()) + " " + fit.error().message();
    EXPECT_EQ(text.substr(0, row.result == "400" ? 3 : text.size()), row.result) << row.metadata;
  }
}

// Custom kinds have lists without keys, so that elements are named by their index.
TEST_F(ApplyPatchTest, UnknownFieldOfACustomKind_IsNamedByIndex) {
  TestServer server;
  ASSERT_TRUE(server.server()
                  .Load(R"({"apiVersion":"apiextensions.k8s.io/v1",
    "kind":"CustomResourceDefinition","metadata":{"name":"things.x.io"},"spec":{"group":"x.io",
    "scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[{"name":"v1",
    "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":
    {"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}
    }}}}}}]}})")
                  .ok());
  server.sim().RunReady();
  const Reply reply = server.Do("PATCH", "/apis/x.io/v1/namespaces/default/things/t?fieldManager=m",
                                R"({"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":"t"},)"
                                R"("items":[{"name":"a"},{"name":"b","nme":1}]})",
                                {{"Content-Type", "application/apply-patch+yaml"}});
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.Json()["message"].StringOrEmpty(),
            "failed to create typed patch object (/t; x.io/v1, Kind=Thing): .items[1].nme: field "
            "not declared in schema");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
