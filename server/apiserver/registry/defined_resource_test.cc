#include "apiserver/registry/defined_resource.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/registry/conversion_webhook.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/registry/webhook_place.h"

namespace kinformer::apiserver {
namespace {

// The order of k8s.io/apimachinery/pkg/version.
TEST(DefinedResources, Versions_AreRankedByMaturityThenNumberThenName) {
  const std::vector<std::string_view> order = {
      "v12",       "v10",          "v2",        "v1",       "v0",       "v11beta2",
      "v3beta10",  "v3beta2",      "v3beta1",   "v1beta1",  "v1beta0",  "v0beta1",
      "v12alpha1", "v11alpha2",    "v1alpha10", "v1alpha2", "v1alpha1", "1",
      "beta1",     "foo",          "foo1",      "v",        "v-1",      "v1beta",
      "v1beta1x",  "v1betaalpha1", "v1gamma1",  "v1x",      "vbeta1",   "x1"};
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t b = 0; b < order.size(); ++b) {
      EXPECT_EQ(PreferVersion(order[a], order[b]), a < b) << order[a] << " " << order[b];
    }
  }
}

std::shared_ptr<const DefinedResource> Defined(std::string_view spec) {
  return DefinedResource::Make(yaml::Parse(spec).OrExit());
}

constexpr std::string_view kSpec = R"(
group: example.com
scope: Namespaced
names: {plural: foos, kind: Foo}
versions:
- name: v1alpha1
  served: true
  deprecated: true
  deprecationWarning: go away
  selectableFields: [{jsonPath: .spec.color}, {jsonPath: .spec.size}]
- name: v1
  served: true
  storage: true
  schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}
  selectableFields: [{jsonPath: .spec.color}]
  subresources: {status: {}, scale: {specReplicasPath: .spec.r, statusReplicasPath: .status.r,
                                     labelSelectorPath: .status.l}}
- name: v1beta1
  served: true
  deprecated: true
  schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}
- name: v2
  deprecated: true
  subresources: {status: {}}
- name: v3
)";

TEST(DefinedResources, Definition_BecomesAResource) {
  const auto resource = Defined(kSpec);
  EXPECT_EQ(resource->group, "example.com");
  EXPECT_EQ(resource->plural, "foos");
  EXPECT_EQ(resource->kind, "Foo");
  EXPECT_TRUE(resource->namespaced);
  EXPECT_EQ(resource->webhook, nullptr);

  std::string versions;
  for (const auto& version : resource->versions) {
    versions += version->api_version + " " + version->kind + (version->served ? " served" : "") +
                (version->storage ? " storage" : "") + " '" + version->deprecation_warning + "'";
    for (const std::string& field : version->selectable) versions += " " + field;
    versions += "\n";
  }
  EXPECT_EQ(versions,
            "example.com/v3 Foo ''\n"
            "example.com/v2 Foo 'example.com/v2 Foo is deprecated'\n"
            "example.com/v1 Foo served storage '' spec.color\n"
            "example.com/v1beta1 Foo served 'example.com/v1beta1 Foo is deprecated; use "
            "example.com/v1 Foo'\n"
            "example.com/v1alpha1 Foo served 'go away' spec.color spec.size\n");
  std::string listed;
  for (const auto& version : resource->listed) listed += version->version + " ";
  EXPECT_EQ(listed, "v1alpha1 v1 v1beta1 v2 v3 ");

  std::string fields;
  for (const SelectableField& field : resource->fields) fields += field.name + field.pointer + " ";
  EXPECT_EQ(fields, "spec.color/spec/color spec.size/spec/size ");
  EXPECT_EQ(resource->pruned, (std::set<std::string, std::less<>>{"v1alpha1", "v2", "v3"}))
      << "v1beta1 has the schema of the version that is stored";

  std::string subresources;
  for (const Subresource& sub : resource->subresources) {
    subresources += sub.only_version + " " + sub.name + " " + sub.group + "/" + sub.version + " " +
                    sub.kind + " " + sub.spec_path + sub.status_path + sub.selector_path + "\n";
    EXPECT_EQ(sub.verbs, (std::vector<std::string>{"get", "patch", "update"}));
  }
  EXPECT_EQ(subresources,
            "v1 status example.com/v1 Foo \n"
            "v1 scale autoscaling/v1 Scale .spec.r.status.r.status.l\n"
            "v2 status example.com/v2 Foo \n");
}

TEST(DefinedResources, DeprecatedVersion_NamesABetterOneOnly) {
  const auto warning = [](std::string_view versions) {
    return Defined("{group: g.io, names: {plural: foos, kind: Foo}, versions: [" +
                   std::string(versions) + "]}")
        ->listed.front()
        ->deprecation_warning;
  };
  constexpr std::string_view kPlain = "g.io/v1 Foo is deprecated";
  EXPECT_EQ(warning("{name: v1, served: true, deprecated: true}"), kPlain);
  EXPECT_EQ(warning("{name: v1, deprecated: true}, {name: v1beta1, served: true}"), kPlain);
  EXPECT_EQ(warning("{name: v1, deprecated: true}, {name: v2, served: false}"), kPlain);
  EXPECT_EQ(warning("{name: v1, deprecated: true}, {name: v2, served: true, deprecated: true}"),
            kPlain);
  EXPECT_EQ(warning("{name: v1, deprecated: true}, {name: v2, served: true}"),
            "g.io/v1 Foo is deprecated; use g.io/v2 Foo");
  EXPECT_EQ(warning("{name: v1, deprecated: true}, {name: v3, served: true}, {name: v2, served: "
                    "true}, {name: v4, served: true}"),
            "g.io/v1 Foo is deprecated; use g.io/v4 Foo");
  EXPECT_EQ(warning("{name: v1, deprecationWarning: x}"), "");
}

TEST(DefinedResources, Webhook_ConvertsAndNothingIsPruned) {
  const auto resource = Defined(
      "{group: g.io, scope: Cluster, names: {plural: foos, kind: Foo}, conversion: {strategy: "
      "Webhook, webhook: {clientConfig: {url: 'https://h/c'}, conversionReviewVersions: [v9, "
      "v1beta1, v1]}}, versions: [{name: v1, storage: true}, {name: v2, schema: {openAPIV3Schema: "
      "{type: object}}}]}");
  EXPECT_FALSE(resource->namespaced);
  ASSERT_NE(resource->webhook, nullptr);
  EXPECT_EQ(resource->webhook->review, "apiextensions.k8s.io/v1beta1");
  EXPECT_EQ(resource->webhook->place.Url(), "https://h/c?timeout=30s");
  EXPECT_TRUE(resource->pruned.empty());
  EXPECT_TRUE(Defined("{versions: [{name: v1}, {name: v2}]}")->pruned.empty())
      << "no version is stored";
}

TEST(WebhookPlaces, Target_IsTheCleanPathWithATimeout) {
  const auto url = [](std::string_view config) {
    return PlaceOf(yaml::Parse(config).OrExit(), std::chrono::milliseconds(10'500)).Url();
  };
  EXPECT_EQ(url("url: 'https://h:1/a//b/./c/../d/'"), "https://h:1/a/b/d?timeout=10s");
  EXPECT_EQ(url("url: 'https://h'"), "https://h/?timeout=10s");
  EXPECT_EQ(url("url: 'https://h/../..'"), "https://h/?timeout=10s");
  EXPECT_EQ(url("url: 'https://h/a?b=c#d'"), "https://h/a?b=c&timeout=10s");
  EXPECT_EQ(url("service: {namespace: ns, name: s}"), "https://s.ns.svc:443/?timeout=10s");
  EXPECT_EQ(url("service: {namespace: ns, name: s, port: 8443, path: /x}"),
            "https://s.ns.svc:8443/x?timeout=10s");
  const WebhookPlace place =
      PlaceOf(yaml::Parse("{caBundle: Yg==, service: {namespace: ns, name: s}}").OrExit(), {});
  EXPECT_EQ(place.address.ca_bundle, "Yg==");
  EXPECT_EQ(place.address.service.namespace_, "ns");
  EXPECT_EQ(place.address.service.name, "s");
}

}  // namespace
}  // namespace kinformer::apiserver
