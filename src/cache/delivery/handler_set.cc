#include "cache/delivery/handler_set.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cache/delivery/processor.h"

namespace kinformer::internal::cache {

void HandlerSet::Complete(HandlerOptions& options) {
  // A bound of 0 would be reached by an empty queue, and with kBlock it would block forever.
  options.max_events = std::max<std::size_t>(options.max_events, 1);
  options.max_bytes = std::max<std::size_t>(options.max_bytes, 1);
  if (!options.name.empty()) return;
  base::MutexLock lock(mutex_);
  options.name = "handler-" + std::to_string(++number_);
}

Duration HandlerSet::Add(std::shared_ptr<Listener> listener, bool running) {
  base::MutexLock lock(mutex_);
  const Duration wanted = listener->options().resync_period.value_or(resync_period_);
  const Duration period = ResyncPeriods::ForHandler(wanted, resync_check_period_, running);
  // The first handler with a resync period starts resyncs for an informer that has none.
  if (!running && resync_check_period_ == Duration(0) && resync_period_ == Duration(0)) {
    resync_check_period_ = period;
  }
  all_.push_back(std::move(listener));
  return period;
}

void HandlerSet::Remove(const std::shared_ptr<Listener>& listener) {
  base::MutexLock lock(mutex_);
  std::erase(all_, listener);
}

std::vector<std::shared_ptr<Listener>> HandlerSet::All() const {
  base::MutexLock lock(mutex_);
  return all_;
}

std::vector<std::shared_ptr<Listener>> HandlerSet::TakeAll() {
  base::MutexLock lock(mutex_);
  return std::exchange(all_, {});
}

Duration HandlerSet::ResyncCheckPeriod() const {
  base::MutexLock lock(mutex_);
  return resync_check_period_;
}

void HandlerSet::AddTo(InformerStats& stats) const {
  const std::vector<std::shared_ptr<Listener>> all = All();
  stats.handlers = all.size();
  for (const std::shared_ptr<Listener>& listener : all) {
    const HandlerStats handler = listener->Stats();
    stats.delivered += handler.delivered;
    stats.coalesced += handler.coalesced;
    stats.dropped += handler.dropped;
    stats.handler_exceptions += handler.exceptions;
  }
}

}  // namespace kinformer::internal::cache
