// Settings of a factory's informer: merged from its own options and those of resource and factory.

#include "cache/factory/factory_settings.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/client/discovery.h"
#include "kinformer/object/unstructured.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

InformerSettings For(const SharedInformerFactoryOptions& options, InformerSettings own = {}) {
  return Completed(options, corev1::Pod::kind_info(), std::move(own), false).settings;
}

TEST(FactorySettings, Namespaces_MergeIntoOneList) {
  const InformerSettings some =
      For({}, {.namespace_ = "blue", .namespaces = {"green", "red", "green"}});
  EXPECT_THAT(some.namespaces, ElementsAre("blue", "green", "red"));
  EXPECT_EQ(some.namespace_, "");
  const InformerSettings all = For({.namespaces = {"blue", ""}});
  EXPECT_THAT(all.namespaces, IsEmpty());
  EXPECT_EQ(all.namespace_, "");
}

TEST(FactorySettings, IfForbidden_AppliesToAllNamespacesOnly) {
  const IfForbidden blue{.namespaces = {"blue"}};
  const IfForbidden green{.namespaces = {"green"}};
  EXPECT_THAT(For({.if_forbidden = blue}).if_forbidden.namespaces, ElementsAre("blue"));
  EXPECT_THAT(For({.if_forbidden = blue}, {.if_forbidden = green}).if_forbidden.namespaces,
              ElementsAre("green"));
  EXPECT_TRUE(For({.namespaces = {"red"}, .if_forbidden = blue}).if_forbidden.IsDefault());
  EXPECT_TRUE(For({}, {.namespaces = {"red"}, .if_forbidden = green}).if_forbidden.IsDefault());
  const FactorySettings nodes =
      Completed({.if_forbidden = blue}, corev1::Node::kind_info(), {}, false);
  EXPECT_TRUE(nodes.settings.if_forbidden.IsDefault());
}

TEST(FactorySettings, ManagedFieldsAreDroppedIfAnybodySaysSo) {
  const auto drops = [](bool all, std::optional<bool> pods, bool own) {
    return For({.drop_managed_fields = all,
                .by_resource = {{ResourceOf<corev1::Pod>(), {.drop_managed_fields = pods}}}},
               {.drop_managed_fields = own})
        .drop_managed_fields;
  };
  EXPECT_FALSE(drops(false, {}, false));
  EXPECT_TRUE(drops(true, {}, false));
  EXPECT_FALSE(drops(true, false, false));
  EXPECT_TRUE(drops(false, true, false));
  EXPECT_TRUE(drops(false, false, true));
}

TEST(FactorySettings, OnlyAProjectionThatIsMeantForTheKindMustFitIt) {
  const Projection node = Projection::Keep({"spec.nodeName"}).OrExit();
  const Projection wrong = Projection::Keep({"spec.nodename"}).OrExit();
  const auto completed = [](const Projection& all, std::optional<Projection> pods,
                            const Projection& own, bool metadata_only = false) {
    return Completed(
        {.projection = all,
         .by_resource = {{ResourceOf<corev1::Pod>(), {.projection = std::move(pods)}}}},
        corev1::Pod::kind_info(), {.projection = own}, metadata_only);
  };
  const FactorySettings of_all = completed(wrong, {}, {});
  EXPECT_EQ(of_all.settings.projection, wrong);
  EXPECT_TRUE(of_all.known_paths.ok());
  EXPECT_EQ(completed(node, wrong, {}).settings.projection, wrong);
  EXPECT_FALSE(completed(node, wrong, {}).known_paths.ok());
  EXPECT_TRUE(completed(node, wrong, {}, true).known_paths.ok());
  EXPECT_TRUE(completed(wrong, node, {}).known_paths.ok());
  EXPECT_EQ(completed(wrong, wrong, node).settings.projection, node);
  EXPECT_TRUE(completed(wrong, wrong, node).known_paths.ok());
  EXPECT_FALSE(completed(node, node, wrong).known_paths.ok());
}

TEST(FactorySettings, ResyncTraceAndWhetherItIsCached) {
  SharedInformerFactoryOptions options{.default_resync = minutes(7)};
  EXPECT_EQ(For(options).resync_period, minutes(7));
  EXPECT_EQ(For(options, {.resync_period = minutes(2)}).resync_period, minutes(2));
  options.by_resource[ResourceOf<corev1::Pod>()] = {.resync_period = minutes(3)};
  EXPECT_EQ(For(options).resync_period, minutes(3));
  EXPECT_TRUE(Completed(options, corev1::Pod::kind_info(), {}, false).cached);
  options.by_resource[ResourceOf<corev1::Pod>()] = {.cached = false};
  EXPECT_FALSE(Completed(options, corev1::Pod::kind_info(), {}, false).cached);
  EXPECT_TRUE(Completed(options, corev1::Node::kind_info(), {}, false).cached);

  std::string heard;
  const auto says = [&](const char* what) {
    return [&heard, what](const TraceEvent&) { heard = what; };
  };
  EXPECT_FALSE(For({}).trace);
  For({.trace = says("all")}).trace({});
  EXPECT_EQ(heard, "all");
  For({.trace = says("all")}, {.trace = says("own")}).trace({});
  EXPECT_EQ(heard, "own");
}

TEST(FactorySettings, SelectorsAddToWhatIsTweaked) {
  const std::function<void(ListOptions&)> tweak = [](ListOptions& options) {
    options.labelSelector += "tweaked";
    options.limit = 5;
  };
  EXPECT_FALSE(Selecting({}, nullptr));
  ListOptions options;
  Selecting({}, tweak)(options);
  EXPECT_EQ(options.labelSelector, "tweaked");
  options = {};
  Selecting({"app=web", "metadata.name=a"}, nullptr)(options);
  EXPECT_EQ(options.labelSelector, "app=web");
  EXPECT_EQ(options.fieldSelector, "metadata.name=a");
  options = {};
  Selecting({"app=web", ""}, tweak)(options);
  EXPECT_EQ(options.labelSelector, "tweaked,app=web");
  EXPECT_EQ(options.fieldSelector, "");
  EXPECT_EQ(options.limit, 5);
}

TEST(FactorySettings, Described_NamesResourceAndNamespaces) {
  const auto described = [](const KindInfo& type) {
    return Described(type, Completed({.namespaces = {"blue"}}, type, {}, false));
  };
  EXPECT_EQ(described(corev1::Pod::kind_info()), "pods in namespace blue");
  EXPECT_EQ(described(*DynamicKindInfo("shop.example", "v1", "Widget", "widgets", true)),
            "widgets.shop.example in namespace blue");
}

}  // namespace
}  // namespace kinformer::internal::cache
