#include "apiserver/registry/stored_keys.h"

#include <array>
#include <utility>

namespace kinformer::apiserver {
namespace {

// Resources of the first groups, whose folders have other names, and the groups whose resources
// stand under the group's name.
struct Special {
  std::string_view group;
  std::string_view plural;
  std::string_view folder;
};
constexpr std::array<Special, 5> kSpecials = {{{"", "replicationcontrollers", "controllers"},
                                               {"", "endpoints", "services/endpoints"},
                                               {"", "services", "services/specs"},
                                               {"", "nodes", "minions"},
                                               {"networking.k8s.io", "ingresses", "ingress"}}};
constexpr std::array<std::string_view, 2> kQualified = {"apiextensions.k8s.io",
                                                        "apiregistration.k8s.io"};

bool IsQualified(const ServedResource& resource) {
  if (resource.custom) return true;
  for (const std::string_view group : kQualified) {
    if (resource.group == group) return true;
  }
  return false;
}

std::string FolderOf(const ServedResource& resource) {
  if (IsQualified(resource)) return resource.group + "/" + resource.plural;
  for (const Special& special : kSpecials) {
    if (resource.Is(special.group, special.plural)) return std::string(special.folder);
  }
  return resource.plural;
}

// Takes the part before the next slash.
std::string_view TakePart(std::string_view& rest) {
  const std::size_t slash = rest.find('/');
  const std::string_view part = rest.substr(0, slash);
  rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
  return part;
}

}  // namespace

std::string StoredKeyOf(const ServedResource& resource, std::string_view key) {
  std::string out = FolderOf(resource);
  out.append("/").append(key);
  return out;
}

StoredPlace PlaceOfStored(const ResourceTable& resources, std::string_view stored_key) {
  for (const Special& special : kSpecials) {
    std::string_view rest = stored_key;
    if (!rest.starts_with(special.folder)) continue;
    rest.remove_prefix(special.folder.size());
    if (!rest.starts_with("/") || rest.size() == 1) continue;
    return {.group = std::string(special.group),
            .plural = std::string(special.plural),
            .key = std::string(rest.substr(1))};
  }
  std::string_view rest = stored_key;
  const std::string_view first = TakePart(rest);
  if (first.find('.') != std::string_view::npos) {
    const std::string_view plural = TakePart(rest);
    if (rest.empty()) return {};
    return {.group = std::string(first), .plural = std::string(plural), .key = std::string(rest)};
  }
  if (rest.empty()) return {};
  for (const auto& resource : resources.all()) {
    if (resource->plural != first || resource->stored != nullptr || IsQualified(*resource) ||
        FolderOf(*resource) != first || !resource->HasVerb("get")) {
      continue;
    }
    return {.group = resource->group, .plural = resource->plural, .key = std::string(rest)};
  }
  return {};
}

}  // namespace kinformer::apiserver
