#include "apiserver/registry/webhook_conversion.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

#include "apiserver/registry/conversion.h"
#include "apiserver/registry/conversion_webhook.h"
#include "apiserver/registry/defined_resource.h"

namespace kinformer::apiserver {
namespace {

// Returns v1, which is stored, and v2, whose schema has fewer fields.
ResourceAt Things(ResourceTable& table, bool webhook, std::string_view version) {
  const std::string conversion =
      webhook ? ", conversion: {strategy: Webhook, webhook: {clientConfig: {url: 'https://h/c'}, "
                "conversionReviewVersions: [v1]}}"
              : "";
  const auto defined = DefinedResource::Make(
      yaml::Parse(
          "{group: g.io, scope: Namespaced, names: {plural: things, kind: Thing}" + conversion +
          ", versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: "
          "object, properties: {a: {type: string}, b: {type: string, nullable: false}}}}}, {name: "
          "v2, served: true, schema: {openAPIV3Schema: {type: object, properties: {a: {type: "
          "string}}}}}]}")
          .OrExit());
  (void)table.Install(defined, yaml::Parse("{plural: things, kind: Thing}").OrExit());
  return table.Find("g.io", version, "things");
}

StoredObjectPtr Stored(const ResourceAt& at, std::string_view form) {
  return StoredObject::Make(
      yaml::Parse("{metadata: {name: o, namespace: ns}, a: x, b: z}").OrExit(), 7,
      at.resource->fields, at.resource->FormOf(form));
}

TEST(WebhookConversions, Webhook_IsMadeForItsStrategyOnly) {
  const auto made = [](std::string_view conversion) {
    const auto webhook = ConversionWebhook::Make(yaml::Parse(conversion).OrExit());
    return webhook == nullptr ? "none" : webhook->review + " " + webhook->place.Url();
  };
  const std::string client = "webhook: {clientConfig: {url: 'https://h/c'}, ";
  EXPECT_EQ(made("{}"), "none");
  EXPECT_EQ(made("{strategy: None, " + client + "conversionReviewVersions: [v1]}}"), "none");
  EXPECT_EQ(made("{strategy: Webhook, " + client + "conversionReviewVersions: [v1, v1beta1]}}"),
            "apiextensions.k8s.io/v1 https://h/c?timeout=30s");
  EXPECT_EQ(made("{strategy: Webhook, " + client + "conversionReviewVersions: [v2, v1beta1, v1]}}"),
            "apiextensions.k8s.io/v1beta1 https://h/c?timeout=30s");
  EXPECT_EQ(made("{strategy: Webhook, " + client + "conversionReviewVersions: [v2]}}"),
            " https://h/c?timeout=30s");
}

TEST(WebhookConversions, Webhook_ConvertsObjectsStoredInAnotherVersion) {
  ResourceTable table{HistoryLimits()};
  const ResourceAt v1 = Things(table, /*webhook=*/true, "v1");
  const ResourceAt v2 = table.Find("g.io", "v2", "things");
  EXPECT_FALSE(MustAskToConvert(v1, *Stored(v1, "v1")));
  EXPECT_TRUE(MustAskToConvert(v1, *Stored(v1, "v2")));
  EXPECT_TRUE(MustAskToConvert(v2, *Stored(v1, "v1")));
  EXPECT_FALSE(MustAskToConvert(v2, *Stored(v1, "v2")));
  EXPECT_FALSE(MustConvert(v2, *Stored(v1, "v2")));
  EXPECT_TRUE(MustConvert(v2, *Stored(v1, "v1")));
  EXPECT_FALSE(IsPruned(v2));
  EXPECT_FALSE(MustConvertToStore(v1));
  EXPECT_TRUE(MustConvertToStore(v2));
  for (const bool mixed : {false, true}) {
    v1.resource->mixed_forms = mixed;
    EXPECT_EQ(IsAskedToConvert(v1), mixed);
    EXPECT_EQ(IsConverted(v1), mixed);
    EXPECT_TRUE(IsAskedToConvert(v2));
    EXPECT_TRUE(IsConverted(v2));
  }
  const Error error = ConversionTakesTime(v2);
  EXPECT_EQ(error.reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(error.message().rfind("a webhook converts things.g.io to v2, ", 0), 0U);
}

TEST(WebhookConversions, WithoutAWebhook_VersionsHideFieldsThatTheyLack) {
  ResourceTable table{HistoryLimits()};
  const ResourceAt v1 = Things(table, /*webhook=*/false, "v1");
  const ResourceAt v2 = table.Find("g.io", "v2", "things");
  const StoredObjectPtr stored = Stored(v1, "v1");
  EXPECT_FALSE(MustAskToConvert(v2, *stored));
  EXPECT_FALSE(MustConvert(v1, *stored));
  EXPECT_TRUE(MustConvert(v2, *stored));
  EXPECT_FALSE(IsAskedToConvert(v2));
  EXPECT_FALSE(IsConverted(v1));
  EXPECT_TRUE(IsConverted(v2));
  EXPECT_FALSE(MustConvertToStore(v2));
  EXPECT_FALSE(IsPruned(v1));
  EXPECT_TRUE(IsPruned(v2));

  const StoredObjectPtr pruned = PrunedTo(v2, *stored);
  EXPECT_EQ(pruned->resource_version(), 7);
  EXPECT_EQ(pruned->form(), v2.resource->FormOf("v2"));
  EXPECT_EQ(pruned->body(),
            R"("metadata":{"name":"o","namespace":"ns","resourceVersion":"7"},"a":"x"})");
  EXPECT_EQ(ObjectIn(v2, *stored).Dump(),
            R"({"kind":"Thing","apiVersion":"g.io/v2",)" + std::string(pruned->body()));
  EXPECT_EQ(ObjectIn(v1, *stored).Dump(),
            R"({"kind":"Thing","apiVersion":"g.io/v1",)" + stored->body());
  EXPECT_EQ(StoredIn(v1, stored), stored);
  EXPECT_EQ(StoredAt(v2).resource, v2.resource);
  EXPECT_EQ(StoredAt(v2).version, v2.version);
}

TEST(WebhookConversions, BuiltInResource_IsShownInItsForm) {
  const ResourceTable table{HistoryLimits()};
  const ResourceAt events = table.Find("events.k8s.io", "v1", "events");
  const ResourceAt core = table.Find("", "v1", "events");
  EXPECT_EQ(StoredAt(events).resource, core.resource);
  EXPECT_EQ(StoredAt(events).version, core.version);
  EXPECT_FALSE(IsPruned(events));
  EXPECT_FALSE(IsConverted(events));
  EXPECT_FALSE(MustConvertToStore(events));
  const StoredObjectPtr stored = StoredObject::Make(
      yaml::Parse("{metadata: {name: o, namespace: ns}, message: m}").OrExit(), 7, {});
  EXPECT_EQ(ObjectIn(events, *stored).Dump(),
            R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"o",)"
            R"("namespace":"ns","resourceVersion":"7"},"note":"m"})");
  const StoredObjectPtr shown = StoredIn(events, stored);
  EXPECT_EQ(shown->resource_version(), 7);
  EXPECT_EQ(shown->body(),
            R"("metadata":{"name":"o","namespace":"ns","resourceVersion":"7"},"note":"m"})");
  EXPECT_EQ(StoredIn(core, stored), stored);
}

}  // namespace
}  // namespace kinformer::apiserver
