// All kinds of webhooks together: a WebhookServer with a defaulter, a validator and conversions;
// the embedded API server that calls it; an operator and informers that use both versions of a
// custom resource. Webhooks are slow, fail and are cut off during the test.

#include <chrono>
#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/json/json.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/testing/environment.h"
#include "kinformer/webhook/webhook_server.h"

#include "simulation/dice.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The hub version has a number `size`, the spoke version a text `length`; likewise status.seen and
// status.shown.
struct WidgetSpec {
  std::int64_t size = 0;
};
struct WidgetStatus {
  std::int64_t seen = 0;
};
struct Widget {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  WidgetSpec spec{};
  WidgetStatus status{};
};
struct AlphaSpec {
  std::string length{};
};
struct AlphaStatus {
  std::string shown{};
};
struct AlphaWidget {
  static constexpr CustomKind kKind{
      .group = "example.com", .version = "v1alpha1", .kind = "Widget"};
  AlphaSpec spec{};
  AlphaStatus status{};
};
using Widgets = CustomResource<Widget>;
using AlphaWidgets = CustomResource<AlphaWidget>;

constexpr std::int64_t kTooLarge = 100;
const GroupVersionResource kHub{"example.com", "v1", "widgets"};

std::int64_t Number(std::string_view text) {
  return text.empty() ? 0 : std::stoll(std::string(text));
}

Conversions HubAndSpoke() {
  Conversions conversions;
  conversions
      .AddSpoke<Widgets, AlphaWidgets>(
          [](const AlphaWidgets& from, Widgets::Mutable& to) -> Result<void> {
            to.spec.size = Number(from.value().spec.length);
            to.status.seen = Number(from.value().status.shown);
            return {};
          },
          [](const Widgets& from, AlphaWidgets::Mutable& to) -> Result<void> {
            to.spec.length = std::to_string(from.value().spec.size);
            to.status.shown = std::to_string(from.value().status.seen);
            return {};
          })
      .OrExit();
  return conversions;
}

// Versions of reviews and of the requests in them: "v1 about v1alpha1".
using Questions = std::set<std::string>;
void Note(const admission::Request& request, Questions& questions) {
  questions.insert(request.kind.version + " about " + request.requestKind->version);
  EXPECT_EQ(request.resource.version, request.kind.version);
  for (const json::Value& object : {request.object, request.oldObject}) {
    if (object.is_null()) continue;
    EXPECT_EQ(object["apiVersion"].StringOrEmpty(), "example.com/" + request.kind.version);
  }
}

class SizeValidator final : public admission::Validator<Widgets> {
 public:
  explicit SizeValidator(Questions& questions) : questions_(questions) {}
  Result<void> ValidateCreate(const admission::Request& request, const Widgets& widget,
                              admission::Warnings&) override {
    return Judge(request, widget);
  }
  Result<void> ValidateUpdate(const admission::Request& request, const Widgets&,
                              const Widgets& widget, admission::Warnings&) override {
    return Judge(request, widget);
  }
  Result<void> ValidateDelete(const admission::Request& request, const Widgets&,
                              admission::Warnings&) override {
    Note(request, questions_);
    return {};
  }

 private:
  Result<void> Judge(const admission::Request& request, const Widgets& widget) {
    Note(request, questions_);
    if (widget.value().spec.size < kTooLarge) return {};
    return Error(Reason::kForbidden, "it is too large");
  }
  Questions& questions_;
};

// The validator uses the hub version, the defaulter the spoke version.
void Register(WebhookServer& webhooks, Questions& questions) {
  webhooks.RegisterConversions(HubAndSpoke()).OrExit();
  webhooks.RegisterValidator<Widgets>(std::make_shared<SizeValidator>(questions)).OrExit();
  webhooks
      .RegisterDefaulter<AlphaWidgets>([&questions](const admission::Request& request,
                                                    AlphaWidgets::Mutable& widget) -> Result<void> {
        Note(request, questions);
        if (widget.spec.length.empty() || widget.spec.length == "0") widget.spec.length = "7";
        return {};
      })
      .OrExit();
}

constexpr std::string_view kManifests = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: default, name: hooks, path: /convert}}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
          status: {type: object, properties: {seen: {type: integer}}}
  - name: v1alpha1
    served: true
    storage: false
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {length: {type: string}}}
          status: {type: object, properties: {shown: {type: string}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: widgets}
webhooks:
- name: default.widgets.example.com
  sideEffects: None
  timeoutSeconds: 5
  admissionReviewVersions: [v1]
  clientConfig:
    service: {namespace: default, name: hooks, path: /mutate-example-com-v1alpha1-widget}
  rules:
  - {operations: [CREATE, UPDATE], apiGroups: [example.com], apiVersions: [v1alpha1],
     resources: [widgets]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: widgets}
webhooks:
- name: check.widgets.example.com
  sideEffects: None
  timeoutSeconds: 5
  admissionReviewVersions: [v1]
  clientConfig:
    service: {namespace: default, name: hooks, path: /validate-example-com-v1-widget}
  rules:
  - {operations: ["*"], apiGroups: [example.com], apiVersions: [v1],
     resources: [widgets, widgets/status]}
)";

// A client must see its last write or a later one. Counts how often it does.
template <class T>
void ExpectSeen(const DelegatingClient& client, const ReconcileContext& context,
                const Ref<T>& written, int& seen_own) {
  const ObjectName name{std::string(written->metadata().namespace_()),
                        std::string(written->metadata().name())};
  const auto seen = client.Get<T>(name, context.call());
  if (!seen) {
    // Otherwise it returns an error: the watch waits for a webhook.
    EXPECT_TRUE(IsNotFound(seen.error()) || seen.error().reason() == Reason::kStale ||
                seen.error().reason() == Reason::kStopped ||
                seen.error().reason() == Reason::kCanceled)
        << seen.error();
    return;
  }
  EXPECT_GE(Number((*seen)->metadata().resourceVersion()),
            Number(written->metadata().resourceVersion()));
  ++seen_own;
}

// Writes the size from each widget's spec into its status, and reads it back: large widgets in one
// version, small ones in the other.
std::function<void(Manager&)> Seeing(int& seen_own) {
  return [&seen_own](Manager& manager) {
    ControllerBuilder(manager)
        .For<AlphaWidgets>()
        .Complete([client = manager.GetClient(), &seen_own](
                      const ReconcileContext& context,
                      const Request& request) -> Result<ReconcileResult> {
          const auto alpha = client.Get<AlphaWidgets>(request, context.call());
          if (!alpha) return IgnoreNotFound(alpha.error());
          AlphaWidgets::Mutable change = (*alpha)->DeepCopy();
          if (change.status.shown == change.spec.length) return ReconcileResult{};
          if (Number(change.spec.length) < kTooLarge / 2) {
            change.status.shown = change.spec.length;
            const auto updated = client.UpdateStatus(change, {}, context.call());
            if (!updated) return updated.error();
            ExpectSeen<AlphaWidgets>(client, context, *updated, seen_own);
            return ReconcileResult{};
          }
          const auto hub = client.Get<Widgets>(request, context.call());
          if (!hub) return IgnoreNotFound(hub.error());
          Widgets::Mutable hub_change = (*hub)->DeepCopy();
          hub_change.status.seen = Number(change.spec.length);
          const auto updated = client.UpdateStatus(hub_change, {}, context.call());
          if (!updated) return updated.error();
          ExpectSeen<Widgets>(client, context, *updated, seen_own);
          return ReconcileResult{};
        })
        .OrExit();
  };
}

// Content of the objects by name: version and content.
std::string Content(const Widgets& widget) {
  return std::string(widget.metadata().resourceVersion()) + " " +
         std::to_string(widget.value().spec.size) + " " +
         std::to_string(widget.value().status.seen);
}
std::string Content(const AlphaWidgets& widget) {
  return std::string(widget.metadata().resourceVersion()) + " " + widget.value().spec.length + " " +
         (widget.value().status.shown.empty() ? "0" : widget.value().status.shown);
}
template <class T, class Objects>
std::map<std::string, std::string> Contents(const Objects& objects) {
  std::map<std::string, std::string> out;
  for (const T object : objects) out[std::string(object.metadata().name())] = Content(object);
  return out;
}

// Clients that write in both versions, and troubles.
class Writer {
 public:
  Writer(Environment& env, std::uint64_t seed)
      : env_(env),
        dice_(seed),
        hub_(env.client().For<Widgets>("default")),
        alpha_(env.client().For<AlphaWidgets>("default")) {}

  void Step() {
    Trouble();
    const std::string name = "w" + std::to_string(dice_.Below(5));
    const auto size = static_cast<std::int64_t>(dice_.Below(kTooLarge + 20));
    const bool alpha = dice_.OneIn(2);
    const Result<void> done = dice_.OneIn(6) ? Delete(name, alpha)
                              : alpha        ? WriteAlpha(name, size)
                                             : WriteHub(name, size);
    if (done) {
      ++written;
      return;
    }
    if (IsForbidden(done.error())) {
      EXPECT_THAT(done.error().message(), HasSubstr("it is too large"));
      ++refused;
    } else if (!IsNotFound(done.error()) && !IsConflict(done.error())) {
      ++failed;
    }
  }

  int written = 0;
  int refused = 0;
  int failed = 0;

 private:
  void Trouble() {
    env_.env().SleepFor(dice_.Milliseconds(20'000));
    env_.DelayWebhooks(dice_.OneIn(3) ? dice_.Milliseconds(7000) : milliseconds(0));
    if (dice_.OneIn(6)) env_.FailWebhooks(dice_.Milliseconds(15'000));
    if (dice_.OneIn(6)) env_.DisconnectWebhooks(dice_.Milliseconds(15'000));
    if (dice_.OneIn(8)) {
      env_.server().With([](apiserver::ApiServer& server) { server.CloseWatches(); });
    }
    if (dice_.OneIn(10)) {
      env_.server().With(
          [](apiserver::ApiServer& server) { server.Compact(server.current_resource_version()); });
    }
  }
  Result<void> Delete(const std::string& name, bool alpha) {
    return alpha ? alpha_.Delete(name) : hub_.Delete(name);
  }
  Result<void> WriteHub(const std::string& name, std::int64_t size) {
    const auto there = hub_.Get(name);
    Widgets::Mutable widget;
    if (there) widget = (*there)->DeepCopy();
    widget.metadata.name = name;
    widget.spec.size = size;
    return Done(there ? hub_.Update(widget) : hub_.Create(widget), size);
  }
  Result<void> WriteAlpha(const std::string& name, std::int64_t size) {
    const auto there = alpha_.Get(name);
    AlphaWidgets::Mutable widget;
    if (there) widget = (*there)->DeepCopy();
    widget.metadata.name = name;
    widget.spec.length = std::to_string(size);
    return Done(there ? alpha_.Update(widget) : alpha_.Create(widget), size);
  }
  static std::int64_t SizeOf(const Widgets& widget) { return widget.value().spec.size; }
  static std::int64_t SizeOf(const AlphaWidgets& widget) {
    return Number(widget.value().spec.length);
  }
  template <class T>
  static Result<void> Done(const Result<Ref<T>>& done, std::int64_t size) {
    if (!done) return done.error();
    // Neither the validator nor the defaulter may be bypassed.
    EXPECT_LT(size, kTooLarge);
    EXPECT_EQ(SizeOf(**done), size == 0 ? 7 : size);
    return {};
  }

  Environment& env_;
  Dice dice_;
  const ResourceClient<Widgets> hub_;
  const ResourceClient<AlphaWidgets> alpha_;
};

class WebhooksOfAllKinds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(WebhooksOfAllKinds, BothVersionsComeToTheSame) {
  Questions questions;
  int seen_own = 0;
  Environment env({.seed = GetParam(), .failed = ::testing::Test::HasFailure});
  Register(env.webhooks(), questions);
  env.server().Load(kManifests).OrExit();
  env.AddReplica("operator", Seeing(seen_own));
  SharedInformerFactory factory(env.client());
  const auto hub = factory.InformerFor<Widgets>();
  const auto alpha = factory.InformerFor<AlphaWidgets>();
  factory.Start();

  Writer writer(env, GetParam());
  ASSERT_TRUE(env.Blocking([&] {
    ASSERT_TRUE(factory.WaitForCacheSync().ok());
    for (int i = 0; i < 60; ++i) writer.Step();
  }));
  EXPECT_GT(writer.written, 10);
  EXPECT_GT(writer.failed, 0) << "nothing has gone wrong";
  EXPECT_GT(seen_own, 0);

  // The troubles are over.
  env.DelayWebhooks(seconds(0));
  env.RunFor(minutes(1));
  ASSERT_TRUE(env.Settle());
  ASSERT_TRUE(env.Blocking([&] {
    const auto hubs = env.client().For<Widgets>("default").List().OrExit();
    const auto alphas = env.client().For<AlphaWidgets>("default").List().OrExit();
    EXPECT_EQ(Contents<Widgets>(hub.Snapshot()), Contents<Widgets>(hubs));
    EXPECT_EQ(Contents<AlphaWidgets>(alpha.Snapshot()), Contents<AlphaWidgets>(alphas));
    EXPECT_FALSE(hubs.empty());
    // Both versions show the same objects, and the operator has seen all of them.
    EXPECT_EQ(Contents<Widgets>(hubs), Contents<AlphaWidgets>(alphas));
    for (const Widgets widget : hubs) {
      EXPECT_EQ(widget.value().status.seen, widget.value().spec.size);
    }
  }));
  EXPECT_THAT(questions, ElementsAre("v1 about v1", "v1 about v1alpha1", "v1alpha1 about v1",
                                     "v1alpha1 about v1alpha1"));
  factory.Shutdown();
}

INSTANTIATE_TEST_SUITE_P(Seeds, WebhooksOfAllKinds, ::testing::Range<std::uint64_t>(1, 21));

TEST(WebhooksOfAReplica, AreThereWhileItRuns) {
  Questions questions;
  int seen_own = 0;
  Environment env({.failed = ::testing::Test::HasFailure});
  const auto setup = [&](Manager& manager) {
    Seeing(seen_own)(manager);
    Register(manager.GetWebhookServer(), questions);
  };
  Replica& replica = env.AddReplica("a", setup);
  env.ServeWebhooks(replica);
  env.server().Load(kManifests).OrExit();
  const auto write = [&](const std::string& name) {
    Result<void> done;
    EXPECT_TRUE(env.Blocking([&] {
      AlphaWidgets::Mutable widget;
      widget.metadata.name = name;
      const auto made = env.client().For<AlphaWidgets>("default").Create(widget);
      if (!made) done = made.error();
    }));
    return done;
  };
  EXPECT_TRUE(write("x").ok());
  ASSERT_TRUE(env.Settle());
  const json::Value made = env.server().Get(kHub, {"default", "x"}).OrExit();
  EXPECT_EQ(made.At("/spec/size").AsInt64(), 7);
  EXPECT_EQ(made.At("/status/seen").AsInt64(), 7);

  replica.Crash();
  EXPECT_THAT(write("y").error().message(),
              HasSubstr(R"(failed calling webhook "default.widgets.example.com")"));
  env.ServeWebhooks(env.AddReplica("b", setup));
  EXPECT_TRUE(write("y").ok());
  EXPECT_THAT(env.Schedule(), HasSubstr("b starts"));
}

TEST(WebhooksOfAnEnvironment, EqualSeedsAreEqualRuns) {
  const auto run = [](std::uint64_t seed) {
    Questions questions;
    int seen_own = 0;
    Environment env({.seed = seed});
    Register(env.webhooks(), questions);
    env.server().Load(kManifests).OrExit();
    env.AddReplica("operator", Seeing(seen_own));
    Writer writer(env, 1);
    EXPECT_TRUE(env.Blocking([&] {
      for (int i = 0; i < 10; ++i) writer.Step();
    }));
    return env.simulation().TraceHash();
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

}  // namespace
}  // namespace kinformer::testing
