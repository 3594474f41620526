// The caches behind a DelegatingClient, against the embedded API server: indexes, informers,
// transforms.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/discovery.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/object/object.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Node = corev1::Node;

class DelegatingClientCaches : public DelegatingClientTest {};

TEST_F(DelegatingClientCaches, FieldIndexes_CA04) {
  const auto color = [](ConfigMap map, auto& out) { out.Add(map.data()["color"]); };
  const auto app = [](ConfigMap map, auto& out) {
    out.Add(map.metadata().labels()["app"]);
    out.Add("any");
  };
  Run([&] {
    MakeFour();
    Make("default", "e", "web", "red");
    ASSERT_TRUE(cached_.IndexField<ConfigMap>("color", color).ok()) << "before the first read";
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.field_selector = Fields("color=red")})),
                ElementsAre("e"));
    ASSERT_TRUE(cached_.IndexField<ConfigMap>("app", app).ok()) << "and after";
    EXPECT_EQ(cached_.IndexField<ConfigMap>("app", app).error().reason(), Reason::kAlreadyExists);
    const auto found = [&](const std::string& fields, const std::string& namespace_ = "") {
      return NamesOf(
          cached_.List<ConfigMap>({.namespace_ = namespace_, .field_selector = Fields(fields)}));
    };
    EXPECT_THAT(found("app=web"), ElementsAre("a", "c", "e"));
    EXPECT_THAT(found("app=web,color=blue"), ElementsAre("a", "c"));
    EXPECT_THAT(found("app=web,color=blue,app=any", "default"), ElementsAre("a"));
    EXPECT_THAT(found("app=none"), IsEmpty());
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>(
                    {.label_selector = Labels("app=db"), .field_selector = Fields("app=any")})),
                ElementsAre("b", "d"));
    for (const char* fields : {"size=1", "color=blue,size=1", "color!=blue"}) {
      const Error error = cached_.List<ConfigMap>({.field_selector = Fields(fields)}).error();
      EXPECT_EQ(error.reason(), Reason::kInvalidArgument) << error;
    }
    // The index follows changes of the value.
    ASSERT_TRUE(cached_.Update(Map("e", "green")).ok());
    EXPECT_THAT(found("color=red"), IsEmpty());
    EXPECT_THAT(found("color=green"), ElementsAre("e"));
  });
}

TEST_F(DelegatingClientCaches, FieldIndexesOfClusterScopedAndDynamicObjects_CA04) {
  Run([&] {
    Node::Mutable node;
    node.metadata.name = "n1";
    node.spec.providerID = "p1";
    ASSERT_TRUE(cached_.Create(node).ok());
    ASSERT_TRUE(cached_
                    .IndexField<Node>("spec.providerID",
                                      [](Node one, auto& out) { out.Add(one.spec().providerID()); })
                    .ok());
    EXPECT_THAT(cached_.List<Node>({.field_selector = Fields("spec.providerID=p1")}).OrExit(),
                SizeIs(1));
    EXPECT_TRUE(cached_.Get<Node>({"", "n1"}).ok());
    EXPECT_EQ(cached_.Get<Node>({"default", "n1"}).error().reason(), Reason::kInvalidArgument);
    MakeFour();
    Use({}, {.cache_unstructured = true});
    ASSERT_TRUE(cached_
                    .IndexField(kMaps, "color",
                                [](Unstructured map, auto& out) {
                                  out.Add(map.root()["data"]["color"].StringOrEmpty());
                                })
                    .ok());
    EXPECT_THAT(cached_.List(kMaps, {.field_selector = Fields("color=blue")}).OrExit(), SizeIs(4));
  });
}

TEST_F(DelegatingClientCaches, FieldIndexesOfTheMetadata_CA04) {
  Run([&] {
    MakeFour();
    ASSERT_TRUE(
        cached_
            .IndexMetadataField<ConfigMap>("metadata.labels.app",
                                           [](metav1::PartialObjectMetadata map, auto& out) {
                                             out.Add(map.metadata().labels()["app"]);
                                           })
            .ok());
    const auto found =
        cached_.ListMetadata<ConfigMap>({.field_selector = Fields("metadata.labels.app=db")});
    ASSERT_TRUE(found.ok()) << found.error();
    ASSERT_THAT(*found, SizeIs(2));
    EXPECT_EQ((*found)[0]->kind(), "ConfigMap");
    EXPECT_EQ(factory_->core().Find(ConfigMap::kind_info(), false), nullptr)
        << "no whole objects are kept for it";
  });
}

TEST_F(DelegatingClientCaches, AnIndexDoesNotWaitForTheSync_CA04) {
  Run([&] {
    MakeFour();
    server_.faults().Add(
        {.verb = "watch", .action = apiserver::FaultAction::kDelay, .delay = seconds(10)});
    const auto color = [](ConfigMap map, auto& out) { out.Add(map.data()["color"]); };
    EXPECT_LT(TimeOf([&] { EXPECT_TRUE(cached_.IndexField<ConfigMap>("color", color).ok()); }),
              seconds(1));
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.field_selector = Fields("color=blue")})),
                SizeIs(4));
  });
}

TEST_F(DelegatingClientCaches, TypedDynamicAndMetadataInformers_ReportCreation_CA05) {
  Run([&] {
    Use({}, {.cache_unstructured = true});
    auto typed = cached_.InformerFor<ConfigMap>().OrExit();
    EXPECT_FALSE(typed.HasSynced()) << "nobody has waited for it";
    auto dynamic = factory_->ForResource(kMaps.resource, kMaps.kind.kind);
    auto metadata = factory_->MetadataInformerFor<ConfigMap>();
    std::vector<std::string> told;
    const auto tell = [&told](const std::string& who) {
      return [&told, who](const auto& e) {
        if (e.object.metadata().name() == "informer-obj") told.push_back(who);
      };
    };
    typed.AddEventHandler({.on_add = tell("typed")}).OrExit();
    dynamic.AddEventHandler({.on_add = tell("dynamic")}).OrExit();
    metadata.AddEventHandler({.on_add = tell("metadata")}).OrExit();
    factory_->Start();
    ASSERT_TRUE(factory_->WaitForCacheSync().ok());
    Make("default", "informer-obj", "web");
    sim_.env().SleepFor(seconds(5));
    EXPECT_THAT(told, ::testing::UnorderedElementsAre("typed", "dynamic", "metadata"));
    factory_->Start();
    EXPECT_TRUE(factory_->WaitForCacheSync().ok()) << "to start again changes nothing";
  });
}

TEST_F(DelegatingClientCaches, InformersThatAreReleasedAndStopped_CA05) {
  Run([&] {
    MakeFour();
    {
      SharedInformer<ConfigMap> informer = cached_.InformerFor<ConfigMap>().OrExit();
      EXPECT_TRUE(informer.HasStarted());
      ASSERT_TRUE(informer.WaitForCacheSync().ok());
      EXPECT_EQ(informer.core(), factory_->InformerFor<ConfigMap>().core());
      ASSERT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
      factory_->Release(informer);
    }
    sim_.env().SleepFor(seconds(1));
    // The next read starts a new informer.
    Make("default", "e", "web");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("e"))), "blue");
    cached_.InformerFor<ConfigMap>().OrExit().Stop();
    sim_.env().SleepFor(seconds(1));
    EXPECT_EQ(cached_.Get<ConfigMap>(Named("none")).error().reason(), Reason::kStopped);
    Use({.by_resource = {{ResourceOf<ConfigMap>(), {.cached = false}}}});
    EXPECT_EQ(cached_.InformerFor<ConfigMap>().error().reason(), Reason::kInvalidArgument);
  });
}

TEST_F(DelegatingClientCaches, Transforms_CA06) {
  Run([&] {
    Use({.transform = [](const AnyRef& object) -> Result<AnyRef> {
      json::Value whole = json::Parse(object->ToJson()).OrExit();
      whole.Ensure("metadata", "annotations", "seen") = "yes";
      return WithContent(object, whole);
    }});
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    const auto map = cached_.Get<ConfigMap>(Named("a")).OrExit();
    EXPECT_EQ(map->metadata().annotations()["seen"], "yes");
    const auto live = cached_.APIReader<ConfigMap>().Get("default", "a").OrExit();
    EXPECT_FALSE(live->metadata().annotations().contains("seen"));
  });
}

TEST_F(DelegatingClientCaches, TransformsOfAKindAndOfAllInEachForm_CA06) {
  const auto mark = [](const char* how) -> TransformFunc {
    return [how](const AnyRef& object) -> Result<AnyRef> {
      json::Value whole = json::Parse(object->ToJson()).OrExit();
      whole.Ensure("metadata", "annotations", "transformed") = how;
      return WithContent(object, whole);
    };
  };
  Run([&] {
    MakeFour();
    Use({.transform = mark("default"),
         .by_resource = {{ResourceOf<ConfigMap>(), {.transform = mark("explicit")}}}},
        {.cache_unstructured = true});
    const auto how = [](const auto& object) {
      return std::string(object->metadata().annotations()["transformed"]);
    };
    const RestMapping namespaces{{"", "v1", "namespaces"}, {"", "v1", "Namespace"}, false};
    const ObjectName kube{"", "kube-system"};
    for (const auto& map : cached_.List<ConfigMap>().OrExit()) EXPECT_EQ(how(map), "explicit");
    for (const auto& map : cached_.List(kMaps).OrExit()) EXPECT_EQ(how(map), "explicit");
    EXPECT_EQ(how(cached_.Get<corev1::Namespace>(kube).OrExit()), "default");
    EXPECT_EQ(how(cached_.Get(namespaces, kube).OrExit()), "default");
    Use({.transform = mark("default"),
         .by_resource = {{ResourceOf<ConfigMap>(), {.transform = mark("explicit")}}}});
    for (const auto& map : cached_.ListMetadata<ConfigMap>().OrExit()) {
      EXPECT_EQ(how(map), "explicit") << "from a cache of the metadata";
    }
    EXPECT_EQ(how(cached_.GetMetadata<corev1::Namespace>(kube).OrExit()), "default");
  });
}

}  // namespace
}  // namespace kinformer::testing
