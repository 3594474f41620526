#include "apiserver/registry/resource_table.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <tuple>

#include "kinformer/internal/registry.h"

#include "apiserver/registry/conversion.h"
#include "table/custom_columns.h"

namespace kinformer::apiserver {
namespace {

std::vector<std::string> Strings(std::span<const std::string_view> texts) {
  return {texts.begin(), texts.end()};
}

std::vector<std::string> Strings(const json::Value& texts) {
  std::vector<std::string> out;
  for (const json::Value& text : texts.items()) out.push_back(text.StringOrEmpty());
  return out;
}

std::string ApiVersion(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

// What clients are told who use a kind that is on its way out.
std::string BuiltinDeprecation(const internal::ResourceInfo& info) {
  if (!info.group.empty()) return {};
  if (info.resource == "endpoints") {
    return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  }
  if (info.resource == "componentstatuses") return "v1 ComponentStatus is deprecated in v1.19+";
  return {};
}

std::shared_ptr<ServedResource> FromRegistry(const internal::ResourceInfo& info) {
  auto resource = std::make_shared<ServedResource>();
  resource->group = info.group;
  resource->kind = info.type->kind;
  resource->list_kind = std::string(info.type->kind) + "List";
  resource->plural = info.resource;
  resource->singular = info.type->singular;
  resource->namespaced = info.type->namespaced;
  resource->short_names = Strings(info.short_names);
  resource->categories = Strings(info.categories);
  resource->verbs = Strings(info.verbs);
  for (const internal::SubresourceInfo& sub : info.subresources) {
    resource->subresources.push_back({.name = std::string(sub.name),
                                      .group = std::string(sub.group),
                                      .version = std::string(sub.version),
                                      .kind = std::string(sub.kind),
                                      .verbs = Strings(sub.verbs)});
  }
  resource->versions.push_back(
      ServedVersion::Make({.version = std::string(info.version),
                           .api_version = ApiVersion(info.type->group, info.type->version),
                           .kind = std::string(info.type->kind),
                           .deprecation_warning = BuiltinDeprecation(info),
                           .message = info.type->message,
                           .conversion = FindConversion(info.group, info.version, info.resource)}));
  ApplyBuiltinRules(*resource);
  return resource;
}

// ".spec.color" as a selectable field.
SelectableField FieldOf(const std::string& path) {
  SelectableField field{.name = path.substr(path.starts_with('.') ? 1 : 0), .pointer = path};
  std::replace(field.pointer.begin(), field.pointer.end(), '.', '/');
  return field;
}

// Rank of maturity, major and minor of a version name.
std::tuple<int, int, int> VersionRank(std::string_view name) {
  const auto number = [&](std::string_view& rest) {
    int value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) return 0;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  };
  if (!name.starts_with('v')) return {0, 0, 0};
  std::string_view rest = name.substr(1);
  const int major = number(rest);
  if (major == 0) return {0, 0, 0};
  if (rest.empty()) return {3, major, 0};
  for (const auto& [word, rank] : {std::pair<std::string_view, int>("beta", 2), {"alpha", 1}}) {
    if (!rest.starts_with(word)) continue;
    rest.remove_prefix(word.size());
    const int minor = number(rest);
    if (minor != 0 && rest.empty()) return {rank, major, minor};
  }
  return {0, 0, 0};
}

void AddSubresources(ServedResource& resource, const std::string& version,
                     const json::Value& subresources) {
  if (subresources.contains("status")) {
    resource.subresources.push_back({.name = "status",
                                     .group = resource.group,
                                     .version = version,
                                     .kind = resource.kind,
                                     .verbs = {"get", "patch", "update"},
                                     .only_version = version});
  }
  if (subresources.contains("scale")) {
    const json::Value& scale = subresources["scale"];
    resource.subresources.push_back({.name = "scale",
                                     .group = "autoscaling",
                                     .version = "v1",
                                     .kind = "Scale",
                                     .verbs = {"get", "patch", "update"},
                                     .only_version = version,
                                     .spec_path = scale["specReplicasPath"].StringOrEmpty(),
                                     .status_path = scale["statusReplicasPath"].StringOrEmpty(),
                                     .selector_path = scale["labelSelectorPath"].StringOrEmpty()});
  }
}

std::string DeprecationWarning(const ServedResource& resource, const json::Value& version) {
  if (!version["deprecated"].AsBool().value_or(false)) return {};
  const std::string& text = version["deprecationWarning"].StringOrEmpty();
  return text.empty() ? ApiVersion(resource.group, version["name"].StringOrEmpty()) + " " +
                            resource.kind + " is deprecated"
                      : text;
}

// One entry of spec.versions.
void AddVersion(ServedResource& resource, const json::Value& version) {
  const std::string& name = version["name"].StringOrEmpty();
  AddSubresources(resource, name, version["subresources"]);
  std::vector<std::string> selectable;
  for (const json::Value& field : version["selectableFields"].items()) {
    SelectableField found = FieldOf(field["jsonPath"].StringOrEmpty());
    selectable.push_back(found.name);
    const bool known =
        std::any_of(resource.fields.begin(), resource.fields.end(),
                    [&](const SelectableField& other) { return other.name == found.name; });
    if (!known) resource.fields.push_back(std::move(found));
  }
  resource.versions.push_back(ServedVersion::Make(
      {.version = name,
       .api_version = ApiVersion(resource.group, name),
       .kind = resource.kind,
       .served = version["served"].AsBool().value_or(false),
       .storage = version["storage"].AsBool().value_or(false),
       .deprecation_warning = DeprecationWarning(resource, version),
       .columns = internal::table::CustomColumns(version),
       .schema = std::make_shared<const StructuralSchema>(version["schema"]["openAPIV3Schema"]),
       .selectable = std::move(selectable)}));
}

}  // namespace

bool PreferVersion(std::string_view a, std::string_view b) {
  const auto rank_a = VersionRank(a);
  const auto rank_b = VersionRank(b);
  return rank_a != rank_b ? rank_a > rank_b : a < b;
}

ResourceTable::ResourceTable(HistoryLimits limits) : limits_(limits) { AddBuiltins(); }

void ResourceTable::AddBuiltins() {
  for (const internal::GroupVersionInfo& gv : internal::AllGroupVersions()) {
    if (!gv.by_default) continue;
    builtin_versions_.push_back(
        {.group = std::string(gv.group), .version = std::string(gv.version)});
  }
  for (const internal::ResourceInfo& info : internal::AllResources()) {
    const bool on = std::any_of(
        builtin_versions_.begin(), builtin_versions_.end(),
        [&](const auto& gv) { return gv.group == info.group && gv.version == info.version; });
    if (info.served && on && info.type != nullptr) Add(FromRegistry(info));
  }
  ShareStores();
}

void ResourceTable::ShareStores() {
  for (const auto& resource : all_) {
    const Conversion* conversion = resource->versions.front()->conversion;
    if (conversion == nullptr) continue;
    resource->stored =
        Find(conversion->stored_group, conversion->stored_version, resource->plural).resource;
    resource->store = resource->stored->store;
    resource->watchers = resource->stored->watchers;
  }
}

void ResourceTable::Add(std::shared_ptr<ServedResource> resource) {
  if (resource->store == nullptr) resource->store = std::make_shared<ResourceStore>(limits_);
  by_name_.emplace(std::pair(resource->group, resource->plural), resource);
  const auto at =
      std::upper_bound(all_.begin(), all_.end(), resource, [](const auto& a, const auto& b) {
        return std::tie(a->group, a->plural) < std::tie(b->group, b->plural);
      });
  all_.insert(at, std::move(resource));
  ++revision_;
}

ResourceAt ResourceTable::Find(std::string_view group, std::string_view version,
                               std::string_view plural) const {
  const auto [first, last] = by_name_.equal_range(std::pair(group, plural));
  for (auto at = first; at != last; ++at) {
    if (auto found = at->second->FindVersion(version)) {
      return {.resource = at->second, .version = std::move(found)};
    }
  }
  return {};
}

std::shared_ptr<ServedResource> ResourceTable::FindGroupResource(std::string_view group,
                                                                 std::string_view plural) const {
  const auto found = by_name_.find(std::pair(group, plural));
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<GroupVersionEntry> ResourceTable::GroupVersions() const {
  std::vector<GroupVersionEntry> out = builtin_versions_;
  std::stable_partition(out.begin(), out.end(), [](const auto& gv) { return gv.group.empty(); });
  std::vector<GroupVersionEntry> custom;
  for (const auto& resource : all_) {
    if (!resource->custom) continue;
    for (const auto& version : resource->versions) {
      if (!version->served) continue;
      const auto same = [&](const GroupVersionEntry& gv) {
        return gv.group == resource->group && gv.version == version->version;
      };
      if (std::none_of(out.begin(), out.end(), same) &&
          std::none_of(custom.begin(), custom.end(), same)) {
        custom.push_back({.group = resource->group, .version = version->version});
      }
    }
  }
  std::stable_sort(custom.begin(), custom.end(), [](const auto& a, const auto& b) {
    return a.group != b.group ? a.group < b.group : PreferVersion(a.version, b.version);
  });
  out.insert(out.end(), custom.begin(), custom.end());
  return out;
}

std::shared_ptr<ServedResource> ResourceTable::Install(const json::Value& definition) {
  const json::Value& spec = definition["spec"];
  const json::Value& names = definition["status"]["acceptedNames"];
  const std::string& group = spec["group"].StringOrEmpty();
  const std::string& plural = spec["names"]["plural"].StringOrEmpty();
  const std::size_t hash = std::hash<std::string>()(spec.Dump() + names.Dump());
  std::shared_ptr<ServedResource> resource = FindGroupResource(group, plural);
  const bool fresh = resource == nullptr;
  if (!fresh && (!resource->custom || resource->definition_hash == hash)) return nullptr;
  if (fresh) resource = std::make_shared<ServedResource>();
  resource->definition_hash = hash;
  resource->group = group;
  resource->plural = plural;
  resource->kind = spec["names"]["kind"].StringOrEmpty();
  resource->singular = names["singular"].StringOrEmpty();
  resource->list_kind = names["listKind"].StringOrEmpty();
  resource->namespaced = spec["scope"].StringOrEmpty() == "Namespaced";
  resource->custom = true;
  resource->short_names = Strings(names["shortNames"]);
  resource->categories = Strings(names["categories"]);
  resource->verbs = {"delete", "deletecollection", "get",    "list",
                     "patch",  "create",           "update", "watch"};
  resource->generation = GenerationRule::kAllButMetadata;
  resource->unconditional_update = false;
  resource->versions.clear();
  resource->subresources.clear();
  resource->fields.clear();
  for (const json::Value& version : spec["versions"].items()) AddVersion(*resource, version);
  std::stable_sort(
      resource->versions.begin(), resource->versions.end(),
      [](const auto& a, const auto& b) { return PreferVersion(a->version, b->version); });
  if (fresh) {
    Add(resource);
  } else {
    ++revision_;
  }
  return resource;
}

void ResourceTable::Uninstall(const std::shared_ptr<ServedResource>& resource) {
  std::erase(all_, resource);
  std::erase_if(by_name_, [&](const auto& entry) { return entry.second == resource; });
  ++revision_;
}

}  // namespace kinformer::apiserver
