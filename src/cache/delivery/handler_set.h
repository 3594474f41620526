// cache/delivery/handler_set.h
//
// HandlerSet: the handlers of an informer, whether it runs or not, and the resync period that
// results from their options.

#ifndef KINFORMER_CACHE_DELIVERY_HANDLER_SET_H_
#define KINFORMER_CACHE_DELIVERY_HANDLER_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/informer_options.h"

#include "base/core/mutex.h"
#include "cache/delivery/listener.h"

namespace kinformer::internal::cache {

// Thread-safe.
class HandlerSet {
 public:
  // `resync_period`: the informer's own default.
  explicit HandlerSet(Duration resync_period)
      : resync_period_(resync_period), resync_check_period_(resync_period) {}

  // Fills in the options that are not set.
  void Complete(HandlerOptions& options);
  // Returns the resync period of the handler. `running`: the informer has started, so its own
  // period can no longer change.
  Duration Add(std::shared_ptr<Listener> listener, bool running);
  void Remove(const std::shared_ptr<Listener>& listener);
  [[nodiscard]] std::vector<std::shared_ptr<Listener>> All() const;
  // Removes and returns all handlers.
  [[nodiscard]] std::vector<std::shared_ptr<Listener>> TakeAll();

  // Returns how often the informer checks for handlers that are due for a resync.
  [[nodiscard]] Duration ResyncCheckPeriod() const;
  void AddTo(InformerStats& stats) const;

 private:
  const Duration resync_period_;
  mutable base::Mutex mutex_;
  std::uint64_t number_ KINFORMER_GUARDED_BY(mutex_) = 0;
  Duration resync_check_period_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Listener>> all_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_HANDLER_SET_H_
