// Tests that need a simulated clock, response streams or in-process calls. Responses to single
// requests are checked by test/conformance/server_checks.txt.

#include "kinformer/apiserver/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

TEST(ApiServerTime, AFutureVersionIsWaitedForAWhile_SRV34) {
  TestServer server;
  const SteadyTime before = server.sim().env().Now();
  EXPECT_EQ(server.Get(std::string(kMaps) + "?resourceVersion=1000").status, 504);
  EXPECT_EQ(server.sim().env().Now() - before, seconds(3));
}

TEST(ApiServerTime, TheAnswerBeginsWithTheVersion_SRV35) {
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

TEST(ApiServerTime, ObjectsAreAsOldAsTheEnvSays_SRV60) {
  TestServer server;
  server.sim().RunFor(std::chrono::milliseconds(1999));
  const json::Value made = server.Do("POST", kMaps, R"({"metadata":{"name":"a"}})").Json();
  EXPECT_EQ(made.At("/metadata/creationTimestamp").StringOrEmpty(), "2023-11-14T22:13:21Z");
}

TEST(ApiServerTime, PodsGoWithoutAKubelet_SRV123) {
  TestServer server({.pod_grace = true});
  ASSERT_TRUE(server.server()
                  .Load("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                        "spec: {nodeName: node-1, containers: [{name: c}]}\n")
                  .ok());
  const std::string pod = "/api/v1/namespaces/default/pods/p";
  const json::Value going = server.Do("DELETE", pod).Json();
  EXPECT_EQ(going.At("/metadata/deletionTimestamp").StringOrEmpty(), "2023-11-14T22:13:50Z");
  server.sim().RunFor(seconds(29));
  EXPECT_EQ(server.Get(pod).status, 200);
  server.sim().RunFor(seconds(2));
  EXPECT_EQ(server.Get(pod).status, 404);
}

TEST(ApiServerInProcess, ADryRunUsesNoVersion_SRV78) {
  TestServer server;
  const std::int64_t version = server.server().current_resource_version();
  EXPECT_EQ(
      server.Do("POST", std::string(kMaps) + "?dryRun=All", R"({"metadata":{"name":"a"}})").status,
      201);
  EXPECT_EQ(server.server().current_resource_version(), version);
}

TEST(ApiServerInProcess, AcceptsTheTokensThatItGaveOut) {
  TestServer server;
  const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
  ASSERT_EQ(server.Do("POST", accounts, R"({"metadata":{"name":"a"}})").status, 201);
  const std::string token = server.Do("POST", accounts + "/a/token", R"({"spec":{}})")
                                .Json()
                                .At("/status/token")
                                .StringOrEmpty();
  ASSERT_FALSE(token.empty());
  const Handler& handler = server.server();
  EXPECT_TRUE(handler.Accepts(token));
  EXPECT_FALSE(handler.Accepts(token + "x"));
  EXPECT_FALSE(handler.Accepts(""));
  server.sim().RunFor(std::chrono::hours(2));
  EXPECT_FALSE(handler.Accepts(token)) << "it has expired";
  const std::string other = server.Do("POST", accounts + "/a/token", R"({"spec":{}})")
                                .Json()
                                .At("/status/token")
                                .StringOrEmpty();
  EXPECT_TRUE(handler.Accepts(other));
  ASSERT_EQ(server.Do("DELETE", accounts + "/a").status, 200);
  EXPECT_FALSE(handler.Accepts(other)) << "whose it was has gone";
}

TEST(ApiServerInProcess, LoadTellsOfFieldsThatNobodyKnows) {
  TestServer server;
  std::vector<std::string> warnings;
  ASSERT_TRUE(server.server()
                  .Load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, lables: {}}\n"
                        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
                        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                        "spec: {containers: [{name: c, imge: i}], hostname: x, hostname: z}\n",
                        {}, &warnings)
                  .ok());
  EXPECT_THAT(warnings, ::testing::ElementsAre(
                            "line 12: key \"hostname\" already set in map",
                            "document 1 (ConfigMap a): unknown field \"metadata.lables\"",
                            "document 3 (Pod p): unknown field \"spec.containers[0].imge\""));
  EXPECT_EQ(server.Get("/api/v1/namespaces/default/pods/p").Json().At("/spec/containers/0/imge"),
            json::Value());
}

// Defaults copy values from one field to others; errors must name the field that was sent.
TEST(ApiServerInProcess, Load_BlamesTheFieldThatWasWritten) {
  const struct {
    const char* manifest;
    const char* want;
  } kCases[] = {
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
       "spec: {containers: [{name: c, resources: {limits: {memory: 64 MB}}}]}\n",
       "spec.containers[0].resources.limits.memory: \"64 MB\" is no quantity"},
      {"apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\n"
       "spec: {limits: [{type: Container, max: {cpu: lots}}]}\n",
       "spec.limits[0].max.cpu: \"lots\" is no quantity"},
      {"apiVersion: v1\nkind: ReplicationController\nmetadata: {name: r}\n"
       "spec: {template: {metadata: {labels: {a: 1}}, spec: {containers: [{name: c}]}}}\n",
       "spec.template.metadata.labels.a: expected a string, got a number; in YAML a text that"},
      {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {port: 80}\n",
       "stringData.port: expected a string, got a number"},
      {"apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
       "spec: {ports: [{port: \"80\"}]}\n",
       "spec.ports[0].port: expected an integer, got a string; write it without quotes"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: {name: c}}\n",
       "spec.containers: expected an array, got an object; in YAML each item begins with"},
  };
  for (const auto& c : kCases) {
    TestServer server;
    const auto loaded = server.server().Load(c.manifest);
    ASSERT_FALSE(loaded.ok()) << c.manifest;
    EXPECT_THAT(loaded.error().message(), HasSubstr(c.want));
    EXPECT_THAT(loaded.error().message(), Not(HasSubstr("at byte")));
    EXPECT_THAT(loaded.error().message(), Not(HasSubstr("document 1"))) << "it is the only one";
  }
}

TEST(ApiServerInProcess, Load_SaysWhatToWriteForAKindThatNobodyServes) {
  const struct {
    const char* manifest;
    const char* want;
  } kCases[] = {
      {"metadata: {name: x}", "object without a kind x: it has no apiVersion and kind; each"},
      {"kind: Pod\nmetadata: {name: x}", "Pod x: it has no apiVersion; each document begins like"},
      {"apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: x}",
       "write kind: Deployment and apiVersion: apps/v1"},
      {"apiVersion: v1\nkind: pod\nmetadata: {name: x}", "write kind: Pod and apiVersion: v1"},
      {"apiVersion: shop.example/v1\nkind: Car\nmetadata: {name: x}",
       "load the CustomResourceDefinition"},
      {"apiVersion: v1\nkind: Car\nmetadata: {name: x}",
       "the group is built in, and has no such kind; is the apiVersion right?"},
      {"apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: x}", "did you mean \"Deployment\"?"},
      {"apiVersion: apps/v1beta1\nkind: Deploymnet\nmetadata: {name: x}",
       "did you mean \"Deployment\"?"},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: shop}",
       "namespaces \"shop\" not found; load a document of kind Namespace"},
  };
  TestServer server;
  for (const auto& c : kCases) {
    const auto loaded = server.server().Load(c.manifest);
    ASSERT_FALSE(loaded.ok()) << c.manifest;
    EXPECT_EQ(loaded.error().reason(), Reason::kNotFound);
    EXPECT_THAT(loaded.error().message(), HasSubstr(c.want));
  }
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

TEST(ApiServer, PagesExpireThoughNothingIsWritten) {
  TestServer server({.history_age = std::chrono::minutes(5)});
  for (const char* name : {"a", "b"}) server.MakeConfigMap("default", name);
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  const auto token = [&] {
    return server.Get(maps + "?limit=1").Json().At("/metadata/continue").StringOrEmpty();
  };
  const auto status = [&](const std::string& from) {
    return server.Get(maps + "?limit=1&continue=" + from).status;
  };
  const std::string first = token();
  server.sim().RunFor(std::chrono::minutes(4));
  EXPECT_EQ(status(first), 200);
  server.sim().RunFor(std::chrono::minutes(7));
  EXPECT_EQ(status(first), 410);
  const std::string later = token();
  EXPECT_EQ(status(later), 200);
  server.sim().RunFor(std::chrono::minutes(4));
  EXPECT_EQ(status(later), 200) << "what is given away is good for the age at least";
  server.sim().RunFor(std::chrono::minutes(20));
  EXPECT_EQ(status(later), 410);
}

TEST(ApiServer, ListsWithoutALimit_TakeNoVersion) {
  TestServer server({.history_age = std::chrono::minutes(5), .bootstrap_objects = false});
  const std::int64_t version = server.server().current_resource_version();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(server.Get(kMaps).status, 200);
    server.sim().RunFor(std::chrono::minutes(20));
  }
  EXPECT_EQ(server.server().current_resource_version(), version);
}

TEST(ApiServer, WatchesThatAreClosed_LeaveNothingToWaitFor) {
  TestServer server({.bootstrap_objects = false});
  const SteadyTime before = server.sim().env().Now();
  (void)server.Open(std::string(kMaps) + "?watch=1&allowWatchBookmarks=1");
  (void)server.Open(std::string(kMaps) + "?watch=1");
  EXPECT_FALSE(server.sim().RunUntil([] { return false; }, std::chrono::hours(10)));
  EXPECT_EQ(server.sim().env().Now(), before);
}

// Objects of built-in kinds count as protobuf, in which binary data is a quarter shorter.
TEST(ApiServer, LargestObject_IsMeasuredAsItIsStored) {
  TestServer server({.max_object_bytes = 10'000});
  const auto status = [&](std::size_t letters) {
    return server
        .Do("POST", kMaps,
            R"({"metadata":{"generateName":"a"},"binaryData":{"k":")" + std::string(letters, 'A') +
                "\"}}")
        .status;
  };
  EXPECT_EQ(status(12'000), 201);
  EXPECT_EQ(status(14'000), 500);
}

TEST(ApiServer, LargestCustomObject_IsAsLongAsTheLimit) {
  const std::string definition =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {name: things.x.io}\n"
      "spec:\n  group: x.io\n  scope: Namespaced\n  names: {kind: Thing, plural: things}\n"
      "  versions:\n"
      "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object,\n"
      "     x-kubernetes-preserve-unknown-fields: true}}}\n";
  const std::string thing = R"({"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":"a"},)"
                            R"("text":")" +
                            std::string(20'000, 'x') + "\"}";
  const auto make = [&](std::size_t limit) {
    TestServer server({.max_object_bytes = limit});
    server.server().Load(definition).OrExit();
    return server.Do("POST", "/apis/x.io/v1/namespaces/default/things", thing);
  };
  const Reply made = make(0);
  ASSERT_EQ(made.status, 201);
  // The object is measured without kind, apiVersion and the digits of its version.
  const std::string head = R"({"kind":"Thing","apiVersion":"x.io/v1",)";
  const std::size_t size = made.body.rfind('}') + 1 - head.size() -
                           made.Json().At("/metadata/resourceVersion").StringOrEmpty().size() + 1;
  EXPECT_EQ(make(size).status, 201);
  const Reply refused = make(size - 1);
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(), "etcdserver: request is too large");
}

TEST(ApiServer, ObjectsMayBeLargerIfTheServerIsToldSo) {
  TestServer server({.max_object_bytes = 0});
  const std::string large(std::size_t{2} << 20, 'x');
  EXPECT_TRUE(server.server()
                  .Create({"", "v1", "configmaps"},
                          json::Value::MakeObject(
                              {{"metadata", json::Value::MakeObject(
                                                {{"name", "large"}, {"namespace", "default"}})},
                               {"data", json::Value::MakeObject({{"a", large}})}}))
                  .ok());
}

}  // namespace
}  // namespace kinformer::apiserver::testing
