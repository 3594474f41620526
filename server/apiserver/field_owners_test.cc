// Owners of fields: metadata.managedFields, and server-side applies by several managers.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/ownership/field_set.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";

class FieldOwnersTest : public ::testing::Test {
 protected:
  Reply Post(const std::string& manager, const std::string& body) {
    return server_.Do("POST", kMaps + ("?fieldManager=" + manager), body);
  }
  // `more`: further parameters, such as "&force=true".
  Reply Apply(const std::string& target, const std::string& manager, const std::string& body,
              const std::string& more = {}) {
    return server_.Do("PATCH", target + "?fieldManager=" + manager + more, body,
                      {{"Content-Type", "application/apply-patch+yaml"}});
  }
  Reply ApplyMap(const std::string& manager, const std::string& content,
                 const std::string& more = {}) {
    return Apply(std::string(kMaps) + "/a", manager,
                 "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, " + content + "}", more);
  }
  Reply Merge(const std::string& target, const std::string& manager, const std::string& body) {
    return server_.Do("PATCH", target + "?fieldManager=" + manager, body,
                      {{"Content-Type", "application/merge-patch+json"}});
  }
  // Returns `manager Operation fields` for each owner.
  std::vector<std::string> Owners(const std::string& target = std::string(kMaps) + "/a") {
    return OwnersIn(server_.Get(target).Json());
  }
  static std::vector<std::string> OwnersIn(const json::Value& object) {
    std::vector<std::string> out;
    for (const json::Value& entry : object.At("/metadata/managedFields").items()) {
      const std::string& part = entry["subresource"].StringOrEmpty();
      EXPECT_EQ(entry["fieldsType"].StringOrEmpty(), "FieldsV1");
      EXPECT_FALSE(entry["time"].StringOrEmpty().empty());
      out.push_back(entry["manager"].StringOrEmpty() + (part.empty() ? "" : "/" + part) + " " +
                    entry["operation"].StringOrEmpty() + " " + entry["fieldsV1"].Dump());
    }
    return out;
  }
  json::Value Data() { return server_.Get(std::string(kMaps) + "/a").Json()["data"]; }

  TestServer server_{{.field_owners = true}};
};

TEST_F(FieldOwnersTest, ACreatorOwnsWhatItSends_FK_05) {
  const Reply made =
      Post("creator", R"({"metadata":{"name":"a","labels":{"l":"m"}},"data":{"k":"v"}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(OwnersIn(made.Json()),
              ElementsAre(R"(creator Update {"f:data":{".":{},"f:k":{}},)"
                          R"("f:metadata":{"f:labels":{".":{},"f:l":{}}}})"));
  EXPECT_EQ(made.Json().At("/metadata/managedFields/0/apiVersion").StringOrEmpty(), "v1");
}

TEST_F(FieldOwnersTest, AManagerWithoutANameIsTheProgram) {
  ASSERT_EQ(server_
                .Do("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})",
                    {{"User-Agent", "kubectl/v1.32 (linux)"}})
                .status,
            201);
  EXPECT_THAT(Owners(), ElementsAre(R"(kubectl Update {"f:data":{".":{},"f:k":{}}})"));
}

TEST_F(FieldOwnersTest, AServerThatDoesNotTrackOwnersAddsNone) {
  TestServer server;
  const Reply made = server.Do("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  EXPECT_TRUE(made.Json().At("/metadata/managedFields").is_null());
}

TEST_F(FieldOwnersTest, AnUpdateTakesChangedFieldsFromTheirOwners_FK_05) {
  Post("one", R"({"metadata":{"name":"a"},"data":{"k":"1","l":"1"}})");
  ASSERT_EQ(Merge(std::string(kMaps) + "/a", "two", R"({"data":{"k":"2","m":"2"}})").status, 200);
  EXPECT_THAT(Owners(), ElementsAre(R"(one Update {"f:data":{".":{},"f:l":{}}})",
                                    R"(two Update {"f:data":{"f:k":{},"f:m":{}}})"));
  ASSERT_EQ(Merge(std::string(kMaps) + "/a", "two", R"({"data":{"l":null}})").status, 200);
  EXPECT_THAT(Owners(), ElementsAre(R"(one Update {"f:data":{}})",
                                    R"(two Update {"f:data":{"f:k":{},"f:m":{}}})"));
}

TEST_F(FieldOwnersTest, AnUpdateThatChangesNothingHasNoOwnerAndNoVersion) {
  const Reply made = Post("one", R"({"metadata":{"name":"a"},"data":{"k":"1"}})");
  const Reply same = Merge(std::string(kMaps) + "/a", "two", R"({"data":{"k":"1"}})");
  EXPECT_EQ(same.Json().At("/metadata/resourceVersion"),
            made.Json().At("/metadata/resourceVersion"));
  EXPECT_EQ(Owners().size(), 1U);
}

TEST_F(FieldOwnersTest, AnApplyOwnsWhatItDeclares_AndTheSameAgainChangesNothing_FK_05) {
  const Reply made = ApplyMap("one", "data: {k: v}");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(Owners(), ElementsAre(R"(one Apply {"f:data":{"f:k":{}}})"));
  server_.sim().RunFor(std::chrono::minutes(1));
  const Reply again = ApplyMap("one", "data: {k: v}");
  ASSERT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(again.Json().At("/metadata/resourceVersion"),
            made.Json().At("/metadata/resourceVersion"));
}

TEST_F(FieldOwnersTest, AnApplyConflictsWithTheOwnersOfFieldsThatItChanges_FK_05) {
  ASSERT_EQ(ApplyMap("one", "data: {k: v, l: v}").status, 201);
  const Reply one = ApplyMap("two", "data: {k: w, l: v}");
  EXPECT_EQ(one.status, 409);
  json::Value status = one.Json();
  EXPECT_EQ(status["reason"].StringOrEmpty(), "Conflict");
  EXPECT_EQ(status["message"].StringOrEmpty(),
            "Apply failed with 1 conflict: conflict with \"one\": .data.k");
  EXPECT_EQ(status.At("/details/causes"),
            Json(R"([{"reason":"FieldManagerConflict","message":"conflict with \"one\"",)"
                 R"("field":".data.k"}])"));
  Merge(std::string(kMaps) + "/a", "three", R"({"data":{"l":"x"}})");
  const Reply both = ApplyMap("two", "data: {k: w, l: w}");
  EXPECT_EQ(both.status, 409);
  EXPECT_EQ(both.Json()["message"].StringOrEmpty(),
            "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.k\n"
            "conflicts with \"three\" using v1:\n- .data.l");
  EXPECT_EQ(Data(), Json(R"({"k":"v","l":"x"})"));
}

TEST_F(FieldOwnersTest, AForcedApplyTakesTheFields_FK_05) {
  ASSERT_EQ(ApplyMap("one", "data: {k: v, l: v}").status, 201);
  ASSERT_EQ(ApplyMap("two", "data: {k: w}", "&force=true").status, 200);
  EXPECT_EQ(Data(), Json(R"({"k":"w","l":"v"})"));
  EXPECT_THAT(Owners(), ElementsAre(R"(one Apply {"f:data":{"f:l":{}}})",
                                    R"(two Apply {"f:data":{"f:k":{}}})"));
}

TEST_F(FieldOwnersTest, AFieldGoesWithTheLastManagerThatAppliesIt_FK_05) {
  ASSERT_EQ(ApplyMap("one", "data: {k: v, l: v}").status, 201);
  ASSERT_EQ(ApplyMap("two", "data: {k: v}").status, 200);
  ASSERT_EQ(ApplyMap("one", "data: {m: v}").status, 200);
  EXPECT_EQ(Data(), Json(R"({"k":"v","m":"v"})")) << "the other one still applies k";
  ASSERT_EQ(ApplyMap("two", "immutable: false").status, 200);
  EXPECT_EQ(Data(), Json(R"({"m":"v"})"));
  ASSERT_EQ(ApplyMap("one", "immutable: false").status, 200);
  EXPECT_TRUE(Data().is_null());
}

TEST_F(FieldOwnersTest, AnApplyWithoutAKindIsRefused_FK_05) {
  const Reply reply = Apply(std::string(kMaps) + "/a", "one", "{data: {k: v}}");
  EXPECT_EQ(reply.status, 400) << reply.body;
  EXPECT_EQ(server_.Get(std::string(kMaps) + "/a").status, 404);
}

TEST_F(FieldOwnersTest, AnObjectWithoutOwnersHasThemFromItsFirstApplyOn_FK_05) {
  server_.MakeConfigMap("default", "a");
  ASSERT_EQ(Merge(std::string(kMaps) + "/a", "one", R"({"data":{"k":"1"}})").status, 200);
  EXPECT_THAT(Owners(), IsEmpty());
  EXPECT_EQ(ApplyMap("two", "data: {k: w}").status, 409);
  ASSERT_EQ(ApplyMap("two", "data: {k: w, l: w}", "&force=true").status, 200);
  const std::vector<std::string> owners = Owners();
  ASSERT_EQ(owners.size(), 2U);
  EXPECT_EQ(owners[0], R"(two Apply {"f:data":{"f:k":{},"f:l":{}}})");
  EXPECT_EQ(owners[1].substr(0, 26), "before-first-apply Update ");
}

TEST_F(FieldOwnersTest, ATerminatingObjectWithoutOwners_HasItsTimeBeforeTheFirstApply) {
  ASSERT_EQ(ApplyMap("one", "data: {k: v}").status, 201);
  ASSERT_EQ(Merge(std::string(kMaps) + "/a", "two",
                  R"({"metadata":{"finalizers":["x.io/f"],"managedFields":[]}})")
                .status,
            200);
  ASSERT_EQ(server_.Do("DELETE", std::string(kMaps) + "/a").status, 200);
  ASSERT_EQ(ApplyMap("one", "data: {k: v}").status, 200);
  EXPECT_NE(Owners()[1].find(R"("f:deletionTimestamp":{})"), std::string::npos) << Owners()[1];
}

TEST_F(FieldOwnersTest, AnEmptyListForgetsAllOwners_FK_05) {
  for (const char* none : {"[]", "[{}]"}) {
    ASSERT_EQ(ApplyMap("one", "data: {k: v}", "&force=true").status / 100, 2);
    ASSERT_EQ(Merge(std::string(kMaps) + "/a", "two",
                    R"({"metadata":{"managedFields":)" + std::string(none) + "}}")
                  .status,
              200);
    EXPECT_THAT(Owners(), IsEmpty()) << none;
  }
}

// ---- Lists

std::string DeploymentWith(const std::string& containers) {
  return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: "
         "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [" +
         containers + "]}}}}";
}

TEST_F(FieldOwnersTest, ElementsOfListsAreOwnedByTheirKeys_FK_05) {
  const std::string place = kDeployments + "/d";
  const Reply made = Apply(place, "one",
                           DeploymentWith("{name: x, image: i, ports: [{containerPort: 80}]}, "
                                          "{name: x2, image: i}"));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(
      Owners(place),
      ElementsAre(
          R"(one Apply {"f:spec":{"f:selector":{},"f:template":{"f:metadata":{"f:labels":)"
          R"({"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"x\"}":{".":{},"f:image":{},)"
          R"("f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
          R"("f:containerPort":{}}}},"k:{\"name\":\"x2\"}":{".":{},"f:image":{},)"
          R"("f:name":{}}}}}}})"));
  ASSERT_EQ(Apply(place, "two",
                  "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: "
                  "{spec: {containers: [{name: z, image: i}]}}}}")
                .status,
            200);
  const Reply conflict = Apply(place, "two",
                               "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
                               "{template: {spec: {containers: [{name: x, image: j}]}}}}");
  EXPECT_EQ(conflict.Json()["message"].StringOrEmpty(),
            "Apply failed with 1 conflict: conflict with \"one\": "
            ".spec.template.spec.containers[name=\"x\"].image");
  const Reply less = Apply(place, "one", DeploymentWith("{name: x, image: i}"));
  ASSERT_EQ(less.status, 200) << less.body;
  const json::Value left = less.Json();
  std::vector<std::string> names;
  for (const json::Value& container : left.At("/spec/template/spec/containers").items()) {
    names.push_back(container["name"].StringOrEmpty());
  }
  EXPECT_THAT(names, ElementsAre("x", "z")) << "x2 went with its owner: " << less.body;
  EXPECT_TRUE(left.At("/spec/template/spec/containers/0/ports").is_null());
}

TEST_F(FieldOwnersTest, TheStatusHasOwnersOfItsOwn_FK_05) {
  const std::string place = kDeployments + "/d";
  ASSERT_EQ(Apply(place, "one", DeploymentWith("{name: x, image: i}")).status, 201);
  ASSERT_EQ(Merge(place + "/status", "controller", R"({"status":{"replicas":1}})").status, 200);
  const std::vector<std::string> owners = Owners(place);
  ASSERT_EQ(owners.size(), 2U);
  EXPECT_EQ(owners[1], R"(controller/status Update {"f:status":{"f:replicas":{}}})");
}

TEST_F(FieldOwnersTest, ACustomResourcesListsFollowItsSchema_FK_05) {
  server_.server()
      .Load(R"({apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
        metadata: {name: stars.x.io}, spec: {group: x.io, scope: Namespaced,
        names: {plural: stars, singular: star, kind: Star},
        versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object,
        properties: {spec: {type: object, properties: {
        whole: {type: array, items: {type: string}},
        keyed: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id],
        items: {type: object, required: [id],
        properties: {id: {type: string}, size: {type: integer}}}}}}}}}}]}})")
      .OrExit();
  const std::string place = "/apis/x.io/v1/namespaces/default/stars/s";
  const auto star = [](const std::string& spec) {
    return "{apiVersion: x.io/v1, kind: Star, metadata: {name: s}, spec: " + spec + "}";
  };
  ASSERT_EQ(Apply(place, "one", star("{whole: [a], keyed: [{id: k, size: 1}, {id: l}]}")).status,
            201);
  EXPECT_THAT(Owners(place),
              ElementsAre(R"(one Apply {"f:spec":{"f:keyed":{"k:{\"id\":\"k\"}":{".":{},)"
                          R"("f:id":{},"f:size":{}},"k:{\"id\":\"l\"}":{".":{},"f:id":{}}},)"
                          R"("f:whole":{}}})"));
  ASSERT_EQ(Apply(place, "two", star("{keyed: [{id: m}]}")).status, 200);
  EXPECT_EQ(Apply(place, "two", star("{whole: [b]}")).status, 409);
  const Reply less = Apply(place, "one", star("{keyed: [{id: k}]}"));
  ASSERT_EQ(less.status, 200) << less.body;
  EXPECT_EQ(less.Json()["spec"], Json(R"({"keyed":[{"id":"k"},{"id":"m"}]})"));
}

TEST_F(FieldOwnersTest, ElementsWithOneKey_HaveOneOwner) {
  const std::string place = kDeployments + "/d";
  const std::string env =
      "{name: x, image: i, env: [{name: A, value: '1'}, {name: A, value: '2'}]}";
  const Reply made = server_.Do("POST", kDeployments + "?fieldManager=one", DeploymentWith(env),
                                {{"Content-Type", "application/yaml"}});
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_NE(Owners(place)[0].find(R"("f:env":{".":{},"k:{\"name\":\"A\"}":{}})"), std::string::npos)
      << Owners(place)[0];
  // An apply declares each once, and names what it would take.
  const std::string mine = DeploymentWith("{name: x, env: [{name: A, value: '3'}]}");
  const Reply conflict = Apply(place, "two", mine);
  EXPECT_NE(conflict.body.find(".spec.template.spec.containers[name=\\\"x\\\"].env[name="),
            std::string::npos)
      << conflict.body;
  ASSERT_EQ(Apply(place, "two", mine, "&force=true").status, 200);
  EXPECT_EQ(server_.Get(place).Json().At("/spec/template/spec/containers/0/env"),
            Json(R"([{"name":"A","value":"3"}])"));
}

TEST_F(FieldOwnersTest, AnApplyWhoseListsAreWrong_NamesAllFaults) {
  const Reply refused = Apply(kDeployments + "/d", "one",
                              DeploymentWith("{name: x, env: [{name: A}, {name: A}], ports: "
                                             "[{containerPort: 1}, {containerPort: 1}]}"));
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
            "failed to create typed patch object (/d; apps/v1, Kind=Deployment): errors:\n"
            "  .spec.template.spec.containers[name=\"x\"].env: duplicate entries for key "
            "[name=\"A\"]\n"
            "  .spec.template.spec.containers[name=\"x\"].ports: duplicate entries for key "
            "[containerPort=1,protocol=\"TCP\"]");
}

TEST_F(FieldOwnersTest, FieldsOfAServiceThatTheServerDrops_KeepTheirOwners) {
  const std::string services = "/api/v1/namespaces/default/services";
  const Reply made = server_.Do(
      "POST", services + "?fieldManager=one",
      R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local",)"
      R"("ports":[{"port":1}]}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const Reply changed = Merge(services + "/s", "two", R"({"spec":{"type":"ClusterIP"}})");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_TRUE(changed.Json().At("/spec/externalTrafficPolicy").is_null());
  EXPECT_NE(Owners(services + "/s")[0].find(R"("f:externalTrafficPolicy":{})"), std::string::npos)
      << Owners(services + "/s")[0];
}

TEST_F(FieldOwnersTest, EntriesInVersionsThatTheKindDoesNotHave_AreForgotten) {
  Post("one", R"({"metadata":{"name":"a"},"data":{"k":"1"}})");
  const auto entry = [](const std::string& manager, const std::string& version) {
    return R"({"manager":")" + manager + R"(","operation":"Update","apiVersion":")" + version +
           R"(","time":"2026-11-30T00:00:00Z","fieldsType":"FieldsV1",)"
           R"("fieldsV1":{"f:data":{"f:k":{}}}})";
  };
  ASSERT_EQ(Merge(std::string(kMaps) + "/a", "two",
                  R"({"metadata":{"managedFields":[)" + entry("now", "v1") + "," +
                      entry("former", "v1beta9") + "]}}")
                .status,
            200);
  EXPECT_THAT(Owners(), ElementsAre(R"(now Update {"f:data":{"f:k":{}}})"));
}

// ---- FieldSet

TEST(FieldSetTest, AFieldSetIsReadAndWrittenAsFieldsV1) {
  const json::Value text =
      Json(R"({"f:data":{".":{},"f:k":{}},"f:list":{"k:{\"id\":1,\"name\":\"x\"}":{"f:y":{}},)"
           R"("v:\"z\"":{}}})");
  const FieldSet set = FieldSet::FromJson(text);
  EXPECT_EQ(set.ToJson(), text);
  EXPECT_THAT(set.Paths(),
              ElementsAre(".data", ".data.k", ".list[=\"z\"]", ".list[id=1,name=\"x\"].y"));
  EXPECT_TRUE(FieldSet::FromJson(Json("{}")).empty());
}

TEST(FieldSetTest, SetsAreAddedSubtractedAndCompared) {
  const auto set = [](const char* text) { return FieldSet::FromJson(Json(text)); };
  FieldSet a = set(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})");
  const FieldSet b = set(R"({"f:a":{"f:b":{}},"f:d":{}})");
  EXPECT_EQ(a.Common(b), set(R"({"f:a":{"f:b":{}}})"));
  a.Subtract(b);
  EXPECT_EQ(a, set(R"({"f:a":{},"f:c":{}})"));
  a.Add(b);
  EXPECT_EQ(a, set(R"({"f:a":{".":{},"f:b":{}},"f:c":{},"f:d":{}})"));
}

// An apply is not read by the schema: its nulls stay, and its unknown fields count as a change.
TEST_F(FieldOwnersTest, AnApplyOfACustomResource_IsNotReadByItsSchema) {
  ASSERT_TRUE(server_.server()
                  .Load(R"({apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
        metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced,
        names: {plural: widgets, kind: Widget}, versions: [{name: v1, served: true, storage: true,
        schema: {openAPIV3Schema: {type: object, properties: {count: {type: integer},
          d: {type: integer, default: 3}, spec: {type: object, properties: {}}}}}}]}})")
                  .ok());
  const std::string widget = "/apis/example.com/v1/namespaces/default/widgets/a";
  const auto apply = [&](const std::string& fields) {
    return Apply(widget, "m",
                 "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, " + fields + "}");
  };
  const Reply refused = apply("count: null, spec: {}");
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_NE(refused.body.find("count in body must be of type integer"), std::string::npos)
      << refused.body;
  const Reply made = apply("d: null, spec: {}");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Json()["d"], 3);
  EXPECT_EQ(apply("d: null, spec: {}").Json().At("/metadata/generation"), 1);
  for (const int generation : {2, 3}) {
    const Reply changed = apply("spec: {unknown: []}");
    EXPECT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(changed.Json().At("/metadata/generation"), generation);
    EXPECT_TRUE(changed.Json().At("/spec/unknown").is_null());
  }
  // An update is read by it.
  const Reply merged = Merge(widget, "m", R"({"count":null,"spec":{"unknown":1}})");
  EXPECT_EQ(merged.status, 200) << merged.body;
  EXPECT_EQ(merged.Json().At("/metadata/generation"), 3);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
