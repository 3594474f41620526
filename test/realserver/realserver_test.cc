// Tests of the informer, the dynamic informer and the CLI with the real kube-apiserver. They have
// the label `realserver`.
//
// ctest names the binaries in the environment: KINFORMER_REALAPI (test/realserver/build.sh) and
// KINFORMER_CLI.

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <set>
#include <signal.h>
#include <stdlib.h>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/dynamic_shared_informer_factory.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"

#include "realserver/clients.h"
#include "realserver/real_server.h"
#include "support/child_process.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using testing::ChildProcess;
using testing::EnvironmentOr;
using testing::Eventually;
using testing::InCache;
using testing::MakeNamespace;
using testing::NewConfigMap;
using testing::OnServer;
using testing::RealServer;

RealServer* server = nullptr;

class Suite : public ::testing::Environment {
 public:
  void SetUp() override {
    server = new RealServer;
    server->Start();
  }
  void TearDown() override {
    delete server;
    server = nullptr;
  }
};
const auto* const kSuite = ::testing::AddGlobalTestEnvironment(new Suite);

Client NewClient(bool json = false) { return testing::NewClient(*server, json); }

struct Mode {
  bool json;
  InitialList initial_list;
  const char* name;
};

class InformerModes : public ::testing::TestWithParam<Mode> {};

TEST_P(InformerModes, SyncsAndFollowsAddUpdateDelete) {
  const std::string ns = std::string("modes-") + GetParam().name;
  const Client client = NewClient(GetParam().json);
  MakeNamespace(client, ns);
  const auto maps = client.For<corev1::ConfigMap>(ns);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(maps.Create(NewConfigMap("map-" + std::to_string(i), "first")));
  }

  SharedInformer<corev1::ConfigMap> informer(client.env(),
                                             NewFilteredListWatch<corev1::ConfigMap>(client, ns),
                                             {.initial_list = GetParam().initial_list});
  std::mutex mutex;
  std::vector<std::string> events;
  const std::string key = ns + "/new";
  const auto note = [&](const std::string& of, const std::string& what) {
    const std::lock_guard lock(mutex);
    if (of == key) events.push_back(what);
  };
  const auto registration =
      informer
          .AddEventHandler({.on_add =
                                [&](const Added<corev1::ConfigMap>& e) {
                                  note(e.key, e.is_in_initial_list ? "initial" : "add");
                                },
                            .on_update =
                                [&](const Updated<corev1::ConfigMap>& e) {
                                  note(e.key,
                                       "update " + std::string(e.new_object.data()["value"]));
                                },
                            .on_delete =
                                [&](const Deleted<corev1::ConfigMap>& e) {
                                  note(e.key, e.final_state_unknown ? "unknown" : "delete");
                                }})
          .OrExit();
  informer.Start();
  const auto synced = informer.WaitForCacheSync({}, {.timeout = 30s});
  ASSERT_TRUE(synced) << synced.error();
  ASSERT_TRUE(registration.WaitForSync({}, 30s));
  // The first list may lag behind the creations.
  EXPECT_TRUE(Eventually([&] { return InCache(informer) == OnServer(client, ns); }));
  EXPECT_GE(informer.Snapshot().size(), 50U);

  ASSERT_TRUE(maps.Create(NewConfigMap("new", "one")));
  auto changed = NewConfigMap("new", "two");
  ASSERT_TRUE(maps.Update(changed));
  ASSERT_TRUE(maps.Delete("new"));
  const std::vector<std::string> wanted = {"add", "update two", "delete"};
  EXPECT_TRUE(Eventually([&] {
    const std::lock_guard lock(mutex);
    return events.size() >= 3;
  }));
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(events, wanted);
  }
  EXPECT_EQ(InCache(informer), OnServer(client, ns));
  informer.Stop();
}

INSTANTIATE_TEST_SUITE_P(All, InformerModes,
                         ::testing::Values(Mode{false, InitialList::kList, "protobuf-list"},
                                           Mode{false, InitialList::kWatchList,
                                                "protobuf-watchlist"},
                                           Mode{true, InitialList::kList, "json-list"},
                                           Mode{true, InitialList::kWatchList, "json-watchlist"}),
                         [](const auto& param) {
                           std::string name = param.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// Returns the definition of a kind such as Widget, with the resource widgets of example.com/v1.
json::Value Definition(const std::string& singular, const std::string& kind) {
  const std::string plural = singular + "s";
  return json::Parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":")" +
                     plural + R"(.example.com"},"spec":{"group":"example.com",
    "scope":"Namespaced",
    "names":{"plural":")" +
                     plural + R"(","singular":")" + singular + R"(","kind":")" + kind + R"("},
    "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
    "type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})")
      .OrExit();
}

TEST(RealServer, DynamicInformerOfACustomResource) {
  const Client client = NewClient();
  const auto crds = client.Discovery().MappingFor("customresourcedefinitions").OrExit();
  const auto created = client.Dynamic(crds).Create(Definition("widget", "Widget"));
  ASSERT_TRUE(created) << created.error();

  Result<RestMapping> widgets = Error(Reason::kNotFound, "not asked yet");
  ASSERT_TRUE(Eventually([&] {
    client.Discovery().Invalidate();
    widgets = client.Discovery().MappingFor("widgets");
    return widgets.ok();
  })) << widgets.error();
  DynamicSharedInformerFactory factory(client);
  auto informer = factory.ForResource({"example.com", "v1", "widgets"}).OrExit();
  factory.Start();
  const auto synced = factory.WaitForCacheSync({}, {.timeout = 60s});
  ASSERT_TRUE(synced) << synced.error();

  auto widget =
      json::Parse(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"blue"},)"
                  R"("spec":{"size":7,"note":"a \"quoted\" word"}})")
          .OrExit();
  const auto made = client.Dynamic(*widgets, "default").Create(widget);
  ASSERT_TRUE(made) << made.error();
  ASSERT_TRUE(Eventually([&] { return informer.Snapshot().size() == 1; }));
  const auto snapshot = informer.Snapshot();
  for (Unstructured object : snapshot) {
    EXPECT_EQ(object.metadata().name(), "blue");
    EXPECT_EQ(object.root()["spec"]["size"].AsInt64(), 7);
    EXPECT_EQ(object.root()["spec"]["note"].AsString(), "a \"quoted\" word");
  }
  ASSERT_TRUE(client.Dynamic(*widgets, "default").Delete("blue"));
  EXPECT_TRUE(Eventually([&] { return informer.Snapshot().size() == 0; }));
}

// Events of gadgets that a handler received: "+name", "~name", "-name".
class GadgetLog {
 public:
  ResourceEventHandlerFuncs<Unstructured> Handler() {
    return {.on_add = [this](const Added<Unstructured>& e) { Note("+", e.object); },
            .on_update = [this](const Updated<Unstructured>& e) { Note("~", e.new_object); },
            .on_delete = [this](const Deleted<Unstructured>& e) { Note("-", e.object); }};
  }
  [[nodiscard]] std::vector<std::string> words() const {
    const std::lock_guard lock(mutex_);
    return words_;
  }

 private:
  void Note(const std::string& what, Unstructured gadget) {
    const std::lock_guard lock(mutex_);
    words_.push_back(what + std::string(gadget.metadata().name()));
  }
  mutable std::mutex mutex_;
  std::vector<std::string> words_;
};

// The informer starts before its definition exists, and sees it deleted and created again.
TEST(RealServer, DefinitionsThatComeAndGo) {
  const Client client = NewClient();
  const auto crds = client.Discovery().MappingFor("customresourcedefinitions").OrExit();
  const RestMapping gadgets{.resource = {"example.com", "v1", "gadgets"},
                            .kind = {"example.com", "v1", "Gadget"},
                            .namespaced = true};
  GadgetLog log;
  DynamicSharedInformerFactory factory(client);
  auto informer = factory.ForResource(gadgets.resource, gadgets.kind.kind, true);
  const auto registration = informer.AddEventHandler(log.Handler()).OrExit().Scoped();
  factory.Start();
  const auto is = [&](InformerState state) { return informer.Status().state == state; };
  const auto is_complete = [&] { return informer.lister().List().ok(); };
  ASSERT_TRUE(Eventually([&] { return is(InformerState::kAbsent); }));
  EXPECT_FALSE(informer.HasSynced());

  std::vector<std::string> told;
  std::string uid;
  for (const std::string turn : {"first", "second"}) {
    SCOPED_TRACE(turn);
    ASSERT_TRUE(Eventually([&] {  // the deletion of a definition takes a while
      return client.Dynamic(crds).Create(Definition("gadget", "Gadget")).ok();
    }));
    ASSERT_TRUE(Eventually(is_complete)) << informer.Status().ErrorText();
    EXPECT_TRUE(informer.HasSynced());
    EXPECT_EQ(informer.Snapshot().size(), 0U);
    const auto made = client.Dynamic(gadgets, "default")
                          .Create(json::Parse(R"({"apiVersion":"example.com/v1","kind":"Gadget",)"
                                              R"("metadata":{"name":"blue"},"spec":{"turn":")" +
                                              turn + R"("}})")
                                      .OrExit());
    ASSERT_TRUE(made) << made.error();
    ASSERT_TRUE(Eventually([&] { return informer.Snapshot().size() == 1; }));
    EXPECT_NE(std::exchange(uid, std::string((*made)->metadata().uid())), uid);
    ASSERT_TRUE(client.Dynamic(crds).Delete("gadgets.example.com"));
    ASSERT_TRUE(Eventually([&] { return is(InformerState::kAbsent); }))
        << ToString(informer.Status().state);
    EXPECT_TRUE(Eventually([&] { return informer.Snapshot().size() == 0; }));
    EXPECT_FALSE(is_complete()) << "nothing is known of gadgets";
    told.insert(told.end(), {"+blue", "-blue"});
    EXPECT_TRUE(Eventually([&] { return log.words() == told; }))
        << ::testing::PrintToString(log.words());
  }
}

TEST(RealServer, RestartLosesNothing) {
  const Client client = NewClient();
  MakeNamespace(client, "restart");
  const auto maps = client.For<corev1::ConfigMap>("restart");
  SharedInformer<corev1::ConfigMap> informer(
      client.env(), NewFilteredListWatch<corev1::ConfigMap>(client, "restart"));
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync({}, {.timeout = 30s}));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(maps.Create(NewConfigMap("before-" + std::to_string(i), "x")));
  }
  server->Stop(SIGKILL);
  server->Start();
  const Client again = NewClient();
  const auto maps_again = again.For<corev1::ConfigMap>("restart");
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(maps_again.Create(NewConfigMap("after-" + std::to_string(i), "x")));
    ASSERT_TRUE(maps_again.Delete("before-" + std::to_string(i)));
  }
  EXPECT_TRUE(Eventually([&] { return InCache(informer) == OnServer(again, "restart"); }))
      << informer.Status().ErrorText();
  informer.Stop();
}

// A watch from a resourceVersion that etcd has compacted gets 410; the informer relists and finds
// the missed changes.
TEST(RealServer, ExpiredResourceVersionMeansRelist) {
  const Client client = NewClient();
  MakeNamespace(client, "expired");
  const auto maps = client.For<corev1::ConfigMap>("expired");
  ASSERT_TRUE(maps.Create(NewConfigMap("goes", "x")));
  ASSERT_TRUE(maps.Create(NewConfigMap("stays", "x")));
  SharedInformer<corev1::ConfigMap> informer(
      client.env(), NewFilteredListWatch<corev1::ConfigMap>(client, "expired"));
  std::atomic<int> tombstones{0};
  const auto registration = informer
                                .AddEventHandler({.on_delete =
                                                      [&](const Deleted<corev1::ConfigMap>& e) {
                                                        if (e.final_state_unknown) ++tombstones;
                                                      }})
                                .OrExit();
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync({}, {.timeout = 30s}));
  informer.Stop();

  ASSERT_TRUE(maps.Delete("goes"));
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(maps.Create(NewConfigMap("new-" + std::to_string(i), "x")));
  // The watch cache of a restarted server starts empty, so the informer's version is too old for
  // it.
  server->Stop(SIGKILL);
  server->Start({"--", "--etcd-compaction-interval=1s"});
  const Client again = NewClient();
  ASSERT_TRUE(Eventually([&] {
    const auto made = again.For<corev1::ConfigMap>("expired").Create(NewConfigMap("last", "x"));
    return made.ok() || IsAlreadyExists(made.error());
  }));

  informer.Start();
  EXPECT_TRUE(Eventually([&] { return InCache(informer) == OnServer(again, "expired"); }))
      << informer.Status().ErrorText();
  EXPECT_TRUE(Eventually([&] { return tombstones.load() == 1; })) << tombstones.load();
  EXPECT_GE(informer.Stats().AllLists(), 2U);
  informer.Stop();
}

TEST(RealServer, ADeleteTellsWhetherItsObjectStays) {
  const Client client = NewClient();
  MakeNamespace(client, "deleted");
  const auto maps = client.For<corev1::ConfigMap>("deleted");
  const Ref<corev1::ConfigMap> made = maps.Create(NewConfigMap("a", "x")).OrExit();
  const auto gone = maps.DeleteForAnswer("a").OrExit();
  EXPECT_FALSE(gone.pending);
  EXPECT_EQ(gone.uid, made->metadata().uid());
  EXPECT_TRUE(IsNotFound(maps.Get("a").error()));

  corev1::ConfigMap::Mutable kept = NewConfigMap("b", "x");
  kept.metadata.finalizers = {"example.com/keep"};
  maps.Create(kept).OrExit();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(maps.DeleteForAnswer("b").OrExit().pending);
  maps.Patch("b", {PatchType::kMergePatch, R"({"metadata":{"finalizers":null}})"}).OrExit();
  EXPECT_TRUE(IsNotFound(maps.Get("b").error()));

  // The server admits only pods whose ServiceAccount exists.
  corev1::ServiceAccount::Mutable account;
  account.metadata.name = "default";
  const auto accounts = client.For<corev1::ServiceAccount>("deleted");
  const auto existing = accounts.Create(account);
  ASSERT_TRUE(existing || IsAlreadyExists(existing.error())) << existing.error();
  const auto pods = client.For<corev1::Pod>("deleted");
  corev1::Pod::Mutable pod;
  pod.metadata.name = "p";
  pod.spec.nodeName = "nowhere";
  pod.spec.containers.push_back({.name = "c", .image = "i"});
  pods.Create(pod).OrExit();
  EXPECT_TRUE(pods.DeleteForAnswer("p", {.gracePeriodSeconds = 600}).OrExit().pending);
  EXPECT_TRUE(pods.DeleteForAnswer("p").OrExit().pending);
  EXPECT_FALSE(pods.DeleteForAnswer("p", {.gracePeriodSeconds = 0}).OrExit().pending);
  EXPECT_TRUE(IsNotFound(pods.Get("p").error()));

  const auto account_gone = accounts.DeleteForAnswer("default").OrExit();
  EXPECT_FALSE(account_gone.pending);
  EXPECT_TRUE(account_gone.object);
  EXPECT_TRUE(client.For<corev1::Namespace>().DeleteForAnswer("deleted").OrExit().pending);
}

TEST(RealServer, ForbiddenIsNamed) {
  const Config config = Config::FromKubeconfigFile(server->kubeconfig("alice")).OrExit();
  const Client client = Client::NewForConfig(config).OrExit();
  SharedInformerFactory factory(client);
  auto secrets = factory.InformerFor<corev1::Secret>();
  factory.Start();
  const auto synced = factory.WaitForCacheSync({}, {.timeout = 20s, .fail_fast = true});
  ASSERT_FALSE(synced);
  EXPECT_THAT(synced.error().message(), ::testing::HasSubstr("forbidden"));
  EXPECT_THAT(synced.error().message(), ::testing::HasSubstr("secrets"));
}

TEST(RealServer, CliGetsAndWatches) {
  const Client client = NewClient();
  MakeNamespace(client, "cli");
  ASSERT_TRUE(client.For<corev1::ConfigMap>("cli").Create(NewConfigMap("seen", "x")));
  const std::string cli = EnvironmentOr("KINFORMER_CLI", "kinformer");
  {
    ChildProcess get({cli, "get", "configmaps", "-n", "cli", "--kubeconfig", server->kubeconfig()});
    EXPECT_TRUE(get.WaitForLine("seen", 30s));
    EXPECT_EQ(get.Wait(30s), 0);
  }
  ChildProcess watch({cli, "watch", "configmaps", "-n", "cli", "-o", "name", "--kubeconfig",
                      server->kubeconfig()});
  EXPECT_TRUE(watch.WaitForLine("seen", 30s));
  ASSERT_TRUE(client.For<corev1::ConfigMap>("cli").Delete("seen"));
  EXPECT_TRUE(watch.WaitForLine("- ", 30s));
  watch.Signal(SIGINT);
  EXPECT_EQ(watch.Wait(10s), 0);
  ChildProcess denied({cli, "get", "secrets", "-A", "--kubeconfig", server->kubeconfig("alice")},
                      {}, true);
  EXPECT_TRUE(denied.WaitForLine("forbidden", 30s));
  EXPECT_EQ(denied.Wait(30s), 1);
}

}  // namespace
}  // namespace kinformer
