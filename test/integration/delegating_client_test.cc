// DelegatingClient against the embedded API server: results of cached and live reads, and of
// writes. read_your_writes_test.cc tests waits for own writes, and delegating_client_caches_test.cc
// the caches.

#include "kinformer/controller/delegating_client.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/client/discovery.h"
#include "kinformer/controller/cached_resource_client.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/object/object.h"

#include "base/core/testing/fields_log.h"
#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Deployment = appsv1::Deployment;
using Node = corev1::Node;

class DelegatingClientReads : public DelegatingClientTest {
 protected:
  // Returns the result of List, which must be the same in each form.
  std::vector<std::string> Lists(const ReadOptions& options) {
    const std::vector<std::string> typed = NamesOf(cached_.List<ConfigMap>(options));
    const auto names = [](const auto& objects) {
      std::vector<std::string> all;
      if (!objects) return std::vector<std::string>{objects.error().ToString()};
      for (const auto& object : *objects) all.emplace_back(object->metadata().name());
      std::sort(all.begin(), all.end());
      return all;
    };
    const auto metadata = cached_.ListMetadata<ConfigMap>(options);
    const auto dynamic = cached_.List(kMaps, options);
    EXPECT_EQ(names(metadata), typed);
    EXPECT_EQ(names(dynamic), typed);
    if (!metadata || !dynamic) return typed;
    // Listed objects can be read by name, and know their kind.
    for (const auto& one : *metadata) {
      const ObjectName name = {std::string(one->metadata().namespace_()),
                               std::string(one->metadata().name())};
      EXPECT_EQ(one->kind(), "ConfigMap");
      EXPECT_TRUE(cached_.Get<ConfigMap>(name).ok());
      EXPECT_TRUE(cached_.GetMetadata<ConfigMap>(name).ok());
      EXPECT_TRUE(cached_.Get(kMaps, name).ok());
    }
    for (const auto& one : *dynamic) EXPECT_EQ(one->GroupVersionKindOf(), kMaps.kind);
    return typed;
  }
};

TEST_F(DelegatingClientReads, GetAndListOfEachForm_CA01) {
  Run([&] {
    MakeFour();
    for (const bool cache_unstructured : {true, false}) {
      Use({}, {.cache_unstructured = cache_unstructured});
      const auto typed = cached_.Get<ConfigMap>(Named("a")).OrExit();
      EXPECT_EQ(typed->data()["color"], "blue");
      const auto metadata = cached_.GetMetadata<ConfigMap>(Named("a")).OrExit();
      EXPECT_EQ(metadata->metadata().labels()["app"], "web");
      EXPECT_EQ(metadata->kind(), "ConfigMap");
      const auto dynamic = cached_.Get(kMaps, Named("a")).OrExit();
      EXPECT_EQ(dynamic->root()["data"]["color"].StringOrEmpty(), "blue");
      EXPECT_EQ(dynamic->GroupVersionKindOf(), (GroupVersionKind{"", "v1", "ConfigMap"}));
      for (const Error& error : {cached_.Get<ConfigMap>(Named("none")).error(),
                                 cached_.GetMetadata<ConfigMap>(Named("none")).error(),
                                 cached_.Get(kMaps, Named("none")).error()}) {
        EXPECT_EQ(error.reason(), Reason::kNotFound);
        EXPECT_THAT(error.message(), HasSubstr("configmaps"));
      }
      EXPECT_EQ(cached_.Get<ConfigMap>({"", "a"}).error().reason(), Reason::kInvalidArgument);
      EXPECT_THAT(Lists({.namespace_ = "default"}), ElementsAre("a", "b"));
      EXPECT_THAT(Lists({.namespace_ = "nowhere"}), IsEmpty());
      EXPECT_THAT(Lists({.label_selector = Labels("app=web")}), ElementsAre("a", "c"));
      EXPECT_THAT(Lists({.namespace_ = "default", .label_selector = Labels("app!=web")}),
                  ElementsAre("b"));
      EXPECT_THAT(Lists({.label_selector = LabelSelector::Nothing()}), IsEmpty());
      EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.limit = 2})), SizeIs(2));
      EXPECT_THAT(cached_.List(kMaps, {.limit = 2}).OrExit(), SizeIs(2));
      EXPECT_THAT(
          NamesOf(cached_.List<ConfigMap>({.label_selector = Labels("app=db"), .limit = 1})),
          AnyOf(ElementsAre("b"), ElementsAre("d")));
    }
  });
}

TEST_F(DelegatingClientReads, ANamespaceThatIsNotWatched_CA01) {
  Run([&] {
    MakeFour();
    Use({.namespaces = {"default", "kube-public"}});
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("a", "b", "d"));
    const Error get = cached_.Get<ConfigMap>({"kube-system", "c"}).error();
    EXPECT_EQ(get.reason(), Reason::kOutOfScope);
    EXPECT_THAT(get.message(), HasSubstr("kube-system"));
    const Error list = cached_.List<ConfigMap>({.namespace_ = "kube-system"}).error();
    EXPECT_EQ(list.reason(), Reason::kOutOfScope);
    EXPECT_THAT(list.message(), HasSubstr("kube-system"));
  });
}

TEST_F(DelegatingClientReads, ClusterScopedKinds_IgnoreTheCachesNamespaces_CA01) {
  Run([&] {
    MakeFour();
    for (const char* name : {"n1", "n2"}) {
      Node::Mutable node;
      node.metadata.name = name;
      node.metadata.labels["name"] = name;
      ASSERT_TRUE(client_.For<Node>().Create(node).ok());
    }
    const RestMapping nodes{{"", "v1", "nodes"}, {"", "v1", "Node"}, false};
    Use({.namespaces = {"default", "kube-public"}}, {.cache_unstructured = true});
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("a", "b", "d"));
    EXPECT_THAT(cached_.List<Node>().OrExit(), SizeIs(2)) << "each once";
    EXPECT_THAT(cached_.ListMetadata<Node>().OrExit(), SizeIs(2));
    EXPECT_THAT(cached_.List(nodes).OrExit(), SizeIs(2));
    EXPECT_TRUE(cached_.Get<Node>({"", "n1"}).ok());
    EXPECT_TRUE(cached_.Get(nodes, {"", "n1"}).ok());
    EXPECT_EQ(cached_.Get<Node>({"random", "n1"}).error().reason(), Reason::kInvalidArgument);
    Use({.namespaces = {"default"},
         .by_resource = {{ResourceOf<Node>(), {.label_selector = Labels("name=n2")}}}});
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("a", "b"));
    EXPECT_THAT(cached_.ListMetadata<Node>().OrExit(), SizeIs(1));
    EXPECT_TRUE(cached_.Get<Node>({"", "n2"}).ok());
    EXPECT_TRUE(IsAbsent(cached_.Get<Node>({"", "n1"}).error()));
  });
}

TEST_F(DelegatingClientReads, AnEmptyNameIsNotAnObjectThatIsGone) {
  Run([&] {
    MakeFour();
    for (const bool cached : {true, false}) {
      Use({.by_resource = {{ResourceOf<ConfigMap>(), {.cached = cached}},
                           {ResourceOf<Node>(), {.cached = cached}}}});
      const std::string place =
          R"(the name is empty, and "a" stands in the place of the namespace)";
      for (const Error& error :
           {cached_.Get<ConfigMap>({"a"}).error(), cached_.GetMetadata<ConfigMap>({"a"}).error(),
            cached_.Get(kMaps, {"a"}).error(), cached_.Delete<ConfigMap>({"a"}).error(),
            cached_.APIReader<ConfigMap>().Get("a", "").error()}) {
        EXPECT_EQ(error.reason(), Reason::kInvalidArgument) << error;
        EXPECT_FALSE(IsAbsent(error));
        EXPECT_THAT(error.message(), HasSubstr("configmaps: " + place));
      }
      EXPECT_THAT(cached_.Get<ConfigMap>({}).error().message(),
                  HasSubstr("configmaps: the name is empty, and so is the namespace: {namespace, "
                            "name}"));
      EXPECT_THAT(cached_.Get<Node>({"node-1", ""}).error().message(),
                  HasSubstr(R"({"", "node-1"})"));
    }
  });
}

TEST_F(DelegatingClientReads, StoppedClient_ReadsAreCanceled_CA01) {
  Run([&] {
    MakeFour();
    server_.faults().Add(
        {.verb = "watch", .action = apiserver::FaultAction::kDelay, .delay = seconds(10)});
    std::stop_source stop;
    stop.request_stop();
    const DelegatingClient stopped = cached_.WithStopToken(stop.get_token());
    EXPECT_EQ(stopped.Get<ConfigMap>(Named("a")).error().reason(), Reason::kCanceled);
    EXPECT_EQ(stopped.List<ConfigMap>().error().reason(), Reason::kCanceled);
    EXPECT_EQ(stopped.List<ConfigMap>({.namespace_ = "default"}).error().reason(),
              Reason::kCanceled);
    EXPECT_EQ(cached_.ListMetadata<ConfigMap>({}, {.stop = stop.get_token()}).error().reason(),
              Reason::kCanceled);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
  });
}

TEST_F(DelegatingClientReads, TheFirstReadWaitsForTheSync_CA01) {
  Run([&] {
    MakeFour();
    server_.faults().Add(
        {.verb = "watch", .action = apiserver::FaultAction::kDelay, .delay = seconds(10)});
    const DelegatingClient bounded = cached_.WithDeadline(sim_.env().Now() + seconds(3));
    const Error late = bounded.Get<ConfigMap>(Named("a")).error();
    EXPECT_EQ(late.reason(), Reason::kDeadlineExceeded);
    EXPECT_THAT(late.message(), HasSubstr("configmaps \"default/a\""));
    EXPECT_EQ(cached_.List<ConfigMap>({}, {.timeout = seconds(1)}).error().reason(),
              Reason::kDeadlineExceeded);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(bounded.Create(Map("late")).error().reason(), Reason::kDeadlineExceeded);
    // On a loop, nobody waits for that either.
    bool done = false;
    sim_.env().loop().Post([&] {
      EXPECT_EQ(cached_.Get<Pod>(Named("a")).error().reason(), Reason::kWouldDeadlock);
      EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
      EXPECT_EQ(cached_.Create(Map("a")).error().reason(), Reason::kWouldDeadlock);
      done = true;
    });
    while (!done) sim_.env().SleepFor(seconds(1));
  });
}

TEST_F(DelegatingClientReads, ANamespaceThatIsDeniedHoldsUpOnlyItself) {
  Run([&] {
    MakeFour();
    server_.faults().Add(
        {.namespace_ = "kube-public", .action = apiserver::FaultAction::kRespond, .status = 403});
    Use({.namespaces = {"default", "kube-public"}});
    const CallOptions soon{.timeout = seconds(20)};
    EXPECT_EQ(cached_.List<ConfigMap>({}, soon).error().reason(), Reason::kDeadlineExceeded);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})), ElementsAre("a", "b"));
    ASSERT_TRUE(cached_.Create(Map("e")).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("e"))), "blue");
    EXPECT_EQ(cached_.Get<ConfigMap>({"kube-public", "d"}, soon).error().reason(),
              Reason::kDeadlineExceeded);
  });
}

TEST_F(DelegatingClientReads, FailOnMissingInformer_UncachedReadsFail_CA02) {
  Run([&] {
    MakeFour();
    Use({}, {.reader_fail_on_missing_informer = true});
    const Error error = cached_.Get<ConfigMap>(Named("a")).error();
    EXPECT_EQ(error.reason(), Reason::kInvalidArgument);
    EXPECT_THAT(error.message(), HasSubstr("configmaps are not cached"));
    EXPECT_FALSE(cached_.List<ConfigMap>().ok());
    EXPECT_FALSE(cached_.GetMetadata<ConfigMap>(Named("a")).ok());
    EXPECT_EQ(ColorOf(cached_.APIReader<ConfigMap>().Get("default", "a")), "blue");
    factory_->InformerFor<ConfigMap>();
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    EXPECT_TRUE(cached_.GetMetadata<ConfigMap>(Named("a")).ok()) << "out of the whole objects";
  });
}

TEST_F(DelegatingClientReads, SelectorsAndNamespaces_CA03) {
  struct Case {
    SharedInformerFactoryOptions factory;
    std::vector<std::string> all;
    std::vector<std::string> in_default;
  };
  const std::vector<std::string> out_of_scope = {"(out of scope)"};
  const auto of_maps = [](ResourceCacheOptions options) {
    return SharedInformerFactoryOptions{.label_selector = Labels("app=web"),
                                        .by_resource = {{ResourceOf<ConfigMap>(), options}}};
  };
  const std::vector<Case> cases = {
      {{}, {"a", "b", "c", "d"}, {"a", "b"}},
      {{.namespace_ = "default"}, {"a", "b"}, {"a", "b"}},
      {{.namespaces = {"default", "kube-system"}}, {"a", "b", "c"}, {"a", "b"}},
      {{.label_selector = Labels("app=web")}, {"a", "c"}, {"a"}},
      {{.field_selector = Fields("metadata.name=b")}, {"b"}, {"b"}},
      {{.field_selector = Fields("metadata.namespace!=default")}, {"c", "d"}, out_of_scope},
      {{.namespaces = {"default"}, .label_selector = Labels("app=db")}, {"b"}, {"b"}},
      {of_maps({}), {"a", "c"}, {"a"}},
      {of_maps({.label_selector = Labels("app=db")}), {"b", "d"}, {"b"}},
      {of_maps({.label_selector = LabelSelector()}), {"a", "b", "c", "d"}, {"a", "b"}},
      {of_maps({.namespaces = {"default"}}), {"a"}, {"a"}},
      {of_maps({.namespaces = {"default", "kube-public"},
                .label_selector = LabelSelector(),
                .field_selector = Fields("metadata.name!=a")}),
       {"b", "d"},
       {"b"}},
      {of_maps({.label_selector = LabelSelector::Nothing()}), {}, {}},
      {{.field_selector = Fields("metadata.namespace=default")}, {"a", "b"}, {"a", "b"}},
      {{.field_selector = Fields("metadata.name=none")}, {}, {}},
      {{.label_selector = Labels("app=none")}, {}, {}},
      {{.label_selector = Labels("app=web"), .field_selector = Fields("metadata.name!=a")},
       {"c"},
       {}},
      {of_maps({.field_selector = Fields("metadata.name=none")}), {}, {}},
      {of_maps({.label_selector = LabelSelector(), .field_selector = Fields("metadata.name=b")}),
       {"b"},
       {"b"}},
      {of_maps({.field_selector = Fields("metadata.namespace=default")}), {"a"}, {"a"}},
      {of_maps({.label_selector = Labels("app=none")}), {}, {}},
      {of_maps({.label_selector = Labels("app=db"), .field_selector = Fields("metadata.name!=b")}),
       {"d"},
       {}},
      {of_maps({.namespaces = {"default", "kube-system"}}), {"a", "c"}, {"a"}},
      {of_maps({.namespaces = {"default", "kube-public"}, .label_selector = Labels("app=db")}),
       {"b", "d"},
       {"b"}},
      {{.namespaces = {"default"},
        .by_resource = {{ResourceOf<ConfigMap>(), {.namespaces = {""}}}}},
       {"a", "b", "c", "d"},
       {"a", "b"}},
      {{.namespaces = {""}}, {"a", "b", "c", "d"}, {"a", "b"}},
      // Options for a kind replace those of the factory.
      {{.field_selector = Fields("metadata.namespace=kube-system"),
        .by_resource = {{ResourceOf<ConfigMap>(),
                         {.field_selector = Fields("metadata.namespace=default")}}}},
       {"a", "b"},
       {"a", "b"}},
      // Options for one namespace: for all kinds, and for one kind.
      {{.by_namespace = {{"default", {.field_selector = Fields("metadata.name=b")}}}},
       {"b"},
       {"b"}},
      {{.by_namespace = {{"default", {.field_selector = Fields("metadata.name=none")}}}}, {}, {}},
      {{.by_namespace = {{"default", {.label_selector = Labels("app=web")}}}}, {"a"}, {"a"}},
      {{.by_namespace = {{"default", {.label_selector = Labels("app=none")}}}}, {}, {}},
      {of_maps({.by_namespace = {{"default", {.field_selector = Fields("metadata.name!=b")}}}}),
       {"a"},
       {"a"}},
      {of_maps({.by_namespace = {{"default", {.label_selector = Labels("app=db")}},
                                 {"kube-system", {}}}}),
       {"b", "c"},
       {"b"}},
      // All other namespaces, alone and together with named ones.
      {{.by_namespace = {{"", {}}}}, {"a", "b", "c", "d"}, {"a", "b"}},
      {of_maps({.by_namespace = {{"", {.label_selector = LabelSelector()}}}}),
       {"a", "b", "c", "d"},
       {"a", "b"}},
      {{.by_namespace = {{"", {}}, {"default", {.label_selector = Labels("app=none")}}}},
       {"c", "d"},
       {}},
      {of_maps({.by_namespace = {{"", {.label_selector = LabelSelector()}},
                                 {"default", {.label_selector = Labels("app=none")}}}}),
       {"c", "d"},
       {}},
      {{.by_namespace = {{"", {.label_selector = Labels("app=db")}},
                         {"kube-system", {.field_selector = Fields("metadata.name=c")}}}},
       {"b", "c", "d"},
       {"b"}},
      {{.by_namespace = {{"", {.field_selector = Fields("metadata.namespace=default")}},
                         {"kube-system", {.label_selector = Labels("app=web")}}}},
       {"a", "b", "c"},
       {"a", "b"}},
  };
  Run([&] {
    MakeFour();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Use(cases[i].factory, {.cache_unstructured = true});
      EXPECT_EQ(Lists({}), cases[i].all) << "case " << i;
      if (cases[i].in_default != out_of_scope) {
        EXPECT_EQ(Lists({.namespace_ = "default"}), cases[i].in_default) << "case " << i;
        continue;
      }
      const auto list = cached_.List<ConfigMap>({.namespace_ = "default"});
      ASSERT_FALSE(list.ok()) << "case " << i;
      EXPECT_EQ(list.error().reason(), Reason::kOutOfScope) << "case " << i;
    }
  });
}

// The results of Get, not only the lists.
TEST_F(DelegatingClientReads, EachNamespaceAnswersForItsOwnSelectors_CA03) {
  Run([&] {
    MakeFour();
    Use({.by_namespace = {{"default", {.label_selector = Labels("app=web")}},
                          {"kube-system", {.field_selector = Fields("metadata.name=c")}},
                          {"", {}}}});
    const auto reason = [&](const std::string& ns, const std::string& name) {
      const auto got = cached_.Get<ConfigMap>({ns, name});
      return got ? std::nullopt : std::optional(got.error().reason());
    };
    EXPECT_EQ(reason("default", "a"), std::nullopt);
    EXPECT_EQ(reason("default", "b"), Reason::kOutOfScope);
    EXPECT_EQ(reason("default", "none"), Reason::kOutOfScope);
    EXPECT_EQ(reason("kube-system", "c"), std::nullopt);
    EXPECT_EQ(reason("kube-system", "none"), Reason::kOutOfScope);
    EXPECT_EQ(reason("kube-public", "d"), std::nullopt);
    EXPECT_EQ(reason("kube-public", "none"), Reason::kNotFound);
    EXPECT_EQ(reason("nowhere", "none"), Reason::kNotFound);
    // The object leaves the selector of its namespace, and matches again.
    const auto label = [&](const std::string& ns, const std::string& name, const std::string& app) {
      const std::string body = R"({"metadata":{"labels":{"app":")" + app + R"("}}})";
      ASSERT_TRUE(cached_.Patch<ConfigMap>({ns, name}, {.body = body}).ok());
    };
    label("default", "a", "db");
    EXPECT_EQ(reason("default", "a"), Reason::kOutOfScope);
    label("default", "a", "web");
    EXPECT_EQ(reason("default", "a"), std::nullopt);
    label("kube-public", "d", "none");
    EXPECT_EQ(reason("kube-public", "d"), std::nullopt) << "nobody selects by labels there";
  });
}

TEST_F(DelegatingClientReads, FieldsAndLimitsOfWhatIsReadFromTheServer) {
  Run([&] {
    MakeFour();
    Use({.namespaces = {"default", "kube-public"},
         .by_resource = {{ResourceOf<ConfigMap>(), {.cached = false}}}});
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("a", "b", "d"));
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.field_selector = Fields("metadata.name=d")})),
                ElementsAre("d"));
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.limit = 1})), SizeIs(1));
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.limit = 3})), ElementsAre("a", "b", "d"));
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({"kube-system", "c"})), "OutOfScope");
    EXPECT_EQ(ColorOf(cached_.APIReader<ConfigMap>().Get("kube-system", "c")), "blue");
  });
}

class DelegatingClientWrites : public DelegatingClientTest {
 protected:
  static Deployment::Mutable Web() {
    Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = "web";
    web.spec.replicas = 1;
    web.spec.selector.emplace().matchLabels["app"] = "web";
    web.spec.template_.metadata.labels["app"] = "web";
    web.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
    return web;
  }
};

TEST_F(DelegatingClientWrites, NamespaceOfTheObject_IsUsed) {
  Run([&] {
    const auto made = cached_.Create<ConfigMap>(Map("a")).OrExit();
    EXPECT_EQ(made->metadata().namespace_(), "default");
    EXPECT_EQ(cached_.Create(Map("a")).error().reason(), Reason::kAlreadyExists);
    ConfigMap::Mutable old = (*made).DeepCopy();
    ASSERT_TRUE(cached_.Update(Map("a", "red")).ok());
    EXPECT_EQ(cached_.Update(old).error().reason(), Reason::kConflict);
    ConfigMap::Mutable nowhere = Map("b");
    nowhere.metadata.namespace_.clear();
    EXPECT_EQ(cached_.Create(nowhere).error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(cached_.DeleteAllOf<ConfigMap>({}).error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(
        cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default", .limit = 1}).error().reason(),
        Reason::kInvalidArgument);
    ConfigMap::Mutable generated = Map("");
    generated.metadata.generateName = "x-";
    const auto named = cached_.Create(generated).OrExit();
    EXPECT_TRUE(cached_.Get<ConfigMap>({"default", std::string(named->metadata().name())}).ok());
  });
}

TEST_F(DelegatingClientWrites, Subresources_AreWritten) {
  Deployment::Mutable web = Web();
  Run([&] {
    ASSERT_EQ(cached_.Get<Deployment>(Named("web")).error().reason(), Reason::kNotFound);
    ASSERT_TRUE(cached_.Create(web).ok());
    web.status.replicas = 3;
    web.spec.replicas = 9;
    ASSERT_TRUE(cached_.UpdateStatus(web).ok());
    const auto updated = cached_.Get<Deployment>(Named("web")).OrExit();
    EXPECT_EQ(updated->status().replicas(), 3);
    EXPECT_EQ(updated->spec().replicas(), 1) << "the status alone";
    web.status.replicas = 4;
    ASSERT_TRUE(cached_.Status().Update(web).ok());
    ASSERT_TRUE(cached_.Status()
                    .Patch<Deployment>(Named("web"), {.body = R"({"status":{"readyReplicas":2}})"})
                    .ok());
    const auto patched = cached_.Get<Deployment>(Named("web")).OrExit();
    EXPECT_EQ(patched->status().replicas(), 4);
    EXPECT_EQ(patched->status().readyReplicas(), 2);
    // The answer is a part with a kind of its own; reads wait for the object.
    ASSERT_TRUE(cached_.SubResource("scale")
                    .Patch<Deployment>(Named("web"), {.body = R"({"spec":{"replicas":7}})"})
                    .ok());
    const auto scaled = cached_.Get<Deployment>(Named("web")).OrExit();
    EXPECT_EQ(scaled->spec().replicas(), 7);
  });
}

// The embedded server has no field management; applied_fields_test.cc tests the request.
TEST_F(DelegatingClientWrites, Apply) {
  Run([&] {
    Use({}, {.field_owner = "painter"});
    Lag("configmaps");
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(client_.For<ConfigMap>("default").Create(Map("a", "red")).ok());
    ConfigMap::Mutable wanted;
    wanted.metadata.namespace_ = "default";
    wanted.metadata.name = "a";
    wanted.data["size"] = "7";
    const auto applied = cached_.Apply(wanted);
    ASSERT_TRUE(applied.ok()) << applied.error();
    EXPECT_EQ((*applied)->data()["color"], "red") << "somebody else's field";
    const auto read = cached_.Get<ConfigMap>(Named("a")).OrExit();
    EXPECT_EQ(read->data()["size"], "7");
    EXPECT_EQ(read->metadata().resourceVersion(), (*applied)->metadata().resourceVersion());
    wanted.metadata.name = "new";
    ASSERT_TRUE(cached_.Apply(wanted, {.fieldManager = "me", .force = true}).ok());
    EXPECT_TRUE(cached_.Get<ConfigMap>(Named("new")).ok());
    ASSERT_TRUE(cached_.Apply(wanted, {.dryRun = {"All"}}).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    Deployment::Mutable web = Web();
    ASSERT_TRUE(cached_.Apply(web).ok());
    web.status.replicas = 3;
    ASSERT_TRUE(cached_.Status().Apply(web).ok());
    const auto deployment = cached_.Get<Deployment>(Named("web")).OrExit();
    EXPECT_EQ(deployment->status().replicas(), 3);
    Use({});
    EXPECT_THAT(cached_.Apply(wanted).error().message(),
                HasSubstr("ApplyOptions::fieldManager, or DelegatingClientOptions::field_owner"));
    EXPECT_EQ(cached_.Apply(wanted).error().reason(), Reason::kInvalidArgument)
        << "somebody must own the fields";
  });
}

// The limit applies to all requests together, not to each request.
TEST_F(DelegatingClientTest, CreateOrUpdateEndsWithTheReconcile) {
  Run([&] {
    const auto blue = [](ConfigMap::Mutable& map) {
      map.data["color"] = "blue";
      return Result<void>();
    };
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    const auto made = controllerutil::CreateOrUpdate(
        ForResource<ConfigMap>(cached_, "default", {.timeout = seconds(3)}), "quick", blue);
    ASSERT_TRUE(made.ok()) << made.error();
    server_.faults().Add({.verb = "create",
                          .action = apiserver::FaultAction::kDelay,
                          .delay = std::chrono::hours(1)});
    const auto reason_of = [&](const CallOptions& call, Duration before = Duration(0)) {
      const auto maps = ForResource<ConfigMap>(cached_, "default", call);
      sim_.env().SleepFor(before);
      return controllerutil::CreateOrUpdate(maps, "slow", blue).error().reason();
    };
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(reason_of({.timeout = seconds(3)}, seconds(2)),
                          Reason::kDeadlineExceeded);
              }),
              seconds(3));
    std::stop_source stop;
    const Timer timer =
        sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&stop] { stop.request_stop(); });
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(reason_of({.stop = stop.get_token()}), Reason::kCanceled); }),
              seconds(1));
    // The earlier of two deadlines counts, and a missing one does not remove the other.
    const DelegatingClient bounded = cached_.WithDeadline(sim_.env().Now() + seconds(2));
    EXPECT_EQ(TimeOf([&] {
                const auto maps =
                    ForResource<ConfigMap>(bounded, "default", {.timeout = seconds(9)});
                EXPECT_FALSE(controllerutil::CreateOrPatch(maps, "slow", blue).ok());
                EXPECT_FALSE(ForResource<ConfigMap>(bounded, "default").Create(Map("x")).ok());
              }),
              seconds(2));
  });
}

// The error for a read with a deadline, and the log for a read without one.
TEST(DelegatingClientWithoutRights, ABlockedReadNamesTheReadWithoutACache) {
  const auto log = std::make_shared<internal::base::FieldsLog>();
  Simulation sim({.log = log});
  ApiServer server(sim);
  for (const char* verb : {"list", "watch"}) {
    server.faults().Add({.verb = verb,
                         .resource = "configmaps",
                         .action = apiserver::FaultAction::kRespond,
                         .status = 403});
  }
  const Client client = Client::ForTransport(sim.env(), server.transport(), {.qps = -1});
  const DelegatingClient cached(client, std::make_shared<SharedInformerFactory>(client));
  ASSERT_TRUE(sim.RunBlocking(
      [&] {
        for (int i = 0; i < 2; ++i) {
          const auto got = cached.Get<corev1::ConfigMap>({"default", "a"},
                                                         {.timeout = std::chrono::seconds(20)});
          ASSERT_FALSE(got);
          EXPECT_EQ(got.error().reason(), Reason::kDeadlineExceeded);
          EXPECT_THAT(got.error().message(), ::testing::HasSubstr("cached = false"));
        }
      },
      std::chrono::minutes(1)));
  EXPECT_EQ(log->Count("a read waits for a cache that does not fill informer=configmaps"), 1U)
      << log->text();
}

}  // namespace
}  // namespace kinformer::testing
