#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/registry/table_convertor.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size,
                                       statusReplicasPath: .status.size}}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        properties:
          spec:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties: {color: {type: string}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";
constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";
const GroupVersionResource kWidgetsV1{
    .group = "example.com", .version = "v1", .resource = "widgets"};

// Returns the server's error for the definition.
std::string ErrorOf(TestServer& server) {
  const auto loaded = server.server().Load(kDefinition);
  return loaded.ok() ? std::string() : loaded.error().message();
}

TEST(ApiServerDiscovery, Aggregated_SRV182) {
  TestServer server;
  const std::string v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const std::string beta =
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
  const Reply apis =
      server.Get("/apis?timeout=32s", {{"Accept", v2 + "," + beta + ",application/json"}});
  EXPECT_EQ(apis.headers.Get("Content-Type"), v2);
  const json::Value groups = apis.Json();
  EXPECT_EQ(groups["apiVersion"].StringOrEmpty(), "apidiscovery.k8s.io/v2");
  bool found = false;
  for (const json::Value& group : groups["items"].items()) {
    if (group.At("/metadata/name").StringOrEmpty() != "apps") continue;
    for (const json::Value& resource : group.At("/versions/0/resources").items()) {
      if (resource["resource"].StringOrEmpty() != "deployments") continue;
      found = true;
      EXPECT_EQ(resource.At("/responseKind/kind").StringOrEmpty(), "Deployment");
      EXPECT_EQ(resource["scope"].StringOrEmpty(), "Namespaced");
      EXPECT_THAT(resource["shortNames"].Dump(), HasSubstr("deploy"));
      EXPECT_THAT(resource["subresources"].Dump(), HasSubstr("scale"));
    }
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(
      server.Get("/apis", {{"Accept", beta + ",application/json"}}).headers.Get("Content-Type"),
      beta);
  EXPECT_EQ(server.Get("/apis", {{"Accept", "application/json"}}).Json()["kind"].StringOrEmpty(),
            "APIGroupList");
  EXPECT_EQ(server.Get("/api").Json()["versions"], json::Value::MakeArray({"v1"}));

  const std::string tag(apis.headers.Get("ETag"));
  EXPECT_EQ(server.Get("/apis", {{"Accept", v2}, {"If-None-Match", tag}}).status, 304) << "SRV183";
  ASSERT_EQ(server.server().Load(kDefinition).value_or(0), 1U) << ErrorOf(server);
  EXPECT_EQ(server.Get("/apis", {{"Accept", v2}, {"If-None-Match", tag}}).status, 200) << "SRV183";
}

TEST(ApiServerDiscovery, Classic) {
  TestServer server;
  const json::Value core = server.Get("/api/v1").Json();
  EXPECT_EQ(core["kind"].StringOrEmpty(), "APIResourceList");
  EXPECT_THAT(core.Dump(), HasSubstr(R"("name":"pods/status")"));
  EXPECT_EQ(server.Get("/apis/apps").Json().At("/preferredVersion/version").StringOrEmpty(), "v1");
  EXPECT_EQ(server.Get("/apis/apps/v1").Json()["groupVersion"].StringOrEmpty(), "apps/v1");
  EXPECT_EQ(server.Get("/apis/nope/v1").status, 404);
  EXPECT_EQ(server.Get("/version").Json()["minor"].StringOrEmpty(), "37");
  EXPECT_THAT(server.Get("/openapi/v3").body, HasSubstr("/openapi/v3/apis/apps/v1?hash="));
  EXPECT_THAT(server.Get("/openapi/v3/apis/apps/v1").body, HasSubstr("fieldValidation"));
}

TEST(ApiServerTable, Lists_HaveCellsAndPages_SRV189) {
  TestServer server;
  ASSERT_TRUE(server.server()
                  .Load("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                        "spec: {nodeName: n1, containers: [{name: c}]}\n"
                        "status: {phase: Running, containerStatuses: [{name: c, ready: true, "
                        "restartCount: 2}]}\n"
                        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {containers: "
                        "[{name: c}]}\n")
                  .ok());
  server.sim().RunFor(std::chrono::seconds(90));
  const HeaderList accept = {
      {"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}};
  const json::Value table = server.Get("/api/v1/namespaces/default/pods?limit=1", accept).Json();
  EXPECT_EQ(table["kind"].StringOrEmpty(), "Table");
  EXPECT_EQ(table.At("/rows/0/cells").Dump(),
            R"(["p","1/1","Running","2","90s","\u003cnone\u003e","n1","\u003cnone\u003e",)"
            R"("\u003cnone\u003e"])");
  EXPECT_EQ(table.At("/rows/0/object/kind").StringOrEmpty(), "PartialObjectMetadata");
  EXPECT_FALSE(table.At("/metadata/continue").StringOrEmpty().empty());
  const json::Value one =
      server.Get("/api/v1/namespaces/default/pods/q?includeObject=Object", accept).Json();
  EXPECT_EQ(one.At("/rows/0/cells/2").StringOrEmpty(), "Pending");
  EXPECT_EQ(one.At("/rows/0/object/kind").StringOrEmpty(), "Pod");
}

// The type of a column and the JSON type of its cells may differ; both are those of the real
// server.
TEST(ApiServerTable, TypesOfColumnsAndCells) {
  TestServer server;
  ASSERT_TRUE(server.server()
                  .Load("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n"
                        "spec: {replicas: 3}\nstatus: {readyReplicas: 2, updatedReplicas: 3}\n"
                        "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: x}\n"
                        "spec: {replicas: 3}\nstatus: {replicas: 2}\n"
                        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
                        "data: {a: b}\n"
                        "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: x}\n"
                        "spec: {schedule: '@daily', suspend: true}\n")
                  .ok());
  server.sim().RunFor(std::chrono::seconds(90));
  const struct {
    const char* path;
    std::size_t column;
    const char* type;
    const char* cell;
  } kRows[] = {
      {"/apis/apps/v1/namespaces/default/deployments", 1, "string", R"("2/3")"},
      {"/apis/apps/v1/namespaces/default/deployments", 2, "string", "3"},
      {"/apis/apps/v1/namespaces/default/deployments", 3, "string", "0"},
      {"/apis/apps/v1/namespaces/default/deployments", 4, "string", R"("90s")"},
      {"/apis/apps/v1/namespaces/default/replicasets", 1, "integer", "3"},
      {"/apis/apps/v1/namespaces/default/replicasets", 2, "integer", "2"},
      {"/apis/apps/v1/namespaces/default/replicasets", 3, "integer", "0"},
      {"/api/v1/namespaces/default/configmaps", 1, "string", "1"},
      {"/apis/batch/v1/namespaces/default/cronjobs", 3, "boolean", R"("True")"},
      {"/apis/batch/v1/namespaces/default/cronjobs", 4, "integer", "0"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(std::string(row.path) + " " + std::to_string(row.column));
    const json::Value table =
        server.Get(row.path, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}).Json();
    const std::string column = std::to_string(row.column);
    EXPECT_EQ(table.At("/columnDefinitions/" + column + "/type").StringOrEmpty(), row.type);
    EXPECT_EQ(table.At("/rows/0/cells/" + column).Dump(), row.cell);
  }
}

TEST(ApiServerProtobuf, Bodies_SRV76) {
  TestServer server;
  const HeaderList protobuf = {{"Content-Type", "application/vnd.kubernetes.protobuf"},
                               {"Accept", "application/vnd.kubernetes.protobuf,application/json"}};
  // metadata{name: a1, zero time, ...}, data{x: y}: as a typed Go client sends it.
  const std::string message(
      "\x0a\x12\x0a\x02"
      "a1\x12\x00\x1a\x00\x22\x00\x2a\x00\x32\x00\x38\x00\x42\x00"
      "\x12\x06\x0a\x01x\x12\x01y",
      28);
  const Reply made = server.Do("POST", "/api/v1/namespaces/default/configmaps",
                               Envelope("v1", "ConfigMap", message), protobuf);
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.headers.Get("Content-Type"), "application/vnd.kubernetes.protobuf");
  const auto envelope = ParseEnvelope(made.body);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "ConfigMap");
  const json::Value stored = server.Get("/api/v1/namespaces/default/configmaps/a1").Json();
  EXPECT_EQ(stored.At("/data/x").StringOrEmpty(), "y");

  const Reply list = server.Get("/api/v1/namespaces/default/configmaps", protobuf);
  const auto list_envelope = ParseEnvelope(list.body);
  ASSERT_TRUE(list_envelope);
  EXPECT_EQ(list_envelope->kind, "ConfigMapList");
  const auto fields = ReadFields(list_envelope->raw);
  ASSERT_TRUE(fields);
  ASSERT_EQ(fields->size(), 2U);
  EXPECT_EQ((*fields)[1].bytes, envelope->raw);

  const std::string uid = stored.At("/metadata/uid").StringOrEmpty();
  std::string preconditions;
  AppendBytesField(1, "wrong", preconditions);
  std::string options;
  AppendBytesField(2, preconditions, options);
  const std::string item = "/api/v1/namespaces/default/configmaps/a1";
  const Reply conflict =
      server.Do("DELETE", item, Envelope("v1", "DeleteOptions", options), protobuf);
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(ParseEnvelope(conflict.body)->kind, "Status");
  EXPECT_EQ(server
                .Do("DELETE", item,
                    Envelope("v1", "DeleteOptions",
                             "\x22\x0a"
                             "Background"),
                    protobuf)
                .status,
            200);
}

TEST(ApiServerProtobuf, BodyWithoutTrailer_IsAccepted_CustomResourcesAreJson_SRV180_SRV200) {
  TestServer server;
  std::string body = Envelope("v1", "Namespace", std::string("\x0a\x04\x0a\x02ns", 6));
  body.resize(body.size() - kEnvelopeTrailer.size());
  EXPECT_EQ(server
                .Do("POST", "/api/v1/namespaces", body,
                    {{"Content-Type", "application/vnd.kubernetes.protobuf"}})
                .status,
            201);
  ASSERT_EQ(server.server().Load(kDefinition).value_or(0), 1U) << ErrorOf(server);
  ASSERT_EQ(server
                .Do("POST", kWidgets,
                    R"({"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w"}})")
                .status,
            201);
  const std::string protobuf = "application/vnd.kubernetes.protobuf";
  EXPECT_EQ(server.Get(kWidgets, {{"Accept", protobuf + ",application/json"}})
                .headers.Get("Content-Type"),
            "application/json");
  const Reply metadata = server.Get(
      kWidgets,
      {{"Accept", protobuf + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"}});
  const auto envelope = ParseEnvelope(metadata.body);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "PartialObjectMetadataList");
  EXPECT_EQ(envelope->api_version, "meta.k8s.io/v1");
  EXPECT_THAT(std::string(envelope->raw), HasSubstr("default"));
}

TEST(ApiServerCustom, Definition_IsEstablishedFoundAndServed_SRV191To198) {
  TestServer server;
  EXPECT_EQ(server.Get(kWidgets).status, 404);
  auto definitions = server.Open(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=1&resourceVersion=" +
      std::to_string(server.server().current_resource_version()));
  ASSERT_EQ(server.server().Load(kDefinition).value_or(0), 1U) << ErrorOf(server);
  const std::vector<json::Value> frames = definitions->Frames();
  ASSERT_EQ(frames.size(), 2U) << "SRV191";
  EXPECT_EQ(frames[1].At("/object/status/conditions/1/type").StringOrEmpty(), "Established");
  EXPECT_EQ(frames[1].At("/object/status/conditions/1/status").StringOrEmpty(), "True");
  EXPECT_EQ(frames[1].At("/object/spec/names/listKind").StringOrEmpty(), "WidgetList");

  const Reply made =
      server.Do("POST", kWidgets,
                R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},
                    "spec":{"color":"red","size":1,"serial":9007199254740993,"ratio":1.50},
                    "status":{"size":1}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_TRUE(made.Json()["status"].is_null()) << "SRV195";
  EXPECT_THAT(made.body, HasSubstr(R"("serial":9007199254740993,"ratio":1.50)")) << "SRV177";

  const std::string item = std::string(kWidgets) + "/w";
  const HeaderList merge = {{"Content-Type", "application/merge-patch+json"}};
  const json::Value status =
      server.Do("PATCH", item + "/status", R"({"status":{"size":2}})", merge).Json();
  EXPECT_EQ(status.At("/status/size").AsInt64(), 2) << "SRV195";
  EXPECT_EQ(status.At("/metadata/generation").AsInt64(), 1);
  EXPECT_EQ(server.Get(item + "/scale").Json().At("/status/replicas").AsInt64(), 2);
  EXPECT_EQ(server
                .Do("PUT", item,
                    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})")
                .status,
            422)
      << "SRV87";
  EXPECT_EQ(
      server.Do("PATCH", item, "{}", {{"Content-Type", "application/strategic-merge-patch+json"}})
          .status,
      415)
      << "SRV99";

  const json::Value list = server.Get("/apis/example.com/v2/widgets").Json();
  EXPECT_EQ(list["apiVersion"].StringOrEmpty(), "example.com/v2") << "SRV196";
  EXPECT_EQ(list.At("/items/0/apiVersion").StringOrEmpty(), "example.com/v2");
  EXPECT_EQ(list.At("/items/0/kind").StringOrEmpty(), "Widget");
  EXPECT_EQ(
      server.Get(std::string(kWidgets) + "?fieldSelector=spec.color%3Dred").Json()["items"].size(),
      1U)
      << "SRV57";
  EXPECT_EQ(server.Get(std::string(kWidgets) + "?fieldSelector=spec.size%3D1").status, 400)
      << "SRV57";
  const json::Value table =
      server.Get(kWidgets, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}).Json();
  EXPECT_EQ(table.At("/rows/0/cells").Dump(), R"(["w","red"])") << "SRV197";

  auto watch = server.Open(std::string(kWidgets) + "?watch=1&resourceVersion=" +
                           std::to_string(server.server().current_resource_version()));
  EXPECT_EQ(server
                .Do("DELETE",
                    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com")
                .status,
            200);
  const std::vector<std::string> last = watch->Events();
  ASSERT_EQ(last.size(), 1U) << "SRV198";
  EXPECT_THAT(last[0], HasSubstr("DELETED default/w"));
  EXPECT_TRUE(watch->ended());
  EXPECT_EQ(server.Get(kWidgets).status, 404);
  ASSERT_EQ(server.server().Load(kDefinition).value_or(0), 1U) << ErrorOf(server);
  EXPECT_EQ(server.Get(kWidgets).Json()["items"].size(), 0U);
}

TEST(ApiServerCustom, NameConflict_SRV199) {
  TestServer server;
  ASSERT_EQ(server.server().Load(kDefinition).value_or(0), 1U) << ErrorOf(server);
  std::string other(kDefinition);
  for (std::size_t at = other.find("widgets"); at != std::string::npos;
       at = other.find("widgets")) {
    other.replace(at, 7, "gadgets");
  }
  ASSERT_TRUE(server.server().Load(other).ok());
  const json::Value definition =
      server.Get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.example.com")
          .Json();
  EXPECT_EQ(definition.At("/status/conditions/0/reason").StringOrEmpty(), "ListKindConflict");
  EXPECT_EQ(definition.At("/status/conditions/0/status").StringOrEmpty(), "False");
  EXPECT_EQ(server.Get("/apis/example.com/v1/gadgets").status, 404);
}

TEST(ApiServerReviews, SelfSubjectAccessReview_AllowsAll) {
  TestServer server;
  const Reply reply =
      server.Do("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                R"({"spec":{"resourceAttributes":{"verb":"list","resource":"pods"}}})");
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.Json().At("/status/allowed").AsBool(), true);
}

TEST(ApiServerPods, BindingAndEviction) {
  TestServer server;
  ASSERT_TRUE(
      server.server()
          .Load("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n")
          .ok());
  const std::string pod = "/api/v1/namespaces/default/pods/p";
  const std::string binding = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n1"}})";
  EXPECT_EQ(server.Do("POST", pod + "/binding", binding).status, 201);
  EXPECT_EQ(server.Get(pod).Json().At("/spec/nodeName").StringOrEmpty(), "n1");
  EXPECT_EQ(server.Do("POST", pod + "/binding", binding).status, 409);
  EXPECT_EQ(server.Get(pod + "/log").status, 500) << "no kubelet";
  EXPECT_EQ(server.Get(pod + "/proxy").status, 405);
  EXPECT_EQ(server.Get(pod + "/nonsense").status, 404);
  EXPECT_EQ(server.Do("POST", pod + "/eviction", R"({"metadata":{"name":"p"}})").status, 201);
  EXPECT_EQ(server.Get(pod).status, 404);
}

// The eviction of a large pod takes several steps, and must only delete the pod it reviewed.
TEST(ApiServerPods, EvictionOfALargePodThatIsReplacedMeanwhile) {
  TestServer server;
  const auto make = [&] {
    json::Value pod =
        json::Parse(R"({"metadata":{"name":"p","namespace":"default"},)"
                    R"("spec":{"containers":[{"name":"c","image":"i","args":["x"]}]}})")
            .OrExit();
    pod.Ensure("spec", "containers", 0)
        .Set("args", json::Value::MakeArray({std::string(100'000, 'x')}));
    return server.server().Create(kPods, pod).OrExit();
  };
  const std::string pod = "/api/v1/namespaces/default/pods/p";
  const std::string eviction = R"({"metadata":{"name":"p"}})";
  make();
  HttpRequest request{.method = "POST", .target = pod + "/eviction", .body = eviction};
  request.headers.Add("Content-Type", "application/json");
  const auto answer = server.server().Handle(std::move(request));
  server.server().Delete(kPods, {.namespace_ = "default", .name = "p"}).OrExit();
  const json::Value other = make();
  server.sim().RunFor(std::chrono::seconds(1));
  ASSERT_TRUE(answer->ready());
  EXPECT_EQ(answer->status(), 409);
  EXPECT_EQ(server.Get(pod).Json().At("/metadata/uid"), other.At("/metadata/uid"));
  EXPECT_EQ(server.Get(pod).Json().At("/status/conditions").size(), 0U);
  EXPECT_EQ(server.Do("POST", pod + "/eviction", eviction).status, 201);
  EXPECT_EQ(server.Get(pod).status, 404);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
