#include "apiserver/registry/resource_table.h"

#include <algorithm>
#include <tuple>

#include "kinformer/internal/registry.h"

#include "apiserver/registry/built_in_conversion.h"

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

// Returns the warning for clients that use a deprecated kind; empty if it is not.
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

}  // namespace

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

std::shared_ptr<ServedResource> ResourceTable::Install(
    const std::shared_ptr<const DefinedResource>& defined, const json::Value& names) {
  std::shared_ptr<ServedResource> resource = FindGroupResource(defined->group, defined->plural);
  const bool fresh = resource == nullptr;
  if (!fresh &&
      (!resource->custom || (resource->defined == defined && resource->accepted_names == names))) {
    return nullptr;
  }
  if (fresh) resource = std::make_shared<ServedResource>();
  resource->defined = defined;
  resource->accepted_names = names;
  resource->group = defined->group;
  resource->plural = defined->plural;
  resource->kind = defined->kind;
  resource->singular = names["singular"].StringOrEmpty();
  resource->list_kind = names["listKind"].StringOrEmpty();
  resource->namespaced = defined->namespaced;
  resource->custom = true;
  resource->short_names = Strings(names["shortNames"]);
  resource->categories = Strings(names["categories"]);
  resource->verbs = {"delete", "deletecollection", "get",    "list",
                     "patch",  "create",           "update", "watch"};
  resource->generation = GenerationRule::kAllButMetadata;
  resource->unconditional_update = false;
  resource->versions = defined->versions;
  resource->subresources = defined->subresources;
  resource->fields = defined->fields;
  std::vector<std::string> forms;
  if (resource->forms != nullptr) forms = *resource->forms;
  for (const auto& version : defined->versions) {
    if (std::find(forms.begin(), forms.end(), version->version) == forms.end()) {
      forms.push_back(version->version);
    }
  }
  resource->forms = std::make_shared<const std::vector<std::string>>(std::move(forms));
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
