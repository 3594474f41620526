// OpenAPI documents of custom resources, as kube-apiserver 1.37 publishes them.

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr const char* kGadgets = "/apis/stable.example-site.com/v1/namespaces/{namespace}/gadgets";

class OpenApiCustom : public ::testing::Test {
 protected:
  // `spec`: schema of the member.
  void Define(std::string_view spec) {
    ASSERT_TRUE(server_.server()
                    .Load(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.stable.example-site.com}
spec:
  group: stable.example-site.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}
    schema:
      openAPIV3Schema:
        type: object
        description: A gadget.
        properties:
          spec: )" + std::string(spec))
                    .ok());
  }
  json::Value V3() { return server_.Get("/openapi/v3/apis/stable.example-site.com/v1").Json(); }
  json::Value V2() { return server_.Get("/openapi/v2").Json(); }
  // Returns "get:readX put:replaceX" of a path.
  static std::string Ids(const json::Value& item) {
    std::string text;
    for (const char* method : {"get", "put", "post", "delete", "patch"}) {
      const std::string& id = item[method]["operationId"].StringOrEmpty();
      if (!id.empty()) text += (text.empty() ? "" : " ") + std::string(method) + ":" + id;
    }
    return text;
  }
  static std::string Names(const json::Value& list) {
    std::string text;
    for (const json::Value& item : list.items()) {
      text += (text.empty() ? "" : " ") + item["name"].StringOrEmpty();
    }
    return text;
  }
  static std::string Members(const json::Value& object) {
    std::string text;
    for (const auto& [name, member] : object.members()) text += (text.empty() ? "" : " ") + name;
    return text;
  }

  TestServer server_;
};

TEST_F(OpenApiCustom, Operations_HaveTheirIdsAndTags) {
  Define("{type: object}");
  for (const json::Value& paths : {V3()["paths"], V2()["paths"]}) {
    EXPECT_EQ(Ids(paths["/apis/stable.example-site.com/v1/gadgets"]),
              "get:listStableExampleSiteComV1GadgetForAllNamespaces");
    const std::string subject = "StableExampleSiteComV1NamespacedGadget";
    EXPECT_EQ(Ids(paths[kGadgets]),
              "get:list" + subject + " post:create" + subject +
                  " delete:deleteStableExampleSiteComV1CollectionNamespacedGadget");
    const std::string one = std::string(kGadgets) + "/{name}";
    EXPECT_EQ(Ids(paths[one]), "get:read" + subject + " put:replace" + subject + " delete:delete" +
                                   subject + " patch:patch" + subject);
    for (const std::string part : {"Status", "Scale"}) {
      const std::string path = one + (part == "Status" ? "/status" : "/scale");
      EXPECT_EQ(Ids(paths[path]), "get:read" + subject + part + " put:replace" + subject + part +
                                      " patch:patch" + subject + part);
      EXPECT_EQ(paths[path]["get"]["x-kubernetes-group-version-kind"]["kind"].StringOrEmpty(),
                "Gadget");
    }
    EXPECT_EQ(paths[one]["get"]["tags"].Dump(), R"(["stableExampleSiteCom_v1"])");
    EXPECT_EQ(paths[kGadgets]["delete"]["x-kubernetes-action"].StringOrEmpty(), "deletecollection");
  }
}

TEST_F(OpenApiCustom, Parameters_StandAtThePathIfAllOperationsTakeThem) {
  Define("{type: object}");
  const json::Value paths = V3()["paths"];
  const std::string listing =
      "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion "
      "resourceVersionMatch sendInitialEvents shardSelector timeoutSeconds watch";
  const json::Value& all = paths[kGadgets];
  EXPECT_EQ(Names(all["parameters"]), "namespace pretty");
  EXPECT_EQ(Names(all["get"]["parameters"]), listing);
  EXPECT_EQ(Names(all["delete"]["parameters"]), listing);
  EXPECT_EQ(Names(all["post"]["parameters"]), "dryRun fieldManager fieldValidation");
  const json::Value& one = paths[std::string(kGadgets) + "/{name}"];
  EXPECT_EQ(Names(one["parameters"]), "name namespace pretty");
  EXPECT_EQ(Names(one["patch"]["parameters"]), "dryRun fieldManager fieldValidation force");
  EXPECT_EQ(Names(one["delete"]["parameters"]),
            "dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential "
            "orphanDependents propagationPolicy");
  EXPECT_EQ(one["get"]["parameters"].Dump(), R"([{"name":"resourceVersion","in":"query",)"
                                             R"("schema":{"type":"string","uniqueItems":true}}])");
  const json::Value& everywhere = paths["/apis/stable.example-site.com/v1/gadgets"];
  EXPECT_TRUE(everywhere["get"]["parameters"].is_null());
  EXPECT_EQ(everywhere["parameters"].size(), 12U);
}

TEST_F(OpenApiCustom, BodiesAndAnswers_HaveTheirTypes) {
  Define("{type: object}");
  const json::Value paths = V3()["paths"];
  const json::Value& one = paths[std::string(kGadgets) + "/{name}"];
  EXPECT_EQ(Members(paths[kGadgets]["post"]["responses"]), "200 201 202 401");
  EXPECT_EQ(Members(one["put"]["responses"]), "200 201 401");
  EXPECT_EQ(Members(one["delete"]["responses"]), "200 202 401");
  EXPECT_EQ(Members(one["patch"]["requestBody"]["content"]),
            "application/json-patch+json application/merge-patch+json "
            "application/apply-patch+yaml");
  EXPECT_TRUE(one["delete"]["requestBody"]["required"].is_null());
  const auto schema = [](const json::Value& body) {
    return body["content"]["application/yaml"]["schema"]["$ref"].StringOrEmpty();
  };
  const std::string meta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.";
  EXPECT_EQ(schema(one["delete"]["requestBody"]), meta + "DeleteOptions");
  EXPECT_EQ(schema(one["delete"]["responses"]["200"]), meta + "Status");
  EXPECT_EQ(schema(paths[std::string(kGadgets) + "/{name}/scale"]["put"]["requestBody"]),
            "#/components/schemas/io.k8s.api.autoscaling.v1.Scale");
  EXPECT_EQ(schema(paths[kGadgets]["get"]["responses"]["200"]),
            "#/components/schemas/com.example-site.stable.v1.GadgetList");
}

TEST_F(OpenApiCustom, Swagger_HasBodiesAmongTheParameters) {
  Define("{type: object}");
  const json::Value one = V2()["paths"][std::string(kGadgets) + "/{name}"];
  EXPECT_EQ(Names(one["put"]["parameters"]), "body dryRun fieldManager fieldValidation");
  EXPECT_EQ(one["put"]["parameters"][0].Dump(),
            R"({"name":"body","in":"body","required":true,)"
            R"("schema":{"$ref":"#/definitions/com.example-site.stable.v1.Gadget"}})");
  EXPECT_EQ(one["put"]["consumes"].Dump(), R"(["application/json","application/yaml"])");
  EXPECT_EQ(one["put"]["schemes"].Dump(), R"(["https"])");
  EXPECT_EQ(one["put"]["responses"]["201"].Dump(),
            R"({"description":"Created",)"
            R"("schema":{"$ref":"#/definitions/com.example-site.stable.v1.Gadget"}})");
}

TEST_F(OpenApiCustom, Schemas_HaveThePublishedForm) {
  Define(R"(
            type: object
            required: [a, maybe]
            properties:
              a: {type: string, default: x, description: own}
              maybe: {type: string, nullable: true}
              either: {x-kubernetes-int-or-string: true}
              bounded: {x-kubernetes-int-or-string: true, anyOf: [{maximum: 3}, {pattern: x}]}
              free:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties: {b: {type: string}}
              pod:
                type: object
                x-kubernetes-embedded-resource: true
                properties: {spec: {type: object}}
              choice: {type: object, oneOf: [{required: [a]}], properties: {a: {type: string}}}
)");
  struct Row {
    const char* member;
    const char* v3;
    const char* v2;
  };
  const std::string name = "com.example-site.stable.v1.Gadget";
  const json::Value v3 = V3().At("/components/schemas")[name];
  const json::Value v2 = V2()["definitions"][name];
  for (const Row& row : {
           Row{"a", R"({"type":"string","default":"x","description":"own"})",
               R"({"type":"string","description":"own"})"},
           Row{"maybe", R"({"type":"string","nullable":true})", "{}"},
           Row{"either",
               R"({"x-kubernetes-int-or-string":true,)"
               R"("anyOf":[{"type":"integer"},{"type":"string"}]})",
               R"({"x-kubernetes-int-or-string":true})"},
           Row{"bounded",
               R"({"x-kubernetes-int-or-string":true,"anyOf":[{"maximum":3},{"pattern":"x"}],)"
               R"("allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}]})",
               R"({"x-kubernetes-int-or-string":true})"},
           Row{"free",
               R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,)"
               R"("properties":{"b":{"type":"string"}}})",
               R"({"x-kubernetes-preserve-unknown-fields":true})"},
           Row{"pod",
               R"({"type":"object","x-kubernetes-embedded-resource":true,)"
               R"("required":["kind","apiVersion"],"properties":{"apiVersion":{"type":"string"},)"
               R"("kind":{"type":"string"},"spec":{"type":"object"},"metadata":{"allOf":[{"$ref":)"
               R"("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]}}})",
               R"({"type":"object","x-kubernetes-embedded-resource":true,)"
               R"("required":["kind","apiVersion"],"properties":{"apiVersion":{"type":"string"},)"
               R"("kind":{"type":"string"},"spec":{"type":"object"},"metadata":{"$ref":)"
               R"("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}})"},
           Row{"choice",
               R"({"type":"object","oneOf":[{"required":["a"]}],)"
               R"("properties":{"a":{"type":"string"}}})",
               R"({"type":"object","properties":{"a":{"type":"string"}}})"},
       }) {
    const std::string at = std::string("/properties/spec/properties/") + row.member;
    EXPECT_EQ(v3.At(at), Json(row.v3)) << row.member << v3.At(at).Dump();
    EXPECT_EQ(v2.At(at), Json(row.v2)) << row.member << v2.At(at).Dump();
  }
  EXPECT_EQ(v3.At("/properties/spec/required").Dump(), R"(["a","maybe"])");
  EXPECT_EQ(v2.At("/properties/spec/required").Dump(), R"(["a"])");
  EXPECT_EQ(v3["description"].StringOrEmpty(), "A gadget.");
}

TEST_F(OpenApiCustom, Types_HaveTheirDefaultsInVersionThreeOnly) {
  Define("{type: object}");
  const std::string owner = "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference";
  EXPECT_EQ(V3().At("/components/schemas")[owner]["properties"]["uid"].Dump(),
            R"({"type":"string","default":""})");
  EXPECT_EQ(V2()["definitions"][owner]["properties"]["uid"].Dump(), R"({"type":"string"})");
  EXPECT_EQ(V3()["info"]["title"].StringOrEmpty(), "Kubernetes CRD Swagger");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
