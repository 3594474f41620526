#include "apiserver/registry/defined_resource.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "apiserver/registry/conversion_webhook.h"
#include "table/custom_columns.h"

namespace kinformer::apiserver {
namespace {

std::string ApiVersionOf(const DefinedResource& resource, std::string_view version) {
  return resource.group + "/" + std::string(version);
}

// Returns ".spec.color" as a selectable field.
SelectableField FieldOf(const std::string& path) {
  SelectableField field{.name = path.substr(path.starts_with('.') ? 1 : 0), .pointer = path};
  std::replace(field.pointer.begin(), field.pointer.end(), '.', '/');
  return field;
}

// Returns the rank of maturity, and the major and minor number, of a version name.
std::tuple<int, int, int> VersionRank(std::string_view name) {
  // Returns a negative number where there is none.
  const auto number = [](std::string_view& rest) {
    int value = -1;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
    return value;
  };
  if (!name.starts_with('v')) return {0, 0, 0};
  std::string_view rest = name.substr(1);
  const int major = number(rest);
  if (major < 0) return {0, 0, 0};
  if (rest.empty()) return {3, major, 0};
  for (const auto& [word, rank] : {std::pair<std::string_view, int>("beta", 2), {"alpha", 1}}) {
    if (!rest.starts_with(word)) continue;
    rest.remove_prefix(word.size());
    const int minor = number(rest);
    if (minor >= 0 && rest.empty()) return {rank, major, minor};
    break;
  }
  return {0, 0, 0};
}

void AddSubresources(DefinedResource& resource, const std::string& version,
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

// Returns the most preferred version that is served and not deprecated; empty if there is none.
std::string NewestVersion(const json::Value& versions) {
  std::string newest;
  for (const json::Value& version : versions.items()) {
    const std::string& name = version["name"].StringOrEmpty();
    if (version["served"].AsBool().value_or(false) &&
        !version["deprecated"].AsBool().value_or(false) &&
        (newest.empty() || PreferVersion(name, newest))) {
      newest = name;
    }
  }
  return newest;
}

std::string DeprecationWarning(const DefinedResource& resource, const json::Value& version,
                               const std::string& newest) {
  if (!version["deprecated"].AsBool().value_or(false)) return {};
  if (const std::string& text = version["deprecationWarning"].StringOrEmpty(); !text.empty()) {
    return text;
  }
  const std::string& name = version["name"].StringOrEmpty();
  std::string text = ApiVersionOf(resource, name) + " " + resource.kind + " is deprecated";
  if (newest.empty() || !PreferVersion(newest, name)) return text;
  return text + "; use " + ApiVersionOf(resource, newest) + " " + resource.kind;
}

// Adds an entry of spec.versions.
void AddVersion(DefinedResource& resource, const json::Value& version, const std::string& newest) {
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
       .api_version = ApiVersionOf(resource, name),
       .kind = resource.kind,
       .served = version["served"].AsBool().value_or(false),
       .storage = version["storage"].AsBool().value_or(false),
       .deprecation_warning = DeprecationWarning(resource, version, newest),
       .columns = internal::table::CustomColumns(version),
       .schema = std::make_shared<const StructuralSchema>(version["schema"]["openAPIV3Schema"]),
       .selectable = std::move(selectable)}));
}

void FindPruned(DefinedResource& resource) {
  const auto storage = std::find_if(resource.versions.begin(), resource.versions.end(),
                                    [](const auto& version) { return version->storage; });
  if (storage == resource.versions.end()) return;
  for (const auto& version : resource.versions) {
    if (!version->storage && !(version->schema->source() == (*storage)->schema->source())) {
      resource.pruned.insert(version->version);
    }
  }
}

}  // namespace

bool PreferVersion(std::string_view a, std::string_view b) {
  const auto rank_a = VersionRank(a);
  const auto rank_b = VersionRank(b);
  return rank_a != rank_b ? rank_a > rank_b : a < b;
}

std::shared_ptr<const DefinedResource> DefinedResource::Make(const json::Value& spec) {
  auto resource = std::make_shared<DefinedResource>();
  resource->group = spec["group"].StringOrEmpty();
  resource->plural = spec["names"]["plural"].StringOrEmpty();
  resource->kind = spec["names"]["kind"].StringOrEmpty();
  resource->namespaced = spec["scope"].StringOrEmpty() == "Namespaced";
  resource->webhook = ConversionWebhook::Make(spec["conversion"]);
  const std::string newest = NewestVersion(spec["versions"]);
  for (const json::Value& version : spec["versions"].items()) {
    AddVersion(*resource, version, newest);
  }
  if (resource->webhook == nullptr) FindPruned(*resource);
  resource->listed = resource->versions;
  std::stable_sort(
      resource->versions.begin(), resource->versions.end(),
      [](const auto& a, const auto& b) { return PreferVersion(a->version, b->version); });
  return resource;
}

}  // namespace kinformer::apiserver
