// testing::Environment: its effects on replicas, tested with a small operator.

#include "kinformer/testing/environment.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/source.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/eventually.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// Sets data.seen of each ConfigMap to data.wanted.
void Copies(Manager& manager) {
  ControllerBuilder(manager)
      .For<corev1::ConfigMap>()
      .Complete([client = manager.GetClient()](const ReconcileContext& context,
                                               const Request& request) -> Result<ReconcileResult> {
        const auto map = client.Get<corev1::ConfigMap>(request, context.call());
        if (!map) return IgnoreNotFound(map.error());
        corev1::ConfigMap::Mutable wanted = (**map).DeepCopy();
        wanted.data["seen"] = wanted.data["wanted"];
        if ((**map).data()["seen"] == wanted.data["seen"]) return ReconcileResult{};
        if (auto updated = client.Update(wanted); !updated) return updated.error();
        return ReconcileResult{};
      })
      .OrExit();
}

class EnvironmentTest : public ::testing::Test {
 protected:
  explicit EnvironmentTest(ManagerOptions manager = {}) : env_({.manager = std::move(manager)}) {}
  void Want(const std::string& value) {
    const auto body = json::Parse(
        R"({"metadata":{"namespace":"default","name":"m"},"data":{"wanted":")" + value + R"("}})");
    if (!env_.server().Get(kConfigMaps, {"default", "m"})) {
      env_.server().Create(kConfigMaps, *body).OrExit();
    } else {
      env_.server().Patch(kConfigMaps, {"default", "m"}, *body).OrExit();
    }
  }
  std::string Seen() {
    const json::Value map = map_().OrExit();
    return std::string(map["data"]["seen"].AsString().value_or("nothing"));
  }
  Environment env_;
  const ObjectReader<json::Value> map_ = ObjectIn(env_, kConfigMaps, {"default", "m"});
};

TEST_F(EnvironmentTest, AnOperatorComesToRest) {
  Replica& replica = env_.AddReplica("a", Copies);
  Want("blue");
  ASSERT_TRUE(env_.Settle());
  EXPECT_EQ(Seen(), "blue");
  EXPECT_EQ(env_.writes(), 1U);
  EXPECT_TRUE(replica.running());
  EXPECT_THAT(env_.Schedule(), HasSubstr("seed 1\n0.000 s a starts\n"));
  EXPECT_THAT(env_.Schedule(), HasSubstr("a PUT /api/v1/namespaces/default/configmaps/m: 200\n"));
  replica.Stop();
  EXPECT_FALSE(replica.running());
  EXPECT_TRUE(replica.result().ok());
}

TEST_F(EnvironmentTest, CrashAtWrite_ServerHasDoneIt) {
  Replica& replica = env_.AddReplica("a", Copies);
  replica.CrashAtWrite(2);
  Want("blue");
  ASSERT_TRUE(env_.Settle());
  EXPECT_FALSE(replica.crashed());
  Want("red");
  ASSERT_TRUE(env_.Settle());
  EXPECT_TRUE(replica.crashed());
  EXPECT_FALSE(replica.running());
  EXPECT_EQ(Seen(), "red") << "the server has done it";
  Want("green");
  ASSERT_TRUE(env_.Settle());
  EXPECT_EQ(Seen(), "red") << "nobody is there";
  EXPECT_THAT(env_.Schedule(), HasSubstr("a has crashed"));
  env_.AddReplica("a", Copies);
  ASSERT_TRUE(env_.Settle());
  EXPECT_EQ(Seen(), "green");
}

TEST_F(EnvironmentTest, CrashedReplica_WritesNothing) {
  Replica& replica = env_.AddReplica("a", Copies);
  Want("blue");
  ASSERT_TRUE(env_.Settle());
  replica.Crash();
  Want("red");
  ASSERT_TRUE(env_.Settle());
  EXPECT_EQ(Seen(), "blue");
}

TEST_F(EnvironmentTest, DelayWatches_DelaysEvents) {
  Replica& replica = env_.AddReplica("a", Copies);
  Want("blue");
  ASSERT_TRUE(env_.Settle());
  replica.DelayWatches(seconds(30));
  Want("red");
  EXPECT_TRUE(Consistently(map_, HasField(".data.seen", "blue"), {.within = seconds(29)}));
  EXPECT_TRUE(Eventually(map_, HasField(".data.seen", "red"), {.within = seconds(2)}));
}

TEST_F(EnvironmentTest, DisconnectedReplica_CatchesUp) {
  Replica& replica = env_.AddReplica("a", Copies);
  Want("blue");
  ASSERT_TRUE(env_.Settle());
  replica.Disconnect(minutes(10));
  Want("red");
  EXPECT_TRUE(Consistently(map_, HasField(".data.seen", "blue"), {.within = minutes(9)}));
  EXPECT_TRUE(replica.running());
  ASSERT_TRUE(env_.Settle());
  EXPECT_EQ(Seen(), "red");
}

// Staleness limit: the age of the cache is the time since the last data from the server.
class StalenessTest : public EnvironmentTest {
 protected:
  StalenessTest() : EnvironmentTest({.controller = {.max_cache_age = minutes(2)}}) {}
};

TEST_F(StalenessTest, DisconnectedReplica_StopsReconcilingStaleState) {
  std::vector<SteadyTime> reconciled;
  Replica& replica = env_.AddReplica("a", [&](Manager& manager) {
    ControllerBuilder(manager)
        .For<corev1::ConfigMap>()
        .WatchesRawSource(source::Ticker<Request>(env_.env(), seconds(10), {"default", "m"}))
        .Complete([&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
          reconciled.push_back(env_.env().Now());
          return ReconcileResult{};
        })
        .OrExit();
  });
  // No writes: a watch still gets bookmarks from its server.
  Want("blue");
  env_.RunFor(minutes(20));
  EXPECT_GE(reconciled.size(), 115U) << "a watch that hears from its server holds up nothing";
  reconciled.clear();
  const SteadyTime cut = env_.env().Now();
  replica.Disconnect(minutes(10));
  env_.RunFor(minutes(9));
  ASSERT_FALSE(reconciled.empty());
  EXPECT_LE(reconciled.back() - cut, minutes(2) + seconds(10)) << "of requests that came all along";
  EXPECT_GE(reconciled.back() - cut, seconds(50)) << "not before it is too old";
  reconciled.clear();
  Want("red");
  env_.RunFor(seconds(50));
  EXPECT_TRUE(reconciled.empty());
  env_.RunFor(minutes(2));
  ASSERT_FALSE(reconciled.empty()) << "it has heard of its server again";
  EXPECT_GE(reconciled.front() - cut, minutes(10));
  EXPECT_TRUE(replica.running());
}

TEST_F(EnvironmentTest, Blocking_RunsAClientsCalls) {
  Want("blue");
  const Client client = env_.client();
  std::string wanted;
  ASSERT_TRUE(env_.Blocking([&] {
    const Ref<corev1::ConfigMap> map = client.For<corev1::ConfigMap>("default").Get("m").OrExit();
    wanted = map->data()["wanted"];
  }));
  EXPECT_EQ(wanted, "blue");
}

TEST_F(EnvironmentTest, OperatorsThatNeverRestAreFound) {
  env_.AddReplica("a", [](Manager& manager) {
    ControllerBuilder(manager)
        .For<corev1::ConfigMap>()
        .Complete(
            [client = manager.GetClient()](const ReconcileContext& context,
                                           const Request& request) -> Result<ReconcileResult> {
              const auto map = client.Get<corev1::ConfigMap>(request, context.call());
              if (!map) return IgnoreNotFound(map.error());
              corev1::ConfigMap::Mutable wanted = (**map).DeepCopy();
              wanted.data["count"] += "x";
              if (auto updated = client.Update(wanted); !updated) return updated.error();
              return ReconcileResult{.requeue_after = minutes(1)};
            })
        .OrExit();
  });
  Want("blue");
  EXPECT_FALSE(env_.Settle(minutes(5), minutes(20)));
}

class ElectionTest : public EnvironmentTest {
 protected:
  ElectionTest()
      : EnvironmentTest({.leader_election = true,
                         .leader_election_id = "copies",
                         .leader_election_release_on_cancel = true}) {}
};

TEST_F(ElectionTest, LeadershipIsLostAndAnotherLeads) {
  Replica& a = env_.AddReplica("a", Copies);
  ASSERT_TRUE(env_.RunUntil([&] { return a.manager().Elected(); }));
  Replica& b = env_.AddReplica("b", Copies);
  Want("blue");
  ASSERT_TRUE(env_.Settle());
  EXPECT_THAT(env_.Schedule(), HasSubstr("a PUT"));
  a.LoseLeases(minutes(10));
  ASSERT_TRUE(env_.RunUntil([&] { return b.manager().Elected(); }, minutes(1)));
  env_.RunFor(seconds(1));
  EXPECT_FALSE(a.running());
  EXPECT_THAT(a.result().error().message(), HasSubstr("leader election lost"));
  Want("red");
  ASSERT_TRUE(env_.Settle());
  EXPECT_EQ(Seen(), "red");
  EXPECT_THAT(env_.Schedule(), HasSubstr("b PUT"));
}

// An index function that sleeps delays everything on the replica's loop, except the Lease.
TEST_F(ElectionTest, StalledLoop_LeaseIsStillRenewed) {
  bool stalled = false;
  bool leads = false;
  Replica& a = env_.AddReplica("a", [&](Manager& manager) {
    manager.GetCache().InformerFor<corev1::ConfigMap>(
        {.indexers = {{"slow", [&](corev1::ConfigMap map, IndexValues&) {
                         if (map.data()["wanted"] != "red" || stalled) return;
                         stalled = true;
                         env_.simulation().RunFor(seconds(30));
                         leads = manager.elector()->IsLeader();
                       }}}});
    Copies(manager);
  });
  ASSERT_TRUE(env_.RunUntil([&] { return a.manager().Elected(); }));
  Want("blue");
  ASSERT_TRUE(env_.Settle());
  const SteadyTime before = env_.env().Now();
  Want("red");
  ASSERT_TRUE(env_.RunUntil([&] { return stalled; }, seconds(1)));
  EXPECT_GE(env_.env().Now() - before, seconds(30));
  EXPECT_TRUE(leads) << "a Lease that is not renewed is over after 12 s";
  EXPECT_TRUE(a.running());
  ASSERT_TRUE(env_.Settle());
  EXPECT_EQ(Seen(), "red");
}

TEST(EnvironmentClock, Start_IsWhatTheWallClockShows) {
  const WallTime start{std::chrono::seconds(1'700'000'000)};
  kinformer::testing::Environment env({.start = start});
  EXPECT_EQ(env.env().WallNow(), start);
  env.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(env.env().WallNow(), start + std::chrono::minutes(1));
}

TEST(EnvironmentClock, RunUntil_OfManyStepsAtOneMoment_AsksForFewOfThem) {
  kinformer::testing::Environment env;
  int steps = 0;
  std::function<void()> step = [&] {
    if (++steps < 6400) env.env().loop().Post([&] { step(); });
  };
  env.env().loop().Post([&] { step(); });
  int asked = 0;
  EXPECT_TRUE(env.RunUntil([&] {
    ++asked;
    return steps == 6400;
  }));
  EXPECT_LE(asked, 110);
  EXPECT_GE(asked, 2);
}

TEST(EnvironmentSeeds, EqualSeedsAreEqualRuns) {
  const auto run = [](std::uint64_t seed) {
    Environment env({.seed = seed});
    env.AddReplica("a", Copies);
    for (int i = 0; i < 20; ++i) {
      env.server()
          .Create(kConfigMaps, json::Parse(R"({"metadata":{"namespace":"default","name":"m)" +
                                           std::to_string(i) + R"("},"data":{"wanted":"x"}})")
                                   .OrExit())
          .OrExit();
    }
    EXPECT_TRUE(env.Settle());
    EXPECT_EQ(env.writes(), 20U);
    return env.simulation().TraceHash();
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

TEST(EnvironmentSeeds, ARunThatFailsPrintsSeedAndSchedule) {
  ::testing::internal::CaptureStderr();
  {
    Environment env({.seed = 42, .failed = [] { return true; }});
    env.AddReplica("a", Copies);
    env.RunFor(seconds(1));
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("seed 42\n0.000 s a starts"));
}

}  // namespace
}  // namespace kinformer::testing
