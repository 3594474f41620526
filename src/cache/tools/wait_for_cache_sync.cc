#include "kinformer/cache/wait_for_cache_sync.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/cache/async_shared_informer.h"
#include "kinformer/internal/cache_tasks.h"

namespace kinformer {
namespace {

// Logs once for each informer that it has synced.
class SyncedLine {
 public:
  SyncedLine(Env& env, std::string name, const std::shared_ptr<internal::InformerCore>& informer)
      : env_(env), name_(std::move(name)), informer_(informer) {}

  void LogIfSynced() {
    const std::shared_ptr<internal::InformerCore> informer = informer_.lock();
    if (informer == nullptr || !informer->HasSynced() || said_.exchange(true)) return;
    env_.log().Log(LogLevel::kInfo, "a cache has synced",
                   {{"controller", name_}, {"informer", informer->Describe()}});
  }

 private:
  Env& env_;
  const std::string name_;
  // Weak: an observer may be called during the informer's destruction and must not keep it alive.
  const std::weak_ptr<internal::InformerCore> informer_;
  std::atomic<bool> said_{false};
};

std::vector<std::shared_ptr<internal::InformerCore>> CoresOf(
    const std::vector<InformerSynced>& informers) {
  std::vector<std::shared_ptr<internal::InformerCore>> cores;
  cores.reserve(informers.size());
  for (const InformerSynced& informer : informers) cores.push_back(informer.core());
  return cores;
}

}  // namespace

Result<void> WaitForCacheSync(Env& env, const std::vector<InformerSynced>& informers,
                              const std::stop_token& stop, SyncWaitOptions options) {
  return internal::WaitForSync(env, CoresOf(informers), stop, options);
}

Task<Result<void>> AsyncWaitForCacheSync(Env& env, const std::vector<InformerSynced>& informers,
                                         std::stop_token stop, SyncWaitOptions options) {
  return internal::SyncTask(env, CoresOf(informers), std::move(stop), options);
}

Result<void> WaitForNamedCacheSync(Env& env, std::string_view name,
                                   const std::vector<InformerSynced>& informers,
                                   const std::stop_token& stop, SyncWaitOptions options) {
  const std::string controller(name);
  env.log().Log(LogLevel::kInfo, "waiting for caches to sync", {{"controller", controller}});
  std::vector<std::shared_ptr<SyncedLine>> lines;
  std::vector<std::shared_ptr<void>> observations;
  for (const InformerSynced& informer : informers) {
    const auto line = std::make_shared<SyncedLine>(env, controller, informer.core());
    observations.push_back(informer.core()->Observe([line] { line->LogIfSynced(); }));
    line->LogIfSynced();
    lines.push_back(line);
  }
  Result<void> synced = WaitForCacheSync(env, informers, stop, options);
  observations.clear();
  // The notification of an informer that has just synced may still be missing.
  for (const std::shared_ptr<SyncedLine>& line : lines) line->LogIfSynced();
  if (synced) {
    env.log().Log(LogLevel::kInfo, "all caches are synced", {{"controller", controller}});
    return {};
  }
  env.log().Log(LogLevel::kError, "caches have not synced",
                {{"controller", controller}, {"err", synced.error().ToString()}});
  return std::move(synced).error().WithContext(name);
}

}  // namespace kinformer
