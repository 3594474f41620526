// A server with a data directory: what it acknowledges stays, watches go on, and a full disk is
// survived.

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/data_directory.h"

#include "apiserver/store/storage.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";

std::string Definition(const std::string& property) {
  return R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",
    "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","properties":{")" +
         property + R"(":{"type":"string","default":"made"}}}}}]}})";
}

// A server in simulated time on a folder of the test's own, which can be started again.
class DurableServer : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "durable_server";
    std::filesystem::remove_all(folder_);
    Start();
  }
  void TearDown() override {
    End();
    std::filesystem::remove_all(folder_);
  }
  void Start(DataDirectoryOptions options = {}, ApiServerOptions server = {}) {
    sim_ = std::make_unique<Simulation>();
    server.storage = OpenDataDirectory(sim_->env(), folder_, options).OrExit();
    server.first_resource_version = 100;
    server.debug_endpoints = true;
    server_ = std::make_unique<ApiServer>(sim_->env(), std::move(server));
  }
  void End() {
    server_.reset();
    sim_.reset();
  }
  // Takes the folder as it is, as if the process had been killed, and starts a server on that.
  void Kill() {
    const std::string copy = folder_ + ".copy";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(folder_, copy);
    End();
    std::filesystem::remove_all(folder_);
    std::filesystem::rename(copy, folder_);
    Start();
  }
  std::unique_ptr<OpenReply> Open(std::string_view method, std::string_view target,
                                  std::string_view body = {}) {
    HttpRequest request{
        .method = std::string(method), .target = std::string(target), .body = std::string(body)};
    request.headers.Add("Content-Type", "application/json");
    auto reply = std::make_unique<OpenReply>(*sim_, server_->Handle(std::move(request)));
    return reply;
  }
  Reply Do(std::string_view method, std::string_view target, std::string_view body = {}) {
    const auto open = Open(method, target, body);
    for (int i = 0; i < 100 && !open->ended(); ++i) {
      open->Pull();
      if (!open->ended()) sim_->RunFor(std::chrono::milliseconds(10));
    }
    return open->reply();
  }
  Reply Get(std::string_view target) { return Do("GET", target); }
  Reply MakeMap(const std::string& name, std::size_t size = 1) {
    return Do("POST", kMaps,
              R"({"metadata":{"name":")" + name + R"("},"data":{"x":")" + std::string(size, 'x') +
                  R"("}})");
  }
  static std::string VersionOf(const Reply& reply) {
    return reply.Json().At("/metadata/resourceVersion").StringOrEmpty();
  }
  static std::vector<std::string> EventsOf(OpenReply& watch) {
    watch.Pull();
    return watch.Events();
  }

  std::string folder_;
  std::unique_ptr<Simulation> sim_;
  std::unique_ptr<ApiServer> server_;
};

TEST_F(DurableServer, AcknowledgedWrites_SurviveAKill) {
  EXPECT_EQ(MakeMap("a").status, 201);
  EXPECT_EQ(MakeMap("b").status, 201);
  EXPECT_EQ(Do("DELETE", std::string(kMaps) + "/b").status, 200);
  EXPECT_EQ(Do("POST", kCrds, Definition("color")).status, 201);
  EXPECT_EQ(Do("POST", kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget",
    "metadata":{"name":"w"}})")
                .status,
            201);
  const std::string map = Get(std::string(kMaps) + "/a").body;
  const std::string widget = Get(std::string(kWidgets) + "/w").body;
  const std::string services = Get("/api/v1/services").Json()["items"].Dump();
  const std::int64_t last = server_->current_resource_version();
  Kill();
  EXPECT_EQ(Get(std::string(kMaps) + "/a").body, map);
  EXPECT_EQ(Get(std::string(kMaps) + "/b").status, 404);
  EXPECT_EQ(Get(std::string(kWidgets) + "/w").body, widget);
  EXPECT_EQ(Get("/api/v1/services").Json()["items"].Dump(), services);
  EXPECT_GT(server_->current_resource_version(), last);
  EXPECT_EQ(Get("/apis/coordination.k8s.io/v1/leases").Json()["items"].size(), 1U);
  EXPECT_EQ(MakeMap("c").status, 201);
}

TEST_F(DurableServer, CleanEnds_LoseNoVersions) {
  EXPECT_EQ(MakeMap("a").status, 201);
  const std::int64_t last = server_->current_resource_version();
  End();
  Start();
  EXPECT_EQ(server_->current_resource_version(), last);
}

TEST_F(DurableServer, InProcessWrites_AreKeptByACleanEnd) {
  ASSERT_TRUE(server_->Load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").ok());
  End();
  Start();
  EXPECT_EQ(server_->ObjectCount(kConfigMaps), 1U);
}

TEST_F(DurableServer, Watches_GoOnAfterARestart) {
  const std::string version = VersionOf(MakeMap("a"));
  EXPECT_EQ(MakeMap("b").status, 201);
  EXPECT_EQ(Do("DELETE", std::string(kMaps) + "/a").status, 200);
  Kill();
  const auto watch = Open("GET", std::string(kMaps) + "?watch=1&resourceVersion=" + version);
  EXPECT_EQ(MakeMap("c").status, 201);
  const std::vector<std::string> events = EventsOf(*watch);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(events[0].starts_with("ADDED default/b ")) << events[0];
  EXPECT_TRUE(events[1].starts_with("DELETED default/a ")) << events[1];
  EXPECT_TRUE(events[2].starts_with("ADDED default/c ")) << events[2];
  // Nothing is known that is older than the storage.
  const auto older = Open("GET", std::string(kMaps) + "?watch=1&resourceVersion=50");
  older->Pull();
  EXPECT_EQ(older->Frames().back()["object"]["code"].AsInt64(), 410);
}

TEST_F(DurableServer, VersionsThatWereNotKept_Get410) {
  EXPECT_EQ(MakeMap("a").status, 201);
  const std::int64_t kept = server_->current_resource_version();
  // Seen by readers, but killed before the commit.
  const std::string copy = folder_ + ".early";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(folder_, copy);
  EXPECT_EQ(MakeMap("b").status, 201);
  const std::string lost = std::to_string(server_->current_resource_version());
  End();
  std::filesystem::remove_all(folder_);
  std::filesystem::rename(copy, folder_);
  Start();
  const auto watch = Open("GET", std::string(kMaps) + "?watch=1&resourceVersion=" + lost);
  watch->Pull();
  EXPECT_EQ(watch->Frames().back()["object"]["code"].AsInt64(), 410);
  EXPECT_EQ(Get(std::string(kMaps) + "?resourceVersionMatch=Exact&resourceVersion=" + lost).status,
            410);
  const auto good =
      Open("GET", std::string(kMaps) + "?watch=1&resourceVersion=" + std::to_string(kept));
  EXPECT_EQ(MakeMap("c").status, 201);
  EXPECT_EQ(EventsOf(*good).size(), 1U);
}

TEST_F(DurableServer, AnswersToWrites_WaitForTheDisk) {
  const auto write = Open("POST", kMaps, R"({"metadata":{"name":"a"}})");
  write->Pull();
  EXPECT_FALSE(write->ended());
  // Others see it already.
  EXPECT_EQ(server_->ObjectCount(kConfigMaps), 1U);
  sim_->RunFor(std::chrono::milliseconds(10));
  write->Pull();
  EXPECT_EQ(write->reply().status, 201);
}

TEST_F(DurableServer, FullDisks_RefuseWritesAndServeReads) {
  End();
  Start({.max_bytes = std::size_t{2} << 20});
  int made = 0;
  Reply last = MakeMap("a0", 300'000);
  for (; last.status == 201 && made < 20; ++made) {
    last = MakeMap("b" + std::to_string(made), 300'000);
  }
  EXPECT_GT(made, 1);
  EXPECT_EQ(last.status, 507);
  EXPECT_NE(last.body.find("cannot grow"), std::string::npos) << last.body;
  const Reply refused = MakeMap("c");
  EXPECT_EQ(refused.status, 507);
  EXPECT_NE(refused.body.find("the server takes no writes for now"), std::string::npos)
      << refused.body;
  EXPECT_EQ(Get(std::string(kMaps) + "/c").status, 404);
  EXPECT_EQ(Get(std::string(kMaps) + "/a0").status, 200);
  EXPECT_EQ(Do("DELETE", std::string(kMaps) + "/a0").status, 507);

  // With room again, writes go on, and what was acknowledged is there.
  End();
  Start();
  for (int i = 0; i + 1 < made; ++i) {
    EXPECT_EQ(Get(std::string(kMaps) + "/b" + std::to_string(i)).status, 200) << i;
  }
  EXPECT_EQ(Get(std::string(kMaps) + "/c").status, 404);
  EXPECT_EQ(MakeMap("c").status, 201);
}

TEST_F(DurableServer, ChangedDefinitions_ShapeObjectsAgain) {
  EXPECT_EQ(Do("POST", kCrds, Definition("color")).status, 201);
  EXPECT_EQ(Do("POST", kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget",
    "metadata":{"name":"w"}})")
                .status,
            201);
  const std::string crd = std::string(kCrds) + "/widgets.example.com";
  json::Value definition = Get(crd).Json();
  definition.Set("spec", json::Parse(Definition("size")).OrExit()["spec"]);
  EXPECT_EQ(Do("PUT", crd, definition.Dump()).status, 200);
  const std::string widget = Get(std::string(kWidgets) + "/w").body;
  EXPECT_NE(widget.find("\"size\":\"made\""), std::string::npos) << widget;
  Kill();
  EXPECT_EQ(Get(std::string(kWidgets) + "/w").body, widget);
  // A definition that is gone takes its objects along.
  EXPECT_EQ(Do("DELETE", crd).status, 200);
  sim_->RunFor(std::chrono::seconds(1));
  EXPECT_EQ(Do("POST", kCrds, Definition("color")).status, 201);
  Kill();
  EXPECT_EQ(Get(kWidgets).Json()["items"].size(), 0U);
}

TEST_F(DurableServer, DependentsOfDeletedOwners_AreCollectedAfterAKill) {
  End();
  Start({}, {.garbage_collection_delay = std::chrono::seconds(10)});
  const std::string uid = MakeMap("owner").Json().At("/metadata/uid").StringOrEmpty();
  EXPECT_EQ(Do("POST", kMaps,
               R"({"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1",)"
               R"("kind":"ConfigMap","name":"owner","uid":")" +
                   uid + R"("}]}})")
                .status,
            201);
  EXPECT_EQ(Do("DELETE", std::string(kMaps) + "/owner").status, 200);
  EXPECT_EQ(server_->ObjectCount(kConfigMaps), 1U);
  Kill();
  sim_->RunFor(std::chrono::seconds(11));
  EXPECT_EQ(server_->ObjectCount(kConfigMaps), 0U);
}

TEST_F(DurableServer, RestoredStates_AreKept) {
  EXPECT_EQ(MakeMap("a").status, 201);
  const std::int64_t version = server_->current_resource_version();
  const StateSnapshot snapshot = server_->Snapshot();
  EXPECT_EQ(MakeMap("b").status, 201);
  ASSERT_TRUE(server_->Restore(version).ok());
  EXPECT_EQ(MakeMap("c").status, 201);
  Kill();
  EXPECT_EQ(Get(std::string(kMaps) + "/b").status, 404);
  EXPECT_EQ(Get(std::string(kMaps) + "/c").status, 200);
  ASSERT_TRUE(server_->Restore(snapshot).ok());
  EXPECT_EQ(MakeMap("d").status, 201);
  End();
  Start();
  EXPECT_EQ(Get(std::string(kMaps) + "/c").status, 404);
  EXPECT_EQ(Get(std::string(kMaps) + "/a").status, 200);
  EXPECT_EQ(Get(std::string(kMaps) + "/d").status, 200);
}

TEST_F(DurableServer, Reviews_AreAnsweredWithoutTheDisk) {
  End();
  Start({.max_bytes = std::size_t{2} << 20});
  for (int i = 0; i < 20 && MakeMap("b" + std::to_string(i), 300'000).status == 201; ++i) {
  }
  EXPECT_EQ(Do("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
               R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})")
                .status,
            201);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
