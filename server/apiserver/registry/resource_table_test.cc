#include "apiserver/registry/resource_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

std::shared_ptr<const DefinedResource> Defined(std::string_view spec) {
  return DefinedResource::Make(yaml::Parse(spec).OrExit());
}

constexpr std::string_view kFoos = R"(
group: example.com
scope: Namespaced
names: {plural: foos, kind: Foo}
versions:
- {name: v1beta1, served: true}
- {name: v1, served: true, storage: true, subresources: {status: {}},
   selectableFields: [{jsonPath: .spec.color}]}
- {name: v2, served: false}
)";

json::Value Names(std::string_view more = {}) {
  return yaml::Parse("{plural: foos, kind: Foo, singular: foo, listKind: FooList" +
                     std::string(more) + "}")
      .OrExit();
}

std::vector<std::string> Texts(std::string_view list) {
  std::vector<std::string> out;
  const json::Value texts = yaml::Parse(list).OrExit();
  for (const json::Value& text : texts.items()) out.push_back(text.StringOrEmpty());
  return out;
}

TEST(ResourceTables, BuiltInResource_HasTheNamesOfTheRegistry) {
  const ResourceTable table{HistoryLimits()};
  const ResourceAt at = table.Find("apps", "v1", "deployments");
  ASSERT_TRUE(at);
  EXPECT_EQ(at.resource->group, "apps");
  EXPECT_EQ(at.resource->kind, "Deployment");
  EXPECT_EQ(at.resource->list_kind, "DeploymentList");
  EXPECT_EQ(at.resource->plural, "deployments");
  EXPECT_EQ(at.resource->singular, "deployment");
  EXPECT_TRUE(at.resource->namespaced);
  EXPECT_FALSE(at.resource->custom);
  EXPECT_EQ(at.resource->short_names, Texts("[deploy]"));
  EXPECT_EQ(at.resource->categories, Texts("[all]"));
  std::vector<std::string> verbs = at.resource->verbs;
  std::sort(verbs.begin(), verbs.end());
  EXPECT_EQ(verbs, Texts("[create, delete, deletecollection, get, list, patch, update, watch]"));
  EXPECT_EQ(at.resource->generation, GenerationRule::kSpecOrAnnotations);
  EXPECT_EQ(at.resource->stored, nullptr);
  EXPECT_NE(at.resource->store, nullptr);
  EXPECT_EQ(at.version->version, "v1");
  EXPECT_EQ(at.version->api_version, "apps/v1");
  EXPECT_EQ(at.version->kind, "Deployment");
  EXPECT_TRUE(at.version->served);
  EXPECT_TRUE(at.version->storage);
  EXPECT_NE(at.version->message, nullptr);
  EXPECT_EQ(at.version->conversion, nullptr);
  EXPECT_EQ(at.version->deprecation_warning, "");
  EXPECT_TRUE(at.HasStatus());
  ASSERT_NE(at.FindSubresource("scale"), nullptr);
  EXPECT_EQ(at.FindSubresource("scale")->group, "autoscaling");
  EXPECT_EQ(at.FindSubresource("scale")->version, "v1");
  EXPECT_EQ(at.FindSubresource("scale")->kind, "Scale");
  EXPECT_EQ(at.FindSubresource("scale")->verbs, Texts("[get, patch, update]"));

  const ResourceAt nodes = table.Find("", "v1", "nodes");
  EXPECT_FALSE(nodes.resource->namespaced);
  EXPECT_EQ(nodes.version->api_version, "v1");
}

TEST(ResourceTables, Deprecation_OfBuiltInKinds) {
  const ResourceTable table{HistoryLimits()};
  const auto warning = [&](std::string_view group, std::string_view plural) {
    const ResourceAt at = table.Find(group, "v1", plural);
    return at ? at.version->deprecation_warning : "no such resource";
  };
  EXPECT_EQ(warning("", "endpoints"),
            "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
  EXPECT_EQ(warning("", "componentstatuses"), "v1 ComponentStatus is deprecated in v1.19+");
  EXPECT_EQ(warning("", "pods"), "");
  EXPECT_EQ(warning("discovery.k8s.io", "endpointslices"), "");
}

TEST(ResourceTables, Resources_AreFoundByAllTheirNames) {
  const ResourceTable table{HistoryLimits()};
  EXPECT_FALSE(table.Find("apps", "v2", "deployments"));
  EXPECT_FALSE(table.Find("", "v1", "deployments"));
  EXPECT_FALSE(table.Find("apps", "v1", "nothing"));
  EXPECT_EQ(table.FindGroupResource("apps", "nothing"), nullptr);
  EXPECT_EQ(table.FindGroupResource("apps", "deployments"),
            table.Find("apps", "v1", "deployments").resource);
  // All built-in groups that are on by default, and no alpha.
  EXPECT_TRUE(table.Find("autoscaling", "v1", "horizontalpodautoscalers"));
  EXPECT_TRUE(table.Find("autoscaling", "v2", "horizontalpodautoscalers"));
  for (const auto& resource : table.all()) {
    EXPECT_EQ(resource->versions.size(), 1U) << resource->plural;
    EXPECT_EQ(resource->versions[0]->version.find("alpha"), std::string::npos) << resource->plural;
  }
}

TEST(ResourceTables, All_AreSortedByGroupAndPlural) {
  ResourceTable table{HistoryLimits()};
  ASSERT_NE(table.Install(Defined(kFoos), Names()), nullptr);
  ASSERT_GT(table.all().size(), 50U);
  EXPECT_TRUE(
      std::is_sorted(table.all().begin(), table.all().end(), [](const auto& a, const auto& b) {
        return std::tie(a->group, a->plural) < std::tie(b->group, b->plural);
      }));
}

TEST(ResourceTables, ConvertedForm_SharesStoreAndWatchers) {
  ResourceTable table{HistoryLimits()};
  struct Row {
    const char* group;
    const char* version;
    const char* plural;
    const char* stored_group;
    const char* stored_version;
  };
  for (const Row& row :
       {Row{"events.k8s.io", "v1", "events", "", "v1"},
        Row{"autoscaling", "v1", "horizontalpodautoscalers", "autoscaling", "v2"}}) {
    const ResourceAt at = table.Find(row.group, row.version, row.plural);
    const ResourceAt stored = table.Find(row.stored_group, row.stored_version, row.plural);
    ASSERT_TRUE(at && stored);
    EXPECT_NE(at.resource, stored.resource);
    EXPECT_NE(at.version->conversion, nullptr);
    EXPECT_EQ(stored.version->conversion, nullptr);
    EXPECT_EQ(at.resource->stored, stored.resource);
    EXPECT_EQ(at.resource->store, stored.resource->store);
    EXPECT_EQ(at.resource->watchers, stored.resource->watchers);
    EXPECT_EQ(stored.resource->stored, nullptr);
    // The same after the store is replaced.
    stored.resource->store = std::make_shared<ResourceStore>(HistoryLimits());
    table.ShareStores();
    EXPECT_EQ(at.resource->store, stored.resource->store);
  }
  EXPECT_NE(table.Find("", "v1", "pods").resource->store,
            table.Find("", "v1", "nodes").resource->store);
}

TEST(ResourceTables, GroupVersions_HaveTheCoreGroupFirstAndCustomOnesLast) {
  ResourceTable table{HistoryLimits()};
  const auto versions = [&] {
    std::vector<std::string> out;
    for (const GroupVersionEntry& gv : table.GroupVersions()) {
      out.push_back(gv.group + "/" + gv.version);
    }
    return out;
  };
  const std::vector<std::string> builtin = versions();
  ASSERT_GT(builtin.size(), 15U);
  EXPECT_EQ(builtin.front(), "/v1");
  EXPECT_EQ(std::count(builtin.begin(), builtin.end(), "apps/v1"), 1);
  const auto hpa2 = std::find(builtin.begin(), builtin.end(), "autoscaling/v2");
  const auto hpa1 = std::find(builtin.begin(), builtin.end(), "autoscaling/v1");
  EXPECT_LT(hpa2, hpa1) << "preferred versions first";

  (void)table.Install(Defined(kFoos), Names());
  (void)table.Install(
      Defined("{group: example.com, names: {plural: bars, kind: Bar}, versions: [{name: v1, "
              "served: true}, {name: v3, served: true}]}"),
      Names());
  (void)table.Install(Defined("{group: a.com, names: {plural: bars, kind: Bar}, versions: [{name: "
                              "v1alpha1, served: true}, {name: v3, served: false}]}"),
                      Names());
  std::vector<std::string> expected = builtin;
  for (const char* more :
       {"a.com/v1alpha1", "example.com/v3", "example.com/v1", "example.com/v1beta1"}) {
    expected.push_back(more);
  }
  EXPECT_EQ(versions(), expected);
  // A custom version of a built-in group is not listed twice.
  (void)table.Install(Defined("{group: apps, names: {plural: bars, kind: Bar}, versions: [{name: "
                              "v1, served: true}]}"),
                      Names());
  EXPECT_EQ(versions(), expected);
}

TEST(ResourceTables, Definition_IsServedUnderItsAcceptedNames) {
  ResourceTable table{HistoryLimits()};
  const auto defined = Defined(kFoos);
  const std::uint64_t before = table.revision();
  const auto resource =
      table.Install(defined, Names(", shortNames: [f, fo], categories: [all, more]"));
  ASSERT_NE(resource, nullptr);
  EXPECT_EQ(table.revision(), before + 1);
  EXPECT_EQ(resource->group, "example.com");
  EXPECT_EQ(resource->plural, "foos");
  EXPECT_EQ(resource->kind, "Foo");
  EXPECT_EQ(resource->singular, "foo");
  EXPECT_EQ(resource->list_kind, "FooList");
  EXPECT_EQ(resource->short_names, Texts("[f, fo]"));
  EXPECT_EQ(resource->categories, Texts("[all, more]"));
  EXPECT_EQ(resource->verbs,
            Texts("[delete, deletecollection, get, list, patch, create, update, watch]"));
  EXPECT_TRUE(resource->namespaced);
  EXPECT_TRUE(resource->custom);
  EXPECT_EQ(resource->generation, GenerationRule::kAllButMetadata);
  EXPECT_FALSE(resource->unconditional_update);
  EXPECT_FALSE(resource->create_on_update);
  EXPECT_EQ(resource->versions.size(), 3U);
  EXPECT_EQ(resource->defined, defined);
  ASSERT_EQ(resource->subresources.size(), 1U);
  EXPECT_EQ(resource->subresources[0].name, "status");
  ASSERT_EQ(resource->fields.size(), 1U);
  EXPECT_EQ(resource->fields[0].name, "spec.color");
  EXPECT_EQ(*resource->forms, Texts("[v2, v1, v1beta1]"));
  EXPECT_NE(resource->store, nullptr);
  EXPECT_EQ(table.Find("example.com", "v1", "foos").resource, resource);
  EXPECT_EQ(table.Find("example.com", "v1", "foos").version->version, "v1");
  EXPECT_TRUE(table.Find("example.com", "v1beta1", "foos"));
  EXPECT_FALSE(table.Find("example.com", "v2", "foos")) << "not served";
}

TEST(ResourceTables, Definition_ThatChangesKeepsItsObjectsAndForms) {
  ResourceTable table{HistoryLimits()};
  const auto defined = Defined(kFoos);
  const auto resource = table.Install(defined, Names());
  const auto store = resource->store;
  const std::uint64_t revision = table.revision();
  const std::size_t resources = table.all().size();
  EXPECT_EQ(table.Install(defined, Names()), nullptr) << "nothing has changed";
  EXPECT_EQ(table.revision(), revision);

  EXPECT_EQ(table.Install(defined, Names(", shortNames: [f]")), resource) << "other names";
  EXPECT_EQ(table.revision(), revision + 1);
  EXPECT_EQ(resource->short_names, Texts("[f]"));

  const auto changed = Defined(
      "{group: example.com, scope: Cluster, names: {plural: foos, kind: Foo}, versions: [{name: "
      "v3, served: true, storage: true}, {name: v1, served: true}]}");
  EXPECT_EQ(table.Install(changed, Names(", shortNames: [f]")), resource) << "other definition";
  EXPECT_EQ(table.revision(), revision + 2);
  EXPECT_EQ(*resource->forms, Texts("[v2, v1, v1beta1, v3]")) << "forms only grow";
  EXPECT_EQ(resource->store, store);
  EXPECT_EQ(resource->defined, changed);
  EXPECT_TRUE(resource->subresources.empty());
  EXPECT_TRUE(resource->fields.empty());
  EXPECT_EQ(table.all().size(), resources);

  EXPECT_EQ(table.Install(Defined("{group: apps, names: {plural: deployments, kind: X}, versions: "
                                  "[{name: v1, served: true}]}"),
                          Names()),
            nullptr)
      << "built-in resources stay";
  EXPECT_EQ(table.revision(), revision + 2);

  table.Uninstall(resource);
  EXPECT_EQ(table.revision(), revision + 3);
  EXPECT_EQ(table.all().size(), resources - 1);
  EXPECT_FALSE(table.Find("example.com", "v1", "foos"));
  EXPECT_EQ(table.FindGroupResource("example.com", "foos"), nullptr);
  EXPECT_TRUE(table.Find("apps", "v1", "deployments"));
}

}  // namespace
}  // namespace kinformer::apiserver
