// cache/informer/version_wait.h
//
// VersionWaiters: tasks and threads that wait until an informer's store reaches a resourceVersion.

#ifndef KINFORMER_CACHE_INFORMER_VERSION_WAIT_H_
#define KINFORMER_CACHE_INFORMER_VERSION_WAIT_H_

#include <atomic>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"

#include "cache/figures/informer_observers.h"
#include "cache/informer/informer_context.h"

namespace kinformer::internal::cache {

// Thread-safe.
//
// No change is missed although there is no fence. A waiter increments the count and then checks the
// store; the writer publishes a version and then checks the count. Both use a read-modify-write of
// the count: either the writer sees the waiter, or the waiter comes later and sees the published
// version.
class VersionWaiters {
 public:
  // Registers an observer of the store's version that is not inside Wait, and unregisters it.
  void CountIn() const { count_.fetch_add(1, std::memory_order_acq_rel); }
  void CountOut() const { count_.fetch_sub(1, std::memory_order_release); }
  // Notifies the observers, which include the waiters, if there are any.
  void Changed(InformerObservers& observers) {
    if (count_.fetch_add(0, std::memory_order_acq_rel) != 0) observers.Notify();
  }

  // See SharedInformer::WaitForResourceVersion. `namespace_` empty: all namespaces of the informer.
  //
  // Returns the result if there is nothing to wait for.
  [[nodiscard]] static std::optional<Result<void>> WithoutWaiting(const InformerContext& informer,
                                                                  std::string_view namespace_,
                                                                  std::string_view version);
  // Waits. REQUIRES: the version is well-formed. The informer must outlive the task.
  [[nodiscard]] Task<Result<void>> Wait(const InformerContext& informer, std::string namespace_,
                                        std::string version, std::stop_token stop,
                                        std::optional<Duration> timeout) const;
  // Returns the error of a wait on the loop's thread, and logs it.
  [[nodiscard]] static Error OnLoop(const InformerContext& informer, std::string_view namespace_,
                                    std::string_view version);

 private:
  mutable std::atomic<int> count_{0};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_VERSION_WAIT_H_
