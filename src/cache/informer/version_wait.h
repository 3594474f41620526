// cache/informer/version_wait.h
//
// VersionWaiters: who waits until the store of an informer has a resourceVersion.

#ifndef KINFORMER_CACHE_INFORMER_VERSION_WAIT_H_
#define KINFORMER_CACHE_INFORMER_VERSION_WAIT_H_

#include <atomic>
#include <optional>
#include <stop_token>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/result.h"

#include "cache/figures/informer_observers.h"

namespace kinformer::internal::cache {

// Thread-safe.
//
// No change is missed without a fence: a waiter counts itself in and then looks at the store, the
// writer publishes a version and then looks at the count, both with a read-modify-write of the
// count. Either the writer sees the waiter, or the waiter's comes after the writer's, and then it
// sees what the writer had published.
class VersionWaiters {
 public:
  // Who looks at the store's version, besides those in Wait: from now on, and no longer.
  void CountIn() const { count_.fetch_add(1, std::memory_order_acq_rel); }
  void CountOut() const { count_.fetch_sub(1, std::memory_order_release); }
  // Tells the observers, among which the waiters are, if there are any.
  void Changed(InformerObservers& observers) {
    if (count_.fetch_add(0, std::memory_order_acq_rel) != 0) observers.Notify();
  }

  // See SharedInformer::WaitForResourceVersion.
  // `namespace_` empty: of all that it looks at.
  Result<void> Wait(const InformerCore::Impl& informer, std::string_view namespace_,
                    std::string_view resourceVersion, const std::stop_token& stop,
                    std::optional<Duration> timeout) const;

 private:
  mutable std::atomic<int> count_{0};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_VERSION_WAIT_H_
