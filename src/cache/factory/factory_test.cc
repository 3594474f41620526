// SharedInformerFactory: sharing, starting, waiting, ending.

#include <concepts>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/factory_accessors.h"
#include "kinformer/listers/corev1.h"
#include "kinformer/object/unstructured.h"

#include "cache/factory/testing/factory_fixture.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(FactoryTest, EveryoneWhoAsksForAResourceGetsTheSameInformer) {
  SharedInformerFactory factory(provider_);
  const auto one = factory.InformerFor<corev1::Pod>();
  const auto two = factory.Core().V1().Pods().Informer();
  const auto other = factory.InformerFor<corev1::Node>();
  EXPECT_EQ(one.core(), two.core());
  EXPECT_NE(static_cast<void*>(one.core().get()), static_cast<void*>(other.core().get()));
  factory.Start();
  Settle();
  EXPECT_EQ(provider_->Server("pods@").open_watches(), 1U);
  EXPECT_EQ(provider_->Server("nodes@").open_watches(), 1U);
}

// Accessors have client-go's names for all groups; they need only the declaration of a kind.
TEST_F(FactoryTest, AccessorsKnowAllGroups) {
  SharedInformerFactory factory(provider_);
  const auto is = []<class T>(const accessors::Kind<T>&, const T*) {};
  is(factory.Core().V1().Endpoints(), static_cast<const corev1::Endpoints*>(nullptr));
  is(factory.Networking().V1().IPAddresses(), static_cast<const networkingv1::IPAddress*>(nullptr));
  is(factory.Flowcontrol().V1().FlowSchemas(),
     static_cast<const flowcontrolv1::FlowSchema*>(nullptr));
  is(factory.Resource().V1().DeviceClasses(), static_cast<const resourcev1::DeviceClass*>(nullptr));
  is(factory.Internal().V1alpha1().StorageVersions(),
     static_cast<const apiserverinternalv1alpha1::StorageVersion*>(nullptr));
  is(factory.Apiextensions().V1().CustomResourceDefinitions(),
     static_cast<const apiextensionsv1::CustomResourceDefinition*>(nullptr));
}

TEST_F(FactoryTest, InformersAndListersOfEveryKind_HaveGosNames) {
  SharedInformerFactory factory(provider_);
  const corev1::PodInformer pods = factory.Core().V1().Pods();
  const corev1::PodLister lister = pods.Lister();
  const corev1::PodNamespaceLister shop = lister.Namespace("shop");
  EXPECT_FALSE(shop.List().ok()) << "not synced";
  static_assert(std::same_as<corev1::NodeLister, Lister<corev1::Node>>);
}

TEST_F(FactoryTest, OtherProjection_GetsOwnInformer) {
  SharedInformerFactory factory(provider_);
  const Projection node = Projection::Keep<corev1::Pod>({"spec.nodeName"}).OrExit();
  const Projection phase = Projection::Keep<corev1::Pod>({"status.phase"}).OrExit();
  const auto nodes = factory.InformerFor<corev1::Pod>({.projection = node});
  EXPECT_EQ(factory.InformerFor<corev1::Pod>({.projection = node}).core(), nodes.core());
  EXPECT_NE(factory.InformerFor<corev1::Pod>({.projection = phase}).core(), nodes.core());
  const auto metadata = factory.MetadataInformerFor<corev1::Pod>();
  const auto all = factory.InformerFor<corev1::Pod>();
  EXPECT_NE(all.core(), nodes.core());
  // From here on one informer keeps all fields.
  const Projection name = Projection::Keep<corev1::Pod>({"spec.hostname"}).OrExit();
  EXPECT_EQ(factory.InformerFor<corev1::Pod>({.projection = name}).core(), all.core());
  EXPECT_EQ(factory.InformerFor<corev1::Pod>({.drop_managed_fields = true}).core(), all.core());
  EXPECT_NE(static_cast<void*>(metadata.core().get()), static_cast<void*>(nodes.core().get()));
}

TEST_F(FactoryTest, IndexesAreAddedToTheInformerThatExists) {
  SharedInformerFactory factory(provider_);
  const auto pods = factory.InformerFor<corev1::Pod>(
      {.indexers = {{"node", [](corev1::Pod p, auto& out) { out.Add(p.spec().nodeName()); }}}});
  factory.InformerFor<corev1::Pod>(
      {.indexers = {{"node", [](corev1::Pod, auto&) {}},
                    {"name", [](corev1::Pod p, auto& out) { out.Add(p.metadata().name()); }}}});
  EXPECT_EQ(pods.indexer().GetIndexers().size(), 3U);
}

TEST_F(FactoryTest, EqualNamespaceSets_ShareInformer) {
  SharedInformerFactory factory(provider_, {.namespaces = {"blue", "green"}});
  const auto pods = factory.InformerFor<corev1::Pod>();
  EXPECT_EQ(pods.core()->Describe(), "pods in namespaces blue, green");
  EXPECT_EQ(factory.InformerFor<corev1::Pod>({.namespaces = {"green", "blue", "blue"}}).core(),
            pods.core());
  EXPECT_EQ(
      factory.InformerFor<corev1::Pod>({.namespace_ = "blue", .namespaces = {"green"}}).core(),
      pods.core());
  EXPECT_EQ(factory.MetadataInformerFor<corev1::Pod>().core(), pods.core())
      << "what has everything serves the metadata";
  EXPECT_NE(factory.InformerFor<corev1::Pod>({.namespaces = {"blue"}}).core(), pods.core());
  EXPECT_EQ(factory.InformerFor<corev1::Pod>({.namespaces = {"blue"}}).core(),
            factory.InformerFor<corev1::Pod>({.namespace_ = "blue"}).core());
  EXPECT_EQ(factory.InformerFor<corev1::Pod>({.namespaces = {"blue", ""}}).core()->Describe(),
            "pods")
      << "all";
  // Cluster-scoped kinds ignore the namespaces.
  const auto nodes = factory.InformerFor<corev1::Node>();
  EXPECT_EQ(nodes.core()->Describe(), "nodes");
  factory.Start();
  Settle();
  EXPECT_TRUE(pods.HasSynced());
  EXPECT_EQ(provider_->Server("pods@green").open_watches(), 1U);
  EXPECT_EQ(provider_->Server("pods@blue").open_watches(), 2U) << "and that of blue alone";
  EXPECT_EQ(provider_->Server("nodes@").open_watches(), 1U);
  factory.Shutdown();
  EXPECT_EQ(provider_->Server("pods@green").open_watches(), 0U);
}

TEST_F(FactoryTest, SelectorsHoldInEachNamespace) {
  SharedInformerFactory factory(provider_, {.namespaces = {"blue", "green"}});
  const auto pods =
      factory.InformerFor<corev1::Pod>({.label_selector = LabelSelector::Parse("app=web").value()});
  factory.Start();
  Settle();
  EXPECT_EQ(provider_->Server("pods@blue").scope.labelSelector, "app=web");
  EXPECT_EQ(provider_->Server("pods@green").scope.labelSelector, "app=web");
  EXPECT_EQ(pods.lister().Namespace("blue").Get("x").error().reason(), Reason::kOutOfScope);
  EXPECT_THAT(pods.lister().Namespace("blue").Get("x").error().message(),
              testing::HasSubstr("label selector \"app=web\""));
}

TEST_F(FactoryTest, WhereAllNamespacesAreForbiddenItLooksAtThoseThatExist) {
  const Error forbidden = Error(Reason::kForbidden, "no").WithHttpStatus(403);
  provider_->Server("pods@").down = forbidden;
  provider_->Server("namespaces@").namespace_name = "";
  provider_->Server("namespaces@").Put("blue");
  provider_->Server("nodes@").down = forbidden;
  SharedInformerFactory factory(provider_, {.if_forbidden = {.watch_namespaces = true}});
  const auto pods = factory.InformerFor<corev1::Pod>();
  const auto nodes = factory.InformerFor<corev1::Node>();
  const auto own = factory.InformerFor<corev1::Pod>({.namespaces = {"green"}});
  EXPECT_NE(pods.core(), own.core());
  factory.Start();
  Settle();
  EXPECT_TRUE(pods.HasSynced());
  EXPECT_EQ(provider_->Server("pods@blue").open_watches(), 1U);
  EXPECT_EQ(nodes.Status().state, InformerState::kForbidden) << "has no namespaces to fall back to";
}

TEST_F(FactoryTest, NamespacesAreForInformersThatCanLookThere) {
  FakeServer server(sim_.env());
  const SharedInformer<corev1::Pod> alone(sim_.env(), server.NewListerWatcher(),
                                          {.namespaces = {"blue", "green"}});
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_NE(log_->lines[0].find("namespaces is for"), std::string::npos) << log_->lines[0];
}

// Row 11: a caller that got the index of another function would read wrong values.
TEST_F(FactoryTest, AnIndexNameThatIsAnotherFunctionsIsAnError) {
  SharedInformerFactory factory(provider_);
  const auto ask = [&](IndexFunc<corev1::Pod> node) {
    factory.InformerFor<corev1::Pod>({.indexers = {{"node", std::move(node)}}});
  };
  const auto by_node = [](corev1::Pod p, IndexValues& out) { out.Add(p.spec().nodeName()); };
  ask(by_node);
  ask(by_node);
  factory.InformerFor<corev1::Pod>(
      {.indexers = {{std::string(kNamespaceIndex), MetaNamespaceIndexFunc<corev1::Pod>}}});
  EXPECT_TRUE(log_->lines.empty());
  ask([](corev1::Pod p, IndexValues& out) { out.Add(p.metadata().name()); });
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], testing::HasSubstr("\"node\" already, of another function"));
  factory.InformerFor<corev1::Pod>({.indexers = {{"namespace", by_node}}});
  EXPECT_EQ(log_->lines.size(), 2U);
}

TEST_F(FactoryTest, IndexFunctions_CopiesAndPlainFunctionsAreTheSame_OthersThatCaptureAreNot) {
  SharedInformerFactory factory(provider_);
  const auto fits = [&](const IndexFunc<corev1::Pod>& label) {
    log_->lines.clear();
    factory.InformerFor<corev1::Pod>({.indexers = {{"label", label}}});
    return log_->lines.empty();
  };
  const auto by_text = [](std::string label) -> IndexFunc<corev1::Pod> {
    return [label = std::move(label)](corev1::Pod p, auto& out) {
      if (p.metadata().labels().contains(label)) out.Add(label);
    };
  };
  const IndexFunc<corev1::Pod> app = by_text("app");
  EXPECT_TRUE(fits(app));
  EXPECT_TRUE(fits(app)) << "copies of one are the same";
  EXPECT_FALSE(fits(by_text("tier")));
  EXPECT_FALSE(fits(by_text("app"))) << "nobody can tell";

  log_->lines.clear();
  const auto plain = [&](const IndexFunc<corev1::Pod>& function) {
    factory.InformerFor<corev1::Pod>({.indexers = {{"plain", function}}});
    return log_->lines.empty();
  };
  EXPECT_TRUE(plain(&MetaNamespaceIndexFunc<corev1::Pod>));
  EXPECT_TRUE(plain(MetaNamespaceIndexFunc<corev1::Pod>));
  EXPECT_FALSE(plain(+[](corev1::Pod, IndexValues& out) { out.Add("x"); }));
}

// Row 14.
TEST_F(FactoryTest, SelectorsMakeAnInformerOfTheirOwn) {
  SharedInformerFactory factory(
      provider_, {.tweak_list_options = [](ListOptions& o) { o.labelSelector = "app"; }});
  const auto web = LabelSelector::Parse("tier=web").OrExit();
  const auto on_a = FieldSelector::Parse("spec.nodeName=a").OrExit();
  const auto all = factory.InformerFor<corev1::Pod>();
  const auto some =
      factory.InformerFor<corev1::Pod>({.label_selector = web, .field_selector = on_a});
  EXPECT_NE(all.core(), some.core());
  EXPECT_EQ(
      some.core(),
      factory.InformerFor<corev1::Pod>({.label_selector = web, .field_selector = on_a}).core());
  EXPECT_EQ(some.core()->Describe(), "pods with labels tier=web with fields spec.nodeName=a");
  const auto metadata = factory.MetadataInformerFor<corev1::Pod>({.label_selector = web});
  EXPECT_NE(metadata.core(), all.core());
  EXPECT_NE(static_cast<void*>(metadata.core().get()), static_cast<void*>(some.core().get()));
  some.core()->Start();
  Settle();
  EXPECT_EQ(provider_->Server("pods@").scope.labelSelector, "app,tier=web");
  EXPECT_EQ(provider_->Server("pods@").scope.fieldSelector, "spec.nodeName=a");
  const auto none = factory.InformerFor<corev1::Pod>({.label_selector = LabelSelector::Nothing()});
  none.core()->Start();
  Settle();
  const std::string nothing = provider_->Server("pods@").scope.labelSelector;
  EXPECT_TRUE(LabelSelector::Parse(nothing));
  EXPECT_NE(nothing, "app");
}

TEST_F(FactoryTest, SelectorsBesideAListerWatcherAreAnError) {
  FakeServer server(sim_.env());
  const SharedInformer<corev1::Pod> pods(
      sim_.env(), server.NewListerWatcher(),
      {.label_selector = LabelSelector::Parse("tier=web").OrExit()});
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], testing::HasSubstr("NewFilteredListWatch"));
}

TEST_F(FactoryTest, ANamespaceIsAnInformerOfItsOwnUnlessTheKindHasNone) {
  SharedInformerFactory factory(provider_, {.namespace_ = "shop"});
  const auto pods = factory.InformerFor<corev1::Pod>();
  const auto all = factory.InformerFor<corev1::Pod>({.namespace_ = "other"});
  const auto nodes = factory.InformerFor<corev1::Node>();
  EXPECT_NE(pods.core(), all.core());
  factory.Start();
  Settle();
  EXPECT_EQ(provider_->Server("pods@shop").open_watches(), 1U);
  EXPECT_EQ(provider_->Server("pods@other").open_watches(), 1U);
  EXPECT_EQ(provider_->Server("nodes@").open_watches(), 1U);
  EXPECT_EQ(pods.lister().Namespace("elsewhere").Get("a").error().reason(), Reason::kOutOfScope);
}

// Otherwise a controller would delete what belongs to a pod with other labels.
TEST_F(FactoryTest, ObjectExcludedByTweak_IsOutOfScope) {
  SharedInformerFactory factory(
      provider_, {.tweak_list_options = [](ListOptions& o) { o.labelSelector = "app=web"; }});
  const auto pods = factory.InformerFor<corev1::Pod>();
  SharedInformerFactory unlimited(provider_,
                                  {.tweak_list_options = [](ListOptions& o) { o.limit = 5; }});
  const auto nodes = unlimited.InformerFor<corev1::Node>();
  factory.Start();
  unlimited.Start();
  Settle();
  const Error error = pods.lister().Namespace("default").Get("a").error();
  EXPECT_EQ(error.reason(), Reason::kOutOfScope);
  EXPECT_TRUE(IsAbsent(error));
  EXPECT_EQ(nodes.lister().Get("a").error().reason(), Reason::kNotFound);
}

TEST_F(FactoryTest, MetadataIsReadFromAFullInformerThatExists) {
  SharedInformerFactory factory(provider_);
  const auto pods = factory.InformerFor<corev1::Pod>();
  const auto metadata = factory.MetadataInformerFor<corev1::Pod>();
  EXPECT_EQ(pods.core(), metadata.core());
  const auto nodes = factory.MetadataInformerFor<corev1::Node>();
  EXPECT_NE(nodes.core(), factory.InformerFor<corev1::Node>().core())
      << "metadata must never stand in for the whole";
}

TEST_F(FactoryTest, DynamicInformersHaveTheirOwnObjects) {
  SharedInformerFactory factory(provider_);
  const auto widgets = factory.ForResource({"shop.example", "v1", "widgets"}, "Widget");
  EXPECT_EQ(widgets.core(),
            factory.ForResource({"shop.example", "v1", "widgets"}, "Widget").core());
  provider_->Server("widgets@").Put("blue", "7");
  factory.Start();
  Settle();
  ASSERT_EQ(widgets.Snapshot().size(), 1U);
  EXPECT_EQ((*widgets.Snapshot().begin()).metadata().name(), "blue");
}

TEST_F(FactoryTest, AConstructorOfOnesOwn) {
  SharedInformerFactory factory(provider_, {.default_resync = minutes(7)});
  std::optional<Duration> resync;
  const std::function<SharedInformer<corev1::Pod>(Duration)> make = [&](Duration period) {
    resync = period;
    return SharedInformer<corev1::Pod>(sim_.env(), provider_->Server("mine").NewListerWatcher());
  };
  const auto pods = factory.InformerFor<corev1::Pod>(make);
  EXPECT_EQ(resync, minutes(7));
  EXPECT_EQ(pods.core(), factory.InformerFor<corev1::Pod>().core());
  factory.Start();
  Settle();
  EXPECT_EQ(provider_->Server("mine").open_watches(), 1U);
}

TEST_F(FactoryTest, ResyncPeriodsPerResource) {
  SharedInformerFactory factory(
      provider_, {.default_resync = minutes(7),
                  .by_resource = {{ResourceOf<corev1::Node>(), {.resync_period = minutes(3)}}}});
  std::vector<Duration> periods;
  factory.InformerFor<corev1::Pod>(
      std::function<SharedInformer<corev1::Pod>(Duration)>([&](Duration period) {
        periods.push_back(period);
        return SharedInformer<corev1::Pod>(sim_.env(), provider_->Server("p").NewListerWatcher());
      }));
  factory.InformerFor<corev1::Node>(
      std::function<SharedInformer<corev1::Node>(Duration)>([&](Duration period) {
        periods.push_back(period);
        return SharedInformer<corev1::Node>(sim_.env(), provider_->Server("n").NewListerWatcher());
      }));
  EXPECT_EQ(periods, (std::vector<Duration>{minutes(7), minutes(3)}));
  const auto widgets = factory.ForResource({"shop.example", "v1", "widgets"}, "Widget");
  provider_->Server("widgets@").Put("blue");
  auto copy = widgets;
  int updates = 0;
  copy.AddEventHandler(
          {.on_update = [&](const Updated<Unstructured>& e) { updates += e.is_resync() ? 1 : 0; }})
      .OrExit();
  factory.Start();
  sim_.RunFor(minutes(15));
  EXPECT_EQ(updates, 2);
}

TEST_F(FactoryTest, AConstructorOfOnesOwnServesTheFactorysNamespace) {
  SharedInformerFactory factory(provider_, {.namespace_ = "shop"});
  const auto made = factory.InformerFor<corev1::Pod>(
      std::function<SharedInformer<corev1::Pod>(Duration)>([&](Duration) {
        return SharedInformer<corev1::Pod>(sim_.env(),
                                           provider_->Server("mine").NewListerWatcher());
      }));
  EXPECT_EQ(factory.InformerFor<corev1::Pod>().core(), made.core());
  EXPECT_NE(factory.InformerFor<corev1::Pod>({.namespace_ = "other"}).core(), made.core());
}

TEST_F(FactoryTest, StartStartsWhatIsNewAndWaitNamesWhoIsNotSynced) {
  SharedInformerFactory factory(provider_);
  factory.InformerFor<corev1::Pod>();
  factory.Start();
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(factory.WaitForCacheSync().ok()); }, seconds(10)));
  provider_->Server("nodes@").down =
      Error(Reason::kForbidden, "nodes is forbidden").WithHttpStatus(403);
  factory.InformerFor<corev1::Node>();
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(factory.WaitForCacheSync().ok()); }, seconds(10)))
      << "only what was started counts";
  factory.Start();
  std::optional<Error> error;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { error = factory.WaitForCacheSync({}, {.timeout = seconds(30)}).error(); }, minutes(2)));
  EXPECT_EQ(error->message().find("pods"), std::string::npos) << *error;
  EXPECT_NE(error->message().find("nodes"), std::string::npos) << *error;
  EXPECT_NE(error->message().find("nodes is forbidden"), std::string::npos) << *error;
}

TEST_F(FactoryTest, AFactoryThatWasNotStartedSaysSoAtOnce) {
  SharedInformerFactory factory(provider_);
  const auto pods = factory.InformerFor<corev1::Pod>();
  const SteadyTime began = sim_.env().Now();
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        for (const Error& error :
             {factory.WaitForCacheSync().error(), pods.WaitForCacheSync().error()}) {
          EXPECT_EQ(error.reason(), Reason::kNotSynced);
          EXPECT_NE(error.message().find("not started"), std::string::npos) << error;
        }
      },
      seconds(10)));
  EXPECT_EQ(sim_.env().Now(), began);
  factory.Start();
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(factory.WaitForCacheSync().ok()); }, seconds(10)));
}

TEST_F(FactoryTest, FailFastReturnsOnWhateverTheServerWouldAnswerAgain) {
  for (const int status : {400, 405, 415, 422}) {
    SharedInformerFactory factory(provider_);
    provider_->Server("pods@").down = Error(Reason::kBadRequest, "no").WithHttpStatus(status);
    factory.InformerFor<corev1::Pod>();
    factory.Start();
    ASSERT_TRUE(sim_.RunBlocking(
        [&] {
          const Result<void> synced = factory.WaitForCacheSync({}, {.fail_fast = true});
          EXPECT_EQ(synced.error().http_status(), status);
        },
        seconds(10)))
        << status;
  }
  SharedInformerFactory factory(provider_);
  provider_->Server("pods@").down = Error(Reason::kTooManyRequests, "no").WithHttpStatus(429);
  factory.InformerFor<corev1::Pod>();
  factory.Start();
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        const Error error =
            factory.WaitForCacheSync({}, {.timeout = seconds(30), .fail_fast = true}).error();
        EXPECT_EQ(error.reason(), Reason::kDeadlineExceeded);
        EXPECT_NE(error.message().find("the server asks to wait"), std::string::npos) << error;
      },
      minutes(1)));
}

TEST_F(FactoryTest, ANameWithoutItsNamespaceIsNotCalledAbsent) {
  SharedInformerFactory factory(provider_);
  const auto pods = factory.InformerFor<corev1::Pod>();
  const auto nodes = factory.InformerFor<corev1::Node>();
  factory.Start();
  Settle();
  EXPECT_EQ(pods.lister().Get("web-0").error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(pods.lister().Namespace("").Get("web-0").error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(pods.lister().Namespace("default").Get("web-0").error().reason(), Reason::kNotFound);
  EXPECT_EQ(nodes.lister().Get("node-1").error().reason(), Reason::kNotFound);
  EXPECT_EQ(nodes.lister().Namespace("default").Get("node-1").error().reason(),
            Reason::kInvalidArgument);
  // If the kind is known at run time only, its objects show that it has no namespaces.
  provider_->Server("widgets@").Put("a");
  const auto widgets = factory.ForResource({"shop.example", "v1", "widgets"}, "Widget");
  factory.Start();
  Settle();
  EXPECT_EQ(widgets.lister().Get("b").error().reason(), Reason::kInvalidArgument);
}

TEST_F(FactoryTest, AllThatAreNotSyncedAreNamedSorted_WF08_WF10_WF11) {
  SharedInformerFactory factory(provider_);
  for (const char* resource : {"pods@", "nodes@"}) {
    provider_->Server(resource).down =
        Error(Reason::kForbidden, std::string(resource) + " is closed").WithHttpStatus(403);
  }
  factory.InformerFor<corev1::Pod>();
  factory.InformerFor<corev1::Node>();
  factory.InformerFor<corev1::Service>();
  factory.Start();
  const auto wait = [&] {
    std::string message;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] { message = factory.WaitForCacheSync({}, {.timeout = seconds(30)}).error().message(); },
        minutes(2)));
    return message;
  };
  const std::string both = wait();
  const std::size_t nodes = both.find("nodes@ is closed");
  const std::size_t pods = both.find("pods@ is closed");
  EXPECT_NE(nodes, std::string::npos) << both;
  EXPECT_NE(pods, std::string::npos) << both;
  EXPECT_LT(nodes, pods) << both;
  EXPECT_EQ(both.find("services"), std::string::npos) << both;
  provider_->Server("nodes@").down.reset();
  const std::string one = wait();
  EXPECT_EQ(one.find("nodes"), std::string::npos) << one;
  EXPECT_NE(one.find("pods@ is closed"), std::string::npos) << one;
}

TEST_F(FactoryTest, AClientThatDeclinesWatchListsIsListed_WL53_WL55_WL57) {
  SharedInformerFactory factory(provider_);
  for (const char* resource : {"pods@", "nodes@", "widgets@"}) {
    provider_->Server(resource).watch_list_unsupported = true;
  }
  const auto pods = factory.InformerFor<corev1::Pod>();
  const auto nodes = factory.MetadataInformerFor<corev1::Node>();
  const auto widgets = factory.ForResource({"shop.example", "v1", "widgets"}, "Widget");
  factory.Start();
  Settle();
  EXPECT_TRUE(pods.HasSynced() && nodes.HasSynced() && widgets.HasSynced());
  for (const char* resource : {"pods@", "nodes@", "widgets@"}) {
    const std::vector<std::string>& requests = provider_->Server(resource).requests;
    ASSERT_EQ(requests.size(), 2U) << resource;
    EXPECT_EQ(requests[0], "LIST rv=0 limit=500") << resource;
    EXPECT_EQ(requests[1], "WATCH rv=0 bookmarks") << resource;
  }
}

TEST_F(FactoryTest, ReleaseAndShutdownEndTheWatches) {
  SharedInformerFactory factory(provider_);
  auto pods = std::make_optional(factory.InformerFor<corev1::Pod>());
  factory.InformerFor<corev1::Node>();
  const Lister<appsv1::Deployment> deployments = factory.Apps().V1().Deployments().Lister();
  provider_->Server("deployments.apps@");
  factory.Start();
  Settle();
  factory.Release(*pods);
  Settle();
  EXPECT_EQ(provider_->Server("pods@").open_watches(), 1U) << "a handle is left";
  pods.reset();
  Settle();
  EXPECT_EQ(provider_->Server("pods@").open_watches(), 0U);
  ASSERT_TRUE(sim_.RunBlocking([&] { factory.Shutdown(); }, minutes(1)));
  EXPECT_EQ(provider_->Server("nodes@").open_watches(), 0U);
  EXPECT_EQ(provider_->Server("deployments@").open_watches(), 0U);
  EXPECT_EQ(deployments.List().size(), 0U) << "what is left stays readable";
  const auto late = factory.InformerFor<corev1::Node>();
  factory.Start();
  Settle();
  EXPECT_FALSE(late.HasStarted());
  EXPECT_EQ(provider_->Server("nodes@").open_watches(), 0U) << "no start after Shutdown";
}

TEST_F(FactoryTest, ShutdownWaitsForCallbacks) {
  SharedInformerFactory factory(provider_);
  auto widgets = factory.ForResource({"shop.example", "v1", "widgets"}, "Widget");
  provider_->Server("widgets@").Put("blue");
  bool inside = false;
  bool left = false;
  widgets
      .AddEventHandler({.on_add =
                            [&](const Added<Unstructured>&) {
                              inside = true;
                              sim_.env().SleepFor(seconds(10));
                              left = true;
                            }})
      .OrExit();
  factory.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return inside; }, seconds(5)));
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        factory.Shutdown();
        EXPECT_TRUE(left);
      },
      minutes(1)));
}

}  // namespace
}  // namespace kinformer
