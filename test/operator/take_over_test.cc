// Leaders that take over while their watches are late: what the leader before wrote is seen before
// the first reconcile.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

#include "simulation/dice.h"
#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const GroupVersionResource kParents{"", "v1", "configmaps"};
constexpr std::size_t kMany = 10;

enum class End : std::uint8_t { kRelease, kCrash, kSuspend };
constexpr End kEnds[] = {End::kRelease, End::kCrash, End::kSuspend};

struct Case {
  std::uint64_t seed = 1;
  Duration late{};  // how long after a change the standby's watches show it
  End end = End::kRelease;
  std::size_t workers = 1;
  bool catches_up = true;
};

// Each ConfigMap wants one Secret whose name the server makes.
void MakesChildren(Manager& manager, const Case& how) {
  ControllerOptions options;
  options.max_concurrent_reconciles = how.workers;
  options.enable_warmup = true;
  if (!how.catches_up) options.catch_up = [](const std::stop_token&) { return Result<void>(); };
  ControllerBuilder(manager)
      .For<corev1::ConfigMap>()
      .Owns<corev1::Secret>()
      .WithOptions(options)
      .Complete([client = manager.GetClient()](const ReconcileContext& context,
                                               const Request& request) -> Result<ReconcileResult> {
        const auto parent = client.Get<corev1::ConfigMap>(request, context.call());
        if (!parent) return IgnoreNotFound(parent.error());
        const auto children = client.List<corev1::Secret>(
            {.namespace_ = request.namespace_,
             .label_selector = LabelSelector::Parse("parent=" + request.name).OrExit()},
            context.call());
        if (!children) return children.error();
        if (!children->empty()) return ReconcileResult{};
        corev1::Secret::Mutable child;
        child.metadata.generateName = request.name + "-";
        child.metadata.namespace_ = request.namespace_;
        child.metadata.labels["parent"] = request.name;
        if (auto owned = controllerutil::SetControllerReference(**parent, child); !owned)
          return owned.error();
        if (auto made = client.Create(child, {}, context.call()); !made) return made.error();
        return ReconcileResult{};
      })
      .OrExit();
}

// Returns how many children there are in the end.
std::size_t Children(const Case& how) {
  Environment env({.seed = how.seed,
                   .manager = {.leader_election = true,
                               .leader_election_id = "children",
                               .leader_election_release_on_cancel = true}});
  const auto setup = [&](Manager& manager) { MakesChildren(manager, how); };
  Replica& a = env.AddReplica("a", setup);
  EXPECT_TRUE(env.RunUntil([&] { return a.manager().Elected(); }));
  Replica& b = env.AddReplica("b", setup);
  env.RunFor(seconds(5));
  b.DelayWatches(how.late);
  for (std::size_t i = 0; i < kMany; ++i) {
    env.server()
        .Create(kParents, *json::Parse(R"({"metadata":{"namespace":"default","name":"p)" +
                                       std::to_string(i) + R"("}})"))
        .OrExit();
  }
  EXPECT_TRUE(env.RunUntil([&] { return env.writes() == kMany; }, minutes(2)));
  if (how.end == End::kRelease) {
    a.Stop();
  } else if (how.end == End::kCrash) {
    a.Crash();
  } else {
    a.Disconnect(minutes(3));
  }
  EXPECT_TRUE(env.RunUntil([&] { return b.manager().Elected(); }, minutes(10)));
  EXPECT_TRUE(env.Settle());
  std::size_t children = 0;
  EXPECT_TRUE(env.Blocking(
      [&] { children = env.client().For<corev1::Secret>("default").List().OrExit().size(); }));
  return children;
}

TEST(TakeOver, LateWatches_NoChildIsMadeTwice) {
  for (const int late : {1, 5, 20, 60}) {
    for (const End end : kEnds) {
      EXPECT_EQ(Children({.late = seconds(late), .end = end}), kMany)
          << late << " s late, end " << static_cast<int>(end);
    }
  }
}

TEST(TakeOver, SeveralWorkersAndSeeds_NoChildIsMadeTwice) {
  ForSeeds(40, [](std::uint64_t seed) {
    Dice dice(seed);
    const Case how{.seed = seed,
                   .late = dice.Milliseconds(60000),
                   .end = dice.OneOf(kEnds),
                   .workers = 1 + dice.Below(8)};
    EXPECT_EQ(Children(how), kMany);
  });
}

TEST(TakeOver, BusyCollectionWhoseWatchIsLate_LeaderBegins) {
  Environment env({.manager = {.leader_election = true, .leader_election_id = "children"}});
  Replica& a = env.AddReplica("a", [](Manager& manager) { MakesChildren(manager, {}); });
  EXPECT_TRUE(env.RunUntil([&] { return a.manager().Elected(); }));
  Replica& b = env.AddReplica("b", [](Manager& manager) { MakesChildren(manager, {}); });
  env.RunFor(seconds(5));
  b.DelayWatches(seconds(20));
  a.Crash();
  ASSERT_EQ(env.writes(), 0U);
  for (int i = 0; i < 120; ++i) {
    env.server()
        .Create(kParents, *json::Parse(R"({"metadata":{"namespace":"default","name":"p)" +
                                       std::to_string(i) + R"("}})"))
        .OrExit();
    env.RunFor(seconds(1));
  }
  EXPECT_GE(env.writes(), 1U);
}

TEST(TakeOver, InformerThatTheServerRefuses_HoldsNobody) {
  Environment env({.manager = {.leader_election = true, .leader_election_id = "children"}});
  std::optional<SharedInformer<corev1::Pod>> refused;
  Replica& a = env.AddReplica("a", [&](Manager& manager) {
    MakesChildren(manager, {});
    manager
        .Add(std::make_shared<RunnableFunc>(
            [&](const std::stop_token&) {
              refused.emplace(manager.GetCache().InformerFor<corev1::Pod>(
                  {.field_selector = FieldSelector::Parse("spec.nothing=x").OrExit()}));
              refused->Start();
              return Result<void>();
            },
            "refused", RunnableGroup::kOthers))
        .OrExit();
  });
  env.server()
      .Create(kParents, *json::Parse(R"({"metadata":{"namespace":"default","name":"p"}})"))
      .OrExit();
  EXPECT_TRUE(env.RunUntil([&] { return env.writes() == 1; }, minutes(1)));
  EXPECT_TRUE(a.manager().Elected());
  EXPECT_FALSE(refused->HasSynced());
  refused.reset();
}

// Returns how long after its election a warm standby begins to reconcile ConfigMaps, while no list
// of Pods is answered for a minute: that question tells whether their cache is current.
Duration BeginsAfter(bool waits_for_maps_only) {
  Environment env({.manager = {.leader_election = true, .leader_election_id = "maps"}});
  SteadyTime begun = SteadyTime::max();
  const auto setup = [&](Manager& manager, bool standby) {
    ControllerOptions options{.enable_warmup = true};
    ControllerBuilder(manager)
        .For<corev1::Pod>()
        .WithOptions(options)
        .Complete([](const ReconcileContext&, const Request&) {
          return Result<ReconcileResult>(ReconcileResult{});
        })
        .OrExit();
    if (waits_for_maps_only) {
      options.catch_up = [maps = manager.GetCache().InformerFor<corev1::ConfigMap>()](
                             const std::stop_token& stop) { return maps.WaitUntilCurrent(stop); };
    }
    ControllerBuilder(manager)
        .For<corev1::ConfigMap>()
        .WithOptions(options)
        .Complete([&begun, standby](const ReconcileContext& context, const Request&) {
          if (standby) begun = std::min(begun, context.env().Now());
          return Result<ReconcileResult>(ReconcileResult{});
        })
        .OrExit();
  };
  Replica& a = env.AddReplica("a", [&](Manager& manager) { setup(manager, false); });
  EXPECT_TRUE(env.RunUntil([&] { return a.manager().Elected(); }));
  Replica& b = env.AddReplica("b", [&](Manager& manager) { setup(manager, true); });
  env.server()
      .Create(kParents, *json::Parse(R"({"metadata":{"namespace":"default","name":"p"}})"))
      .OrExit();
  env.RunFor(seconds(5));
  a.Crash();
  env.server().faults().Add({.verb = "list",
                             .resource = "pods",
                             .action = apiserver::FaultAction::kDelay,
                             .delay = minutes(1)});
  EXPECT_TRUE(env.RunUntil([&] { return b.manager().Elected(); }, minutes(10)));
  const SteadyTime elected = env.env().Now();
  EXPECT_TRUE(env.RunUntil([&] { return begun != SteadyTime::max(); }, minutes(5)));
  env.server().faults().Clear();
  return begun - elected;
}

TEST(TakeOver, ControllerThatNamesItsCaches_WaitsForNoOthers) {
  EXPECT_LT(BeginsAfter(true), seconds(5));
  EXPECT_GE(BeginsAfter(false), seconds(50));
}

// The rule is what keeps them from it.
TEST(TakeOver, LateWatchesWithoutTheRule_ChildrenAreMadeTwice) {
  EXPECT_GT(Children({.late = seconds(20), .workers = 8, .catches_up = false}), kMany);
}

}  // namespace
}  // namespace kinformer::testing
