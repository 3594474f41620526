// In-process calls: their errors, and the server's counts, history and restores.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const GroupVersionResource kThings{.group = "x.io", .version = "v1", .resource = "things"};
const GroupVersionResource kOthers{.group = "", .version = "v1", .resource = "others"};
const GroupVersionResource kDeployments{
    .group = "apps", .version = "v1", .resource = "deployments"};
const GroupVersionResource kNamespaces{.group = "", .version = "v1", .resource = "namespaces"};
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

std::string Text(const json::Value& value) { return value.Dump({.sort_keys = true}); }

TEST(InProcessCalls, UnknownResource_IsNamedByEachCall) {
  TestServer server;
  ApiServer& api = server.server();
  const json::Value object = Json(R"({"metadata":{"name":"a","namespace":"default"}})");
  for (const auto& [resource, text] :
       {std::pair(kThings, R"(the server does not serve things in "x.io/v1")"),
        {kOthers, R"(the server does not serve others in "v1")"}}) {
    const std::vector<Error> errors = {api.Create(resource, object).error(),
                                       api.Update(resource, object).error(),
                                       api.UpdateStatus(resource, object).error(),
                                       api.Patch(resource, {"default", "a"}, object).error(),
                                       api.Delete(resource, {"default", "a"}).error(),
                                       api.Get(resource, {"default", "a"}).error(),
                                       api.List(resource).error()};
    for (const Error& error : errors) {
      EXPECT_EQ(error.message(), text);
      EXPECT_EQ(error.reason(), Reason::kNotFound);
      EXPECT_EQ(error.http_status(), 404);
    }
    EXPECT_THAT(api.DumpState(resource), IsEmpty());
    EXPECT_EQ(api.ObjectCount(resource), 0U);
  }
}

TEST(InProcessCalls, AbsentObject_IsNotFound) {
  TestServer server;
  ApiServer& api = server.server();
  const json::Value object = Json(R"({"metadata":{"name":"a","namespace":"default"}})");
  for (const Error& error : {api.Update(kConfigMaps, object).error(),
                             api.Patch(kConfigMaps, {"default", "a"}, Json("{}")).error(),
                             api.Delete(kConfigMaps, {"default", "a"}).error(),
                             api.Get(kConfigMaps, {"default", "a"}).error()}) {
    EXPECT_EQ(error.message(), R"(configmaps "a" not found)");
    EXPECT_EQ(error.reason(), Reason::kNotFound);
  }
  EXPECT_EQ(
      api.UpdateStatus(kDeployments, Json(R"({"metadata":{"name":"d","namespace":"default"}})"))
          .error()
          .message(),
      R"(deployments.apps "d" not found)");
}

TEST(InProcessCalls, Objects_AreWrittenAndRead) {
  TestServer server;
  ApiServer& api = server.server();
  for (const char* name : {"b", "a"}) server.MakeConfigMap("default", name);
  const std::string version = server.MakeConfigMap("kube-system", "c");
  EXPECT_EQ(api.ObjectCount(kConfigMaps), 3U);
  const auto names = [&](std::string_view ns) {
    std::vector<std::string> out;
    const std::vector<json::Value> listed = api.List(kConfigMaps, ns).OrExit();
    for (const json::Value& object : listed) {
      EXPECT_EQ(object["kind"].StringOrEmpty() + object["apiVersion"].StringOrEmpty(),
                "ConfigMapv1");
      out.push_back(object.At("/metadata/name").StringOrEmpty());
    }
    return out;
  };
  EXPECT_THAT(names(""), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names("default"), ElementsAre("a", "b"));
  EXPECT_THAT(names("kube-public"), IsEmpty());
  EXPECT_THAT(api.DumpState(kConfigMaps),
              ElementsAre(::testing::Key("default/a"), ::testing::Key("default/b"),
                          Pair("kube-system/c", version)));
  const json::Value patched =
      api.Patch(kConfigMaps, {"default", "a"}, Json(R"({"data":{"k":"1"}})")).OrExit();
  EXPECT_EQ(Text(patched["data"]), R"({"k":"1"})");
  EXPECT_EQ(Text(api.Get(kConfigMaps, {"default", "a"}).OrExit()), Text(patched));
  json::Value changed = patched;
  changed.Ensure("data").Set("k", "2");
  EXPECT_EQ(api.Update(kConfigMaps, changed).OrExit().At("/data/k").StringOrEmpty(), "2");
  EXPECT_EQ(api.Update(kConfigMaps, changed).error().reason(), Reason::kConflict)
      << "its version is old";
  EXPECT_TRUE(api.Delete(kConfigMaps, {"default", "a"}).ok());
  EXPECT_THAT(names("default"), ElementsAre("b"));
}

TEST(InProcessCalls, Status_IsKeptOnlyWhenAsked) {
  TestServer server;
  ApiServer& api = server.server();
  const json::Value object = Json(R"({"metadata":{"name":"d","namespace":"default"},
    "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"replicas":7}})");
  const auto replicas = [&] {
    return api.Get(kDeployments, {"default", "d"}).OrExit().At("/status/replicas").AsInt64();
  };
  api.Create(kDeployments, object, {.keep_status = false}).OrExit();
  EXPECT_EQ(replicas(), std::nullopt);
  api.Update(kDeployments, object, {.keep_status = false}).OrExit();
  EXPECT_EQ(replicas(), std::nullopt);
  const json::Value six = Json(R"({"status":{"replicas":6}})");
  api.Patch(kDeployments, {"default", "d"}, six, {.keep_status = false}).OrExit();
  EXPECT_EQ(replicas(), std::nullopt);
  api.Patch(kDeployments, {"default", "d"}, six).OrExit();
  EXPECT_EQ(replicas(), 6);
  api.Update(kDeployments, object).OrExit();
  EXPECT_EQ(replicas(), 7);
  json::Value five = object;
  five.Ensure("status").Set("replicas", 5);
  five.Ensure("spec").Set("paused", true);
  five.Ensure("metadata", "labels").Set("a", "b");
  api.UpdateStatus(kDeployments, five).OrExit();
  EXPECT_EQ(replicas(), 5);
  EXPECT_TRUE(api.Get(kDeployments, {"default", "d"}).OrExit().At("/metadata/labels").is_null());
  EXPECT_TRUE(api.Get(kDeployments, {"default", "d"}).OrExit().At("/spec/paused").is_null())
      << "the status alone is replaced";
}

TEST(InProcessLoad, Manifest_IsStoredInItsPlace) {
  TestServer server;
  ApiServer& api = server.server();
  EXPECT_EQ(api.Load("").OrExit(), 0U);
  EXPECT_FALSE(api.Load("a: [").ok());
  EXPECT_EQ(api.Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: far}\n---\n"
                     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: far}\n---\n"
                     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n")
                .OrExit(),
            3U);
  EXPECT_TRUE(api.Get(kNamespaces, {"", "far"}).OrExit().At("/metadata/namespace").is_null());
  EXPECT_THAT(api.DumpState(kConfigMaps),
              ElementsAre(::testing::Key("default/b"), ::testing::Key("far/a")));
}

// Custom resources need the version of the object in an update; one version is not served.
TEST(InProcessLoad, CustomResource_IsUpdatedUnlessItsVersionIsNotServed) {
  TestServer server;
  ApiServer& api = server.server();
  const std::string definition =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {name: things.x.io}\n"
      "spec:\n  group: x.io\n  scope: Namespaced\n  names: {kind: Thing, plural: things}\n"
      "  versions:\n"
      "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object,\n"
      "     x-kubernetes-preserve-unknown-fields: true}}}\n"
      "  - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";
  ASSERT_TRUE(api.Load(definition).ok());
  server.sim().RunReady();
  const auto thing = [](const std::string& version, const std::string& size) {
    return "apiVersion: x.io/" + version + "\nkind: Thing\nmetadata: {name: t}\nsize: " + size;
  };
  EXPECT_TRUE(api.Load(thing("v1", "1")).ok());
  EXPECT_TRUE(api.Load(thing("v1", "2")).ok());
  EXPECT_EQ(api.Get(kThings, {"default", "t"}).OrExit()["size"].AsInt64(), 2);
  EXPECT_FALSE(api.Load(thing("v2", "3")).ok());
  EXPECT_EQ(api.Get(kThings, {"default", "t"}).OrExit()["size"].AsInt64(), 2);
}

TEST(ServerStats, Counts_FollowWritesRequestsAndWatches) {
  TestServer server;
  ApiServer& api = server.server();
  const ApiServerStats before = api.Stats();
  EXPECT_EQ(before.watches, 0U);
  EXPECT_EQ(before.requests, 0U);
  EXPECT_GT(before.stored_bytes, 0U);
  api.Create(kConfigMaps,
             json::Value::MakeObject(
                 {{"metadata", json::Value::MakeObject({{"name", "a"}, {"namespace", "default"}})},
                  {"data", json::Value::MakeObject({{"k", std::string(10'000, 'x')}})}}))
      .OrExit();
  server.MakeConfigMap("default", "b");
  {
    const auto one = server.Open(std::string(kMaps) + "?watch=1");
    const auto two = server.Open("/api/v1/pods?watch=1");
    EXPECT_EQ(api.Stats().watches, 2U);
  }
  const ApiServerStats after = api.Stats();
  EXPECT_EQ(after.watches, 0U);
  EXPECT_EQ(after.requests, 2U);
  EXPECT_EQ(after.objects, before.objects + 2);
  EXPECT_EQ(after.events, before.events + 2);
  EXPECT_GT(after.stored_bytes, before.stored_bytes + 10'000);
  EXPECT_LT(after.stored_bytes, before.stored_bytes + 30'000);
  api.Patch(kConfigMaps, {"default", "b"}, Json("{}")).OrExit();
  EXPECT_EQ(api.Stats().events, after.events) << "it changed nothing";
  ASSERT_TRUE(api.Delete(kConfigMaps, {"default", "b"}).ok());
  EXPECT_EQ(api.Stats().events, after.events + 1);
  EXPECT_EQ(api.Stats().objects, after.objects - 1);
}

TEST(ServerHistory, Restore_TakesIssuedVersionsOfTheHistoryOnly) {
  TestServer server;
  ApiServer& api = server.server();
  server.MakeConfigMap("default", "a");
  const std::int64_t now = api.current_resource_version();
  for (const std::int64_t version : {std::int64_t{0}, now + 1}) {
    const auto restored = api.Restore(version);
    ASSERT_FALSE(restored.ok()) << version;
    EXPECT_EQ(restored.error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(restored.error().message(), "cannot restore resourceVersion " +
                                              std::to_string(version) + ": it must be from 1 to " +
                                              std::to_string(now));
  }
  EXPECT_TRUE(api.Restore(now).ok());
  EXPECT_EQ(api.ObjectCount(kConfigMaps), 1U);
  server.MakeConfigMap("default", "b");
  EXPECT_EQ(api.current_resource_version(), now + 1);
  api.Compact(now + 1);
  const auto late = api.Restore(now);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason(), Reason::kExpired);
  EXPECT_THAT(late.error().message(), HasSubstr("cannot restore resourceVersion " +
                                                std::to_string(now) + ": the history of "));
  EXPECT_THAT(late.error().message(), HasSubstr(" begins at " + std::to_string(now + 1)));
  EXPECT_TRUE(api.Restore(now + 1).ok()) << "where history begins";
}

TEST(ServerHistory, Restore_ToTheFirstVersion_LeavesNothing) {
  TestServer server;
  server.MakeConfigMap("default", "a");
  EXPECT_TRUE(server.server().Restore(1).ok());
  EXPECT_EQ(server.server().current_resource_version(), 1);
  EXPECT_EQ(server.server().Stats().objects, 0U);
  TestServer later({.first_resource_version = 100});
  EXPECT_FALSE(later.server().Restore(99).ok());
  EXPECT_TRUE(later.server().Restore(100).ok());
}

TEST(ServerHistory, Restore_BringsBackObjectsAndEndsWatches) {
  TestServer server;
  ApiServer& api = server.server();
  const std::string version = server.MakeConfigMap("default", "a");
  const std::int64_t then = api.current_resource_version();
  const auto watch = server.Open(std::string(kMaps) + "?watch=1&resourceVersion=" + version);
  ASSERT_TRUE(api.Delete(kConfigMaps, {"default", "a"}).ok());
  server.MakeConfigMap("default", "b");
  EXPECT_EQ(watch->Events().size(), 2U);
  EXPECT_FALSE(watch->ended());
  api.Restore(then).OrExit();
  watch->Pull();
  EXPECT_TRUE(watch->ended());
  EXPECT_FALSE(watch->reply().aborted);
  EXPECT_THAT(api.DumpState(kConfigMaps), ElementsAre(Pair("default/a", version)));
  EXPECT_EQ(api.current_resource_version(), then);
  // Both groups of events still have the same objects.
  const Reply made = server.Do("POST", "/api/v1/namespaces/default/events",
                               R"({"metadata":{"name":"e"},"involvedObject":
                                 {"namespace":"default","name":"x"}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(server.Get("/apis/events.k8s.io/v1/namespaces/default/events/e").status, 200);
}

TEST(ServerHistory, Compact_EndsAtTheLastVersion) {
  TestServer server;
  ApiServer& api = server.server();
  const std::string old = server.MakeConfigMap("default", "a");
  server.MakeConfigMap("default", "b");
  const std::string now = std::to_string(api.current_resource_version());
  const auto exact = [&](const std::string& version) {
    return server.Get(std::string(kMaps) + "?resourceVersionMatch=Exact&resourceVersion=" + version)
        .status;
  };
  EXPECT_EQ(exact(old), 200);
  api.Compact(1'000'000);
  EXPECT_EQ(exact(old), 410);
  EXPECT_EQ(exact(now), 200);
  server.MakeConfigMap("default", "c");
  EXPECT_EQ(exact(now), 200) << "the future is not discarded";
}

TEST(ServerHistory, CloseWatches_EndsThemCleanly) {
  TestServer server;
  const auto maps = server.Open(std::string(kMaps) + "?watch=1");
  const auto events = server.Open("/apis/events.k8s.io/v1/events?watch=1");
  server.server().CloseWatches();
  for (OpenReply* watch : {maps.get(), events.get()}) {
    watch->Pull();
    EXPECT_TRUE(watch->ended());
    EXPECT_FALSE(watch->reply().aborted);
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
