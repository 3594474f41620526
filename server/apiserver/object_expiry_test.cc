// Objects that end by themselves or with their namespace, and names that the server generates.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/testing.h"
#include "apiserver/write/generated_name.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
const GroupVersionResource kEvents{.group = "", .version = "v1", .resource = "events"};
constexpr std::string_view kEventsPath = "/api/v1/namespaces/default/events";
constexpr std::string_view kGoing = "/api/v1/namespaces/going";

void MakeEvent(TestServer& server, const std::string& name, const std::string& more = "") {
  const Reply made = server.Do("POST", kEventsPath,
                               R"({"metadata":{"name":")" + name + "\"" + more +
                                   R"(},"involvedObject":{"namespace":"default","name":"x"}})");
  ASSERT_EQ(made.status, 201) << made.body;
}

TEST(EventExpiry, Event_LivesForItsTimeAfterItsLastWrite) {
  TestServer server({.event_ttl = minutes(10)});
  const auto names = [&] {
    std::vector<std::string> out;
    for (const auto& [key, version] : server.server().DumpState(kEvents)) out.push_back(key);
    return out;
  };
  MakeEvent(server, "a");
  MakeEvent(server, "deleted");
  MakeEvent(server, "changed");
  MakeEvent(server, "held", R"(,"finalizers":["x.io/hold"])");
  MakeEvent(server, "made-again");
  server.MakeConfigMap("default", "map");
  server.sim().RunFor(minutes(5));
  server.Do("PATCH", std::string(kEventsPath) + "/changed", R"({"count":2})", kMerge);
  for (const char* name : {"/made-again", "/deleted"}) {
    server.Do("DELETE", std::string(kEventsPath) + name);
  }
  MakeEvent(server, "made-again");
  for (int i = 0; i < 600; ++i) MakeEvent(server, "many-" + std::to_string(i));
  server.sim().RunFor(minutes(5) - seconds(1));
  EXPECT_THAT(names(), SizeIs(604));
  server.sim().RunFor(seconds(1));
  EXPECT_THAT(names(), SizeIs(603)) << "one is gone";
  EXPECT_EQ(server.Get(std::string(kEventsPath) + "/a").status, 404);
  EXPECT_FALSE(server.Get(std::string(kEventsPath) + "/held")
                   .Json()
                   .At("/metadata/deletionTimestamp")
                   .is_null());
  server.sim().RunFor(minutes(5) - seconds(1));
  EXPECT_THAT(names(), SizeIs(603));
  server.sim().RunFor(seconds(1));
  EXPECT_THAT(names(), ElementsAre("default/held"));
  server.sim().RunFor(hours(5));
  EXPECT_EQ(server.server().ObjectCount(kConfigMaps), 1U) << "other objects stay";
}

TEST(EventExpiry, ZeroTime_KeepsEventsForever) {
  TestServer server({.event_ttl = Duration::zero()});
  MakeEvent(server, "a");
  server.sim().RunFor(hours(100));
  EXPECT_EQ(server.Get(std::string(kEventsPath) + "/a").status, 200);
}

TEST(EventExpiry, CustomResourceNamedEvents_DoesNotExpire) {
  TestServer server({.event_ttl = minutes(10)});
  ASSERT_TRUE(server.server()
                  .Load(R"({"apiVersion":"apiextensions.k8s.io/v1",
    "kind":"CustomResourceDefinition","metadata":{"name":"events.x.io"},"spec":{"group":"x.io",
    "scope":"Namespaced","names":{"kind":"Event","plural":"events"},"versions":[{"name":"v1",
    "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})")
                  .ok());
  server.sim().RunReady();
  const std::string path = "/apis/x.io/v1/namespaces/default/events";
  ASSERT_EQ(server
                .Do("POST", path, R"({"apiVersion":"x.io/v1","kind":"Event",
    "metadata":{"name":"a"}})")
                .status,
            201);
  server.sim().RunFor(hours(1));
  EXPECT_EQ(server.Get(path + "/a").status, 200);
}

class NamespaceDeletion : public ::testing::Test {
 protected:
  NamespaceDeletion() {
    EXPECT_TRUE(
        server_.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: going}").ok());
  }
  void Make(const std::string& plural, const std::string& name, const std::string& finalizers) {
    const Reply made =
        server_.Do("POST", std::string(kGoing) + "/" + plural,
                   R"({"metadata":{"name":")" + name + R"(","finalizers":)" + finalizers + "}}");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  json::Value Condition(std::size_t index) {
    server_.sim().RunReady();
    return server_.Get(kGoing).Json().At("/status/conditions")[index];
  }
  void Touch(const std::string& value) {
    server_.Do("PATCH", kGoing, R"({"metadata":{"labels":{"touched":")" + value + "\"}}}", kMerge);
  }
  void Free(const std::string& object) {
    server_.Do("PATCH", std::string(kGoing) + object, R"({"metadata":{"finalizers":null}})",
               kMerge);
  }

  TestServer server_;
};

TEST_F(NamespaceDeletion, ManyObjectsOfManyKinds_AllGo) {
  for (int i = 0; i < 1100; ++i) server_.MakeConfigMap("going", "m" + std::to_string(i));
  for (const char* plural : {"secrets", "serviceaccounts"}) Make(plural, "x", "[]");
  server_.MakeConfigMap("default", "stays");
  const auto watch = server_.Open("/api/v1/namespaces?watch=1&resourceVersion=" +
                                  std::to_string(server_.server().current_resource_version()));
  EXPECT_EQ(server_.Do("DELETE", kGoing).status, 200);
  server_.sim().RunReady();
  EXPECT_THAT(watch->Events(),
              ElementsAre(StartsWith("MODIFIED going"), StartsWith("DELETED going")))
      << "nothing remains that it could report";
  EXPECT_EQ(server_.Get(kGoing).status, 404);
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 1U);
}

TEST_F(NamespaceDeletion, Conditions_CountWhatIsLeft) {
  Make("configmaps", "a", R"(["x.io/one","x.io/two"])");
  Make("configmaps", "b", R"(["x.io/one"])");
  Make("secrets", "c", R"(["x.io/one"])");
  Make("secrets", "free", "[]");
  server_.Do("DELETE", kGoing);
  const json::Value remaining = Condition(0);
  EXPECT_EQ(remaining["type"].StringOrEmpty(), "NamespaceContentRemaining");
  EXPECT_EQ(remaining["status"].StringOrEmpty(), "True");
  EXPECT_EQ(remaining["reason"].StringOrEmpty(), "SomeResourcesRemain");
  EXPECT_EQ(remaining["lastTransitionTime"].StringOrEmpty(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(remaining["message"].StringOrEmpty(),
            "Some resources are remaining: configmaps. has 2 resource instances, secrets. has 1 "
            "resource instances");
  const json::Value held = Condition(1);
  EXPECT_EQ(held["type"].StringOrEmpty(), "NamespaceFinalizersRemaining");
  EXPECT_EQ(held["status"].StringOrEmpty(), "True");
  EXPECT_EQ(held["reason"].StringOrEmpty(), "SomeFinalizersRemain");
  EXPECT_EQ(held["message"].StringOrEmpty(),
            "Some content in the namespace has finalizers remaining: x.io/one in 3 resource "
            "instances, x.io/two in 1 resource instances");
}

TEST_F(NamespaceDeletion, EachWriteOfTheNamespace_BringsItsConditionsUpToDate) {
  Make("configmaps", "a", R"(["x.io/one","x.io/two"])");
  Make("secrets", "c", R"(["x.io/one"])");
  server_.Do("DELETE", kGoing);
  const std::string remaining = Condition(0)["message"].StringOrEmpty();
  server_.Do("PATCH", std::string(kGoing) + "/configmaps/a",
             R"({"metadata":{"finalizers":["x.io/one"]}})", kMerge);
  Touch("1");
  EXPECT_EQ(Condition(0)["message"].StringOrEmpty(), remaining);
  EXPECT_EQ(Condition(1)["message"].StringOrEmpty(),
            "Some content in the namespace has finalizers remaining: x.io/one in 2 resource "
            "instances");
  const std::int64_t version = server_.server().current_resource_version();
  server_.sim().RunFor(minutes(9));
  EXPECT_EQ(server_.server().current_resource_version(), version)
      << "nothing is written while nothing changes";
  Touch("2");
  EXPECT_EQ(Condition(0)["lastTransitionTime"].StringOrEmpty(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(server_.server().current_resource_version(), version + 1)
      << "equal conditions are not written";
  Free("/configmaps/a");
  EXPECT_EQ(Condition(0)["message"].StringOrEmpty(),
            "Some resources are remaining: secrets. has 1 resource instances");
  Free("/secrets/c");
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(kGoing).status, 404);
}

TEST_F(NamespaceDeletion, FinalizersOfTheNamespace_KeepItEmpty) {
  struct Row {
    std::string_view body;
    std::string_view spec;  // once it is empty
    std::string path;
    std::string_view change;
  };
  const std::string own = "/api/v1/namespaces/own";
  for (const Row& row : {
           Row{R"({"metadata":{"name":"own","finalizers":["x.io/hold"]}})", "{}", own,
               R"({"metadata":{"finalizers":null}})"},
           Row{R"({"metadata":{"name":"own"},"spec":{"finalizers":["kubernetes","x.io/other"]}})",
               R"({"finalizers":["x.io/other"]})", own + "/finalize",
               R"({"metadata":{"name":"own"}})"},
       }) {
    EXPECT_EQ(server_.Do("POST", "/api/v1/namespaces", row.body).status, 201);
    server_.MakeConfigMap("own", "a");
    server_.Do("DELETE", own);
    server_.sim().RunReady();
    EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 0U);
    EXPECT_EQ(server_.Get(own).Json()["spec"].Dump(), row.spec) << row.body;
    const Reply changed = row.path == own ? server_.Do("PATCH", row.path, row.change, kMerge)
                                          : server_.Do("PUT", row.path, row.change);
    EXPECT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(server_.Get(own).status, 404) << row.body;
  }
}

TEST_F(NamespaceDeletion, LaterDelete_KeepsThePolicy) {
  server_.Do("POST", "/api/v1/namespaces",
             R"({"metadata":{"name":"own","finalizers":["x.io/hold"]}})");
  for (const char* policy : {"Background", "Orphan", "Foreground"}) {
    server_.Do("DELETE", "/api/v1/namespaces/own?propagationPolicy=" + std::string(policy));
    EXPECT_EQ(server_.Get("/api/v1/namespaces/own").Json().At("/metadata/finalizers").Dump(),
              R"(["x.io/hold"])")
        << policy;
  }
}

TEST(NamespaceDeletionWithGrace, Pods_HaveTheirGracePeriod) {
  TestServer server({.pod_grace = true});
  ASSERT_TRUE(server.server()
                  .Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: going}\n---\n"
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: going}\n"
                        "spec: {nodeName: n, containers: [{name: c}]}\n")
                  .ok());
  server.Do("DELETE", kGoing);
  server.sim().RunFor(seconds(29));
  const json::Value conditions = server.Get(kGoing).Json().At("/status/conditions");
  EXPECT_EQ(conditions[0]["message"].StringOrEmpty(),
            "Some resources are remaining: pods. has 1 resource instances");
  EXPECT_EQ(conditions[1]["status"].StringOrEmpty(), "False");
  EXPECT_EQ(conditions[1]["reason"].StringOrEmpty(), "ContentHasNoFinalizers");
  EXPECT_EQ(conditions[1]["message"].StringOrEmpty(), "All content-preserving finalizers finished");
  server.sim().RunFor(seconds(1));
  EXPECT_EQ(server.Get(kGoing).status, 404);
}

// Generated names are random; a second Env with the same seed predicts them.
TEST(GeneratedName, FreeName_IsTriedEightTimes) {
  for (const int taken : {0, 1, 7, 8}) {
    Simulation sim({.seed = 5});
    Simulation twin({.seed = 5});
    const ResourceTable table{HistoryLimits{}};
    const ServedResource& maps = *table.Find("", "v1", "configmaps").resource;
    std::vector<std::string> names;
    for (int i = 0; i < 9; ++i) names.push_back(GenerateName(twin.env(), "x-"));
    for (int i = 0; i < taken; ++i) {
      maps.store->Put(StoredObject::Make(
                          json::Value::MakeObject(
                              {{"metadata", json::Value::MakeObject(
                                                {{"namespace", "ns"},
                                                 {"name", names[static_cast<std::size_t>(i)]}})}}),
                          i + 1, {}),
                      sim.env().Now());
    }
    json::Value metadata = Json(R"({"generateName":"x-","namespace":"ns"})");
    EXPECT_TRUE(GenerateNameOf(sim.env(), maps, metadata));
    // The last one is taken, too, if all are.
    EXPECT_EQ(metadata["name"].StringOrEmpty(), names[static_cast<std::size_t>(std::min(taken, 7))])
        << taken;
    EXPECT_EQ(GenerateName(sim.env(), "x-"),
              names[static_cast<std::size_t>(std::min(taken, 7)) + 1])
        << "no more are tried";
    json::Value elsewhere = Json(R"({"generateName":"x-","namespace":"other"})");
    Simulation same({.seed = 5});
    EXPECT_TRUE(GenerateNameOf(same.env(), maps, elsewhere));
    EXPECT_EQ(elsewhere["name"].StringOrEmpty(), names[0]) << "it is free in this namespace";
  }
}

TEST(GeneratedName, NameThatWasSent_IsKept) {
  Simulation sim;
  const ResourceTable table{HistoryLimits{}};
  const ServedResource& maps = *table.Find("", "v1", "configmaps").resource;
  for (const char* sent : {R"({"name":"a","generateName":"x-"})", R"({"name":"a"})", R"({})",
                           R"({"generateName":""})"}) {
    json::Value metadata = Json(sent);
    EXPECT_FALSE(GenerateNameOf(sim.env(), maps, metadata)) << sent;
    EXPECT_EQ(metadata, Json(sent));
  }
}

TEST(GeneratedName, NameTaken_IsAConflictThatSaysWhen) {
  const ResourceTable table{HistoryLimits{}};
  const ServedResource& roles = *table.Find("rbac.authorization.k8s.io", "v1", "roles").resource;
  const std::string exists = R"(roles.rbac.authorization.k8s.io "a" already exists)";
  for (const bool terminating : {false, true}) {
    const Error sent = NameTaken(roles, "a", terminating, /*generated=*/false);
    EXPECT_EQ(sent.message(), (terminating ? "object is being deleted: " : "") + exists);
    EXPECT_EQ(sent.http_status(), 409);
    EXPECT_EQ(sent.retry_after(), std::nullopt);
    const Error made = NameTaken(roles, "a", terminating, /*generated=*/true);
    EXPECT_EQ(made.message(),
              exists + ", the server was not able to generate a unique name for the object");
    EXPECT_EQ(made.reason(), Reason::kAlreadyExists);
    EXPECT_EQ(made.http_status(), 409);
    EXPECT_EQ(made.retry_after(), seconds(1));
    EXPECT_EQ(made.details().name, "a");
    EXPECT_EQ(made.details().group, "rbac.authorization.k8s.io");
    EXPECT_EQ(made.details().kind, "roles");
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
