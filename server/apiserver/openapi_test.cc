#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A widget.
        properties: {spec: {type: object, properties: {SIZE: {type: integer}}}}
)";

// Returns the address of a group-version's document, from the index.
std::string AddressOf(TestServer& server, const char* group_version) {
  return server.Get("/openapi/v3")
      .Json()["paths"][group_version]["serverRelativeURL"]
      .StringOrEmpty();
}

// Collects every $ref of a document.
void CollectReferences(const json::Value& value, std::vector<std::string>& out) {
  for (const auto& [name, member] : value.members()) {
    if (name == "$ref" && member.is_string()) out.push_back(member.StringOrEmpty());
    CollectReferences(member, out);
  }
  for (const json::Value& item : value.items()) CollectReferences(item, out);
}

TEST(OpenApi, SchemasOfBuiltinTypes) {
  TestServer server;
  const json::Value core = server.Get("/openapi/v3/api/v1").Json();
  const json::Value& schemas = core.At("/components/schemas");
  const json::Value& pod = schemas["io.k8s.api.core.v1.Pod"];
  EXPECT_EQ(pod["x-kubernetes-group-version-kind"].Dump(),
            R"([{"group":"","version":"v1","kind":"Pod"}])");
  EXPECT_EQ(pod.At("/properties/spec").Dump(),
            R"({"allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.PodSpec"}]})");

  const json::Value& spec = schemas["io.k8s.api.core.v1.PodSpec"];
  EXPECT_EQ(spec["required"].Dump(), R"(["containers"])");
  const json::Value& containers = spec.At("/properties/containers");
  EXPECT_EQ(containers["type"].StringOrEmpty(), "array");
  EXPECT_EQ(containers["x-kubernetes-patch-merge-key"].StringOrEmpty(), "name");
  EXPECT_EQ(containers["x-kubernetes-patch-strategy"].StringOrEmpty(), "merge");
  EXPECT_EQ(containers["x-kubernetes-list-map-keys"].Dump(), R"(["name"])");
  EXPECT_EQ(spec.At("/properties/restartPolicy/enum").Dump(), R"(["Always","Never","OnFailure"])");
  EXPECT_EQ(spec.At("/properties/nodeSelector/additionalProperties/type").StringOrEmpty(),
            "string");
  EXPECT_EQ(schemas.At("/io.k8s.api.core.v1.Secret/properties/data/additionalProperties").Dump(),
            R"({"type":"string","format":"byte"})");
  EXPECT_EQ(schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]["oneOf"].size(), 2U);
  // Inlined: a probe has the fields of its handler.
  EXPECT_TRUE(schemas.At("/io.k8s.api.core.v1.Probe/properties/httpGet").is_object());
  EXPECT_THAT(
      schemas.At("/io.k8s.api.core.v1.EphemeralContainer/properties/imagePullPolicy").Dump(),
      HasSubstr("IfNotPresent"));
  // Exception to the rule about required fields.
  EXPECT_THAT(schemas["io.k8s.api.core.v1.Event"]["required"].Dump(), HasSubstr("metadata"));

  const json::Value& item = core["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"];
  EXPECT_EQ(item.At("/get/x-kubernetes-group-version-kind/kind").StringOrEmpty(), "Pod");
  EXPECT_THAT(item["patch"]["parameters"].Dump(), HasSubstr("fieldValidation"));
  EXPECT_THAT(item["patch"]["requestBody"].Dump(), HasSubstr("strategic-merge-patch"));
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  TestServer server;
  ASSERT_TRUE(server.server().Load(kDefinition).ok());
  const json::Value index = server.Get("/openapi/v3").Json();
  std::size_t documents = 0;
  for (const auto& [name, entry] : index["paths"].members()) {
    const Reply reply = server.Get(entry["serverRelativeURL"].StringOrEmpty());
    ASSERT_EQ(reply.status, 200) << name;
    const json::Value document = reply.Json();
    std::vector<std::string> references;
    CollectReferences(document, references);
    EXPECT_THAT(references, Not(IsEmpty())) << name;
    for (const std::string& reference : references) {
      constexpr std::string_view kPrefix = "#/components/schemas/";
      ASSERT_THAT(reference, StartsWith(std::string(kPrefix))) << name;
      const json::Value& schemas = document.At("/components/schemas");
      EXPECT_TRUE(schemas[reference.substr(kPrefix.size())].is_object()) << reference;
    }
    ++documents;
  }
  EXPECT_GT(documents, 20U);
}

TEST(OpenApi, CustomResources) {
  TestServer server;
  ASSERT_TRUE(server.server().Load(kDefinition).ok());
  const json::Value document = server.Get(AddressOf(server, "apis/example.com/v1")).Json();
  const json::Value& widget = document.At("/components/schemas")["com.example.v1.Widget"];
  EXPECT_EQ(widget["description"].StringOrEmpty(), "A widget.");
  EXPECT_EQ(widget.At("/properties/spec/properties/SIZE/type").StringOrEmpty(), "integer");
  EXPECT_THAT(widget.At("/properties/metadata").Dump(), HasSubstr("ObjectMeta"));
  const json::Value& patch =
      document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"];
  EXPECT_THAT(patch["requestBody"].Dump(), Not(HasSubstr("strategic")));
}

// apiVersion, kind and metadata are those of all objects, whatever the definition says.
TEST(OpenApi, CustomResourceWithoutFields_HasThoseOfAllObjects) {
  for (const std::string_view schema :
       {"{type: object, x-kubernetes-preserve-unknown-fields: true}",
        "{type: object, properties: {metadata: {type: object}}}"}) {
    TestServer server;
    std::string definition(kDefinition);
    definition.resize(definition.find("      openAPIV3Schema:"));
    definition.append("      openAPIV3Schema: ").append(schema).append("\n");
    ASSERT_TRUE(server.server().Load(definition).ok());
    const json::Value document = server.Get(AddressOf(server, "apis/example.com/v1")).Json();
    const json::Value& widget = document.At("/components/schemas")["com.example.v1.Widget"];
    EXPECT_EQ(widget["type"].StringOrEmpty(), "object");
    EXPECT_EQ(widget["properties"].Dump({.sort_keys = true}),
              R"({"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"allOf":[)"
              R"({"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"})"
              R"(]}})");
    EXPECT_EQ(widget["x-kubernetes-group-version-kind"].Dump(),
              R"([{"group":"example.com","version":"v1","kind":"Widget"}])");
    const json::Value& list = document.At("/components/schemas")["com.example.v1.WidgetList"];
    EXPECT_EQ(list.At("/properties/items").Dump(),
              R"({"type":"array","items":{"$ref":"#/components/schemas/com.example.v1.Widget"}})");
    EXPECT_EQ(list["x-kubernetes-group-version-kind"].Dump(),
              R"([{"group":"example.com","version":"v1","kind":"WidgetList"}])");
  }
}

TEST(OpenApi, AddressesChangeWithTheDocument) {
  TestServer server;
  const std::string before = AddressOf(server, "api/v1");
  ASSERT_TRUE(server.server().Load(kDefinition).ok());
  const std::string first = AddressOf(server, "apis/example.com/v1");
  const Reply patched = server.Do(
      "PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
      R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/more",)"
      R"("value":{"type":"string"}}])",
      {{"Content-Type", "application/json-patch+json"}});
  ASSERT_EQ(patched.status, 200) << patched.body;
  const std::string second = AddressOf(server, "apis/example.com/v1");
  EXPECT_NE(first, second);
  EXPECT_EQ(AddressOf(server, "api/v1"), before);

  const Reply fresh = server.Get(second);
  EXPECT_EQ(fresh.headers.Get("Cache-Control"), "public, immutable");
  const std::string tag(fresh.headers.Get("ETag"));
  EXPECT_EQ(server.Get(second, {{"If-None-Match", tag}}).status, 304);
  const Reply old = server.Get(first);
  EXPECT_EQ(old.status, 301);
  EXPECT_EQ(old.headers.Get("Location"), second);
  EXPECT_EQ(server.Get("/openapi/v3/apis/nothing.example.com/v1").status, 404);
}

TEST(OpenApi, GroupsThatComeAndGo_LeaveNothing) {
  TestServer server;
  const std::vector<std::string> paths = {"/openapi/v3", "/openapi/v2", "/apis", "/api/v1"};
  std::vector<std::string> before;
  for (const std::string& path : paths) before.push_back(server.Get(path).body);
  for (int i = 0; i < 50; ++i) {
    const std::string group = "g" + std::to_string(i) + ".example.com";
    std::string definition(kDefinition);
    for (std::size_t at = 0; (at = definition.find("example.com", at)) != std::string::npos;) {
      definition.replace(at, 11, group);
      at += group.size();
    }
    ASSERT_TRUE(server.server().Load(definition).ok());
    EXPECT_EQ(server.Get(AddressOf(server, ("apis/" + group + "/v1").c_str())).status, 200);
    ASSERT_EQ(server
                  .Do("DELETE",
                      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets." + group)
                  .status,
              200);
    server.sim().RunReady();
    EXPECT_EQ(server.Get("/openapi/v3/apis/" + group + "/v1").status, 404);
    EXPECT_EQ(server.Get("/apis/" + group).status, 404);
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_EQ(server.Get(paths[i]).body, before[i]) << paths[i];
  }
}

TEST(OpenApi, Swagger_IsServedInJsonAndProtobuf_SRV188) {
  TestServer server;
  const Reply protobuf = server.Get(
      "/openapi/v2", {{"Accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}});
  EXPECT_EQ(protobuf.headers.Get("Content-Type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_THAT(protobuf.body, StartsWith("\x0a\x03"
                                        "2.0"));
  const json::Value whole = server.Get("/openapi/v2").Json();
  EXPECT_EQ(whole["swagger"].StringOrEmpty(), "2.0");
  EXPECT_EQ(whole.At("/definitions/io.k8s.api.apps.v1.Deployment/properties/spec").Dump(),
            R"({"$ref":"#/definitions/io.k8s.api.apps.v1.DeploymentSpec"})");
}

TEST(Issuer, WithoutKeys_ServesNoDocuments) {
  TestServer server;
  for (const char* path : {"/.well-known/openid-configuration", "/openid/v1/jwks"}) {
    EXPECT_EQ(server.Get(path).status, 404) << path;
  }
}

TEST(ClusterDetails, AreKeptOnRequestOnly) {
  TestServer plain;
  TestServer detailed({.cluster_details = true});
  const std::string services = "/apis/apiregistration.k8s.io/v1/apiservices";
  const std::string addresses = "/apis/networking.k8s.io/v1/ipaddresses";
  EXPECT_EQ(plain.Get(services).Json()["items"].size(), 0U);
  EXPECT_EQ(plain.Get(addresses).Json()["items"].size(), 0U);
  EXPECT_GT(detailed.Get(services).Json()["items"].size(), 20U);
  EXPECT_EQ(detailed.Get(addresses).Json()["items"].size(), 1U) << "default/kubernetes";
  constexpr std::string_view kFlow = "X-Kubernetes-PF-FlowSchema-UID";
  EXPECT_EQ(plain.Get(services).headers.Get(kFlow), "");
  EXPECT_NE(detailed.Get(services).headers.Get(kFlow), "");
}

TEST(Health, Checks) {
  TestServer server;
  EXPECT_EQ(server.Get("/livez").body, "ok");
  EXPECT_EQ(server.Get("/readyz/ping").body, "ok");
  const std::string all = server.Get("/readyz?verbose").body;
  EXPECT_TRUE(all.starts_with("[+]ping ok\n")) << all;
  EXPECT_TRUE(all.ends_with("[+]shutdown ok\nreadyz check passed\n")) << all;
  EXPECT_EQ(server.Get("/livez/nothing").status, 404);
}

TEST(Metrics, ObjectsAndWatches) {
  TestServer server;
  server.MakeConfigMap("default", "a");
  const auto watch = server.Open("/api/v1/configmaps?watch=1");
  const std::string text = server.Get("/metrics").body;
  EXPECT_THAT(text,
              HasSubstr("apiserver_resource_objects{group=\"\",resource=\"configmaps\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("apiserver_longrunning_requests{group=\"\",resource=\"configmaps\"} 1\n"));
}

TEST(Paths, UnknownPathsBelowKnownGroups_AreStatuses) {
  TestServer server;
  EXPECT_EQ(server.Get("/apis/apps/v9").Json()["reason"].StringOrEmpty(), "NotFound");
  EXPECT_EQ(server.Get("/api/v1/nothings").Json()["reason"].StringOrEmpty(), "NotFound");
  EXPECT_EQ(server.Get("/apis/nothing.example.com/v1").body, "404 page not found\n");
  EXPECT_EQ(server.Get("/apis/nothing.example.com/v1/things").body, "404 page not found\n");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
