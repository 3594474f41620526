// OpenAPI documents: paths, operations, parameters, and the schemas of fields.

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

// Returns "name:in " or "name:type " of each parameter.
std::string Parameters(const json::Value& of, bool types) {
  std::string text;
  for (const json::Value& parameter : of["parameters"].items()) {
    text += parameter["name"].StringOrEmpty() + ":" +
            (types ? parameter.At("/schema/type") : parameter["in"]).StringOrEmpty() + " ";
  }
  return text;
}

TEST(OpenApiPaths, Parameters_AreThoseOfThePath) {
  TestServer server;
  const json::Value paths = server.Get("/openapi/v3/api/v1").Json()["paths"];
  struct Row {
    std::string_view path;
    std::string_view parameters;
  };
  for (const Row& row : {
           Row{"/api/v1/namespaces/{namespace}/pods/{name}", "name:path namespace:path "},
           Row{"/api/v1/namespaces/{namespace}/pods/{name}/status", "name:path namespace:path "},
           Row{"/api/v1/namespaces/{namespace}/pods", "namespace:path "},
           Row{"/api/v1/pods", ""},
           Row{"/api/v1/nodes/{name}", "name:path "},
           Row{"/api/v1/nodes", ""},
       }) {
    EXPECT_TRUE(paths.contains(row.path)) << row.path;
    EXPECT_EQ(Parameters(paths[row.path], false), row.parameters) << row.path;
  }
}

TEST(OpenApiPaths, Operations_HaveTheirActionsAndParameters) {
  TestServer server;
  const json::Value paths = server.Get("/openapi/v3/api/v1").Json()["paths"];
  const std::string writing = "dryRun:string fieldManager:string fieldValidation:string ";
  const std::string deleting =
      "dryRun:string gracePeriodSeconds:integer orphanDependents:boolean "
      "propagationPolicy:string ";
  const std::string listing =
      "allowWatchBookmarks:boolean continue:string fieldSelector:string labelSelector:string "
      "limit:integer resourceVersion:string resourceVersionMatch:string "
      "sendInitialEvents:boolean shardSelector:string timeoutSeconds:integer watch:boolean ";
  const std::string all = "/api/v1/namespaces/{namespace}/configmaps";
  const std::string one = all + "/{name}";
  struct Row {
    std::string path;
    std::string_view method;
    std::string_view action;
    std::string parameters;
  };
  for (const Row& row : {
           Row{"/api/v1/configmaps", "get", "list", listing},
           Row{all, "get", "list", listing},
           Row{all, "post", "post", writing},
           Row{all, "delete", "deletecollection", deleting},
           Row{one, "get", "get", ""},
           Row{one, "put", "put", writing},
           Row{one, "patch", "patch", writing + "force:boolean "},
           Row{one, "delete", "delete", deleting},
       }) {
    const json::Value& operation = paths[row.path][row.method];
    EXPECT_EQ(operation["x-kubernetes-action"].StringOrEmpty(), row.action) << row.path;
    EXPECT_EQ(Parameters(operation, true), row.parameters) << row.path << row.method;
    EXPECT_EQ(operation["x-kubernetes-group-version-kind"].Dump(),
              R"({"group":"","version":"v1","kind":"ConfigMap"})");
    EXPECT_EQ(operation.At("/responses/200/description").StringOrEmpty(), "OK");
  }
  EXPECT_FALSE(paths["/api/v1/configmaps"].contains("post"));
  EXPECT_FALSE(paths[one].contains("post"));
}

// Returns the names of an object's members, in order.
std::string Names(const json::Value& object) {
  std::string text;
  for (const auto& [name, member] : object.members()) {
    if (name != "parameters") text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

TEST(OpenApiPaths, Methods_AreThoseOfTheVerbs) {
  TestServer server;
  const json::Value paths = server.Get("/openapi/v3/api/v1").Json()["paths"];
  const std::string namespaced = "/api/v1/namespaces/{namespace}/";
  struct Row {
    std::string path;
    std::string_view methods;  // empty: there is no such path
  };
  for (const Row& row : {
           Row{"/api/v1/pods", "get"},
           Row{namespaced + "pods", "get post delete"},
           Row{namespaced + "pods/{name}", "get put delete patch"},
           Row{namespaced + "pods/{name}/status", "get put patch"},
           Row{namespaced + "pods/{name}/ephemeralcontainers", "get put patch"},
           Row{namespaced + "pods/{name}/log", "get"},
           Row{namespaced + "pods/{name}/eviction", "post"},
           Row{namespaced + "serviceaccounts/{name}/token", "post"},
           Row{"/api/v1/namespaces/{name}/finalize", "put"},
           Row{"/api/v1/nodes", "get post delete"},
           Row{"/api/v1/namespaces", "get post"},
           Row{"/api/v1/namespaces/{name}", "get put delete patch"},
           Row{"/api/v1/componentstatuses", "get"},
           Row{"/api/v1/componentstatuses/{name}", "get"},
           Row{namespaced + "bindings", "post"},
           Row{namespaced + "bindings/{name}", ""},
           Row{"/api/v1/bindings", ""},
           Row{namespaced + "nodes", ""},
       }) {
    EXPECT_EQ(Names(paths[row.path]), row.methods) << row.path;
    EXPECT_EQ(paths.contains(row.path), !row.methods.empty()) << row.path;
  }
  EXPECT_EQ(paths.At("/~1api~1v1~1pods/get/x-kubernetes-action"), json::Value("list"));
}

TEST(OpenApiPaths, Bodies_HaveTheTypesOfTheResource) {
  TestServer server;
  ASSERT_TRUE(server.server()
                  .Load(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object}}
    subresources: {status: {}}
)")
                  .ok());
  const json::Value core = server.Get("/openapi/v3/api/v1").Json();
  const json::Value custom = server.Get("/openapi/v3/apis/example.com/v2").Json();
  const json::Value& pod = core["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"];
  const json::Value& widget = custom["paths"]["/apis/example.com/v2/widgets/{name}"];
  EXPECT_EQ(Names(pod.At("/get/responses/200/content")),
            "application/json application/vnd.kubernetes.protobuf application/yaml");
  EXPECT_EQ(Names(widget.At("/get/responses/200/content")), "application/json application/yaml");
  constexpr std::string_view kPatches =
      "application/apply-patch+yaml application/json-patch+json application/merge-patch+json";
  EXPECT_EQ(Names(pod.At("/patch/requestBody/content")),
            std::string(kPatches) + " application/strategic-merge-patch+json");
  constexpr char kPod[] = R"({"schema":{"$ref":"#/components/schemas/io.k8s.api.core.v1.Pod"}})";
  EXPECT_EQ(pod["put"]["requestBody"].Dump(),
            R"({"content":{"*/*":)" + std::string(kPod) + R"(},"required":true})");
  EXPECT_EQ(pod["get"]["responses"]["200"]["content"]["application/json"].Dump(), kPod);
  EXPECT_EQ(pod["delete"]["responses"]["200"]["content"]["application/json"].Dump(),
            R"({"schema":{"type":"object"}})");
  EXPECT_EQ(core["paths"]["/api/v1/pods"]["get"]["responses"]["200"]["content"]["application/json"]
                .Dump(),
            R"({"schema":{"$ref":"#/components/schemas/io.k8s.api.core.v1.PodList"}})");
  // A subresource belongs to one version.
  EXPECT_TRUE(custom["paths"].contains("/apis/example.com/v2/widgets/{name}/status"));
  const json::Value first = server.Get("/openapi/v3/apis/example.com/v1").Json();
  EXPECT_TRUE(first["paths"].contains("/apis/example.com/v1/widgets/{name}"));
  EXPECT_FALSE(first["paths"].contains("/apis/example.com/v1/widgets/{name}/status"));
}

TEST(OpenApiPaths, KindsOfSubresources_AreThoseOfTheirOwnGroup) {
  TestServer server;
  const json::Value core = server.Get("/openapi/v3/api/v1").Json();
  const auto kinds = [&](std::string_view name) {
    return core.At("/components/schemas")[name]["x-kubernetes-group-version-kind"].Dump();
  };
  EXPECT_EQ(kinds("io.k8s.api.policy.v1.Eviction"),
            R"([{"group":"policy","version":"v1","kind":"Eviction"}])");
  EXPECT_EQ(kinds("io.k8s.api.autoscaling.v1.Scale"),
            R"([{"group":"autoscaling","version":"v1","kind":"Scale"}])");
  EXPECT_EQ(kinds("io.k8s.api.core.v1.PodList"),
            R"([{"group":"","version":"v1","kind":"PodList"}])");
}

TEST(OpenApiPaths, Fields_HaveTheTypesOfARealServer) {
  TestServer server;
  struct Row {
    std::string_view document;
    std::string_view name;
    std::string_view pointer;
    std::string_view schema;
  };
  std::map<std::string_view, json::Value> documents;
  constexpr std::string_view kCore = "/openapi/v3/api/v1";
  constexpr std::string_view kApps = "/openapi/v3/apis/apps/v1";
  constexpr std::string_view kCoordination = "/openapi/v3/apis/coordination.k8s.io/v1";
  constexpr std::string_view kAuthorization = "/openapi/v3/apis/authorization.k8s.io/v1";
  constexpr std::string_view kDefinitions = "/openapi/v3/apis/apiextensions.k8s.io/v1";
  constexpr std::string_view kProps =
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
  for (const Row& row : {
           Row{kCore, "io.k8s.api.core.v1.PodSpec", "/properties/activeDeadlineSeconds",
               R"({"type":"integer","format":"int64"})"},
           Row{kCore, "io.k8s.api.core.v1.PodSpec", "/properties/hostNetwork",
               R"({"type":"boolean"})"},
           Row{kCore, "io.k8s.api.core.v1.ContainerPort", "/properties/containerPort",
               R"({"type":"integer","format":"int32"})"},
           Row{kCore, "io.k8s.api.core.v1.ContainerPort", "/required", R"(["containerPort"])"},
           Row{kCore, "io.k8s.apimachinery.pkg.apis.meta.v1.Time", "",
               R"({"type":"string","format":"date-time"})"},
           Row{kCore, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
               "/properties/creationTimestamp/allOf/0/$ref",
               R"("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time")"},
           Row{kCore, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "/properties/finalizers",
               R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set",)"
               R"("x-kubernetes-patch-strategy":"merge"})"},
           Row{kCore, "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
               "/properties/fieldsV1/allOf/0/$ref",
               R"("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1")"},
           Row{kCore, "io.k8s.api.core.v1.PodSpec",
               "/properties/volumes/x-kubernetes-patch-strategy", R"("merge,retainKeys")"},
           Row{kApps, "io.k8s.api.apps.v1.DeploymentSpec",
               "/properties/strategy/x-kubernetes-patch-strategy", R"("retainKeys")"},
           Row{kCore, "io.k8s.apimachinery.pkg.api.resource.Quantity", "",
               R"({"oneOf":[{"type":"string"},{"type":"number"}]})"},
           Row{kCore, "io.k8s.apimachinery.pkg.util.intstr.IntOrString", "",
               R"({"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]})"},
           Row{kCore, "io.k8s.api.core.v1.PodList", "/required", R"(["items"])"},
           Row{kCore, "io.k8s.api.core.v1.PodList", "/properties/apiVersion",
               R"({"type":"string"})"},
           Row{kCore, "io.k8s.api.core.v1.PodList", "/properties/kind", R"({"type":"string"})"},
           Row{kCore, "io.k8s.api.core.v1.PodList", "/properties/metadata/allOf/0/$ref",
               R"("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta")"},
           Row{kCore, "io.k8s.api.core.v1.Pod", "/properties/apiVersion", R"({"type":"string"})"},
           Row{kCore, "io.k8s.api.core.v1.Pod", "/properties/kind", R"({"type":"string"})"},
           Row{kCore, "io.k8s.api.core.v1.Pod", "/required", "null"},
           Row{kCore, "io.k8s.api.core.v1.HTTPGetAction", "/required", R"(["port"])"},
           Row{kApps, "io.k8s.api.apps.v1.DeploymentSpec", "/required",
               R"(["selector","template"])"},
           Row{kCore, "io.k8s.api.core.v1.PodSpec", "/properties/containers/x-kubernetes-list-type",
               R"("map")"},
           Row{kCore, "io.k8s.api.core.v1.PodSpec",
               "/properties/tolerations/x-kubernetes-list-type", R"("atomic")"},
           Row{kCore, "io.k8s.api.core.v1.PodSpec",
               "/properties/topologySpreadConstraints/x-kubernetes-list-map-keys",
               R"(["topologyKey","whenUnsatisfiable"])"},
           Row{kCore, "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
               "/properties/time/allOf/0/$ref",
               R"("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time")"},
           Row{kCoordination, "io.k8s.api.coordination.v1.LeaseSpec",
               "/properties/renewTime/allOf/0/$ref",
               R"("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime")"},
           Row{kCoordination, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "",
               R"({"type":"string","format":"date-time"})"},
           Row{kAuthorization, "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
               "/properties/extra",
               R"({"type":"object","additionalProperties":{"type":"array",)"
               R"("items":{"type":"string"}}})"},
           Row{kDefinitions, kProps, "/properties/items/allOf/0/$ref",
               R"("#/components/schemas/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.)"
               R"(JSONSchemaPropsOrArray")"},
           Row{kDefinitions,
               "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray",
               "", "{}"},
           Row{kApps, "io.k8s.api.apps.v1.ControllerRevision", "/properties/data/allOf/0/$ref",
               R"("#/components/schemas/io.k8s.apimachinery.pkg.runtime.RawExtension")"},
           Row{kDefinitions, kProps, "/properties/default/allOf/0/$ref",
               R"("#/components/schemas/)"
               R"(io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON")"},
           Row{kDefinitions, kProps, "/properties/maximum",
               R"({"type":"number","format":"double"})"},
       }) {
    json::Value& document = documents[row.document];
    if (document.is_null()) document = server.Get(row.document).Json();
    const json::Value& schema = std::as_const(document).At("/components/schemas")[row.name];
    EXPECT_EQ((row.pointer.empty() ? schema : schema.At(row.pointer)).Dump(), row.schema)
        << row.name << row.pointer;
  }
}

TEST(OpenApiPaths, Swagger_HasNoChoicesOfTypes) {
  TestServer server;
  const json::Value swagger = server.Get("/openapi/v2").Json();
  const json::Value& definitions = swagger["definitions"];
  EXPECT_EQ(definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"].Dump(),
            R"({"type":"string"})");
  EXPECT_EQ(definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"].Dump(),
            R"({"type":"string","format":"int-or-string"})");
}

TEST(ApiGroups, EachGroup_IsListedOnce) {
  TestServer server;
  const json::Value groups = server.Get("/apis", {{"Accept", "application/json"}}).Json()["groups"];
  std::set<std::string> names;
  for (const json::Value& group : groups.items()) {
    EXPECT_TRUE(names.insert(group["name"].StringOrEmpty()).second) << group["name"].Dump();
    EXPECT_GT(group["versions"].size(), 0U);
  }
  EXPECT_EQ(names.count(""), 0U) << "the core group is elsewhere";
  EXPECT_EQ(names.count("autoscaling"), 1U);
  EXPECT_EQ(names.count("apps"), 1U);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
