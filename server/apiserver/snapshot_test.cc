// Snapshots of a server: what is stored comes back, and every part of the server knows.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/state_snapshot.h"
#include "kinformer/object/object_name.h"

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kCrd = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
  "spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"widgets","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "selectableFields":[{"jsonPath":".spec.color"}],
      "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
        "properties":{"color":{"type":"string"}}}}}}}]}})";
constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";
constexpr std::string_view kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

std::string Widget(const std::string& name, const std::string& color) {
  return R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" + name +
         R"("},"spec":{"color":")" + color + R"("}})";
}

std::string VersionOf(const Reply& reply) {
  return reply.Json().At("/metadata/resourceVersion").StringOrEmpty();
}

TEST(Snapshot, Restore_BringsBackWhatWasStored) {
  TestServer server;
  const std::string version = server.MakeConfigMap("default", "a");
  const std::string before = server.Get(std::string(kMaps) + "/a").body;
  const StateSnapshot snapshot = server.server().Snapshot();
  EXPECT_EQ(snapshot.resource_version(), server.server().current_resource_version());

  server.MakeConfigMap("default", "b");
  EXPECT_EQ(server.Do("DELETE", std::string(kMaps) + "/a").status, 200);
  const std::int64_t last = server.server().current_resource_version();
  ASSERT_TRUE(server.server().Restore(snapshot).ok());

  EXPECT_EQ(server.Get(std::string(kMaps) + "/a").body, before);
  EXPECT_EQ(server.Get(std::string(kMaps) + "/b").status, 404);
  // The sequence goes on.
  EXPECT_GT(server.server().current_resource_version(), last);
  EXPECT_GT(std::stoll(server.MakeConfigMap("default", "c")), last);
  // The owner's text: uid, version and all.
  EXPECT_EQ(VersionOf(server.Get(std::string(kMaps) + "/a")), version);
}

TEST(Snapshot, Restore_GivesAnotherServerTheSameObjects) {
  TestServer first;
  first.MakeConfigMap("default", "a");
  EXPECT_EQ(first.Do("POST", kCrds, kCrd).status, 201);
  EXPECT_EQ(first.Do("POST", kWidgets, Widget("w", "red")).status, 201);
  const StateSnapshot snapshot = first.server().Snapshot();

  TestServer second({.bootstrap_objects = false}, 7);
  ASSERT_TRUE(second.server().Restore(snapshot).ok());
  for (const std::string_view path :
       {kMaps, kWidgets, kCrds, std::string_view("/api/v1/namespaces"),
        std::string_view("/api/v1/services"),
        std::string_view("/apis/coordination.k8s.io/v1/leases")}) {
    EXPECT_EQ(first.Get(path).Json()["items"].Dump(), second.Get(path).Json()["items"].Dump())
        << path;
  }
  EXPECT_EQ(second.server().Snapshot().object_count(), snapshot.object_count());
  const std::string red = std::string(kWidgets) + "?fieldSelector=spec.color%3Dred";
  EXPECT_EQ(second.Get(red).Json()["items"].size(), 1U);
}

TEST(Snapshot, Restore_ServesTheCustomResourcesOfTheSnapshotOnly) {
  TestServer server;
  const StateSnapshot without = server.server().Snapshot();
  EXPECT_EQ(server.Do("POST", kCrds, kCrd).status, 201);
  EXPECT_EQ(server.Do("POST", kWidgets, Widget("w", "red")).status, 201);
  const StateSnapshot with = server.server().Snapshot();
  ASSERT_TRUE(server.server().Restore(without).ok());
  EXPECT_EQ(server.Get(kWidgets).status, 404);
  ASSERT_TRUE(server.server().Restore(with).ok());
  EXPECT_EQ(server.Get(kWidgets).Json()["items"].size(), 1U);
  ASSERT_TRUE(server.server().Restore(with).ok());
  EXPECT_EQ(server.Get(kWidgets).Json()["items"].size(), 1U);
  // A change of the definition is known to it.
  EXPECT_EQ(server.Do("POST", kWidgets, Widget("x", "blue")).status, 201);
  EXPECT_EQ(server.Do("DELETE", std::string(kCrds) + "/widgets.example.com").status, 200);
  server.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(server.Get(kWidgets).status, 404);
}

TEST(Snapshot, OpenWatches_EndWith410) {
  TestServer server;
  const std::string version = server.MakeConfigMap("default", "a");
  const StateSnapshot snapshot = server.server().Snapshot();
  const auto watch = server.Open(std::string(kMaps) + "?watch=1&resourceVersion=" + version);
  watch->Pull();
  EXPECT_FALSE(watch->ended());
  server.MakeConfigMap("default", "b");
  ASSERT_TRUE(server.server().Restore(snapshot).ok());
  watch->Pull();
  EXPECT_TRUE(watch->ended());
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames.back()["type"].StringOrEmpty(), "ERROR");
  EXPECT_EQ(frames.back()["object"]["code"].AsInt64(), 410);

  // Neither versions of before are watched from, nor those of the snapshot.
  const auto again = server.Open(std::string(kMaps) + "?watch=1&resourceVersion=" + version);
  again->Pull();
  EXPECT_TRUE(again->ended());
  EXPECT_EQ(again->Frames().back()["object"]["code"].AsInt64(), 410);
  // A list has a version to go on from.
  const std::string listed = VersionOf(server.Get(kMaps));
  const auto next = server.Open(std::string(kMaps) + "?watch=1&resourceVersion=" + listed);
  server.MakeConfigMap("default", "c");
  next->Pull();
  EXPECT_FALSE(next->ended());
  EXPECT_EQ(next->Events().size(), 1U);
}

TEST(Snapshot, AddressesOfServices_AreThoseOfTheSnapshot) {
  TestServer server;
  const auto service = [](const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"ports":[{"port":80}]}})";
  };
  const std::string path = "/api/v1/namespaces/default/services";
  const StateSnapshot before = server.server().Snapshot();
  const std::string address =
      server.Do("POST", path, service("a")).Json().At("/spec/clusterIP").StringOrEmpty();
  ASSERT_FALSE(address.empty());
  const StateSnapshot with = server.server().Snapshot();
  const std::string asks = R"({"metadata":{"name":"b"},"spec":{"clusterIP":")" + address +
                           R"(","ports":[{"port":80}]}})";
  ASSERT_TRUE(server.server().Restore(with).ok());
  EXPECT_EQ(server.Do("POST", path, asks).status, 422);
  ASSERT_TRUE(server.server().Restore(before).ok());
  EXPECT_EQ(server.Do("POST", path, asks).status, 201);
}

TEST(Snapshot, DependentsAndNamespaces_AreFollowedAfterARestore) {
  TestServer server;
  server.MakeConfigMap("default", "owner");
  const std::string uid =
      server.Get(std::string(kMaps) + "/owner").Json().At("/metadata/uid").StringOrEmpty();
  const std::string owned =
      R"({"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",)"
      R"("name":"owner","uid":")" +
      uid + R"("}]}})";
  EXPECT_EQ(server.Do("POST", kMaps, owned).status, 201);
  EXPECT_EQ(server.Do("POST", "/api/v1/namespaces", R"({"metadata":{"name":"ns"}})").status, 201);
  server.MakeConfigMap("ns", "x");
  const StateSnapshot snapshot = server.server().Snapshot();

  TestServer second;
  ASSERT_TRUE(second.server().Restore(snapshot).ok());
  EXPECT_EQ(second.Do("DELETE", std::string(kMaps) + "/owner").status, 200);
  second.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(second.Get(std::string(kMaps) + "/owned").status, 404);

  // A namespace that is being deleted goes on being emptied.
  EXPECT_EQ(server.Do("DELETE", "/api/v1/namespaces/ns").status, 200);
  TestServer third;
  ASSERT_TRUE(third.server().Restore(server.server().Snapshot()).ok());
  third.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(third.Get("/api/v1/namespaces/ns").status, 404);
  EXPECT_EQ(third.server().ObjectCount(kConfigMaps), 2U);
}

TEST(Snapshot, PodsInTheirGracePeriod_GoAfterIt) {
  TestServer server({.pod_grace = true});
  EXPECT_EQ(server
                .Do("POST", "/api/v1/namespaces/default/pods",
                    R"({"metadata":{"name":"p"},"spec":{"nodeName":"n",)"
                    R"("containers":[{"name":"c","image":"i"}]}})")
                .status,
            201);
  EXPECT_EQ(server.Do("DELETE", "/api/v1/namespaces/default/pods/p").status, 200);
  TestServer second({.pod_grace = true});
  ASSERT_TRUE(second.server().Restore(server.server().Snapshot()).ok());
  EXPECT_EQ(second.server().ObjectCount(kPods), 1U);
  second.sim().RunFor(std::chrono::seconds(31));
  EXPECT_EQ(second.server().ObjectCount(kPods), 0U);
}

TEST(Snapshot, Events_ExpireAfterARestore) {
  TestServer server;
  EXPECT_EQ(server
                .Do("POST", "/api/v1/namespaces/default/events",
                    R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"default"}})")
                .status,
            201);
  TestServer second;
  ASSERT_TRUE(second.server().Restore(server.server().Snapshot()).ok());
  EXPECT_EQ(second.Get("/api/v1/events").Json()["items"].size(), 1U);
  second.sim().RunFor(std::chrono::minutes(61));
  EXPECT_EQ(second.Get("/api/v1/events").Json()["items"].size(), 0U);
}

TEST(Snapshot, Roles_AreThoseOfTheSnapshot) {
  TestServer server({.authorization = AuthorizationMode::kRbac,
                     .token_users = {{.token = "bobs-token", .name = "bob"}}});
  const auto get = [&] {
    return server.Get(kMaps, {{"Authorization", "Bearer bobs-token"}}).status;
  };
  const StateSnapshot without = server.server().Snapshot();
  EXPECT_EQ(get(), 403);
  ASSERT_TRUE(server.server()
                  .Load("apiVersion: rbac.authorization.k8s.io/v1\n"
                        "kind: ClusterRoleBinding\n"
                        "metadata: {name: b}\n"
                        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, "
                        "name: view}\n"
                        "subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, "
                        "name: bob}]\n")
                  .ok());
  EXPECT_EQ(get(), 200);
  const StateSnapshot with = server.server().Snapshot();
  ASSERT_TRUE(server.server().Restore(without).ok());
  EXPECT_EQ(get(), 403);
  ASSERT_TRUE(server.server().Restore(with).ok());
  EXPECT_EQ(get(), 200);
}

TEST(Snapshot, ServersLease_IsRenewedAfterARestore) {
  TestServer first;
  TestServer second({}, 9);
  ASSERT_TRUE(second.server().Restore(first.server().Snapshot()).ok());
  const auto renewed = [&] {
    return second.Get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases")
        .Json()
        .At("/items/0/spec/renewTime")
        .StringOrEmpty();
  };
  const std::string before = renewed();
  second.sim().RunFor(std::chrono::minutes(11));
  EXPECT_NE(renewed(), before);
}

TEST(SnapshotEndpoint, Snapshot_IsReadAndRestoredOverHttp) {
  TestServer server({.max_body_bytes = 4096, .debug_endpoints = true});
  server.MakeConfigMap("default", "a");
  const Reply saved = server.Get("/debug/snapshot");
  EXPECT_EQ(saved.status, 200);
  EXPECT_GT(saved.body.size(), 4096U);
  server.MakeConfigMap("default", "b");
  EXPECT_EQ(server.Do("PUT", "/debug/snapshot", saved.body).status, 200);
  EXPECT_EQ(server.server().ObjectCount(kConfigMaps), 1U);

  const Reply truncated =
      server.Do("PUT", "/debug/snapshot", saved.body.substr(0, saved.body.size() - 5));
  EXPECT_EQ(truncated.status, 400);
  EXPECT_NE(truncated.body.find("the body breaks off: "), std::string::npos) << truncated.body;
  EXPECT_EQ(server.Do("POST", "/debug/snapshot").status, 405);
  EXPECT_EQ(server.server().ObjectCount(kConfigMaps), 1U);
  TestServer without;
  EXPECT_EQ(without.Get("/debug/snapshot").status, 404);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
