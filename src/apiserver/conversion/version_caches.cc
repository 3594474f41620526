#include "apiserver/conversion/version_caches.h"

#include <utility>

#include "apiserver/request/awaited.h"

namespace kinformer::apiserver {

VersionCache& VersionCaches::Find(const ResourceAt& at) {
  const auto objects = at.resource->converted.find(at.version->version);
  for (const auto& cache : caches_) {
    if (objects != at.resource->converted.end() && cache->Keeps(objects->second)) return *cache;
  }
  return *caches_.emplace_back(std::make_shared<VersionCache>(state_, converter_, at));
}

ReadFrom VersionCaches::FromCache(const VersionCache& cache) {
  return {.at = cache.at(), .resource_version = cache.resource_version()};
}

ResponsePtr VersionCaches::When(VersionCache& cache, Then then) {
  auto answer = std::make_unique<Awaited>();
  const VersionCache::Ticket ticket = cache.WhenCurrent(
      [&cache, place = answer.get(), then = std::move(then)](const Result<void>& there) {
        place->Answer(there ? then(FromCache(cache)) : then(there.error()));
      });
  answer->Hold(std::const_pointer_cast<VersionCache::Done>(ticket));
  return answer;
}

ResponsePtr VersionCaches::WhenCurrent(const ResourceAt& at, const Then& then) {
  VersionCache& cache = Find(at);
  return cache.current() ? then(FromCache(cache)) : When(cache, then);
}

ResponsePtr VersionCaches::WhenBegun(const ResourceAt& at, const Then& then) {
  VersionCache& cache = Find(at);
  if (!cache.begun()) return When(cache, then);
  ResponsePtr answer = then(FromCache(cache));
  cache.OnWrite();
  return answer;
}

void VersionCaches::OnWrite(const ServedResource& resource) {
  for (const auto& [version, objects] : resource.converted) {
    for (const auto& cache : caches_) {
      if (cache->Keeps(objects)) cache->OnWrite();
    }
  }
}

void VersionCaches::Prune() {
  std::vector<std::shared_ptr<VersionCache>> gone;
  std::erase_if(caches_, [&](const auto& cache) {
    if (cache->valid()) return false;
    gone.push_back(cache);
    return true;
  });
  for (const auto& cache : gone) cache->End();
}

}  // namespace kinformer::apiserver
