// Informers of several namespaces, against the embedded API server in simulated time.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class SeveralNamespaces : public ::testing::Test {
 protected:
  SeveralNamespaces() {
    for (const char* ns : {"blue", "green", "red"}) {
      Block([&] {
        corev1::Namespace::Mutable object;
        object.metadata.name = ns;
        EXPECT_TRUE(client_.For<corev1::Namespace>().Create(object));
      });
      Put(ns, "first");
    }
  }
  void Block(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1)));
  }
  void Put(const std::string& ns, const std::string& name) {
    Block([&] {
      ConfigMap::Mutable object;
      object.metadata.name = name;
      EXPECT_TRUE(client_.For<ConfigMap>(ns).Create(object));
    });
  }
  // Refuses lists and watches of ConfigMaps, except in `namespaces`.
  void AllowOnly(const std::vector<std::string>& namespaces) {
    faults().Clear();
    for (const std::string& ns : namespaces) {
      // The first rule that matches is used, and this rule does nothing.
      faults().Add(
          {.resource = "configmaps", .namespace_ = ns, .action = apiserver::FaultAction::kDelay});
    }
    for (const char* verb : {"list", "watch"}) {
      faults().Add({.verb = verb, .resource = "configmaps", .status = 403});
    }
  }
  apiserver::FaultPlan& faults() { return server_.faults(); }
  static std::map<std::string, std::size_t> Counts(const SharedInformer<ConfigMap>& informer) {
    std::map<std::string, std::size_t> counts;
    for (const ConfigMap map : informer.Snapshot())
      ++counts[std::string(map.metadata().namespace_())];
    return counts;
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
};

TEST_F(SeveralNamespaces, Informer_CachesOnlyTheGivenNamespaces) {
  AllowOnly({"blue", "green"});
  SharedInformerFactory factory(client_, {.namespaces = {"blue", "green"}});
  const SharedInformer<ConfigMap> maps = factory.InformerFor<ConfigMap>();
  factory.Start();
  Block([&] { EXPECT_TRUE(factory.WaitForCacheSync({}, {.timeout = minutes(1)})); });
  EXPECT_THAT(Counts(maps), ElementsAre(Pair("blue", 1), Pair("green", 1)));
  Put("green", "second");
  Put("red", "second");
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Counts(maps), ElementsAre(Pair("blue", 1), Pair("green", 2)));
  EXPECT_EQ(maps.lister().Namespace("red").Get("first").error().reason(), Reason::kOutOfScope);
  // A write is awaited in the namespace of its object.
  Block([&] {
    ConfigMap::Mutable object;
    object.metadata.name = "third";
    const auto written = client_.For<ConfigMap>("blue").Create(object);
    ASSERT_TRUE(written);
    const auto blue = maps.lister().Namespace("blue");
    EXPECT_TRUE(
        blue.WaitForResourceVersion((*written)->metadata().resourceVersion(), {}, minutes(1)));
    EXPECT_TRUE(blue.Get("third"));
  });
  // The consistency check covers each namespace, and finds no difference.
  sim_.RunFor(minutes(5));
  EXPECT_GE(maps.Stats().consistency_checks, 4U);
  EXPECT_EQ(maps.Stats().inconsistencies, 0U);
  EXPECT_EQ(maps.Stats().AllLists(), 2U);
}

TEST_F(SeveralNamespaces, ForbiddenNamespace_IsNamedInTheError) {
  AllowOnly({"blue"});
  SharedInformerFactory factory(client_, {.namespaces = {"blue", "green"}});
  const SharedInformer<ConfigMap> maps = factory.InformerFor<ConfigMap>();
  factory.Start();
  Block([&] {
    const Result<void> synced = factory.WaitForCacheSync({}, {.fail_fast = true});
    ASSERT_FALSE(synced);
    EXPECT_TRUE(IsForbidden(synced.error()));
    EXPECT_THAT(synced.error().message(), HasSubstr("namespace \"green\""));
  });
  sim_.RunFor(minutes(1));
  EXPECT_EQ(maps.lister().Namespace("blue").Get("none").error().reason(), Reason::kNotFound);
  EXPECT_EQ(maps.lister().Namespace("green").Get("first").error().reason(), Reason::kNotSynced);
  faults().Clear();
  Block([&] { EXPECT_TRUE(factory.WaitForCacheSync({}, {.timeout = minutes(5)})); });
  EXPECT_TRUE(maps.lister().Namespace("green").Get("first"));
}

TEST_F(SeveralNamespaces, TheNamespacesAreFollowedWhereTheWholeIsForbidden) {
  AllowOnly(
      {"blue", "green", "red", "late", "default", "kube-system", "kube-public", "kube-node-lease"});
  SharedInformerFactory factory(client_, {.if_forbidden = {.watch_namespaces = true}});
  const SharedInformer<ConfigMap> maps = factory.InformerFor<ConfigMap>();
  factory.Start();
  Block([&] { EXPECT_TRUE(factory.WaitForCacheSync({}, {.timeout = minutes(1)})); });
  const auto counts = Counts(maps);
  for (const char* ns : {"blue", "green", "red"}) EXPECT_EQ(counts.at(ns), 1U) << ns;
  EXPECT_EQ(maps.lister().Namespace("late").Get("first").error().reason(), Reason::kNotFound);
  Block([&] {
    corev1::Namespace::Mutable object;
    object.metadata.name = "late";
    EXPECT_TRUE(client_.For<corev1::Namespace>().Create(object));
  });
  Put("late", "first");
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(maps.lister().Namespace("late").Get("first"));
}

}  // namespace
}  // namespace kinformer::testing
