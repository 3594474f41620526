#include "kinformer/controller/cache_checks.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/internal/informer_core.h"

namespace kinformer {
namespace {

std::string Seconds(Duration age) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(age).count()) + " s ago";
}

}  // namespace

healthz::Checker CacheAgeCheck(const Cluster& cluster, Duration most) {
  return [&cluster, most]() -> Result<void> {
    for (const std::shared_ptr<internal::InformerCore>& cache : cluster.caches().Running()) {
      const std::optional<Duration> age = cache->Status().progress_age;
      if (!age || *age <= most) continue;
      return Error(Reason::kStale, "the cache of " + cache->Describe() +
                                       " was last known to be up to date " + Seconds(*age));
    }
    return {};
  };
}

healthz::Checker WriteLagCheck(const Cluster& cluster, Duration most) {
  return [&cluster, most]() -> Result<void> {
    const std::optional<LateWrite> oldest = cluster.GetClient().OldestUnseenWrite();
    if (!oldest || oldest->age <= most) return {};
    return Error(Reason::kStale, "the cache of " + oldest->cache +
                                     " does not show what this process wrote " +
                                     Seconds(oldest->age));
  };
}

}  // namespace kinformer
