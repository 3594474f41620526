#include "client/discovery_cache.h"

namespace kinformer::internal {

void DiscoveryCache::Invalidate() {
  const std::lock_guard<std::mutex> lock(mutex);
  groups = nullptr;
  paths = nullptr;
  fresh = false;
  ignores_files = true;
  ++epoch;
}

}  // namespace kinformer::internal
