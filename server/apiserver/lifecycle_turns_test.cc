// Requests between the turns in which a server deletes many objects.

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/simulation.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/testing.h"
#include "apiserver/write/background/lifecycle.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver::testing {
namespace {

// More than two turns take, of each kind of work.
constexpr int kMany = 1100;

class LifecycleTurns : public ::testing::Test {
 protected:
  [[nodiscard]] WriteTarget At(std::string_view group, std::string_view plural, std::string_view ns,
                               std::string_view name) const {
    return {.at = state_.resources.Find(group, "v1", plural),
            .namespace_ = std::string(ns),
            .name = std::string(name)};
  }
  [[nodiscard]] WriteTarget Namespace(std::string_view name) const {
    return At("", "namespaces", "", name);
  }
  void Make(const WriteTarget& target, std::string_view object) {
    (void)writer_.Create(target, Json(object)).OrExit();
  }
  void MakeMany(const std::string& group, const std::string& plural, const std::string& ns,
                std::string_view object) {
    for (int i = 0; i < kMany; ++i) {
      Make(At(group, plural, ns, "m" + std::to_string(10'000 + i)), object);
    }
  }
  void Patch(const WriteTarget& target, std::string_view patch) {
    (void)writer_
        .Modify(target,
                [&](json::Value& object) -> Result<void> {
                  object.MergePatch(Json(patch));
                  return {};
                })
        .OrExit();
  }
  void Delete(const WriteTarget& target) { (void)writer_.Delete(target, {}).OrExit(); }
  static bool Exists(const WriteTarget& target) {
    return target.at && target.at.resource->Find(target.namespace_, target.name) != nullptr;
  }
  // Calls `run` once that many turns of the work under way are over.
  void After(int turns, std::function<void()> run) {
    state_.Post([this, turns, run = std::move(run)] {
      if (turns > 1) return After(turns - 1, run);
      run();
    });
  }
  void Define() {
    Make(At("apiextensions.k8s.io", "customresourcedefinitions", "", "cars.shop.example"),
         R"({"spec":{"group":"shop.example","scope":"Namespaced","names":{"plural":"cars",
             "kind":"Car"},"versions":[{"name":"v1","served":true,"storage":true,"schema":
             {"openAPIV3Schema":{"type":"object"}}}]}})");
  }

  Simulation sim_;
  ServerState state_{sim_.env(), {}};
  ObjectWriter writer_{state_};
  Lifecycle lifecycle_{state_, writer_};
};

TEST_F(LifecycleTurns, ChangeDuringTheCountOfANamespace_IsCounted) {
  Make(Namespace("going"), "{}");
  MakeMany("", "configmaps", "going", R"({"metadata":{"finalizers":["x.io/one","x.io/two"]}})");
  const auto touch = [&](const std::string& value) {
    Patch(Namespace("going"), R"({"metadata":{"labels":{"at":")" + value + "\"}}}");
  };
  const auto held = [&] {
    sim_.RunReady();
    return Namespace("going")
        .at.resource->Find("", "going")
        ->Parse()
        .At("/status/conditions/1/message")
        .StringOrEmpty();
  };
  const auto message = [](int one, int two) {
    return "Some content in the namespace has finalizers remaining: x.io/one in " +
           std::to_string(one) + " resource instances, x.io/two in " + std::to_string(two) +
           " resource instances";
  };
  Delete(Namespace("going"));
  EXPECT_EQ(held(), message(kMany, kMany));
  for (int turn = 1; turn <= 8; ++turn) {
    touch("a" + std::to_string(turn));
    After(turn, [&] {
      Patch(At("", "configmaps", "going", "m" + std::to_string(10'000 + turn)),
            R"({"metadata":{"finalizers":["x.io/one"]}})");
      touch("b" + std::to_string(turn));
    });
    EXPECT_EQ(held(), message(kMany, kMany - turn)) << turn;
  }
}

TEST_F(LifecycleTurns, NamespaceThatIsFinalizedMeanwhile_KeepsTheRest) {
  for (int turn = 1; turn <= 2; ++turn) {
    Make(Namespace("going"), "{}");
    MakeMany("", "configmaps", "going", "{}");
    Delete(Namespace("going"));
    WriteTarget finalize = Namespace("going");
    finalize.subresource = "finalize";
    After(turn, [&] { Patch(finalize, R"({"spec":{"finalizers":null}})"); });
    sim_.RunReady();
    EXPECT_FALSE(Exists(Namespace("going")));
    EXPECT_EQ(finalize.at.resource->store->size(), 0U);
    const std::size_t left = At("", "configmaps", "", "").at.resource->store->size();
    EXPECT_EQ(left, static_cast<std::size_t>(kMany - 512 * turn));
    // The next one of that name begins anew.
    Make(Namespace("going"), "{}");
    sim_.RunReady();
    EXPECT_EQ(At("", "configmaps", "", "").at.resource->store->size(), left);
    Delete(Namespace("going"));
    sim_.RunReady();
    EXPECT_FALSE(Exists(Namespace("going")));
    EXPECT_EQ(At("", "configmaps", "", "").at.resource->store->size(), 0U);
  }
}

TEST_F(LifecycleTurns, NamespaceMadeAgainMeanwhile_KeepsItsObjects) {
  Make(Namespace("going"), "{}");
  MakeMany("", "configmaps", "going", "{}");
  Delete(Namespace("going"));
  WriteTarget finalize = Namespace("going");
  finalize.subresource = "finalize";
  After(1, [&] {
    Patch(finalize, R"({"spec":{"finalizers":null}})");
    Make(Namespace("going"), "{}");
    Make(At("", "configmaps", "going", "z"), "{}");
  });
  sim_.RunReady();
  EXPECT_TRUE(Exists(At("", "configmaps", "going", "z")));
  EXPECT_EQ(Namespace("going").at.resource->Find("", "going")->Parse().At("/spec").Dump(),
            R"({"finalizers":["kubernetes"]})");
}

TEST_F(LifecycleTurns, DefinitionThatLosesItsFinalizerMeanwhile_LeavesNoSweepBehind) {
  Make(Namespace("default"), "{}");
  const WriteTarget definition =
      At("apiextensions.k8s.io", "customresourcedefinitions", "", "cars.shop.example");
  for (const bool interrupted : {true, false}) {
    Define();
    MakeMany("shop.example", "cars", "default", "{}");
    Delete(definition);
    if (interrupted) After(1, [&] { Patch(definition, R"({"metadata":{"finalizers":null}})"); });
    sim_.RunReady();
    EXPECT_FALSE(Exists(definition)) << interrupted;
    EXPECT_FALSE(At("shop.example", "cars", "", "").at) << interrupted;
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
