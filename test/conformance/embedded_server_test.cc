// Cases of the catalogue that need a real client and a server that supports selectors: informers
// and listers of dynamic objects, selectors, watch-lists through the client.

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"
#include "kinformer/object/partial_object_metadata.h"
#include "kinformer/object/unstructured.h"

#include "client/features.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Texts = std::vector<std::string>;

const GroupVersionResource kWidgets{"shop.example", "v1", "widgets"};
const GroupVersionResource kGadgets{"shop.example", "v1", "gadgets"};

constexpr const char* kDefinitions = R"(
apiVersion: v1
kind: Namespace
metadata: {name: ns-foo}
---
apiVersion: v1
kind: Namespace
metadata: {name: ns-bar}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.shop.example}
spec:
  group: shop.example
  scope: Cluster
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

json::Value Custom(const std::string& kind, const std::string& ns, const std::string& name,
                   const std::string& color) {
  json::Value metadata = json::Value::MakeObject(
      {{"name", name}, {"labels", json::Value::MakeObject({{"color", color}})}});
  if (!ns.empty()) metadata.Ensure("namespace") = ns;
  return json::Value::MakeObject({{"apiVersion", "shop.example/v1"},
                                  {"kind", kind},
                                  {"metadata", std::move(metadata)},
                                  {"spec", json::Value::MakeObject({{"color", color}})}});
}

class EmbeddedServerTest : public ::testing::Test {
 protected:
  EmbeddedServerTest()
      : server_(sim_.env()),
        client_(Client::ForTransport(sim_.env(), NewInMemoryTransport(sim_.env(), server_), {})) {
    server_.Load(kDefinitions).OrExit();
  }
  ~EmbeddedServerTest() override {
    if (!factory_) return;
    EXPECT_TRUE(sim_.RunBlocking([this] { factory_->Shutdown(); }, minutes(1)));
  }

  SharedInformerFactory& Factory(SharedInformerFactoryOptions options = {}) {
    return factory_.emplace(client_, std::move(options));
  }
  SharedInformer<Unstructured> Widgets() { return factory_->ForResource(kWidgets, "Widget"); }
  void Start() {
    factory_->Start();
    ASSERT_TRUE(
        sim_.RunBlocking([this] { EXPECT_TRUE(factory_->WaitForCacheSync().ok()); }, minutes(1)));
  }
  void Settle() { sim_.RunFor(seconds(1)); }
  void Create(const std::string& ns, const std::string& name, const std::string& color) {
    server_.Create(kWidgets, Custom("Widget", ns, name, color)).OrExit();
  }

  Simulation sim_;
  apiserver::ApiServer server_;
  Client client_;
  std::optional<SharedInformerFactory> factory_;
};

template <class T>
Texts Names(const ObjectRange<T>& range) {
  Texts names;
  for (const T object : range) names.emplace_back(object.metadata().name());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(EmbeddedServerTest, TheResourceGoesAndComesBack_F10) {
  Factory();
  auto widgets = Widgets();
  Texts told;
  widgets
      .AddEventHandler(
          {.on_add = [&](const Added<Unstructured>& e) { told.push_back("+" + e.key); },
           .on_delete = [&](const Deleted<Unstructured>& e) { told.push_back("-" + e.key); }})
      .OrExit();
  Create("ns-foo", "a", "red");
  Start();
  const GroupVersionResource definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  ASSERT_TRUE(server_.Delete(definitions, {.name = "widgets.shop.example"}).ok());
  Settle();
  EXPECT_EQ(told, (Texts{"+ns-foo/a", "-ns-foo/a"}));
  sim_.RunFor(minutes(1));
  server_.Load(kDefinitions).OrExit();
  Create("ns-foo", "b", "red");
  sim_.RunFor(minutes(1));
  EXPECT_EQ(told, (Texts{"+ns-foo/a", "-ns-foo/a", "+ns-foo/b"}));
  EXPECT_EQ(widgets.Snapshot().size(), 1U);
}

// A server that starts at version 1 would be behind the informer's version, and its watch would
// wait for a version far in the future.
TEST_F(EmbeddedServerTest, AServerThatTakesThePlaceOfAnotherIsListedAnew) {
  const auto begun = [&] {
    return apiserver::ApiServerOptions{.first_resource_version =
                                           apiserver::FirstResourceVersionAt(sim_.env().WallNow())};
  };
  auto earlier = std::make_unique<apiserver::ApiServer>(sim_.env(), begun());
  earlier->Load(kDefinitions).OrExit();
  for (const char* name : {"stays", "goes"}) {
    earlier->Create(kWidgets, Custom("Widget", "ns-foo", name, "red")).OrExit();
  }
  const std::shared_ptr<InMemoryTransport> transport = NewInMemoryTransport(sim_.env(), *earlier);
  client_ = Client::ForTransport(sim_.env(), transport, {});
  Factory();
  auto widgets = Widgets();
  Texts told;
  widgets
      .AddEventHandler(
          {.on_add = [&](const Added<Unstructured>& e) { told.push_back("+" + e.key); },
           .on_delete = [&](const Deleted<Unstructured>& e) { told.push_back("-" + e.key); }})
      .OrExit();
  Start();

  transport->Down();
  sim_.RunFor(seconds(2));
  apiserver::ApiServer later(sim_.env(), begun());
  later.Load(kDefinitions).OrExit();
  later.Create(kWidgets, Custom("Widget", "ns-foo", "stays", "red")).OrExit();
  transport->Replace(later);
  transport->Up();
  earlier.reset();
  sim_.RunFor(minutes(2));
  // The one of the same name has another uid.
  EXPECT_EQ(std::count(told.begin(), told.end(), "-ns-foo/goes"), 1);
  EXPECT_EQ(std::count(told.begin(), told.end(), "-ns-foo/stays"), 1);
  EXPECT_EQ(std::count(told.begin(), told.end(), "+ns-foo/stays"), 2);
  EXPECT_EQ(widgets.Snapshot().size(), 1U);
  EXPECT_TRUE(sim_.RunBlocking([this] { factory_->Shutdown(); }, minutes(1)));
  factory_.reset();
  transport->Replace(server_);
}

// ---- selection at the server

struct SelectionRow {
  const char* id;
  const char* namespace_;
  const char* labels;
  const char* fields;
  bool told;
};
class Selection : public EmbeddedServerTest, public ::testing::WithParamInterface<SelectionRow> {};

TEST_P(Selection, Handlers_AreCalledForSelectedObjectsOnly) {
  const SelectionRow& row = GetParam();
  SharedInformerFactoryOptions options;
  options.namespace_ = row.namespace_;
  options.tweak_list_options = [&row](ListOptions& list) {
    list.labelSelector = row.labels;
    list.fieldSelector = row.fields;
  };
  Factory(std::move(options));
  auto widgets = Widgets();
  Texts told;
  widgets.AddEventHandler({.on_add = [&](const Added<Unstructured>& e) { told.push_back(e.key); }})
      .OrExit();
  Start();
  Create("ns-foo", "blue", "blue");
  Settle();
  EXPECT_EQ(told, row.told ? (Texts{"ns-foo/blue"}) : Texts());
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, Selection,
    ::testing::Values(SelectionRow{"DI_01", "ns-bar", "", "", false},
                      SelectionRow{"DI_02", "ns-foo", "", "", true},
                      SelectionRow{"DI_03", "", "", "metadata.name=blue", true},
                      SelectionRow{"DI_04", "", "", "metadata.name=red", false},
                      SelectionRow{"DI_05", "", "color=blue", "", true},
                      SelectionRow{"DI_06", "", "color=red", "", false}),
    [](const auto& p) { return std::string(p.param.id); });

// ---- objects without a type of their own

TEST_F(EmbeddedServerTest, CustomObjectsComeWhole_DI07_DI08_DI09) {
  Factory();
  auto widgets = Widgets();
  Texts heard;
  ResourceEventHandlerFuncs<Unstructured> funcs;
  funcs.on_add = [&](const Added<Unstructured>& e) { heard.push_back("+" + e.object.ToJson()); };
  funcs.on_update = [&](const Updated<Unstructured>& e) {
    heard.push_back("~" + e.new_object.ToJson());
  };
  funcs.on_delete = [&](const Deleted<Unstructured>& e) { heard.push_back("-" + e.key); };
  widgets.AddEventHandler(std::move(funcs)).OrExit();
  Start();
  json::Value created = server_.Create(kWidgets, Custom("Widget", "ns-foo", "w", "blue")).OrExit();
  Settle();
  json::Value change = created;
  change.Ensure("spec", "color") = "red";
  const json::Value updated = server_.Update(kWidgets, std::move(change)).OrExit();
  Settle();
  server_.Delete(kWidgets, {"ns-foo", "w"}).OrExit();
  Settle();
  ASSERT_EQ(heard.size(), 3U);
  EXPECT_EQ(json::Parse(heard[0].substr(1)).OrExit(), created);
  EXPECT_EQ(json::Parse(heard[1].substr(1)).OrExit(), updated);
  EXPECT_EQ(heard[2], "-ns-foo/w");
}

TEST_F(EmbeddedServerTest, MetadataOfAnyObject_MI01_MI02_MI03) {
  Factory();
  auto widgets = factory_->MetadataInformerFor(kWidgets, "Widget");
  Texts heard;
  ResourceEventHandlerFuncs<metav1::PartialObjectMetadata> funcs;
  const auto text = [](const metav1::PartialObjectMetadata& object) {
    return std::string(object.metadata().name()) + " " +
           std::string(object.metadata().labels().Find("color").value_or("none"));
  };
  funcs.on_add = [&](const Added<metav1::PartialObjectMetadata>& e) {
    heard.push_back("+" + text(e.object));
  };
  funcs.on_update = [&](const Updated<metav1::PartialObjectMetadata>& e) {
    heard.push_back("~" + text(e.old_object) + ">" + text(e.new_object));
  };
  funcs.on_delete = [&](const Deleted<metav1::PartialObjectMetadata>& e) {
    heard.push_back("-" + text(e.object));
  };
  widgets.AddEventHandler(std::move(funcs)).OrExit();
  Start();
  Create("ns-foo", "w", "blue");
  Settle();
  json::Value change = server_.Get(kWidgets, {"ns-foo", "w"}).OrExit();
  change.Ensure("metadata", "labels", "color") = "red";
  server_.Update(kWidgets, std::move(change)).OrExit();
  Settle();
  server_.Delete(kWidgets, {"ns-foo", "w"}).OrExit();
  Settle();
  EXPECT_EQ(heard, (Texts{"+w blue", "~w blue>w red", "-w red"}));
}

// Checks that are the same for the listers of all types of dynamic objects. Both listers,
// `namespaced` and `cluster`, have widgets and gadgets.
template <class T>
void AskLister(const Lister<T>& namespaced, const Lister<T>& cluster) {
  const Result<Ref<T>> one = namespaced.Namespace("ns-foo").Get("one");
  ASSERT_TRUE(one.ok()) << one.error();
  const Ref<T> object = *one;
  EXPECT_EQ(object->metadata().name(), "one");
  EXPECT_EQ(namespaced.Namespace("ns-foo").Get("absent").error().reason(), Reason::kNotFound);
  EXPECT_EQ(Names(namespaced.Namespace("ns-foo").List()), (Texts{"one", "two"}));
  EXPECT_TRUE(cluster.Get("one").ok());
  // client-go returns NotFound; but this is a mistake of the caller, not an answer.
  EXPECT_EQ(namespaced.Get("one").error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(Names(namespaced.List()), (Texts{"one", "three", "two"}));
}

TEST_F(EmbeddedServerTest, ListersOfObjectsWithoutAType_DL01_to_DL12) {
  Create("ns-foo", "one", "blue");
  Create("ns-foo", "two", "red");
  Create("ns-bar", "three", "blue");
  server_.Create(kGadgets, Custom("Gadget", "", "one", "blue")).OrExit();
  Factory();
  const auto widgets = Widgets();
  const auto gadgets = factory_->ForResource(kGadgets, "Gadget", false);
  Start();
  {
    SCOPED_TRACE("dynamic");
    AskLister(widgets.lister(), gadgets.lister());
  }
  ASSERT_TRUE(sim_.RunBlocking([this] { factory_->Shutdown(); }, minutes(1)));
  Factory();
  const auto widget_metadata = factory_->MetadataInformerFor(kWidgets, "Widget");
  const auto gadget_metadata = factory_->MetadataInformerFor(kGadgets, "Gadget", false);
  Start();
  SCOPED_TRACE("metadata");
  AskLister(widget_metadata.lister(), gadget_metadata.lister());
}

// ---- watch-lists through the client

TEST_F(EmbeddedServerTest, AllInformersSyncByAWatchAlone_WL52_WL54_WL56) {
  server_.faults().Add({.verb = "list", .status = 500});
  Create("ns-foo", "w", "blue");
  Factory();
  const auto namespaces = factory_->InformerFor<corev1::Namespace>();
  const auto widgets = Widgets();
  const auto gadgets = factory_->MetadataInformerFor(kGadgets, "Gadget", false);
  Start();
  EXPECT_GE(namespaces.Snapshot().size(), 2U);
  EXPECT_EQ(widgets.Snapshot().size(), 1U);
  EXPECT_TRUE(gadgets.HasSynced());
  EXPECT_EQ(server_.faults().hits(), 0U) << "nobody lists";
}

TEST(Features, ASwitchOfTheEnvironment_FG02_FG04_FG05_FG06) {
  using internal::client::ParseFeature;
  for (const bool fallback : {false, true}) {
    EXPECT_EQ(ParseFeature(nullptr, fallback), fallback) << "not set";
    EXPECT_TRUE(ParseFeature("true", fallback));
    EXPECT_FALSE(ParseFeature("false", fallback));
    EXPECT_EQ(ParseFeature("perhaps", fallback), fallback);
    EXPECT_EQ(ParseFeature("", fallback), fallback);
  }
}

}  // namespace
}  // namespace kinformer
