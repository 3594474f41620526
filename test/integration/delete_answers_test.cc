// Deletes whose answers are read, by typed, custom and dynamic clients, against the embedded API
// server: what pending says agrees with what a Get finds.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/json/json.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using corev1::Namespace;
using corev1::Pod;
using corev1::ServiceAccount;
using std::chrono::minutes;

constexpr char kKeep[] = "example.com/keep";

struct Lamp {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  std::string color{};
  UnknownFields unknown{};
};
using Lamps = CustomResource<Lamp>;

class DeleteAnswers : public ::testing::Test {
 protected:
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(10))); }

  static ConfigMap::Mutable Map(const std::string& name) {
    ConfigMap::Mutable map;
    map.metadata.name = name;
    return map;
  }
  static Pod::Mutable PodOn(const std::string& node) {
    Pod::Mutable pod;
    pod.metadata.name = "p";
    pod.spec.nodeName = node;
    pod.spec.containers.push_back({.name = "c", .image = "i"});
    return pod;
  }
  void ServeLamps() {
    client_.Dynamic(client_.Discovery().MappingFor("crd").OrExit())
        .Create(json::Parse(R"({
          "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
          "metadata": {"name": "lamps.example.com"},
          "spec": {"group": "example.com", "scope": "Namespaced",
                   "names": {"plural": "lamps", "kind": "Lamp", "listKind": "LampList"},
                   "versions": [{"name": "v1", "served": true, "storage": true,
                                 "schema": {"openAPIV3Schema": {"type": "object",
                                   "x-kubernetes-preserve-unknown-fields": true}}}]}})")
                    .OrExit())
        .OrExit();
  }

  Simulation sim_;
  ApiServer server_{sim_, {.pod_grace = true}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
};

TEST_F(DeleteAnswers, WithoutFinalizers_ObjectIsGone) {
  Run([&] {
    const auto maps = client_.For<ConfigMap>("default");
    const Ref<ConfigMap> map = maps.Create(Map("a")).OrExit();
    const Deletion<ConfigMap> deleted = maps.DeleteForAnswer("a").OrExit();
    EXPECT_FALSE(deleted.pending);
    EXPECT_EQ(deleted.uid, map->metadata().uid());
    EXPECT_FALSE(deleted.object) << "a Status";
    EXPECT_TRUE(IsNotFound(maps.Get("a").error()));
  });
}

TEST_F(DeleteAnswers, KindThatIsAnsweredWithItself_IsGone) {
  Run([&] {
    const auto accounts = client_.For<ServiceAccount>("default");
    ServiceAccount::Mutable account;
    account.metadata.name = "a";
    const Ref<ServiceAccount> made = accounts.Create(account).OrExit();
    const Deletion<ServiceAccount> deleted = accounts.DeleteForAnswer("a").OrExit();
    EXPECT_FALSE(deleted.pending);
    EXPECT_EQ(deleted.uid, made->metadata().uid());
    ASSERT_TRUE(deleted.object);
    EXPECT_EQ(deleted.object->metadata().name(), "a");
    EXPECT_TRUE(IsNotFound(accounts.Get("a").error()));
  });
}

TEST_F(DeleteAnswers, Finalizers_KeepTheObjectUntilTheyAreTakenAway) {
  Run([&] {
    const auto maps = client_.For<ConfigMap>("default");
    ConfigMap::Mutable map = Map("a");
    map.metadata.finalizers = {kKeep};
    const Ref<ConfigMap> made = maps.Create(map).OrExit();
    for (const char* which : {"the first delete", "a repeated one"}) {
      const Deletion<ConfigMap> deleted = maps.DeleteForAnswer("a").OrExit();
      EXPECT_TRUE(deleted.pending) << which;
      EXPECT_EQ(deleted.uid, made->metadata().uid()) << which;
      ASSERT_TRUE(deleted.object) << which;
      EXPECT_TRUE(deleted.object->metadata().deletionTimestamp()) << which;
      EXPECT_TRUE(maps.Get("a").ok()) << which;
    }
    ASSERT_TRUE(
        maps.Patch("a", {PatchType::kMergePatch, R"({"metadata":{"finalizers":null}})"}).ok());
    EXPECT_TRUE(IsNotFound(maps.DeleteForAnswer("a").error()));
  });
}

TEST_F(DeleteAnswers, ForegroundPropagation_IsPending) {
  Run([&] {
    const auto maps = client_.For<ConfigMap>("default");
    maps.Create(Map("a")).OrExit();
    const auto deleted = maps.DeleteForAnswer("a", {.propagationPolicy = "Foreground"}).OrExit();
    EXPECT_TRUE(deleted.pending);
    ASSERT_TRUE(deleted.object);
    EXPECT_EQ(deleted.object->metadata().finalizers().size(), 1U);
  });
}

TEST_F(DeleteAnswers, GracePeriodOfAPod_IsPendingUntilItIsZero) {
  Run([&] {
    const auto pods = client_.For<Pod>("default");
    const Ref<Pod> made = pods.Create(PodOn("n")).OrExit();
    const Deletion<Pod> graceful = pods.DeleteForAnswer("p", {.gracePeriodSeconds = 20}).OrExit();
    EXPECT_TRUE(graceful.pending);
    ASSERT_TRUE(graceful.object);
    EXPECT_EQ(graceful.object->metadata().deletionGracePeriodSeconds(), 20);
    EXPECT_TRUE(pods.Get("p").ok());

    const Deletion<Pod> again = pods.DeleteForAnswer("p", {.gracePeriodSeconds = 20}).OrExit();
    EXPECT_TRUE(again.pending);
    const Deletion<Pod> forced = pods.DeleteForAnswer("p", {.gracePeriodSeconds = 0}).OrExit();
    EXPECT_FALSE(forced.pending);
    EXPECT_EQ(forced.uid, made->metadata().uid());
    EXPECT_TRUE(forced.object) << "a Pod, as it was";
    EXPECT_TRUE(IsNotFound(pods.Get("p").error()));

    pods.Create(PodOn("")).OrExit();
    EXPECT_FALSE(pods.DeleteForAnswer("p").OrExit().pending) << "no node runs it";
    EXPECT_TRUE(IsNotFound(pods.Get("p").error()));
  });
}

TEST_F(DeleteAnswers, Namespace_IsPending) {
  Run([&] {
    const auto namespaces = client_.For<Namespace>();
    Namespace::Mutable shop;
    shop.metadata.name = "shop";
    namespaces.Create(shop).OrExit();
    client_.For<ConfigMap>("shop").Create(Map("a")).OrExit();
    const Deletion<Namespace> deleted = namespaces.DeleteForAnswer("shop").OrExit();
    EXPECT_TRUE(deleted.pending);
    ASSERT_TRUE(deleted.object);
    EXPECT_EQ(deleted.object->status().phase(), "Terminating");
  });
}

TEST_F(DeleteAnswers, DryRun_TellsWhatWouldBe) {
  Run([&] {
    const auto maps = client_.For<ConfigMap>("default");
    maps.Create(Map("a")).OrExit();
    ConfigMap::Mutable kept = Map("b");
    kept.metadata.finalizers = {kKeep};
    maps.Create(kept).OrExit();
    EXPECT_FALSE(maps.DeleteForAnswer("a", {.dryRun = {"All"}}).OrExit().pending);
    EXPECT_TRUE(maps.DeleteForAnswer("b", {.dryRun = {"All"}}).OrExit().pending);
    EXPECT_TRUE(maps.Get("a").ok());
    const Ref<ConfigMap> b = maps.Get("b").OrExit();
    EXPECT_FALSE(b->metadata().deletionTimestamp());
  });
}

TEST_F(DeleteAnswers, CustomAndDynamicClients_AnswerTheSame) {
  Run([&] {
    ServeLamps();
    const auto lamps = client_.For<Lamps>("default");
    const DynamicResourceClient loose =
        client_.Dynamic(client_.Discovery().MappingFor("lamps").OrExit(), "default");
    for (const char* name : {"a", "b"}) {
      loose
          .Create(json::Parse(R"({"apiVersion":"example.com/v1","kind":"Lamp","color":"red",)"
                              R"("metadata":{"finalizers":["example.com/keep"],"name":")" +
                              std::string(name) + "\"}}")
                      .OrExit())
          .OrExit();
    }
    const Deletion<Lamps> custom = lamps.DeleteForAnswer("a").OrExit();
    EXPECT_TRUE(custom.pending);
    ASSERT_TRUE(custom.object);
    EXPECT_EQ(custom.object->value().color, "red");
    const Deletion<Unstructured> dynamic = loose.DeleteForAnswer("b").OrExit();
    EXPECT_TRUE(dynamic.pending);
    ASSERT_TRUE(dynamic.object);
    EXPECT_EQ(dynamic.object->root()["color"].StringOrEmpty(), "red");

    loose
        .Create(json::Parse(R"({"apiVersion":"example.com/v1","kind":"Lamp",)"
                            R"("metadata":{"name":"c"}})")
                    .OrExit())
        .OrExit();
    const Deletion<Lamps> gone = lamps.DeleteForAnswer("c").OrExit();
    EXPECT_FALSE(gone.pending);
    EXPECT_FALSE(gone.uid.empty());
    EXPECT_FALSE(gone.object);
  });
}

TEST_F(DeleteAnswers, AsyncClient_AnswersTheSame) {
  Run([&] {
    const auto maps = client_.For<ConfigMap>("default");
    ConfigMap::Mutable map = Map("a");
    map.metadata.finalizers = {kKeep};
    maps.Create(map).OrExit();
    const Result<Deletion<ConfigMap>> deleted =
        BlockOn(sim_.env(), AsyncResourceClient(maps).DeleteForAnswer("a").AsTask());
    ASSERT_TRUE(deleted.ok()) << deleted.error();
    EXPECT_TRUE(deleted->pending);
    EXPECT_TRUE(deleted->object);
  });
}

}  // namespace
}  // namespace kinformer::testing
