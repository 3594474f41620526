#include "apiserver/conversion/version_caches.h"

#include <algorithm>
#include <utility>

#include "apiserver/request/awaited.h"

namespace kinformer::apiserver {

VersionCache& VersionCaches::Find(const ResourceAt& at) {
  const auto objects = at.resource->converted.find(at.version->version);
  for (auto cache = caches_.begin(); cache != caches_.end(); ++cache) {
    if (objects == at.resource->converted.end() || !(*cache)->Keeps(objects->second)) continue;
    std::rotate(cache, cache + 1, caches_.end());
    return *caches_.back();
  }
  MakeRoom(at);
  return *caches_.emplace_back(std::make_shared<VersionCache>(state_, converter_, at));
}

void VersionCaches::MakeRoom(const ResourceAt& at) {
  std::size_t count = 0;
  auto oldest = caches_.end();
  auto unwanted = caches_.end();
  for (auto cache = caches_.begin(); cache != caches_.end(); ++cache) {
    if (!(*cache)->Serves(at.resource)) continue;
    ++count;
    if (oldest == caches_.end()) oldest = cache;
    if (unwanted == caches_.end() && !(*cache)->Wanted()) unwanted = cache;
  }
  if (count < kMostOfResource) return;
  const auto goes = unwanted == caches_.end() ? oldest : unwanted;
  (*goes)->Leave();
  // Ends later, since one of its waiters may be the caller.
  state_.Post([gone = *goes] { gone->End(); });
  caches_.erase(goes);
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

Task<Result<ReadFrom>> VersionCaches::Current(ResourceAt at) {
  VersionCache& cache = Find(at);
  if (!cache.current()) {
    const Result<void> there = co_await Called<Result<void>>([&](VersionCache::Done done) {
      return std::const_pointer_cast<VersionCache::Done>(cache.WhenCurrent(std::move(done)));
    });
    if (!there) co_return there.error();
  }
  co_return FromCache(cache);
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
