// kinformer/wait_for_cache_sync.h
//
// WaitForCacheSync: waits for informers of any kinds, however they were made, to have their first
// lists.
//
//   WaitForCacheSync(env, {pods, widgets}, stop.token(), {.timeout = 1min}).OrExit();
//
// For all of one factory there is SharedInformerFactory::WaitForCacheSync.

#ifndef KINFORMER_WAIT_FOR_CACHE_SYNC_H_
#define KINFORMER_WAIT_FOR_CACHE_SYNC_H_

#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/result.h"
#include "kinformer/shared_informer.h"

namespace kinformer {

// Any SharedInformer, to be waited for; a handle on it. Counterpart: cache.InformerSynced.
class InformerSynced {
 public:
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): informers are named in its place
  InformerSynced(const SharedInformer<T>& informer) : core_(informer.core()) {}

  [[nodiscard]] const std::shared_ptr<internal::InformerCore>& core() const { return core_; }

 private:
  std::shared_ptr<internal::InformerCore> core_;
};

// Blocks until all of them have synced; those that have count also where `stop` was requested
// before. The errors are those of SharedInformerFactory::WaitForCacheSync, and name who is not
// synced, sorted, and why: kNotSynced (not started), kStopped, kCanceled, kDeadlineExceeded,
// kWouldDeadlock. Thread-safe. Counterpart: cache.WaitForCacheSync.
Result<void> WaitForCacheSync(Env& env, const std::vector<InformerSynced>& informers,
                              const std::stop_token& stop = {}, SyncWaitOptions options = {});

// The same, for the caller `name`, "pod-controller": says in the log when the wait begins, which
// informer has synced as it does, and how the wait ended. Its error begins with the name.
// Counterpart: cache.WaitForNamedCacheSync.
Result<void> WaitForNamedCacheSync(Env& env, std::string_view name,
                                   const std::vector<InformerSynced>& informers,
                                   const std::stop_token& stop = {}, SyncWaitOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_WAIT_FOR_CACHE_SYNC_H_
