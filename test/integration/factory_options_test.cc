// Effects of a factory's options on the objects of a server: transforms, projections, reads without
// a cache, and the choice between versions of a resource. Tested against the embedded API server in
// simulated time.

#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/api/autoscalingv1.h"
#include "kinformer/api/autoscalingv2.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/dynamic_shared_informer_factory.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/object.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using corev1::Secret;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kObjects = R"(
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: shop, labels: {app: web}}
data: {password: c2VzYW1l}
---
apiVersion: v1
kind: Secret
metadata: {name: other, namespace: default}
data: {password: b3Blbg==}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
  annotations: {noise: long, keep: it}
data: {colour: red}
)";

class FactoryOptions : public ::testing::Test {
 protected:
  FactoryOptions() { EXPECT_TRUE(server_.Load(kObjects)); }
  void Block(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1)));
  }
  void Sync(SharedInformerFactory& factory) {
    factory.Start();
    Block([&] { EXPECT_TRUE(factory.WaitForCacheSync({}, {.timeout = minutes(1)})); });
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
};

// ---- Content of the caches

TEST_F(FactoryOptions, ATransformOfOneTypeLeavesTheOthersAlone) {
  SharedInformerFactory factory(client_,
                                {.transform = TransformOf<Secret>([](const Ref<Secret>& secret) {
                                   Secret::Mutable change = secret->DeepCopy();
                                   for (auto& [key, value] : change.data) value.clear();
                                   return WithContent(secret, change);
                                 })});
  const auto secrets = factory.InformerFor<Secret>();
  const auto maps = factory.InformerFor<ConfigMap>();
  const auto dynamic = factory.ForResource({"", "v1", "secrets"}, "Secret");
  Sync(factory);
  const Ref<Secret> token = secrets.lister().Get("shop", "token").OrExit();
  EXPECT_EQ(token->data().size(), 1U);
  EXPECT_EQ(token->data().Find("password"), "");
  EXPECT_EQ(token->metadata().labels().Find("app"), "web");
  const Ref<ConfigMap> settings = maps.lister().Get("shop", "settings").OrExit();
  EXPECT_EQ(settings->data().Find("colour"), "red");
  // Caches of other types have their own objects.
  const Ref<Unstructured> whole = dynamic.lister().Get("shop", "token").OrExit();
  EXPECT_EQ(whole->root()["data"]["password"].StringOrEmpty(), "c2VzYW1l");
  // A transform keeps an object's identity, so the consistency check finds no difference.
  sim_.RunFor(minutes(5));
  EXPECT_GE(secrets.Stats().consistency_checks, 4U);
  EXPECT_EQ(secrets.Stats().inconsistencies, 0U);
}

TEST_F(FactoryOptions, ATransformOfAllKindsAndWhatBecomesOfItsObjects) {
  SharedInformerFactory factory(
      client_, {.transform = [](const AnyRef& object) -> Result<AnyRef> {
        Result<json::Value> whole = json::Parse(object->ToJson());
        if (!whole) return whole.error();
        // Returns an error if it does not exist.
        static_cast<void>(whole->ErasePointer("/metadata/annotations/noise"));
        return WithContent(object, *whole);
      }});
  const auto maps = factory.InformerFor<ConfigMap>();
  const auto dynamic = factory.ForResource({"", "v1", "configmaps"}, "ConfigMap");
  Sync(factory);
  const Ref<ConfigMap> typed = maps.lister().Get("shop", "settings").OrExit();
  EXPECT_FALSE(typed->metadata().annotations().contains("noise"));
  EXPECT_EQ(typed->metadata().annotations().Find("keep"), "it");
  EXPECT_EQ(typed->data().Find("colour"), "red");
  const Ref<Unstructured> json = dynamic.lister().Get("shop", "settings").OrExit();
  EXPECT_FALSE(json->metadata().annotations().contains("noise"));
  Block([&] {
    // An object made from JSON may lack fields, so the client refuses to send it.
    const auto update = client_.For<ConfigMap>("shop").Update(typed->DeepCopy());
    ASSERT_FALSE(update);
    EXPECT_EQ(update.error().reason(), Reason::kInvalidArgument);
    EXPECT_FALSE(json->DeepCopy()[kPartialMember].AsBool().value_or(false));
  });
}

TEST_F(FactoryOptions, WithContentKeepsWhetherAnObjectIsPartial) {
  SharedInformerFactory factory(
      client_, {.projection = Projection::Drop({"metadata.annotations"}).OrExit()});
  const auto maps = factory.InformerFor<ConfigMap>();
  const auto dynamic = factory.ForResource({"", "v1", "configmaps"}, "ConfigMap");
  Sync(factory);
  const Ref<ConfigMap> typed = maps.lister().Get("shop", "settings").OrExit();
  EXPECT_TRUE(typed->DeepCopy().is_partial);
  EXPECT_TRUE(WithContent(typed, typed->DeepCopy()).OrExit().object()->partial());
  const Ref<Unstructured> json = dynamic.lister().Get("shop", "settings").OrExit();
  const Ref<Unstructured> again = WithContent(json, json->DeepCopy()).OrExit();
  EXPECT_TRUE(again.object()->partial());
  EXPECT_FALSE(again->root()[kPartialMember].exists());
  Block([&] {
    const Ref<Secret> secret = client_.For<Secret>("shop").Get("token").OrExit();
    Secret::Mutable change = secret->DeepCopy();
    change.type = "shop/other";
    const Ref<Secret> made = WithContent(secret, change).OrExit();
    EXPECT_FALSE(made.object()->partial());
    EXPECT_EQ(made->type(), "shop/other");
    EXPECT_EQ(made->metadata().uid(), secret->metadata().uid());
    json::Value bad = json->DeepCopy();
    bad.Ensure("metadata") = json::Value("none");
    EXPECT_FALSE(WithContent(json, bad));
  });
}

TEST_F(FactoryOptions, Projection_DropsAnAnnotationOfAllKinds) {
  SharedInformerFactory factory(
      client_,
      {.drop_managed_fields = true,
       .projection = Projection::Drop({R"(metadata.annotations["noise"])"}).OrExit(),
       .by_resource = {{ResourceOf<Secret>(), {.label_selector = LabelSelector::Nothing()}}}});
  const auto maps = factory.InformerFor<ConfigMap>();
  const auto dynamic = factory.ForResource({"", "v1", "configmaps"}, "ConfigMap");
  const auto secrets = factory.InformerFor<Secret>();
  Sync(factory);
  const Ref<ConfigMap> typed = maps.lister().Get("shop", "settings").OrExit();
  EXPECT_FALSE(typed->metadata().annotations().contains("noise"));
  EXPECT_EQ(typed->metadata().annotations().Find("keep"), "it");
  const Ref<Unstructured> json = dynamic.lister().Get("shop", "settings").OrExit();
  EXPECT_FALSE(json->metadata().annotations().contains("noise"));
  EXPECT_EQ(secrets.Snapshot().size(), 0U);
}

// ---- Reads without a cache

TEST_F(FactoryOptions, SecretsAreReadFromTheServerEachTime) {
  SharedInformerFactory factory(
      client_,
      {.namespaces = {"shop"}, .by_resource = {{ResourceOf<Secret>(), {.cached = false}}}});
  const Reader<Secret> secrets = factory.ReaderFor<Secret>();
  const Reader<ConfigMap> maps = factory.ReaderFor<ConfigMap>();
  EXPECT_TRUE(secrets.IsLive());
  EXPECT_FALSE(maps.IsLive());
  // Watching Secrets is forbidden, and the factory does not try.
  server_.faults().Add({.verb = "watch", .resource = "secrets", .status = 403});
  Sync(factory);
  Block([&] {
    const Ref<Secret> token = secrets.Get("shop", "token").OrExit();
    EXPECT_EQ(token->data().Find("password"), "sesame");
    Secret::Mutable change = token->DeepCopy();
    change.data["password"] = "changed";
    client_.For<Secret>("shop").Update(change).OrExit();
    // A write is visible at once.
    const Ref<Secret> now = secrets.Get("shop", "token").OrExit();
    EXPECT_EQ(now->data().Find("password"), "changed");
    EXPECT_EQ(secrets.Get("shop", "none").error().reason(), Reason::kNotFound);
    EXPECT_EQ(secrets.Get("", "token").error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(secrets.List().OrExit().size(), 1U) << "where the factory looks";
    EXPECT_EQ(secrets.List("shop", LabelSelector::Parse("app=web").OrExit()).OrExit().size(), 1U);
    EXPECT_EQ(secrets.List("shop", LabelSelector::Parse("app=db").OrExit()).OrExit().size(), 0U);
    EXPECT_EQ(secrets.List("shop", LabelSelector::Nothing()).OrExit().size(), 0U);
    // The same errors as from the cache.
    for (const Error& error :
         {secrets.Get("default", "other").error(), maps.Get("default", "other").error(),
          secrets.List("default").error(), maps.List("default").error()}) {
      EXPECT_EQ(error.reason(), Reason::kOutOfScope) << error;
    }
    EXPECT_EQ(maps.Get("shop", "settings").OrExit().object()->name(), "settings");
    EXPECT_EQ(maps.List().OrExit().size(), 1U);
  });
  sim_.env().loop().Post([&] {
    EXPECT_EQ(secrets.Get("shop", "token").error().reason(), Reason::kWouldDeadlock);
    EXPECT_EQ(secrets.List().error().reason(), Reason::kWouldDeadlock);
    EXPECT_TRUE(maps.Get("shop", "settings").ok());
  });
  sim_.RunReady();
}

TEST_F(FactoryOptions, LiveReads_CoverTheGivenNamespacesOrAll) {
  const ResourceCacheOptions live{.cached = false};
  SharedInformerFactory everywhere(client_, {.by_resource = {{ResourceOf<Secret>(), live}}});
  SharedInformerFactory both(
      client_,
      {.by_resource = {{ResourceOf<Secret>(),
                        {.cached = false, .namespaces = {"shop", "default", "kube-system"}}},
                       {ResourceOf<corev1::Namespace>(), live}}});
  Block([&] {
    for (SharedInformerFactory* factory : {&everywhere, &both}) {
      std::vector<std::string> names;
      for (const Ref<Secret>& secret : factory->ReaderFor<Secret>().List().OrExit()) {
        names.emplace_back(secret->metadata().name());
      }
      EXPECT_THAT(names, UnorderedElementsAre("token", "other"));
    }
    const Reader<corev1::Namespace> namespaces = both.ReaderFor<corev1::Namespace>();
    EXPECT_TRUE(namespaces.Get("", "shop"));
    EXPECT_EQ(namespaces.Get("shop", "shop").error().reason(), Reason::kInvalidArgument);
    EXPECT_TRUE(namespaces.List("shop").OrExit().empty());
    // If one namespace is refused, the list is an error, never incomplete.
    server_.faults().Add(
        {.verb = "list", .resource = "secrets", .namespace_ = "default", .status = 403});
    EXPECT_TRUE(IsForbidden(both.ReaderFor<Secret>().List().error()));
  });
}

// ---- Choice of the version

TEST_F(FactoryOptions, TheBestVersionThatIsServed) {
  SharedInformerFactory factory(client_);
  using V1 = autoscalingv1::HorizontalPodAutoscaler;
  using V2 = autoscalingv2::HorizontalPodAutoscaler;
  Block([&] {
    EXPECT_EQ((factory.InformerForFirstServed<V2, V1>().OrExit().index()), 0U);
    EXPECT_EQ((factory.InformerForFirstServed<V1, V2>().OrExit().index()), 0U);
    const auto named =
        factory.InformerForFirstServed<V2, V1>({{.namespace_ = "shop"}, {}}).OrExit();
    EXPECT_EQ(std::get<0>(named).core()->Describe(),
              "horizontalpodautoscalers.autoscaling in namespace shop");
  });
  sim_.env().loop().Post([&] {
    client_.Discovery().Invalidate();
    EXPECT_EQ((factory.InformerForFirstServed<V2, V1>().error().reason()), Reason::kWouldDeadlock);
  });
  sim_.RunReady();
}

struct CarV1 {
  static constexpr CustomKind kKind{.group = "shop.example", .version = "v1", .kind = "Car"};
  std::string colour{};
};
struct CarV2 {
  static constexpr CustomKind kKind{.group = "shop.example", .version = "v2", .kind = "Car"};
  std::string colour{};
};

std::string Definition(std::string_view v2_served) {
  return R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cars.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: cars, kind: Car}
  versions:
  - {name: v1, served: true, storage: true,
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: )" +
         std::string(v2_served) + R"(, storage: false,
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)";
}

constexpr std::string_view kCar = R"(
apiVersion: shop.example/v1
kind: Car
metadata: {name: beetle, namespace: shop}
colour: red
)";

TEST_F(FactoryOptions, AResourceThatIsServedInAnOldVersionOnly) {
  using Old = CustomResource<CarV1>;
  using New = CustomResource<CarV2>;
  SharedInformerFactory factory(client_);
  Block([&] {
    // A missing resource must not look like a missing object.
    SharedInformerFactory live(client_, {.by_resource = {{ResourceOf<Old>(), {.cached = false}}}});
    for (const Error& error : {live.ReaderFor<Old>().Get("shop", "beetle").error(),
                               live.ReaderFor<Old>().List().error()}) {
      EXPECT_EQ(error.reason(), Reason::kNotSynced) << error;
    }
    const Error none = factory.InformerForFirstServed<New, Old>().error();
    EXPECT_TRUE(IsNotFound(none));
    EXPECT_THAT(none.message(), HasSubstr("cars.v2.shop.example, cars.v1.shop.example"));
  });
  ASSERT_TRUE(server_.Load(Definition("false")));
  ASSERT_TRUE(server_.Load(kCar));
  std::optional<std::variant<SharedInformer<New>, SharedInformer<Old>>> cars;
  Block([&] { cars = factory.InformerForFirstServed<New, Old>().OrExit(); });
  ASSERT_EQ(cars->index(), 1U) << "asked anew, though it had not been there";
  Sync(factory);
  std::string colour;
  std::visit(
      [&](const auto& informer) {
        const auto car = informer.lister().Get("shop", "beetle").OrExit();
        colour = car->value().colour;
      },
      *cars);
  EXPECT_EQ(colour, "red");
  // The server gets the new version; a client that discards its discovery data uses it.
  ASSERT_TRUE(server_.Delete({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                             {"", "cars.shop.example"}));
  sim_.RunFor(minutes(1));
  ASSERT_TRUE(server_.Load(Definition("true")));
  Block([&] {
    client_.Discovery().Invalidate();
    EXPECT_EQ((factory.InformerForFirstServed<New, Old>().OrExit().index()), 0U);
  });
}

TEST_F(FactoryOptions, DynamicInformersByNameAndByVersions) {
  ASSERT_TRUE(server_.Load(Definition("false")));
  ASSERT_TRUE(server_.Load(kCar));
  const GroupVersionResource v1{"shop.example", "v1", "cars"};
  const GroupVersionResource v2{"shop.example", "v2", "cars"};
  DynamicSharedInformerFactory factory(client_, {.by_resource = {{v1, {.namespaces = {"shop"}}}}});
  Block([&] {
    const auto by_name = factory.ForResource("cars.shop.example").OrExit();
    EXPECT_EQ(by_name.core()->Describe(), "cars.shop.example in namespace shop");
    EXPECT_EQ(factory.ForResource("Car.shop.example").OrExit().core(), by_name.core());
    EXPECT_EQ(factory.ForFirstServed({v2, v1}).OrExit().core(), by_name.core());
    EXPECT_TRUE(IsNotFound(factory.ForFirstServed({v2}).error()));
    EXPECT_TRUE(IsNotFound(factory.ForResource("carts.shop.example").error()));
    const Reader<Unstructured> reader = factory.ReaderFor(v1).OrExit();
    factory.Start();
    EXPECT_TRUE(factory.WaitForCacheSync({}, {.timeout = minutes(1)}));
    EXPECT_TRUE(factory.WaitForHandlersSync({}, minutes(1)));
    EXPECT_EQ(reader.List().OrExit().size(), 1U);
    factory.Release(by_name);
  });
  DynamicSharedInformerFactory uncached(client_, {.by_resource = {{v1, {.cached = false}}}});
  Block([&] {
    const Reader<Unstructured> reader = uncached.ReaderFor(v1).OrExit();
    EXPECT_TRUE(reader.IsLive());
    const Ref<Unstructured> car = reader.Get("shop", "beetle").OrExit();
    EXPECT_EQ(car->root()["colour"].StringOrEmpty(), "red");
    auto refused = uncached.ForResource(v1).OrExit();
    EXPECT_EQ(refused.AddEventHandler(ResourceEventHandlerFuncs<Unstructured>()).error().reason(),
              Reason::kStopped);
    // The wait reports it at once.
    uncached.Start();
    EXPECT_EQ(uncached.WaitForCacheSync().error().reason(), Reason::kStopped);
  });
}

}  // namespace
}  // namespace kinformer::testing
