// Routing: which paths, verbs and places there are, and what a request is answered otherwise.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
constexpr std::string_view kNoPage = "404 404 page not found\n";
constexpr std::string_view kNoResource = "404 the server could not find the requested resource";
constexpr std::string_view kNoVerb =
    "405 the server does not allow this method on the requested resource";
constexpr std::string_view kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.x.io}
spec:
  group: x.io
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: stars.x.io}
spec:
  group: x.io
  scope: Cluster
  names: {kind: Star, plural: stars}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
)";

// Returns "code message", or the text of a body that is no Status.
std::string Brief(const Reply& reply) {
  const json::Value body = reply.Json();
  const bool failed = body["kind"].StringOrEmpty() == "Status";
  return std::to_string(reply.status) + " " +
         (failed                ? body["message"].StringOrEmpty()
          : reply.status == 404 ? reply.body
                                : body["kind"].StringOrEmpty());
}

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    EXPECT_TRUE(server_.server().Load(kWidgets).ok());
    server_.sim().RunReady();
    server_.MakeConfigMap("default", "a");
  }
  TestServer server_;
};

TEST_F(RouterTest, Paths_AnswerAsARealServer) {
  struct Row {
    std::string_view method;
    std::string_view target;
    std::string_view brief;
    std::string_view body = "";
  };
  const std::vector<Row> rows = {
      {"GET", "/api/v1/configmaps", "200 ConfigMapList"},
      {"GET", "/api/v1/namespaces/default/configmaps", "200 ConfigMapList"},
      {"GET", "/api/v1/namespaces/default/configmaps/a", "200 ConfigMap"},
      {"GET", "/api/v1/configmaps/a", kNoResource},
      {"POST", "/api/v1/configmaps", kNoVerb, "{}"},
      {"DELETE", "/api/v1/configmaps", kNoVerb},
      {"DELETE", "/api/v1/configmaps/a", kNoResource},
      {"POST", "/apis/x.io/v1/widgets", "404 ", "{}"},
      {"DELETE", "/apis/x.io/v1/widgets", "404 "},
      {"GET", "/apis/x.io/v1/widgets", "200 WidgetList"},
      {"GET", "/apis/x.io/v1/namespaces/default/widgets", "200 WidgetList"},
      {"GET", "/apis/x.io/v1/stars", "200 StarList"},
      {"GET", "/apis/x.io/v1/namespaces/default/stars", "404 "},
      {"GET", "/apis/x.io/v1/others", kNoPage},
      {"GET", "/apis/x.io/v2/widgets", kNoPage},
      {"GET", "/api/v1/others", kNoResource},
      {"GET", "/api/v2/pods", kNoResource},
      {"GET", "/apis/apps/v1/others", kNoResource},
      {"GET", "/apis/apps/v9/deployments", kNoResource},
      {"GET", "/apis/other/v1/things", kNoPage},
      {"GET", "/other", kNoPage},
      {"GET", "/", "200 "},
      {"GET", "/api/v1/namespaces/default/pods//log", kNoResource},
      {"PUT", "/api/v1/namespaces/default/configmaps", kNoVerb, "{}"},
      {"PATCH", "/api/v1/namespaces/default/configmaps", kNoVerb, "{}"},
      {"POST", "/api/v1/namespaces/default/configmaps/a", kNoVerb, "{}"},
      {"GET", "/api/v1/namespaces/default/configmaps/a/status", kNoResource},
      {"GET", "/api/v1/namespaces/default/pods/a/other", kNoResource},
      {"GET", "/apis/x.io/v1/namespaces/default/widgets/a/status",
       "404 widgets.x.io \"a\" not found"},
      {"POST", "/apis/apps/v1/namespaces/default/deployments/a/status", kNoVerb, "{}"},
      {"GET", "/api/v1/namespaces/default/pods/a/exec", "404 pods \"a\" not found"},
      {"GET", "/api/v1/namespaces/default/pods/a/proxy", kNoVerb},
      {"GET", "/api/v1/namespaces/default/pods/a/eviction", kNoVerb},
      {"GET", "/api/v1/namespaces/default/pods/a/log", "404 pods \"a\" not found"},
      {"DELETE", "/api/v1/bindings", kNoVerb},
      {"GET", "/api/v1/namespaces/default/bindings", kNoVerb},
      {"GET", "/api/v1/namespaces/default/configmaps?timeout=x",
       "400 invalid timeout specified in the request URL - time: invalid duration \"x\""},
      {"GET", "/version?timeout=30",
       "400 invalid timeout specified in the request URL - time: missing unit in duration \"30\""},
      {"GET", "/api/v1/namespaces/default/configmaps?timeout=30s", "200 ConfigMapList"},
      {"GET", "/api/v1/namespaces/default/configmaps?timeout=", "200 ConfigMapList"},
      {"GET", "/api/v1/namespaces/default/configmaps/%2E%2E",
       "400 Name parameter invalid: \"..\": may not be '..'"},
      {"GET", "/api/v1/namespaces/default/configmaps/%2E",
       "400 Name parameter invalid: \".\": may not be '.'"},
      {"GET", "/api/v1/namespaces/default/configmaps/a%2525b",
       "400 Name parameter invalid: \"a%25b\": may not contain '%'"},
      {"GET", "/api/v1/namespaces/%2E%2E/configmaps", "500 invalid key: \"/configmaps/..\""},
      {"GET", "/api/v1/namespaces/%2E/configmaps/a", "500 invalid key: \"/configmaps/./a\""},
      {"POST", "/api/v1/namespaces/%2E%2E/configmaps",
       "500 Internal error occurred: invalid resource name \"..\": [may not be '..']", "{}"},
      {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
       "201 SelfSubjectAccessReview", R"({"spec":{"nonResourceAttributes":{}}})"},
      {"GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", kNoVerb},
  };
  for (const Row& row : rows) {
    const std::string brief = Brief(server_.Do(row.method, row.target, row.body));
    const bool any = row.brief == "404 ";  // in whatever words
    EXPECT_EQ(any ? brief.substr(0, 4) : brief, row.brief) << row.method << " " << row.target;
  }
}

TEST_F(RouterTest, EmptySegments_AreFoundNowhere) {
  struct Row {
    std::string_view target;
    std::string_view brief;
  };
  const std::vector<Row> rows = {
      {"/api/v1//pods", kNoResource},
      {"/api//v1", kNoResource},
      {"/apis/apps//deployments", kNoResource},
      {"/apis//v1", kNoPage},
      {"/apis/other//x", kNoPage},
      {"/apis/x.io//x", kNoPage},
      {"/other//x", kNoPage},
      {"//", kNoPage},
  };
  for (const Row& row : rows) EXPECT_EQ(Brief(server_.Get(row.target)), row.brief) << row.target;
}

TEST_F(RouterTest, LineBreaks_ForThoseWhoAskAndForBrowsers) {
  struct Row {
    std::string_view query;
    HeaderList headers;
    bool pretty;
  };
  const std::vector<Row> rows = {
      {"", {}, false},
      {"?pretty=true", {}, true},
      {"?pretty=1", {}, true},
      {"?pretty=false", {}, false},
      {"?pretty=T", {}, true},
      {"?pretty=x", {}, false},
      {"?pretty=", {}, false},
      {"?pretty=", {{"User-Agent", "curl/8"}}, true},
      {"?pretty=false", {{"User-Agent", "curl/8"}}, false},
      {"", {{"User-Agent", "curl/8"}}, true},
      {"", {{"User-Agent", "Wget/1"}}, true},
      {"", {{"User-Agent", "Mozilla/5.0 (X11)"}}, true},
      {"", {{"User-Agent", "Mozilla/4.0"}}, false},
      {"", {{"User-Agent", "kubectl curl"}}, false},
      {"?pretty=1", {{"Accept", "application/x,application/json"}}, true},
      {"?pretty=1", {{"Accept", "application/json, */*"}}, true},
      {"", {{"Accept", "application/json;pretty=1"}}, true},
  };
  for (const Row& row : rows) {
    const Reply reply = server_.Get(
        "/api/v1/namespaces/default/configmaps/a" + std::string(row.query), row.headers);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body.starts_with("{\n  \"kind\""), row.pretty)
        << row.query << " " << (row.headers.empty() ? "" : row.headers[0].second);
  }
  const auto watch = server_.Open("/api/v1/configmaps?watch=1&pretty=1&timeoutSeconds=1");
  EXPECT_TRUE(watch->reply().body.starts_with("{\"type\"")) << "frames are lines";
}

TEST_F(RouterTest, AuditId_IsThatOfTheRequestOrANewOne) {
  const std::string longest(64, 'x');
  EXPECT_EQ(server_.Get("/version", {{"Audit-ID", "own"}}).headers.Get("Audit-ID"), "own");
  EXPECT_EQ(server_.Get("/version", {{"Audit-ID", longest}}).headers.Get("Audit-ID"), longest);
  const std::string first(
      server_.Get("/version", {{"Audit-ID", longest + "x"}}).headers.Get("Audit-ID"));
  const std::string next(server_.Get("/version").headers.Get("Audit-ID"));
  ASSERT_EQ(first.size(), 36U);
  ASSERT_EQ(next.size(), 36U);
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) EXPECT_EQ(first[dash], '-') << first;
  EXPECT_EQ(first.substr(0, 24), next.substr(0, 24));
  EXPECT_EQ(std::stoll(next.substr(24)), std::stoll(first.substr(24)) + 1);
  EXPECT_EQ(std::stoll(next.substr(24)), 4) << "the fourth request";
}

TEST_F(RouterTest, LongBody_IsRefused) {
  TestServer server({.max_body_bytes = 30});
  const std::string longest = R"({"metadata":{"name":"abcdefg"}})";
  ASSERT_EQ(longest.size(), 31U);
  const std::string_view maps = "/api/v1/namespaces/default/configmaps";
  EXPECT_EQ(Brief(server.Do("POST", maps, longest)), "413 Request entity too large: limit is 30");
  EXPECT_EQ(Brief(server.Do("POST", maps, R"({"metadata":{"name":"abcdef"}})")), "201 ConfigMap");
}

TEST_F(RouterTest, Tables_OnlyOfWhatIsListed) {
  const HeaderList table = {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}};
  struct Row {
    std::string_view method;
    std::string_view target;
    int status;
    std::string_view body = "";
  };
  const std::vector<Row> rows = {
      {"GET", "/api/v1/namespaces/default/configmaps", 200},
      {"POST", "/api/v1/namespaces/default/configmaps", 201, R"({"metadata":{"name":"b"}})"},
      {"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", 406, "{}"},
      {"POST", "/api/v1/namespaces/default/pods/p/eviction", 406, "{}"},

  };
  for (const Row& row : rows) {
    const Reply reply = server_.Do(row.method, row.target, row.body, table);
    EXPECT_EQ(reply.status, row.status) << row.method << " " << row.target << " " << reply.body;
  }
  const auto objects = [&](std::string_view query) {
    const Reply reply =
        server_.Get("/api/v1/namespaces/default/configmaps/a" + std::string(query), table);
    return reply.Json().At("/rows/0/object/kind").StringOrEmpty();
  };
  EXPECT_EQ(objects(""), "PartialObjectMetadata");
  EXPECT_EQ(objects("?includeObject=Metadata"), "PartialObjectMetadata");
  EXPECT_EQ(objects("?includeObject=Object"), "ConfigMap");
  EXPECT_EQ(objects("?includeObject=None"), "");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
