#include "client/discovery_tasks.h"

#include <utility>
#include <vector>

#include "client/off_loop_call.h"

namespace kinformer::internal::client {
namespace {

// Parts of a cache that a task needs.
struct Snapshot {
  std::shared_ptr<const ApiGroupVersions> groups{};
  bool ignores_files = false;
  std::uint64_t epoch = 0;
  std::map<std::string, DiscoveryCache::Aggregated> aggregated{};
};

Snapshot Look(const Discovery& discovery) {
  DiscoveryCache& cache = *discovery.cache;
  const WallTime now = discovery.core->env().WallNow();
  const std::lock_guard<std::mutex> lock(cache.mutex);
  if (cache.files != nullptr && now - cache.written >= cache.files->ttl()) cache.groups = nullptr;
  return {cache.groups, cache.ignores_files, cache.epoch, cache.aggregated};
}

// Logs what cannot be written: a cache is no reason to fail.
void Report(const Discovery& discovery, const Result<Result<void>>& stored) {
  if (!stored || *stored) return;
  discovery.core->env().log().Log(LogLevel::kInfo, "discovery is not kept in files",
                                  {{"reason", stored->error().message()}});
}

Task<Result<void>> Store(Discovery discovery, std::shared_ptr<const ApiGroupVersions> groups,
                         std::vector<std::size_t> only, std::stop_token stop) {
  if (discovery.cache->files == nullptr) co_return Result<void>();
  const WallTime now = discovery.core->env().WallNow();
  std::function<Result<void>()> work = [cache = discovery.cache, groups, only = std::move(only),
                                        now]() -> Result<void> {
    if (only.empty()) return cache->files->Store(*groups, now);
    for (const std::size_t i : only) {
      Result<void> stored = cache->files->StoreVersion((*groups)[i], now);
      if (!stored) return stored;
    }
    return {};
  };
  Result<Result<void>> stored =
      co_await OffLoop<Result<void>>(discovery.core->env(), std::move(stop), std::move(work));
  Report(discovery, stored);
  co_return Result<void>();
}

// Keeps what is known from now on, unless it has been invalidated meanwhile.
void Keep(const Discovery& discovery, std::uint64_t epoch,
          std::shared_ptr<const ApiGroupVersions> groups, WallTime written, bool fresh) {
  const std::lock_guard<std::mutex> lock(discovery.cache->mutex);
  if (discovery.cache->epoch != epoch) return;
  discovery.cache->groups = std::move(groups);
  discovery.cache->written = written;
  discovery.cache->fresh = fresh;
}

// Asks for versions of `groups` again, and returns all with the answers.
Task<Result<std::shared_ptr<const ApiGroupVersions>>> Complete(Discovery discovery,
                                                               ApiGroupVersions groups,
                                                               std::vector<std::size_t> missing,
                                                               CallOptions call) {
  for (const std::size_t i : missing) {
    Result<ApiGroupVersion> read = co_await FetchVersion(discovery.core, groups[i], call);
    if (!read) co_return std::move(read).error();
    groups[i] = *std::move(read);
  }
  auto all = std::make_shared<const ApiGroupVersions>(std::move(groups));
  if (!missing.empty()) {
    (void)co_await Store(discovery, all, std::move(missing), call.stop);
  }
  co_return all;
}

Task<Result<KnownGroups>> FromServer(Discovery discovery, Snapshot before, CallOptions call) {
  const std::stop_token stop = call.stop;
  Result<FetchedGroups> fetched =
      co_await FetchGroups(discovery.core, std::move(before.aggregated), std::move(call));
  if (!fetched) co_return std::move(fetched).error();
  KnownGroups out;
  out.groups = std::make_shared<const ApiGroupVersions>(std::move(fetched->groups));
  out.fetched = true;
  Keep(discovery, before.epoch, out.groups, discovery.core->env().WallNow(), /*fresh=*/true);
  {
    const std::lock_guard<std::mutex> lock(discovery.cache->mutex);
    discovery.cache->aggregated = std::move(fetched->aggregated);
  }
  // Nothing of what may be another kind of server is kept.
  if (!out.groups->empty()) {
    std::vector<std::size_t> all;
    (void)co_await Store(discovery, out.groups, std::move(all), stop);
  }
  co_return out;
}

// Returns null groups if the files do not have them.
Task<Result<KnownGroups>> FromFiles(Discovery discovery, std::uint64_t epoch, CallOptions call) {
  const WallTime now = discovery.core->env().WallNow();
  using Loaded = std::optional<DiscoveryFiles::Loaded>;
  std::function<Loaded()> work = [cache = discovery.cache, now] { return cache->files->Load(now); };
  Result<Loaded> read = co_await OffLoop<Loaded>(discovery.core->env(), call.stop, std::move(work));
  if (!read) co_return std::move(read).error();
  KnownGroups out;
  if (!*read) co_return out;
  const WallTime written = (*read)->written;
  Result<std::shared_ptr<const ApiGroupVersions>> all =
      co_await Complete(discovery, std::move((*read)->groups), std::move((*read)->missing), call);
  if (!all) co_return std::move(all).error();
  out.groups = *std::move(all);
  Keep(discovery, epoch, out.groups, written, /*fresh=*/false);
  co_return out;
}

}  // namespace

Task<Result<KnownGroups>> FindGroups(Discovery discovery, CallOptions call, bool whole) {
  Snapshot before = Look(discovery);
  KnownGroups out;
  if (before.groups != nullptr) {
    out.groups = before.groups;
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; whole && i < out.groups->size(); ++i) {
      if (MayPass((*out.groups)[i])) failed.push_back(i);
    }
    if (failed.empty()) co_return out;
    Result<std::shared_ptr<const ApiGroupVersions>> all =
        co_await Complete(discovery, *before.groups, std::move(failed), std::move(call));
    if (!all) co_return std::move(all).error();
    out.groups = *std::move(all);
    const std::lock_guard<std::mutex> lock(discovery.cache->mutex);
    if (discovery.cache->groups == before.groups) discovery.cache->groups = out.groups;
    co_return out;
  }
  if (discovery.cache->files != nullptr && !before.ignores_files) {
    Result<KnownGroups> known = co_await FromFiles(discovery, before.epoch, call);
    if (!known || known->groups != nullptr) co_return known;
  }
  Result<KnownGroups> fetched =
      co_await FromServer(std::move(discovery), std::move(before), std::move(call));
  co_return fetched;
}

}  // namespace kinformer::internal::client
