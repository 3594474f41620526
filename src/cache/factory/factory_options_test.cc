// Options of a factory, for all of its informers and for those of one resource.

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/log.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/discovery.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"
#include "kinformer/object/unstructured.h"

#include "cache/factory/testing/factory_fixture.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

const GroupVersionResource kWidgets{"shop.example", "v1", "widgets"};

class FactoryOptionsTest : public FactoryTest {
 protected:
  static LabelSelector Labels(std::string_view text) { return LabelSelector::Parse(text).OrExit(); }
  static FieldSelector Fields(std::string_view text) { return FieldSelector::Parse(text).OrExit(); }
  static SharedInformer<Unstructured> Widgets(SharedInformerFactory& factory) {
    return factory.ForResource(kWidgets, "Widget");
  }
  // Prepends a word to the value of each object.
  static TransformFunc Prefix(std::string word) {
    return [word = std::move(word)](const AnyRef& object) -> Result<AnyRef> {
      json::Value whole = json::Parse(object->ToJson()).OrExit();
      json::Value& value = whole.Ensure("spec", "nodeName");
      value = word + "-" + value.StringOrEmpty();
      return WithContent(object, whole);
    };
  }
  static std::string ValueOf(const SharedInformer<Unstructured>& informer, std::string_view name) {
    const auto object = informer.lister().Get("default", name);
    if (!object) return object.error().ToString();
    return std::string((*object)->root()["spec"]["nodeName"].StringOrEmpty());
  }
  // Returns the entry options that the informer has set on a fake server.
  EntryOptions EntryOf(const std::string& server) {
    return provider_->Server(server).entry_options.value_or(EntryOptions());
  }
};

TEST_F(FactoryOptionsTest, TheNearerOptionsWinAndSelectorsAddUp) {
  SharedInformerFactory factory(provider_,
                                {.namespaces = {"blue"},
                                 .label_selector = Labels("app=web"),
                                 .field_selector = Fields("metadata.name!=old"),
                                 .by_resource = {{ResourceOf<corev1::Pod>(),
                                                  {.namespaces = {"green"},
                                                   .label_selector = Labels("tier=db"),
                                                   .field_selector = Fields("spec.nodeName=a")}},
                                                 {ResourceOf<corev1::ConfigMap>(),
                                                  {.namespaces = {""},
                                                   .label_selector = LabelSelector::Everything(),
                                                   .field_selector = FieldSelector()}}}});
  EXPECT_EQ(factory.InformerFor<corev1::Service>().core()->Describe(),
            "services in namespace blue with labels app=web with fields metadata.name!=old");
  EXPECT_EQ(factory.InformerFor<corev1::Pod>().core()->Describe(),
            "pods in namespace green with labels tier=db with fields spec.nodeName=a");
  EXPECT_EQ(factory.InformerFor<corev1::ConfigMap>().core()->Describe(), "configmaps");
  const auto own =
      factory.InformerFor<corev1::Pod>({.namespaces = {"red"}, .label_selector = Labels("x=y")});
  EXPECT_EQ(own.core()->Describe(),
            "pods in namespace red with labels tier=db,x=y with fields spec.nodeName=a");
  // Dynamic informers of a resource use its options, too.
  EXPECT_EQ(factory.ForResource({"", "v1", "pods"}, "Pod").core()->Describe(),
            factory.InformerFor<corev1::Pod>().core()->Describe());
  factory.Start();
  Settle();
  EXPECT_EQ(provider_->Server("pods@red").scope.labelSelector, "tier=db,x=y");
  EXPECT_EQ(provider_->Server("services@blue").scope.labelSelector, "app=web");
  EXPECT_EQ(provider_->Server("configmaps@").scope.labelSelector, "");
}

TEST_F(FactoryOptionsTest, ProjectionAndManagedFields_NearestOptionWins) {
  const Projection no_labels = Projection::Drop({"metadata.labels"}).OrExit();
  const Projection node = Projection::Keep<corev1::Pod>({"spec.nodeName"}).OrExit();
  const Projection phase = Projection::Keep<corev1::Pod>({"status.phase"}).OrExit();
  SharedInformerFactory factory(
      provider_, {.drop_managed_fields = true,
                  .projection = no_labels,
                  .by_resource = {{ResourceOf<corev1::Pod>(), {.projection = node}},
                                  {ResourceOf<corev1::ConfigMap>(),
                                   {.drop_managed_fields = false, .projection = Projection()}}}});
  factory.InformerFor<corev1::Service>();
  factory.InformerFor<corev1::Pod>();
  factory.InformerFor<corev1::ConfigMap>();
  factory.InformerFor<corev1::Pod>({.namespace_ = "own", .projection = phase});
  factory.Start();
  Settle();
  EXPECT_EQ(EntryOf("services@").projection, no_labels);
  EXPECT_TRUE(EntryOf("services@").drop_managed_fields);
  EXPECT_EQ(EntryOf("pods@").projection, node);
  EXPECT_TRUE(EntryOf("pods@").drop_managed_fields);
  EXPECT_EQ(EntryOf("pods@own").projection, phase);
  EXPECT_TRUE(EntryOf("configmaps@").KeepsAll());
  EXPECT_THAT(log_->lines, IsEmpty());
}

TEST_F(FactoryOptionsTest, APathThatAKindHasNotIsAnErrorOfItsResourceOnly) {
  const Projection wrong = Projection::Keep({"spec.nodename"}).OrExit();
  SharedInformerFactory for_all(provider_, {.projection = wrong});
  for_all.InformerFor<corev1::Pod>();
  for_all.InformerFor<corev1::ConfigMap>();
  EXPECT_THAT(log_->lines, IsEmpty()) << "one projection for all kinds";
  SharedInformerFactory for_pods(
      provider_, {.by_resource = {{ResourceOf<corev1::Pod>(), {.projection = wrong}}}});
  for_pods.MetadataInformerFor<corev1::Pod>();
  EXPECT_THAT(log_->lines, IsEmpty());
  for_pods.InformerFor<corev1::Pod>();
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], HasSubstr("spec.nodename"));
}

TEST_F(FactoryOptionsTest, MetadataIsSharedWithWhatIsCutInTheSameWay) {
  SharedInformerFactory factory(provider_, {.drop_managed_fields = true});
  const auto pods = factory.InformerFor<corev1::Pod>();
  EXPECT_EQ(factory.MetadataInformerFor<corev1::Pod>().core(), pods.core());
  EXPECT_EQ(factory.InformerFor<corev1::Pod>({.drop_managed_fields = true}).core(), pods.core());
}

TEST_F(FactoryOptionsTest, ATransformForAllKindsAndOneForAResource) {
  const GroupVersionResource gadgets{"shop.example", "v1", "gadgets"};
  SharedInformerFactory factory(
      provider_,
      {.transform = Prefix("all"), .by_resource = {{kWidgets, {.transform = Prefix("widget")}}}});
  for (const char* server : {"widgets@", "gadgets@", "gears@"}) {
    provider_->Server(server).Put("a", "1");
  }
  const auto widgets = Widgets(factory);
  const auto others = factory.ForResource(gadgets, "Gadget");
  auto own = factory.ForResource({"shop.example", "v1", "gears"}, "Gear");
  own.SetTransform([](const Ref<Unstructured>& object) -> Result<Ref<Unstructured>> {
       json::Value whole = object->DeepCopy();
       whole.Ensure("spec", "nodeName") = "own";
       return WithContent(object, whole);
     })
      .OrExit();
  factory.Start();
  Settle();
  EXPECT_EQ(ValueOf(widgets, "a"), "widget-1");
  EXPECT_EQ(ValueOf(others, "a"), "all-1");
  EXPECT_EQ(ValueOf(own, "a"), "own");
  provider_->Server("widgets@").Put("a", "2");
  Settle();
  EXPECT_EQ(ValueOf(widgets, "a"), "widget-2");
  EXPECT_THAT(log_->lines, IsEmpty());
}

TEST_F(FactoryOptionsTest, AnInformerOfTheCallersGetsTheTransformUnlessItHasOne) {
  SharedInformerFactory factory(provider_, {.transform = Prefix("all")});
  FakeServer& server = provider_->Server("mine");
  server.namespace_name = "";
  server.Put("a", "1");
  const auto value_of = [](const SharedInformer<corev1::Node>& nodes) {
    std::string json;
    for (const corev1::Node node : nodes.Snapshot())
      json += Object(internal::BlockOfView(node)).ToJson();
    return json;
  };
  const auto make = [&](bool with_own) {
    return [this, &server, with_own](Duration) {
      SharedInformer<corev1::Node> nodes(sim_.env(), server.NewListerWatcher());
      if (with_own) {
        nodes
            .SetTransform(
                [](const Ref<corev1::Node>& node) -> Result<Ref<corev1::Node>> { return node; })
            .OrExit();
      }
      return nodes;
    };
  };
  const auto nodes = factory.InformerFor<corev1::Node>(
      std::function<SharedInformer<corev1::Node>(Duration)>(make(false)));
  SharedInformerFactory other(provider_, {.transform = Prefix("all")});
  const auto as_they_are = other.InformerFor<corev1::Node>(
      std::function<SharedInformer<corev1::Node>(Duration)>(make(true)));
  factory.Start();
  other.Start();
  Settle();
  EXPECT_THAT(value_of(nodes), HasSubstr("all-1"));
  EXPECT_THAT(value_of(as_they_are), HasSubstr(R"("nodeName":"1")"));
}

TEST_F(FactoryOptionsTest, UncachedKind_IsNeverListed) {
  SharedInformerFactory factory(
      provider_, {.by_resource = {{ResourceOf<corev1::Secret>(), {.cached = false}}}});
  auto secrets = factory.InformerFor<corev1::Secret>();
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], HasSubstr("there is no cache of secrets"));
  EXPECT_THAT(log_->lines[0], HasSubstr("ReaderFor"));
  const auto dynamic = factory.ForResource({"", "v1", "secrets"}, "Secret");
  bool asked = false;
  factory.InformerFor<corev1::Secret>(
      std::function<SharedInformer<corev1::Secret>(Duration)>([&](Duration) {
        asked = true;
        return secrets;
      }));
  EXPECT_FALSE(asked);
  EXPECT_EQ(log_->lines.size(), 1U) << "once";
  EXPECT_EQ(secrets.AddEventHandler(ResourceEventHandlerFuncs<corev1::Secret>()).error().reason(),
            Reason::kStopped);
  factory.Start();
  secrets.Start();
  Settle();
  EXPECT_EQ(log_->lines.size(), 2U) << "Start says so again";
  EXPECT_THAT(provider_->Server("secrets@").requests, IsEmpty());
  EXPECT_EQ(secrets.Status().state, InformerState::kStopped);
  for (const Error& error :
       {secrets.lister().Get("default", "token").error(), secrets.lister().List().error(),
        dynamic.lister().Get("default", "token").error()}) {
    EXPECT_EQ(error.reason(), Reason::kInvalidArgument);
    EXPECT_THAT(error.message(), HasSubstr("ReaderFor"));
  }
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        const Error error = factory.WaitForCacheSync().error();
        EXPECT_EQ(error.reason(), Reason::kStopped);
        EXPECT_THAT(error.message(), HasSubstr("secrets (not cached: by_resource)"));
      },
      seconds(10)));
}

TEST_F(FactoryOptionsTest, UncachedKind_MetadataMayBeCached) {
  SharedInformerFactory factory(
      provider_, {.by_resource = {{ResourceOf<corev1::Secret>(), {.cached = false}}}});
  const auto metadata = factory.MetadataInformerFor<corev1::Secret>();
  factory.Start();
  Settle();
  EXPECT_TRUE(metadata.HasSynced());
  EXPECT_THAT(log_->lines, IsEmpty());
  EXPECT_FALSE(factory.InformerFor<corev1::Secret>().HasSynced());
}

TEST_F(FactoryOptionsTest, AReaderReadsTheCache) {
  SharedInformerFactory factory(provider_, {.namespaces = {"default", "other"}});
  const RestMapping mapping{kWidgets, {"shop.example", "v1", "Widget"}, true};
  const Reader<Unstructured> widgets = factory.ReaderFor(mapping);
  EXPECT_FALSE(widgets.IsLive());
  EXPECT_EQ(widgets.Get("default", "a").error().reason(), Reason::kNotSynced);
  EXPECT_EQ(widgets.List().error().reason(), Reason::kNotSynced);
  provider_->Server("widgets@default").Put("a", "1");
  factory.Start();
  Settle();
  const Ref<Unstructured> a = widgets.Get("default", "a").OrExit();
  EXPECT_EQ(a->root()["spec"]["nodeName"].StringOrEmpty(), "1");
  EXPECT_EQ(widgets.Get("default", "b").error().reason(), Reason::kNotFound);
  EXPECT_EQ(widgets.Get("third", "a").error().reason(), Reason::kOutOfScope);
  const std::vector<Ref<Unstructured>> all = widgets.List().OrExit();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0], a);
  EXPECT_THAT(widgets.List("other").OrExit(), IsEmpty());
  EXPECT_THAT(widgets.List("", Labels("app=web")).OrExit(), IsEmpty());
  EXPECT_EQ(widgets.List("third").error().reason(), Reason::kOutOfScope);
}

TEST_F(FactoryOptionsTest, Reader_WithoutClient_ReturnsErrors) {
  SharedInformerFactory factory(
      provider_, {.by_resource = {{ResourceOf<corev1::Secret>(), {.cached = false}}}});
  const Reader<corev1::Secret> secrets = factory.ReaderFor<corev1::Secret>();
  EXPECT_TRUE(secrets.IsLive());
  EXPECT_THAT(secrets.Get("default", "token").error().message(), HasSubstr("without a Client"));
  EXPECT_EQ(secrets.List().error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(factory.InformerForFirstServed<corev1::Pod>().error().message(),
              HasSubstr("without a Client"));
}

TEST_F(FactoryOptionsTest, Options_HoldAfterRestartAndRelease) {
  SharedInformerFactory factory(provider_, {.transform = Prefix("all"),
                                            .by_resource = {{kWidgets,
                                                             {.namespaces = {"default"},
                                                              .label_selector = Labels("app=web"),
                                                              .transform = Prefix("widget")}}}});
  FakeServer& server = provider_->Server("widgets@default");
  server.Put("a", "1");
  auto first = std::make_optional(Widgets(factory));
  factory.Start();
  Settle();
  EXPECT_EQ(ValueOf(*first, "a"), "widget-1");
  // The next life.
  first->Stop();
  Settle();
  server.Put("a", "2");
  first->Start();
  Settle();
  EXPECT_EQ(ValueOf(*first, "a"), "widget-2");
  EXPECT_EQ(server.scope.labelSelector, "app=web");
  // The factory releases the informer; the remaining handle keeps it alive.
  factory.Release(*first);
  Settle();
  EXPECT_EQ(server.open_watches(), 1U);
  const auto second = Widgets(factory);
  EXPECT_NE(second.core(), first->core());
  EXPECT_EQ(second.core()->Describe(),
            "widgets.shop.example in namespace default with labels "
            "app=web");
  first.reset();
  factory.Start();
  Settle();
  EXPECT_EQ(server.open_watches(), 1U) << "that of the second";
  EXPECT_EQ(ValueOf(second, "a"), "widget-2");
  ASSERT_TRUE(sim_.RunBlocking([&] { factory.Shutdown(); }, minutes(1)));
  EXPECT_EQ(server.open_watches(), 0U);
}

TEST_F(FactoryOptionsTest, AReaderIsAHandleOnItsInformer) {
  SharedInformerFactory factory(provider_);
  const RestMapping mapping{kWidgets, {"shop.example", "v1", "Widget"}, true};
  auto widgets = std::make_optional(factory.ReaderFor(mapping));
  factory.Start();
  Settle();
  factory.Release(Widgets(factory));
  Settle();
  EXPECT_EQ(provider_->Server("widgets@").open_watches(), 1U);
  EXPECT_TRUE(widgets->List().ok());
  widgets.reset();
  Settle();
  EXPECT_EQ(provider_->Server("widgets@").open_watches(), 0U);
}

TEST_F(FactoryOptionsTest, OptionsExistingInformerLacks_AreLoggedOnce) {
  class WarningLog final : public LogSink {
   public:
    [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
    void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
      std::string& line = lines.emplace_back();
      for (const LogField& field : fields) line += field.value + "; ";
    }
    std::vector<std::string> lines{};
  };
  const auto log = std::make_shared<WarningLog>();
  Simulation sim({.log = log});
  SharedInformerFactory factory(std::make_shared<FakeProvider>(sim.env()),
                                {.default_resync = minutes(5)});
  const auto first = factory.InformerFor<corev1::Pod>({.max_objects = 100});
  EXPECT_EQ(factory.InformerFor<corev1::Pod>().core(), first.core());
  factory.InformerFor<corev1::Pod>({.max_objects = 100});
  EXPECT_THAT(log->lines, IsEmpty()) << "who sets nothing, or the same, misses nothing";
  const InformerOptions<corev1::Pod> other{.name = "mine",
                                           .resync_period = minutes(1),
                                           .validation = Validation::kFull,
                                           .compression = Compression::kZstd,
                                           .max_objects = 50,
                                           .limit_policy = LimitPolicy::kServePart,
                                           .consistency_check_period = minutes(7),
                                           .absent_is_empty = true};
  EXPECT_EQ(factory.InformerFor<corev1::Pod>(other).core(), first.core());
  factory.InformerFor<corev1::Pod>(other);
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_EQ(log->lines[0],
            "pods; name, resync_period, validation, compression, max_objects, "
            "limit_policy, consistency_check_period, absent_is_empty; ");
  factory.InformerFor<corev1::Pod>({.max_objects = 70, .max_bytes = 1 << 20});
  ASSERT_EQ(log->lines.size(), 2U);
  EXPECT_EQ(log->lines[1], "pods; max_bytes; ");
  factory.InformerFor<corev1::Service>({.resync_period = minutes(1)});
  EXPECT_EQ(log->lines.size(), 2U) << "the first of its kind";
}

}  // namespace
}  // namespace kinformer
