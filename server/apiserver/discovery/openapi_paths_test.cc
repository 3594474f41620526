#include "apiserver/discovery/openapi_paths.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

TEST(OpenApiPaths, Parameters_AreThoseOfThePath) {
  TestServer server;
  const json::Value paths = server.Get("/openapi/v3/api/v1").Json()["paths"];
  const auto parameters = [&](std::string_view path) {
    std::string text;
    for (const json::Value& parameter : paths[path]["parameters"].items()) {
      text += parameter["name"].StringOrEmpty() + ":" + parameter["in"].StringOrEmpty() + " ";
    }
    return text;
  };
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
    EXPECT_EQ(parameters(row.path), row.parameters) << row.path;
  }
}

TEST(OpenApiPaths, KindsOfSubresources_HaveTheSchemaOfTheirOwnGroup) {
  TestServer server;
  const json::Value core = server.Get("/openapi/v3/api/v1").Json();
  const json::Value& pods = core["paths"];
  const auto body = [&](std::string_view subresource) {
    return pods["/api/v1/namespaces/{namespace}/pods/{name}/" + std::string(subresource)]["post"]
        .At("/requestBody/content/application~1json/schema/$ref")
        .StringOrEmpty();
  };
  EXPECT_EQ(body("eviction"), "#/components/schemas/io.k8s.api.policy.v1.Eviction");
  EXPECT_EQ(body("binding"), "#/components/schemas/io.k8s.api.core.v1.Binding");
}

TEST(OpenApiPaths, FieldsOfAnyForm_AreJsonInDefinitionsOnly) {
  TestServer server;
  const auto reference = [&](const char* group, const std::string& schema, const char* field) {
    const json::Value document =
        server.Get("/openapi/v3/apis/" + std::string(group) + "/v1").Json();
    return document.At("/components/schemas")[schema]["properties"][field].Dump();
  };
  EXPECT_EQ(reference("apiextensions.k8s.io",
                      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
                      "default"),
            R"({"$ref":"#/components/schemas/io.k8s.apiextensions-apiserver.pkg.apis.)"
            R"(apiextensions.v1.JSON"})");
  EXPECT_NE(reference("apps", "io.k8s.api.apps.v1.ControllerRevision", "data")
                .find("io.k8s.apimachinery.pkg.runtime.RawExtension"),
            std::string::npos);
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
