// cache/delivery/handler_set.h
//
// HandlerSet: the handlers that are registered with an informer, whether it runs or not, and the
// resync period that their wishes add up to.

#ifndef KINFORMER_CACHE_DELIVERY_HANDLER_SET_H_
#define KINFORMER_CACHE_DELIVERY_HANDLER_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"

#include "base/core/mutex.h"
#include "cache/delivery/listener.h"

namespace kinformer::internal::cache {

// Thread-safe.
class HandlerSet {
 public:
  // `resync_period` is the informer's own wish.
  explicit HandlerSet(Duration resync_period)
      : resync_period_(resync_period), resync_check_period_(resync_period) {}

  // Gives the options what they leave open.
  void Complete(HandlerOptions& options);
  // Returns the resync period that the handler gets. `running`: the informer has started, so its
  // own period stands.
  Duration Add(std::shared_ptr<Listener> listener, bool running);
  void Remove(const std::shared_ptr<Listener>& listener);
  [[nodiscard]] std::vector<std::shared_ptr<Listener>> All() const;
  // All of them, and none is left.
  [[nodiscard]] std::vector<std::shared_ptr<Listener>> TakeAll();

  // How often the informer looks whether a handler is due.
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
