#include "kinformer/apiserver/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

std::string MapBody(std::string_view name, std::string_view more = "") {
  return R"({"metadata":{"name":")" + std::string(name) + "\"" + std::string(more) + "}}";
}

// A status code and, if not empty, the reason and a part of the message.
struct Expectation {
  const char* check;
  const char* method;
  std::string target;
  std::string body;
  int status;
  std::string reason;
  std::string message;
  HeaderList headers{};
};

void Check(TestServer& server, const std::vector<Expectation>& table) {
  for (const Expectation& e : table) {
    SCOPED_TRACE(e.check);
    const Reply reply = server.Do(e.method, e.target, e.body, e.headers);
    EXPECT_EQ(reply.status, e.status) << reply.body;
    if (!e.reason.empty()) {
      EXPECT_EQ(reply.Json()["reason"].StringOrEmpty(), e.reason) << reply.body;
    }
    EXPECT_THAT(reply.body, HasSubstr(e.message));
  }
}

TEST(ApiServerRouting, SRV1To13) {
  TestServer server;
  Check(server,
        {{"SRV1", "GET", "/healthz", "", 200, "", "ok"},
         {"SRV2", "GET", "/api/v1/foos", "", 404, "NotFound",
          "the server could not find the requested resource"},
         {"SRV3", "GET", "/nope", "", 404, "", "404 page not found"},
         {"SRV4", "PUT", std::string(kMaps), "{}", 405, "MethodNotAllowed", ""},
         {"SRV6", "GET", "/api/v1/namespaces/default", "", 200, "", R"("kind":"Namespace")"},
         {"SRV5", "GET", "/api/v1/namespaces/default/status", "", 200, "", R"("kind":"Namespace")"},
         {"SRV7", "GET", std::string(kMaps) + "/", "", 200, "", "ConfigMapList"},
         {"SRV8", "GET", std::string(kMaps) + "?timeout=bogus", "", 400, "BadRequest", "bogus"},
         {"SRV10",
          "GET",
          std::string(kMaps),
          "",
          406,
          "NotAcceptable",
          "application/yaml",
          {{"Accept", "text/html"}}},
         {"SRV11",
          "POST",
          std::string(kMaps),
          "<a/>",
          415,
          "UnsupportedMediaType",
          "",
          {{"Content-Type", "application/xml"}}},
         {"SRV12",
          "GET",
          std::string(kMaps),
          "",
          200,
          "",
          "kind: ConfigMapList",
          {{"Accept", "application/json;q=0.1,application/yaml;q=0.9"}}},
         {"SRV13",
          "GET",
          std::string(kMaps),
          "",
          200,
          "",
          "{\n  \"kind\"",
          {{"User-Agent", "curl/8"}}},
         {"SRV13b",
          "GET",
          std::string(kMaps) + "?pretty=false",
          "",
          200,
          "",
          "{\"kind\"",
          {{"User-Agent", "curl/8"}}}});
  const Reply big = server.Do("POST", kMaps, std::string((3U << 20) + 1, 'x'));
  EXPECT_EQ(big.status, 413) << "SRV9";
}

TEST(ApiServerList, SRV19EmptyAndSRV44StableVersion) {
  TestServer server;
  const json::Value list = server.Get(kMaps).Json();
  EXPECT_EQ(list["items"], json::Value::MakeArray());
  EXPECT_EQ(list.At("/metadata/resourceVersion").StringOrEmpty(),
            std::to_string(server.server().current_resource_version()));
  EXPECT_EQ(server.Get(kMaps).body, server.Get(kMaps).body);
}

TEST(ApiServerList, SRV21To27Paging) {
  TestServer server;
  for (const char* name : {"a", "b", "c", "d", "e"}) server.MakeConfigMap("default", name);
  const std::string all = std::string(kMaps) + "?limit=2";
  const json::Value first = server.Get(all).Json();
  EXPECT_EQ(first["items"].size(), 2U);
  EXPECT_EQ(first.At("/metadata/remainingItemCount").AsInt64(), 3);
  const std::string version = first.At("/metadata/resourceVersion").StringOrEmpty();
  const std::string token = first.At("/metadata/continue").StringOrEmpty();
  ASSERT_FALSE(token.empty());

  // SRV22: the second page shows the collection as it was.
  ASSERT_TRUE(server.server().Delete(kConfigMaps, {.namespace_ = "default", .name = "c"}).ok());
  const json::Value second = server.Get(all + "&continue=" + token).Json();
  EXPECT_EQ(second.At("/metadata/resourceVersion").StringOrEmpty(), version);
  EXPECT_EQ(second.At("/items/0/metadata/name").StringOrEmpty(), "c");
  const json::Value third =
      server.Get(all + "&continue=" + second.At("/metadata/continue").StringOrEmpty()).Json();
  EXPECT_EQ(third["items"].size(), 1U);
  EXPECT_TRUE(third.At("/metadata/continue").is_null());

  EXPECT_EQ(server.Get(all + "&resourceVersion=0").Json()["items"].size(), 4U) << "SRV24";
  const json::Value selected = server.Get(all + "&labelSelector=!x").Json();
  EXPECT_TRUE(selected.At("/metadata/remainingItemCount").is_null()) << "SRV23";
  EXPECT_FALSE(selected.At("/metadata/continue").is_null());

  // SRV27: compacted under the reader.
  server.MakeConfigMap("default", "f");
  server.server().Compact(server.server().current_resource_version());
  const Reply expired = server.Get(all + "&continue=" + token);
  EXPECT_EQ(expired.status, 410);
  EXPECT_EQ(expired.Json()["reason"].StringOrEmpty(), "Expired");
  const std::string fresh = expired.Json().At("/metadata/continue").StringOrEmpty();
  const json::Value resumed = server.Get(all + "&continue=" + fresh).Json();
  EXPECT_EQ(resumed.At("/items/0/metadata/name").StringOrEmpty(), "d");
  EXPECT_NE(resumed.At("/metadata/resourceVersion").StringOrEmpty(), version);
}

TEST(ApiServerList, SRV25To37Versions) {
  TestServer server;
  const std::string made = server.MakeConfigMap("default", "a");
  server.MakeConfigMap("default", "b");
  const std::string maps(kMaps);
  Check(server,
        {{"SRV25", "GET", maps + "?continue=abc&resourceVersion=5", "", 400, "BadRequest",
          "specifying resource version is not allowed when using continue"},
         {"SRV26", "GET", maps + "?continue=garbage", "", 400, "BadRequest",
          "invalid continue token"},
         {"SRV28", "GET", maps + "?resourceVersionMatch=Exact", "", 422, "Invalid",
          "resourceVersionMatch"},
         {"SRV29", "GET", maps + "?resourceVersionMatch=Exact&resourceVersion=0", "", 422,
          "Invalid", ""},
         {"SRV30", "GET", maps + "?resourceVersionMatch=Foo&resourceVersion=1", "", 422, "Invalid",
          "Unsupported value"},
         {"SRV37", "GET", maps + "?resourceVersion=abc", "", 400, "BadRequest", "abc"},
         {"SRV39", "GET", maps + "/nope", "", 404, "NotFound", R"(configmaps \"nope\" not found)"},
         {"SRV145", "GET", maps + "?sendInitialEvents=true", "", 422, "Invalid",
          "sendInitialEvents"}});
  const json::Value exact =
      server.Get(maps + "?resourceVersionMatch=Exact&resourceVersion=" + made).Json();
  EXPECT_EQ(exact["items"].size(), 1U) << "SRV31";
  EXPECT_EQ(exact.At("/metadata/resourceVersion").StringOrEmpty(), made);
  EXPECT_EQ(server.Get(maps + "?limit=1&resourceVersion=" + made).Json().At("/metadata/continue"),
            json::Value())
      << "SRV33";

  server.server().Compact(server.server().current_resource_version());
  EXPECT_EQ(server.Get(maps + "?resourceVersionMatch=Exact&resourceVersion=" + made).status, 410)
      << "SRV32";

  const SteadyTime before = server.sim().env().Now();
  const Reply future = server.Get(maps + "?resourceVersion=1000&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(future.status, 504) << "SRV34";
  EXPECT_EQ(future.headers.Get("Retry-After"), "1");
  EXPECT_THAT(future.body, HasSubstr("ResourceVersionTooLarge"));
  EXPECT_EQ(server.sim().env().Now() - before, std::chrono::seconds(3));
}

TEST(ApiServerList, SRV35FutureVersionIsReached) {
  TestServer server;
  const std::int64_t next = server.server().current_resource_version() + 1;
  auto open = server.Open(std::string(kMaps) + "?resourceVersion=" + std::to_string(next));
  EXPECT_EQ(open->reply().status, 0);
  server.MakeConfigMap("default", "a");
  EXPECT_EQ(open->wakes(), 1);
  open->Pull();
  EXPECT_EQ(open->reply().status, 200);
  EXPECT_EQ(open->reply().Json()["items"].size(), 1U);
}

TEST(ApiServerList, SRV38OrderIsByStorageKey) {
  TestServer server;
  for (const char* ns : {"a", "a-b"}) {
    ASSERT_TRUE(
        server.server()
            .Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: " + std::string(ns) + "}")
            .ok());
    server.MakeConfigMap(ns, "x");
  }
  const json::Value list = server.Get("/api/v1/configmaps").Json();
  EXPECT_EQ(list.At("/items/0/metadata/namespace").StringOrEmpty(), "a-b");
  EXPECT_EQ(list.At("/items/1/metadata/namespace").StringOrEmpty(), "a");
}

TEST(ApiServerSelectors, SRV45To58) {
  TestServer server;
  server.MakeConfigMap("default", "one", R"({"a":"b","n":"4"})");
  server.MakeConfigMap("default", "two", R"({"a":"c"})");
  server.MakeConfigMap("default", "three");
  const auto names = [&](std::string_view query) {
    std::vector<std::string> out;
    const json::Value list = server.Get(std::string(kMaps) + "?" + std::string(query)).Json();
    for (const json::Value& item : list["items"].items()) {
      out.push_back(item.At("/metadata/name").StringOrEmpty());
    }
    return out;
  };
  EXPECT_THAT(names("labelSelector=a%3Db"), ElementsAre("one"));
  EXPECT_THAT(names("labelSelector=a!%3Db"), ElementsAre("three", "two"));
  EXPECT_THAT(names("labelSelector=a+in+(b,c)"), ElementsAre("one", "two"));
  EXPECT_THAT(names("labelSelector=a+notin+(b)"), ElementsAre("three", "two"));
  EXPECT_THAT(names("labelSelector=!a"), ElementsAre("three"));
  EXPECT_THAT(names("labelSelector=n%3E3"), ElementsAre("one"));
  EXPECT_THAT(names("fieldSelector=metadata.name%3Dtwo"), ElementsAre("two")) << "SRV52";
  EXPECT_THAT(names("fieldSelector=metadata.name!%3Dtwo"), ElementsAre("one", "three")) << "SRV53";
  Check(server,
        {{"SRV49", "GET", std::string(kMaps) + "?labelSelector=a,,b", "", 400, "BadRequest", ""},
         {"SRV54", "GET", std::string(kMaps) + "?fieldSelector=status.phase%3DRunning", "", 400,
          "BadRequest", "is not a known field selector"}});
  ASSERT_TRUE(
      server.server()
          .Load("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n"
                "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\n"
                "spec: {nodeName: n1, containers: [{name: c}]}\nstatus: {phase: Running}\n")
          .ok());
  const json::Value unscheduled = server.Get("/api/v1/pods?fieldSelector=spec.nodeName%3D").Json();
  ASSERT_EQ(unscheduled["items"].size(), 1U) << "SRV55";
  EXPECT_EQ(unscheduled.At("/items/0/metadata/name").StringOrEmpty(), "p");
  EXPECT_EQ(server.Get("/api/v1/pods?fieldSelector=status.phase%3DRunning").Json()["items"].size(),
            1U);
}

TEST(ApiServerCreate, SRV60To82) {
  TestServer server;
  const std::string maps(kMaps);
  const Reply made = server.Do(
      "POST", maps,
      R"({"metadata":{"name":"a","uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z","selfLink":"x"}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const json::Value object = made.Json();
  EXPECT_EQ(object["kind"].StringOrEmpty(), "ConfigMap");
  EXPECT_EQ(object.At("/metadata/creationTimestamp").StringOrEmpty(), "2023-11-14T22:13:20Z")
      << "SRV60";
  EXPECT_EQ(object.At("/metadata/namespace").StringOrEmpty(), "default");
  EXPECT_EQ(object.At("/metadata/uid").StringOrEmpty().size(), 36U) << "SRV61";
  EXPECT_EQ(object.At("/metadata/uid").StringOrEmpty()[14], '4');
  EXPECT_TRUE(object.At("/metadata/selfLink").is_null());

  Check(server,
        {{"SRV62", "POST", maps, MapBody("v", R"(,"resourceVersion":"5")"), 500, "",
          "resourceVersion"},
         {"SRV63", "POST", maps, MapBody("v", R"(,"namespace":"other")"), 400, "BadRequest",
          "namespace"},
         {"SRV64", "POST", maps, "{}", 422, "Invalid", "name or generateName is required"},
         {"SRV68", "POST", maps, MapBody("A_b"), 422, "Invalid", "FieldValueInvalid"},
         {"SRV69", "POST", "/api/v1/namespaces/default/services", MapBody("A_b"), 422, "Invalid",
          "RFC 1123 label"},
         {"SRV70", "POST", maps, MapBody("a"), 409, "AlreadyExists",
          R"(configmaps \"a\" already exists)"},
         {"SRV72", "POST", "/api/v1/namespaces/nope/configmaps", MapBody("a"), 404, "NotFound",
          R"(namespaces \"nope\" not found)"},
         {"SRV74", "POST", maps, R"({"kind":"Secret","metadata":{"name":"k"}})", 400, "BadRequest",
          "Secret"},
         {"SRV74b", "POST", maps, R"({"apiVersion":"v2","metadata":{"name":"k"}})", 400,
          "BadRequest", "does not match the expected API version"},
         {"SRV75", "POST", maps, "{", 400, "BadRequest", ""},
         {"SRV77",
          "POST",
          maps,
          "xxxx",
          400,
          "BadRequest",
          "k8s",
          {{"Content-Type", "application/vnd.kubernetes.protobuf"}}},
         {"SRV79", "POST", maps + "?dryRun=x", MapBody("k"), 422, "Invalid", "CreateOptions"},
         {"SRV81",
          "POST",
          maps,
          "metadata: {name: from-yaml}",
          201,
          "",
          "from-yaml",
          {{"Content-Type", "application/yaml"}}},
         {"SRV82", "POST", maps,
          MapBody("k", ",\"annotations\":{\"a\":\"" + std::string(257U << 10, 'x') + "\"}"), 422,
          "Invalid", "metadata.annotations"}});

  const json::Value one = server.Do("POST", maps, R"({"metadata":{"generateName":"job-"}})").Json();
  const json::Value two = server.Do("POST", maps, R"({"metadata":{"generateName":"job-"}})").Json();
  EXPECT_THAT(one.At("/metadata/name").StringOrEmpty(), StartsWith("job-")) << "SRV65";
  EXPECT_EQ(one.At("/metadata/name").StringOrEmpty().size(), 9U);
  EXPECT_NE(one.At("/metadata/name"), two.At("/metadata/name"));

  const std::int64_t version = server.server().current_resource_version();
  EXPECT_EQ(server.Do("POST", maps + "?dryRun=All", MapBody("dry")).status, 201) << "SRV78";
  EXPECT_EQ(server.server().current_resource_version(), version);
  EXPECT_EQ(server.Get(maps + "/dry").status, 404);

  const std::string pod =
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Running"}})";
  const Reply status = server.Do("POST", "/api/v1/namespaces/default/pods", pod);
  EXPECT_EQ(status.Json().At("/status/phase").StringOrEmpty(), "Pending") << "SRV83";
}

TEST(ApiServerCreate, SRV80FieldValidation) {
  TestServer server;
  const std::string maps(kMaps);
  const std::string twice = R"({"metadata":{"name":"d"},"data":{"a":"1"},"data":{"a":"2"}})";
  EXPECT_EQ(server.Do("POST", maps + "?fieldValidation=Strict", twice).status, 400);
  const Reply warned = server.Do("POST", maps + "?fieldValidation=Warn", twice);
  EXPECT_EQ(warned.status, 201);
  EXPECT_THAT(std::string(warned.headers.Get("Warning")), HasSubstr("duplicate field"));
  const Reply unknown =
      server.Do("POST", maps + "?fieldValidation=Strict", R"({"metadata":{"name":"u"},"dat":{}})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("unknown field"));
}

TEST(ApiServerUpdate, SRV84To93) {
  TestServer server;
  const std::string item = std::string(kMaps) + "/a";
  const std::string version = server.MakeConfigMap("default", "a");
  const auto body = [](std::string_view rv, std::string_view value) {
    return R"({"metadata":{"name":"a","resourceVersion":")" + std::string(rv) +
           R"("},"data":{"k":")" + std::string(value) + "\"}}";
  };
  const Reply updated = server.Do("PUT", item, body(version, "1"));
  EXPECT_EQ(updated.status, 200) << "SRV84";
  const std::string newer = updated.Json().At("/metadata/resourceVersion").StringOrEmpty();
  EXPECT_GT(std::stol(newer), std::stol(version));

  auto watch = server.Open(std::string(kMaps) + "?watch=1&resourceVersion=" + newer);
  EXPECT_EQ(server.Do("PUT", item, body(newer, "1"))
                .Json()
                .At("/metadata/resourceVersion")
                .StringOrEmpty(),
            newer)
      << "SRV91";
  EXPECT_THAT(watch->Events(), IsEmpty()) << "SRV91";

  Check(
      server,
      {{"SRV85/SRV93", "PUT", item, body(version, "2"), 409, "Conflict",
        "the object has been modified; please apply your changes to the latest version and try "
        "again"},
       {"SRV86", "PUT", item, R"({"metadata":{"name":"a"},"data":{"k":"3"}})", 200, "", ""},
       {"SRV88", "PUT", item, R"({"metadata":{"name":"a","uid":"other"}})", 409, "Conflict", "UID"},
       {"SRV89", "PUT", item, R"({"metadata":{"name":"b"}})", 400, "BadRequest",
        "does not match the name on the URL"},
       {"SRV90", "PUT", std::string(kMaps) + "/none", MapBody("none"), 404, "NotFound", ""},
       {"SRV90b", "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", MapBody("l"),
        201, "", ""}});
  const Reply kept =
      server.Do("PUT", item,
                R"({"metadata":{"name":"a","creationTimestamp":"2001-01-01T00:00:00Z",
                                   "generation":9},"data":{"k":"4"}})");
  EXPECT_EQ(kept.Json().At("/metadata/creationTimestamp").StringOrEmpty(), "2023-11-14T22:13:20Z")
      << "SRV92";
  EXPECT_TRUE(kept.Json().At("/metadata/generation").is_null());
}

TEST(ApiServerUpdate, SRV84GenerationAndSRV102Status) {
  TestServer server;
  const std::string items = "/apis/apps/v1/namespaces/default/deployments";
  const std::string body =
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{}},
          "status":{"replicas":9}})";
  const json::Value made = server.Do("POST", items, body).Json();
  EXPECT_EQ(made.At("/metadata/generation").AsInt64(), 1);
  EXPECT_EQ(made.At("/spec/replicas").AsInt64(), 1);
  EXPECT_TRUE(made.At("/status/replicas").is_null()) << "SRV83";

  const HeaderList merge = {{"Content-Type", "application/merge-patch+json"}};
  const json::Value spec =
      server.Do("PATCH", items + "/d", R"({"spec":{"replicas":3}})", merge).Json();
  EXPECT_EQ(spec.At("/metadata/generation").AsInt64(), 2);
  const json::Value ignored =
      server.Do("PATCH", items + "/d", R"({"status":{"replicas":7}})", merge).Json();
  EXPECT_TRUE(ignored.At("/status/replicas").is_null());
  const json::Value status = server
                                 .Do("PATCH", items + "/d/status",
                                     R"({"status":{"replicas":3},"spec":{"replicas":8}})", merge)
                                 .Json();
  EXPECT_EQ(status.At("/status/replicas").AsInt64(), 3);
  EXPECT_EQ(status.At("/spec/replicas").AsInt64(), 3);
  EXPECT_EQ(status.At("/metadata/generation").AsInt64(), 2);

  const json::Value scale = server.Get(items + "/d/scale").Json();
  EXPECT_EQ(scale["kind"].StringOrEmpty(), "Scale") << "SRV103";
  EXPECT_EQ(scale.At("/status/selector").StringOrEmpty(), "a=b");
  const json::Value scaled =
      server.Do("PATCH", items + "/d/scale", R"({"spec":{"replicas":5}})", merge).Json();
  EXPECT_EQ(scaled.At("/spec/replicas").AsInt64(), 5);
  EXPECT_EQ(server.Get(items + "/d").Json().At("/metadata/generation").AsInt64(), 3);
}

TEST(ApiServerPatch, SRV94To101) {
  TestServer server;
  const std::string item = std::string(kMaps) + "/a";
  ASSERT_EQ(
      server.Do("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"x":"1","y":"2"}})").status,
      201);
  const HeaderList merge = {{"Content-Type", "application/merge-patch+json"}};
  const HeaderList patch = {{"Content-Type", "application/json-patch+json"}};
  EXPECT_EQ(server.Do("PATCH", item, R"({"data":{"x":null}})", merge).Json()["data"],
            json::Value::MakeObject({{"y", "2"}}))
      << "SRV94";
  EXPECT_EQ(server.Do("PATCH", item, R"([{"op":"add","path":"/data/z","value":"3"}])", patch)
                .Json()
                .At("/data/z")
                .StringOrEmpty(),
            "3");
  Check(server,
        {{"SRV95", "PATCH", item, R"({"metadata":{"resourceVersion":"1"},"data":{"q":"1"}})", 409,
          "Conflict", "", merge},
         {"SRV96", "PATCH", item, R"([{"op":"test","path":"/data/y","value":"9"}])", 422, "Invalid",
          "the server rejected our request due to an error in our request", patch},
         {"SRV97", "PATCH", item, "{}", 400, "BadRequest", "", patch},
         {"SRV100",
          "PATCH",
          item,
          "{}",
          415,
          "UnsupportedMediaType",
          "415: Unsupported Media Type",
          {{"Content-Type", "application/x"}}},
         {"SRV101", "PATCH", item + "?force=true", "{}", 422, "Invalid", "force", merge}});
}

TEST(ApiServerDelete, SRV116To125) {
  TestServer server;
  const std::string maps(kMaps);
  server.MakeConfigMap("default", "a");
  auto watch = server.Open(maps + "?watch=1&resourceVersion=" +
                           std::to_string(server.server().current_resource_version()));
  const Reply deleted = server.Do("DELETE", maps + "/a");
  EXPECT_EQ(deleted.status, 200) << "SRV116";
  EXPECT_EQ(deleted.Json()["status"].StringOrEmpty(), "Success");
  EXPECT_EQ(deleted.Json().At("/details/kind").StringOrEmpty(), "configmaps");
  EXPECT_THAT(watch->Events(),
              ElementsAre("DELETED default/a " +
                          std::to_string(server.server().current_resource_version())));

  ASSERT_EQ(server.Do("POST", maps, MapBody("f", R"(,"finalizers":["x.io/hold"])")).status, 201);
  Check(server,
        {{"SRV117", "DELETE", maps + "/a", "", 404, "NotFound", ""},
         {"SRV118", "DELETE", maps + "/f", R"({"preconditions":{"uid":"u"}})", 409, "Conflict",
          "UID"},
         {"SRV119", "DELETE", maps + "/f", R"({"preconditions":{"resourceVersion":"1"}})", 409,
          "Conflict", "ResourceVersion"},
         {"SRV124", "DELETE", maps + "/f",
          R"({"orphanDependents":true,"propagationPolicy":"Orphan"})", 422, "Invalid", ""}});
  const json::Value pending = server.Do("DELETE", maps + "/f").Json();
  EXPECT_FALSE(pending.At("/metadata/deletionTimestamp").is_null()) << "SRV120";
  const std::string version = pending.At("/metadata/resourceVersion").StringOrEmpty();
  EXPECT_EQ(server.Do("DELETE", maps + "/f").Json().At("/metadata/resourceVersion").StringOrEmpty(),
            version);
  const HeaderList merge = {{"Content-Type", "application/merge-patch+json"}};
  EXPECT_EQ(
      server
          .Do("PATCH", maps + "/f", R"({"metadata":{"finalizers":["x.io/hold","y.io/b"]}})", merge)
          .status,
      422)
      << "SRV121";
  EXPECT_EQ(server.Do("POST", maps, MapBody("f")).Json()["message"].StringOrEmpty(),
            "object is being deleted: configmaps \"f\" already exists")
      << "SRV71";
  EXPECT_EQ(server.Do("PATCH", maps + "/f", R"({"metadata":{"deletionTimestamp":null}})", merge)
                .Json()
                .At("/metadata/resourceVersion")
                .StringOrEmpty(),
            version)
      << "SRV122";
  EXPECT_EQ(server.Do("PATCH", maps + "/f", R"({"metadata":{"finalizers":null}})", merge).status,
            200);
  EXPECT_EQ(server.Get(maps + "/f").status, 404) << "SRV120";
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[2]["type"].StringOrEmpty(), "DELETED");
  EXPECT_EQ(frames[2].At("/object/metadata/finalizers").size(), 1U)
      << "the state before the last write";
}

TEST(ApiServerDelete, SRV123PodGrace) {
  TestServer server({.pod_grace = true});
  ASSERT_TRUE(server.server()
                  .Load("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                        "spec: {nodeName: node-1, containers: [{name: c}]}\n")
                  .ok());
  const std::string pod = "/api/v1/namespaces/default/pods/p";
  const json::Value going = server.Do("DELETE", pod).Json();
  EXPECT_EQ(going.At("/metadata/deletionGracePeriodSeconds").AsInt64(), 30);
  EXPECT_EQ(going.At("/metadata/deletionTimestamp").StringOrEmpty(), "2023-11-14T22:13:50Z");
  server.sim().RunFor(std::chrono::seconds(29));
  EXPECT_EQ(server.Get(pod).status, 200);
  server.sim().RunFor(std::chrono::seconds(2));
  EXPECT_EQ(server.Get(pod).status, 404);
}

TEST(ApiServerDelete, SRV126To130) {
  TestServer server;
  const std::string maps(kMaps);
  const json::Value owner = server.Do("POST", maps, MapBody("owner")).Json();
  const std::string refs =
      R"(,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" +
      owner.At("/metadata/uid").StringOrEmpty() + "\"}]";
  ASSERT_EQ(server.Do("POST", maps, MapBody("child", refs)).status, 201);
  ASSERT_EQ(server.Do("DELETE", maps + "/owner", R"({"propagationPolicy":"Background"})").status,
            200);
  server.sim().RunReady();
  EXPECT_EQ(server.Get(maps + "/child").status, 404) << "SRV126";

  const json::Value second = server.Do("POST", maps, MapBody("owner")).Json();
  const std::string again =
      R"(,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" +
      second.At("/metadata/uid").StringOrEmpty() + "\"}]";
  ASSERT_EQ(server.Do("POST", maps, MapBody("child", again)).status, 201);
  ASSERT_EQ(server.Do("DELETE", maps + "/owner", R"({"propagationPolicy":"Orphan"})").status, 200);
  server.sim().RunReady();
  EXPECT_TRUE(server.Get(maps + "/child").Json().At("/metadata/ownerReferences").is_null())
      << "SRV127";

  server.MakeConfigMap("default", "x1", R"({"go":"yes"})");
  const json::Value gone = server.Do("DELETE", maps + "?labelSelector=go%3Dyes").Json();
  EXPECT_EQ(gone["items"].size(), 1U) << "SRV129";
  EXPECT_EQ(server.Get(maps + "/x1").status, 404);
  EXPECT_EQ(server.Get(maps + "/child").status, 200);

  EXPECT_EQ(server.Do("DELETE", "/api/v1/namespaces/default").status, 403);
  ASSERT_TRUE(server.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: gone}").ok());
  server.MakeConfigMap("gone", "a");
  const json::Value ns = server.Do("DELETE", "/api/v1/namespaces/gone").Json();
  EXPECT_EQ(ns.At("/status/phase").StringOrEmpty(), "Terminating") << "SRV130";
  EXPECT_EQ(server.Do("POST", "/api/v1/namespaces/gone/configmaps", MapBody("b")).status, 403)
      << "SRV73";
  server.sim().RunReady();
  EXPECT_EQ(server.Get("/api/v1/namespaces/gone").status, 404) << "SRV130";
  EXPECT_EQ(server.server().ObjectCount(kConfigMaps), 1U);
}

TEST(ApiServerInProcess, LoadUpdatesWhatIsThere) {
  TestServer server;
  const std::string text =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \"1\"}\n";
  EXPECT_EQ(server.server().Load(text).value(), 1U);
  EXPECT_EQ(server.server().Load("---\n" + text + "---\n" + text).value(), 2U);
  const auto bad =
      server.server().Load(text + "---\napiVersion: v1\nkind: Nonsense\nmetadata: {name: x}\n");
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message(), HasSubstr("document 2 (Nonsense x)"));
  EXPECT_THAT(server.server().DumpState(kConfigMaps), ElementsAre(::testing::Key("default/a")));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
