#include "kinformer/internal/registry.h"

#include <algorithm>
#include <tuple>

namespace kinformer::internal {

const KindInfo* FindType(std::string_view group, std::string_view version, std::string_view kind) {
  const auto types = AllTypes();
  const auto wanted = std::tie(group, version, kind);
  const auto at = std::lower_bound(types.begin(), types.end(), wanted,
                                   [](const KindInfo* type, const auto& key) {
                                     return std::tie(type->group, type->version, type->kind) < key;
                                   });
  if (at == types.end() || std::tie((*at)->group, (*at)->version, (*at)->kind) != wanted) {
    return nullptr;
  }
  return *at;
}

const ResourceInfo* FindResource(std::string_view group, std::string_view version,
                                 std::string_view resource) {
  const auto all = AllResources();
  const auto wanted = std::tie(group, version, resource);
  const auto at =
      std::lower_bound(all.begin(), all.end(), wanted, [](const ResourceInfo& r, const auto& key) {
        return std::tie(r.group, r.version, r.resource) < key;
      });
  if (at == all.end() || std::tie(at->group, at->version, at->resource) != wanted) return nullptr;
  return &*at;
}

const ResourceInfo* FindResourceOf(const KindInfo& type) {
  if (type.resource.empty()) return nullptr;
  const ResourceInfo* found = FindResource(type.group, type.version, type.resource);
  return found != nullptr && found->type->kind == type.kind ? found : nullptr;
}

}  // namespace kinformer::internal
