#include "cache/informer/last_seen_versions.h"

#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {

std::string LastSeenVersions::Of(const std::string& place) const {
  const auto of = [this](const std::string& name) {
    const auto found = versions_.find(name);
    return found == versions_.end() ? std::string() : found->second;
  };
  if (!place.empty()) {
    const std::string own = of(place);
    return own.empty() ? of("") : own;
  }
  std::string newest = of("");
  for (const auto& [name, version] : versions_) {
    if (newest.empty() || IsOlderResourceVersion(newest, version)) newest = version;
  }
  return newest;
}

}  // namespace kinformer::internal::cache
