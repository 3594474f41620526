// kinformer/cache/wait_for_cache_sync.h
//
// WaitForCacheSync: waits until informers of any kinds, in a factory or not, have their first
// lists.
//
//   WaitForCacheSync(env, {pods, widgets}, stop.token(), {.timeout = 1min}).OrExit();
//
// For all informers of one factory: SharedInformerFactory::WaitForCacheSync.

#ifndef KINFORMER_CACHE_WAIT_FOR_CACHE_SYNC_H_
#define KINFORMER_CACHE_WAIT_FOR_CACHE_SYNC_H_

#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/internal/informer_core.h"

namespace kinformer {

// A handle on any SharedInformer, to wait for. Counterpart: cache.InformerSynced.
class InformerSynced {
 public:
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): informers are named in its place
  InformerSynced(const SharedInformer<T>& informer) : core_(informer.core()) {}

  [[nodiscard]] const std::shared_ptr<internal::InformerCore>& core() const { return core_; }

 private:
  std::shared_ptr<internal::InformerCore> core_;
};

// Blocks until all of them have synced; returns OK if they have, even if `stop` was requested
// before. Errors are those of SharedInformerFactory::WaitForCacheSync, and name the informers that
// have not synced, sorted, with reasons: kNotSynced (not started), kStopped, kCanceled,
// kDeadlineExceeded, kWouldDeadlock. Thread-safe. Counterpart: cache.WaitForCacheSync.
Result<void> WaitForCacheSync(Env& env, const std::vector<InformerSynced>& informers,
                              const std::stop_token& stop = {}, SyncWaitOptions options = {});

// Does the same for the caller `name`, "pod-controller": logs the begin of the wait, each informer
// that syncs, and the end. Its error begins with the name. Counterpart:
// cache.WaitForNamedCacheSync.
Result<void> WaitForNamedCacheSync(Env& env, std::string_view name,
                                   const std::vector<InformerSynced>& informers,
                                   const std::stop_token& stop = {}, SyncWaitOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_CACHE_WAIT_FOR_CACHE_SYNC_H_
