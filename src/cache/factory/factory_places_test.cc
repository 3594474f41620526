// Places of a factory's informers, and the options that apply in each: the cases of
// controller-runtime's defaulting tests, and what follows from them.

#include "cache/factory/factory_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/object.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Asked = std::map<std::string, std::string>;
using ByNamespace = std::map<std::string, NamespaceCacheOptions>;

LabelSelector From(const std::string& where) {
  return LabelSelector::Parse("from=" + where).OrExit();
}
FieldSelector Fields(std::string_view text) { return FieldSelector::Parse(text).OrExit(); }

// Returns what an informer of Pods asks the server for, by place: "labels;fields".
Asked Of(const SharedInformerFactoryOptions& options, const ResourceCacheOptions& pods = {},
         const InformerSettings& own = {}) {
  const FactoryPlaces places = PlacesOf(options, pods, corev1::Pod::kind_info(), own);
  Asked asked;
  for (const auto& [place, selected] : places.selectors) {
    const Selectors of = places.AskedFor(place);
    asked[place] = of.labels + (of.fields.empty() ? "" : ";" + of.fields);
  }
  return asked;
}

TEST(FactoryPlaces, LabelSelectors_NearestOptionWins_CA03) {
  const ByNamespace with_label = {{"default", {.label_selector = From("namespaces")}}};
  const ByNamespace plain = {{"default", {}}};
  const SharedInformerFactoryOptions all{.by_namespace = with_label, .label_selector = From("all")};
  // The resource names namespaces: its own options win, then by_namespace, then the factory's.
  EXPECT_THAT(Of(all, {.by_namespace = {{"default", {.label_selector = From("its-namespace")}}},
                       .label_selector = From("resource")}),
              ElementsAre(Pair("default", "from=its-namespace")));
  EXPECT_THAT(Of(all, {.by_namespace = plain, .label_selector = From("resource")}),
              ElementsAre(Pair("default", "from=resource")));
  EXPECT_THAT(Of(all, {.by_namespace = plain}), ElementsAre(Pair("default", "from=namespaces")));
  EXPECT_THAT(Of({.label_selector = From("all")}, {.by_namespace = plain}),
              ElementsAre(Pair("default", "from=all")));
  // The factory's namespaces apply if the resource names none.
  EXPECT_THAT(Of({.by_namespace = with_label}), ElementsAre(Pair("default", "from=namespaces")));
  EXPECT_THAT(Of(all, {.label_selector = From("resource")}),
              ElementsAre(Pair("default", "from=resource")));
  EXPECT_THAT(Of({.by_namespace = plain, .label_selector = From("all")}),
              ElementsAre(Pair("default", "from=all")));
  EXPECT_THAT(Of({.by_namespace = {{"default", {.label_selector = LabelSelector::Everything()}}},
                  .label_selector = From("all")}),
              ElementsAre(Pair("default", "")));
  // The resource explicitly asks for all namespaces.
  EXPECT_THAT(Of({.by_namespace = with_label}, {.namespaces = {""}}), ElementsAre(Pair("", "")));
  // Options for one namespace do not apply to another.
  EXPECT_THAT(Of(all, {.by_namespace = {{"other", {}}}}), ElementsAre(Pair("other", "from=all")));
  // `namespaces` are added to by_namespace; an informer's own replace both.
  EXPECT_THAT(
      Of({.namespace_ = "third", .namespaces = {"other"}, .by_namespace = with_label}),
      ElementsAre(Pair("default", "from=namespaces"), Pair("other", ""), Pair("third", "")));
  const LabelSelector own = LabelSelector::Parse("x=y").OrExit();
  EXPECT_THAT(Of(all, {}, {.namespaces = {"default", "other"}, .label_selector = own}),
              ElementsAre(Pair("default", "from=namespaces,x=y"), Pair("other", "from=all,x=y")));
}

TEST(FactoryPlaces, FieldSelectors_FollowRulesOfLabelSelectors) {
  const auto of = [](const char* what) { return Fields("metadata.name=" + std::string(what)); };
  const SharedInformerFactoryOptions all{
      .by_namespace = {{"default", {.field_selector = of("namespaces")}}},
      .field_selector = of("all")};
  const ByNamespace plain = {{"default", {}}};
  EXPECT_THAT(Of(all, {.by_namespace = {{"default", {.field_selector = of("its-namespace")}}},
                       .field_selector = of("resource")}),
              ElementsAre(Pair("default", ";metadata.name=its-namespace")));
  EXPECT_THAT(Of(all, {.by_namespace = plain, .field_selector = of("resource")}),
              ElementsAre(Pair("default", ";metadata.name=resource")));
  EXPECT_THAT(Of(all, {.by_namespace = plain}),
              ElementsAre(Pair("default", ";metadata.name=namespaces")));
  EXPECT_THAT(Of({.field_selector = of("all")}, {.by_namespace = plain}),
              ElementsAre(Pair("default", ";metadata.name=all")));
}

TEST(FactoryPlaces, AllOthersAreThoseThatAreNotNamed_CA03) {
  const ByNamespace two = {{"kube-public", {.label_selector = From("public")}},
                           {"kube-system", {.label_selector = From("system")}}};
  const std::string without = ";metadata.namespace!=kube-public,metadata.namespace!=kube-system";
  const auto with_others = [&](NamespaceCacheOptions others) {
    ByNamespace namespaces = two;
    namespaces[""] = std::move(others);
    return namespaces;
  };
  const auto expected = [](const std::string& others) {
    return ElementsAre(Pair("*", others), Pair("kube-public", "from=public"),
                       Pair("kube-system", "from=system"));
  };
  EXPECT_THAT(Of({.by_namespace = with_others({})}), expected(without));
  EXPECT_THAT(Of({}, {.by_namespace = with_others({})}), expected(without));
  const NamespaceCacheOptions on_foo{.field_selector = Fields("spec.nodeName=foo")};
  EXPECT_THAT(Of({.by_namespace = with_others(on_foo)}), expected(without + ",spec.nodeName=foo"));
  EXPECT_THAT(Of({}, {.by_namespace = with_others(on_foo)}),
              expected(without + ",spec.nodeName=foo"));
  EXPECT_THAT(Of({.namespaces = {""}, .by_namespace = two}), expected(without));
  EXPECT_THAT(Of({.by_namespace = with_others({.label_selector = From("others")})},
                 {.namespaces = {"", "kube-public"}, .label_selector = std::nullopt}),
              ElementsAre(Pair("*", "from=others;metadata.namespace!=kube-public"),
                          Pair("kube-public", "from=public")));
}

TEST(FactoryPlaces, NamespaceWithoutDifference_JoinsOthers_CA03) {
  const ByNamespace only_all = {{"", {}}};
  EXPECT_THAT(Of({.by_namespace = only_all}), ElementsAre(Pair("", "")));
  EXPECT_THAT(Of({}, {.by_namespace = only_all}), ElementsAre(Pair("", "")));
  EXPECT_THAT(Of({.by_namespace = {{"", {.label_selector = From("all")}}}}),
              ElementsAre(Pair("", "from=all")));
  EXPECT_THAT(Of({.namespaces = {"blue", ""}}), ElementsAre(Pair("", "")));
  EXPECT_THAT(Of({.by_namespace = {{"blue", {.label_selector = From("all")}}, {"", {}}},
                  .label_selector = From("all")}),
              ElementsAre(Pair("", "from=all")));
  EXPECT_THAT(
      Of({.by_namespace = {{"blue", {}}, {"green", {.label_selector = From("x")}}, {"", {}}}}),
      ElementsAre(Pair("*", ";metadata.namespace!=green"), Pair("green", "from=x")));
  // An informer of all namespaces that falls back to single ones.
  EXPECT_EQ(PlacesOf({.label_selector = From("all")}, {}, corev1::Pod::kind_info(), {})
                .AskedFor("blue")
                .labels,
            "from=all");
}

TEST(FactoryPlaces, ClusterScopedKind_HasOnePlace) {
  const FactoryPlaces places =
      PlacesOf({.by_namespace = {{"", {.label_selector = From("others")}},
                                 {"blue", {.label_selector = From("blue")}}},
                .label_selector = From("all")},
               {}, corev1::Node::kind_info(), {});
  EXPECT_TRUE(places.IsAll());
  EXPECT_EQ(places.AskedFor("").labels, "from=all");
  EXPECT_THAT(places.Named(), IsEmpty());
  const FactoryPlaces by_resource =
      PlacesOf({}, {.by_namespace = {{"", {.label_selector = From("others")}}}},
               corev1::Node::kind_info(), {});
  EXPECT_EQ(by_resource.AskedFor("").labels, "");
}

TEST(FactoryPlaces, UnknownPlace_HasNoSelectors) {
  const FactoryPlaces places = PlacesOf({.namespaces = {"blue"}, .label_selector = From("all")}, {},
                                        corev1::Pod::kind_info(), {});
  EXPECT_EQ(places.AskedFor("blue").labels, "from=all");
  EXPECT_EQ(places.AskedFor("green"), Selectors());
  EXPECT_FALSE(places.HasOthers());
}

TEST(FactoryPlaces, Transforms_FollowRulesOfSelectors) {
  std::string heard;
  const auto says = [&](const std::string& what) {
    return [&heard, what](const AnyRef& object) -> Result<AnyRef> {
      heard = what;
      return object;
    };
  };
  const auto of = [&](const FactoryPlaces& places, const std::string& ns) {
    heard.clear();
    const auto object = BuildFromJson(corev1::Pod::kind_info(),
                                      R"({"metadata":{"name":"a","namespace":")" + ns + R"("}})")
                            .OrExit();
    EXPECT_EQ(places.transform(object).OrExit().get(), object.get());
    return heard;
  };
  const KindInfo& pods = corev1::Pod::kind_info();
  const ByNamespace blue = {{"blue", {.transform = says("blue")}}};
  const FactoryPlaces places =
      PlacesOf({.namespaces = {""}, .by_namespace = blue, .transform = says("all")}, {}, pods, {});
  EXPECT_EQ(places.selectors.size(), 2U) << "a transform is a difference";
  EXPECT_EQ(of(places, "blue"), "blue");
  EXPECT_EQ(of(places, "green"), "all");
  const FactoryPlaces none =
      PlacesOf({.namespaces = {"green"}, .by_namespace = blue}, {}, pods, {});
  EXPECT_EQ(of(none, "blue"), "blue");
  EXPECT_EQ(of(none, "green"), "");
  const FactoryPlaces of_resource =
      PlacesOf({.namespaces = {"green"}, .by_namespace = blue, .transform = says("all")},
               {.transform = says("pods")}, pods, {});
  EXPECT_EQ(of(of_resource, "blue"), "pods");
  const FactoryPlaces of_its_namespace =
      PlacesOf({.namespaces = {"green"}, .by_namespace = blue, .transform = says("all")},
               {.by_namespace = {{"blue", {.transform = says("its blue")}}, {"red", {}}},
                .transform = says("pods")},
               pods, {});
  EXPECT_EQ(of(of_its_namespace, "blue"), "its blue");
  EXPECT_EQ(of(of_its_namespace, "red"), "pods");
  EXPECT_FALSE(PlacesOf({.namespaces = {"green"}}, {}, pods, {}).transform);
}

TEST(FactoryPlaces, ToString_NamesNamespacesAndSelectors) {
  const KindInfo& pods = corev1::Pod::kind_info();
  const ByNamespace blue = {{"blue", {.label_selector = From("blue")}}, {"green", {}}};
  EXPECT_EQ(PlacesOf({.by_namespace = blue}, {}, pods, {}).ToString(),
            " in namespace blue with labels from=blue, in namespace green");
  EXPECT_EQ(PlacesOf({.namespaces = {""}, .by_namespace = blue}, {}, pods, {}).ToString(),
            " in namespace blue with labels from=blue, in all other namespaces");
  EXPECT_EQ(PlacesOf({.namespaces = {"blue", "red"}}, {}, pods, {}).ToString(),
            " in namespaces blue, red");
  const ByNamespace changed = {{"blue", {.transform = [](const AnyRef& o) { return o; }}}};
  EXPECT_EQ(PlacesOf({.namespaces = {""}, .by_namespace = changed}, {}, pods, {}).ToString(),
            " in namespaces blue and all others");
  const LabelSelector web = LabelSelector::Parse("app=web").OrExit();
  EXPECT_EQ(PlacesOf({.label_selector = web}, {}, pods, {}).ToString(), " with labels app=web");
  EXPECT_EQ(PlacesOf({.field_selector = Fields("spec.nodeName=a")}, {}, pods, {}).ToString(),
            " with fields spec.nodeName=a");
  EXPECT_EQ(PlacesOf({.namespaces = {"blue"}, .label_selector = web}, {}, pods, {}).ToString(),
            " in namespace blue with labels app=web");
  EXPECT_EQ(PlacesOf({}, {}, pods, {}).ToString(), "");
}

}  // namespace
}  // namespace kinformer::internal::cache
