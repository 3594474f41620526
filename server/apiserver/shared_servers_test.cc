// Several servers on one etcd: each sees the others' writes, at the same versions, and nothing is
// lost or invented, whatever becomes of etcd.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/etcd/etcd_storage.h"
#include "apiserver/testing.h"
#include "apiserver/testing/fake_etcd.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
const GroupVersionResource kMapsOf{"", "v1", "configmaps"};
constexpr std::string_view kServices = "/api/v1/namespaces/default/services";
constexpr std::string_view kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";
constexpr std::string_view kDefinition =
    R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",
    "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string"}}}}}]}})";

std::string Map(const std::string& name, const std::string& rest = "") {
  return R"({"metadata":{"name":")" + name + R"("})" + rest + "}";
}

std::string In(std::string_view collection, const std::string& name) {
  return std::string(collection) + "/" + name;
}

std::string VersionOf(const Reply& reply) {
  return reply.Json().At("/metadata/resourceVersion").StringOrEmpty();
}

class SharedServers : public ::testing::Test {
 protected:
  void SetUp() override {
    Start(a_);
    Start(b_);
    Settle();
  }
  void Start(std::unique_ptr<ApiServer>& server, Duration compaction_interval = Duration(0)) {
    EtcdStorageOptions storage;
    storage.page = 7;
    storage.compaction_interval = compaction_interval;
    ApiServerOptions options;
    options.shared_storage = EtcdStorage::Open(sim_.env(), etcd_.Connect(), storage).OrExit();
    server = std::make_unique<ApiServer>(sim_.env(), std::move(options));
  }
  void Settle() { sim_.RunFor(std::chrono::milliseconds(100)); }

  std::unique_ptr<OpenReply> Open(ApiServer& server, std::string_view method,
                                  std::string_view target, std::string_view body = {}) {
    HttpRequest request{
        .method = std::string(method), .target = std::string(target), .body = std::string(body)};
    request.headers.Add("Content-Type",
                        method == "PATCH" ? "application/merge-patch+json" : "application/json");
    return std::make_unique<OpenReply>(sim_, server.Handle(std::move(request)));
  }
  Reply Do(ApiServer& server, std::string_view method, std::string_view target,
           std::string_view body = {}) {
    const auto open = Open(server, method, target, body);
    for (int i = 0; i < 1000 && !open->ended(); ++i) {
      open->Pull();
      if (!open->ended()) sim_.RunFor(std::chrono::milliseconds(10));
    }
    return open->reply();
  }
  Reply Make(ApiServer& server, const std::string& name) {
    return Do(server, "POST", kMaps, Map(name));
  }
  std::unique_ptr<OpenReply> WatchFrom(ApiServer& server, const std::string& version) {
    return Open(server, "GET", std::string(kMaps) + "?watch=true&resourceVersion=" + version);
  }
  std::vector<std::string> EventsOf(OpenReply& watch) {
    Settle();
    watch.Pull();
    return watch.Events();
  }

  Simulation sim_;
  FakeEtcd etcd_{sim_.env()};
  std::unique_ptr<ApiServer> a_;
  std::unique_ptr<ApiServer> b_;
};

TEST_F(SharedServers, Write_IsSeenByTheOtherServerAtTheSameVersion) {
  const Reply made = Make(*a_, "x");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(VersionOf(made), std::to_string(etcd_.revision()));
  const Reply got = Do(*b_, "GET", In(kMaps, "x"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, made.body);
  EXPECT_EQ(VersionOf(Do(*b_, "GET", kMaps)), VersionOf(made));
  EXPECT_NE(etcd_.Find("/registry/configmaps/default/x"), nullptr);

  const Reply changed = Do(*b_, "PATCH", In(kMaps, "x"), R"({"data":{"k":"v"}})");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(Do(*a_, "GET", In(kMaps, "x")).body, changed.body);
  EXPECT_EQ(Do(*a_, "DELETE", In(kMaps, "x")).status, 200);
  EXPECT_EQ(Do(*b_, "GET", In(kMaps, "x")).status, 404);
  EXPECT_EQ(etcd_.Find("/registry/configmaps/default/x"), nullptr);
}

TEST_F(SharedServers, Watches_AreEqualAndGoOnAtTheOtherServer) {
  const std::string start = VersionOf(Do(*a_, "GET", kMaps));
  const auto at_a = WatchFrom(*a_, start);
  const auto at_b = WatchFrom(*b_, start);
  std::vector<std::string> made;
  for (int i = 0; i < 10; ++i) {
    made.push_back(VersionOf(Make(i % 2 == 0 ? *a_ : *b_, "x" + std::to_string(i))));
  }
  (void)Do(*b_, "DELETE", In(kMaps, "x3"));
  const std::vector<std::string> events = EventsOf(*at_a);
  ASSERT_EQ(events.size(), 11U);
  EXPECT_EQ(events, EventsOf(*at_b));
  EXPECT_EQ(events[3], "ADDED default/x3 " + made[3]);
  EXPECT_EQ(events[10], "DELETED default/x3 " + std::to_string(etcd_.revision()));
  // As if `a` had been killed.
  const auto resumed = WatchFrom(*b_, made[8]);
  EXPECT_EQ(EventsOf(*resumed), (std::vector<std::string>{events[9], events[10]}));
}

TEST_F(SharedServers, UnconditionalUpdate_IsRepeatedOnWhatAnotherServerWrote) {
  (void)Make(*a_, "x");
  etcd_.before_commit = [&] {
    EXPECT_TRUE(b_->Patch(kMapsOf, {"default", "x"}, Json(R"({"data":{"b":"1"}})")).ok());
  };
  const Reply patched = Do(*a_, "PATCH", In(kMaps, "x"), R"({"data":{"a":"1"}})");
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(patched.Json()["data"].Dump(), R"({"a":"1","b":"1"})");
  EXPECT_EQ(Do(*b_, "GET", In(kMaps, "x")).body, patched.body);
}

TEST_F(SharedServers, ConditionalWrites_LoseAgainstAnotherServer) {
  const std::string version = VersionOf(Make(*a_, "x"));
  etcd_.before_commit = [&] {
    EXPECT_TRUE(b_->Patch(kMapsOf, {"default", "x"}, Json(R"({"data":{"b":"1"}})")).ok());
  };
  const Reply updated =
      Do(*a_, "PUT", In(kMaps, "x"),
         R"({"metadata":{"name":"x","resourceVersion":")" + version + R"("},"data":{"a":"1"}})");
  EXPECT_EQ(updated.status, 409) << updated.body;
  // A name is taken once.
  etcd_.before_commit = [&] {
    EXPECT_TRUE(
        b_->Create(kMapsOf, Json(R"({"metadata":{"name":"y","namespace":"default"}})")).ok());
  };
  const Reply taken = Make(*a_, "y");
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.Json()["reason"].StringOrEmpty(), "AlreadyExists");
  // A deletion is repeated, and finds nothing.
  etcd_.before_commit = [&] { EXPECT_TRUE(b_->Delete(kMapsOf, {"default", "y"}).ok()); };
  EXPECT_EQ(Do(*a_, "DELETE", In(kMaps, "y")).status, 404);
}

TEST_F(SharedServers, Definition_IsServedByAllServers) {
  ASSERT_EQ(Do(*a_, "POST", kCrds, kDefinition).status, 201);
  const Reply made = Do(*b_, "POST", kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget",
    "metadata":{"name":"w"},"a":"1"})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(Do(*a_, "GET", In(kWidgets, "w")).body, made.body);
  EXPECT_NE(etcd_.Find("/registry/example.com/widgets/default/w"), nullptr);
  // A server that starts later has it, too.
  std::unique_ptr<ApiServer> third;
  Start(third);
  EXPECT_EQ(Do(*third, "GET", In(kWidgets, "w")).body, made.body);
  EXPECT_EQ(Do(*b_, "DELETE", In(kCrds, "widgets.example.com")).status, 200);
  Settle();
  Settle();
  for (ApiServer* server : {a_.get(), b_.get(), third.get()}) {
    EXPECT_EQ(Do(*server, "GET", kWidgets).status, 404);
  }
  EXPECT_EQ(etcd_.Find("/registry/example.com/widgets/default/w"), nullptr);
}

TEST_F(SharedServers, BrokenWatch_LosesNothingAndRepeatsNothing) {
  const std::string start = VersionOf(Do(*a_, "GET", kMaps));
  const auto watch = WatchFrom(*a_, start);
  (void)Make(*b_, "x0");
  etcd_.Hold();
  const auto slow = Open(*b_, "POST", kMaps, Map("x1"));
  Settle();
  EXPECT_FALSE(slow->ended()) << "the answer waits until the server shows the object";
  etcd_.BreakWatches();
  Settle();
  etcd_.Release();
  etcd_.BreakWatches();
  (void)Make(*b_, "x2");
  slow->Pull();
  EXPECT_EQ(slow->reply().status, 201);
  const auto events = EventsOf(*watch);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(events[1].starts_with("ADDED default/x1 "));
  EXPECT_TRUE(events[2].starts_with("ADDED default/x2 "));
}

TEST_F(SharedServers, CompactedChanges_EndWatchesWith410) {
  (void)Make(*a_, "x");
  const auto watch = WatchFrom(*a_, VersionOf(Do(*a_, "GET", kMaps)));
  etcd_.Hold();
  etcd_.BreakWatches();
  etcd_.SetDown(true);
  Settle();
  etcd_.SetDown(false);
  etcd_.Put("/registry/configmaps/default/y",
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"y",
                "namespace":"default","uid":"u"}})");
  etcd_.Put("/other", "1");
  ASSERT_TRUE(etcd_.Compact(etcd_.revision()).ok());
  sim_.RunFor(seconds(3));
  watch->Pull();
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0]["object"]["code"].AsInt64(), 410);
  const Reply all = Do(*a_, "GET", kMaps);
  EXPECT_EQ(all.Json()["items"].size(), 2U) << all.body;
}

TEST_F(SharedServers, EtcdDown_GivesClearErrorsAndCachedReads) {
  (void)Make(*a_, "x");
  const auto watch = WatchFrom(*a_, std::to_string(etcd_.revision()));
  etcd_.SetDown(true);
  const Reply write = Make(*a_, "y");
  EXPECT_EQ(write.status, 503);
  EXPECT_EQ(write.Json()["message"].StringOrEmpty(),
            "etcd cannot be reached, nothing was changed: connection refused");
  EXPECT_EQ(Do(*a_, "GET", kMaps).status, 503);
  EXPECT_EQ(Do(*a_, "GET", std::string(kMaps) + "?resourceVersion=0").status, 200);
  EXPECT_FALSE(
      a_->Create(kMapsOf, Json(R"({"metadata":{"name":"z","namespace":"default"}})")).ok());
  etcd_.SetDown(false);
  sim_.RunFor(seconds(3));
  EXPECT_EQ(Make(*b_, "y").status, 201);
  const auto events = EventsOf(*watch);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events[0].starts_with("ADDED default/y "));
}

TEST_F(SharedServers, LostAnswer_Is504AndTheChangeIsShown) {
  etcd_.loses_answer = true;
  const Reply lost = Make(*a_, "x");
  EXPECT_EQ(lost.status, 504);
  EXPECT_EQ(Do(*a_, "GET", In(kMaps, "x")).status, 200);
  etcd_.refuses = EtcdRefusal("etcdserver: mvcc: database space exceeded");
  const Reply refused = Make(*a_, "y");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
            "etcd refuses: etcdserver: mvcc: database space exceeded");
  EXPECT_EQ(Make(*a_, "y").status, 201);
}

TEST_F(SharedServers, Dependents_AreCollectedByOneServerAndByTheNextLeader) {
  const auto own = [&](const std::string& name, const Reply& owner) {
    return Do(*b_, "POST", kMaps,
              R"({"metadata":{"name":")" + name +
                  R"(","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o",)" +
                  R"("uid":")" + owner.Json().At("/metadata/uid").StringOrEmpty() + R"("}]}})");
  };
  ASSERT_EQ(own("d", Make(*a_, "o")).status, 201);
  const std::int64_t before = etcd_.revision();
  (void)Do(*b_, "DELETE", In(kMaps, "o"));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(Do(*b_, "GET", In(kMaps, "d")).status, 404);
  EXPECT_EQ(etcd_.revision(), before + 2) << "each object is removed once";
  // Another server goes on when the leader is gone.
  ASSERT_EQ(own("d2", Make(*a_, "o")).status, 201);
  a_.reset();
  (void)Do(*b_, "DELETE", In(kMaps, "o"));
  sim_.RunFor(seconds(20));
  EXPECT_EQ(Do(*b_, "GET", In(kMaps, "d2")).status, 404);
}

TEST_F(SharedServers, KilledLeader_IsFollowedWhenItsLeaseEnds) {
  const Reply owner = Make(*b_, "o");
  ASSERT_EQ(Do(*b_, "POST", kMaps,
               R"({"metadata":{"name":"d","ownerReferences":[{"apiVersion":"v1",)"
               R"("kind":"ConfigMap","name":"o","uid":")" +
                   owner.Json().At("/metadata/uid").StringOrEmpty() + R"("}]}})")
                .status,
            201);
  // It cannot give its lease back.
  etcd_.SetDown(true);
  a_.reset();
  etcd_.SetDown(false);
  Settle();
  (void)Do(*b_, "DELETE", In(kMaps, "o"));
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Do(*b_, "GET", In(kMaps, "d")).status, 200) << "nobody leads";
  etcd_.EndLeases();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(Do(*b_, "GET", In(kMaps, "d")).status, 404);
}

TEST_F(SharedServers, Compaction_IsMadeByOneServerEachInterval) {
  a_.reset();
  b_.reset();
  Start(a_, std::chrono::minutes(1));
  Start(b_, std::chrono::minutes(1));
  std::vector<std::int64_t> revisions;
  for (int i = 0; i < 4; ++i) {
    (void)Make(*a_, "x" + std::to_string(i));
    sim_.RunFor(seconds(61));
    revisions.push_back(etcd_.revision());
  }
  // Each time up to the revision that was the latest one an interval before.
  EXPECT_EQ(etcd_.compactions(),
            std::vector<std::int64_t>(revisions.begin(), revisions.begin() + 3));
}

TEST_F(SharedServers, LaterServer_HasAllAndItsHistory) {
  const std::string first = VersionOf(Make(*a_, "x"));
  (void)Make(*b_, "y");
  (void)Do(*b_, "DELETE", In(kMaps, "x"));
  a_.reset();
  b_.reset();
  Start(a_);
  EXPECT_EQ(Do(*a_, "GET", kMaps).Json()["items"].size(), 1U);
  const auto watch = WatchFrom(*a_, first);
  const auto events = EventsOf(*watch);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_TRUE(events[0].starts_with("ADDED default/y "));
  EXPECT_TRUE(events[1].starts_with("DELETED default/x "));
  // Compacted changes cannot be watched again.
  ASSERT_TRUE(etcd_.Compact(etcd_.revision()).ok());
  Start(b_);
  const auto late = WatchFrom(*b_, first);
  Settle();
  late->Pull();
  const std::vector<json::Value> frames = late->Frames();
  ASSERT_EQ(frames.size(), 1U) << late->reply().body;
  EXPECT_EQ(frames[0]["object"]["code"].AsInt64(), 410);
}

TEST_F(SharedServers, ServiceAddresses_AreUnique) {
  const auto service = [](const std::string& name) {
    return R"({"metadata":{"name":")" + name +
           R"(","namespace":"default"},"spec":{"ports":[{"port":80}]}})";
  };
  std::string others;
  etcd_.before_commit = [&] {
    others = b_->Create({"", "v1", "services"}, Json(service("s1")))
                 .OrExit()
                 .At("/spec/clusterIP")
                 .StringOrEmpty();
  };
  const Reply made = Do(*a_, "POST", kServices, service("s2"));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_FALSE(others.empty());
  EXPECT_NE(made.Json().At("/spec/clusterIP").StringOrEmpty(), others);
  EXPECT_NE(etcd_.Find("/registry/kinformer.io/claims/address/" + others), nullptr);
  EXPECT_EQ(Do(*a_, "DELETE", In(kServices, "s1")).status, 200);
  EXPECT_EQ(etcd_.Find("/registry/kinformer.io/claims/address/" + others), nullptr);
}

TEST_F(SharedServers, Restore_IsRefused) {
  (void)Make(*a_, "x");
  const StateSnapshot snapshot = a_->Snapshot();
  const Result<void> restored = a_->Restore(snapshot);
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().message(),
            "the objects are in etcd, where other servers use them: restore etcd itself, or load "
            "manifests");
}

TEST_F(SharedServers, UnreadableValue_IsLeftOut) {
  etcd_.Put("/registry/configmaps/default/bad", "no object");
  etcd_.Put("/registry/masterleases/10.0.0.1", "k8s");
  etcd_.Put("/registry/configmaps/default/good",
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"good",
                "namespace":"default","uid":"u"}})");
  const Reply all = Do(*a_, "GET", kMaps);
  ASSERT_EQ(all.status, 200);
  EXPECT_EQ(all.Json()["items"].size(), 1U);
  EXPECT_EQ(VersionOf(all), std::to_string(etcd_.revision()));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
