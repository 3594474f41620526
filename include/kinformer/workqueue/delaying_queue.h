// kinformer/workqueue/delaying_queue.h
//
// DelayingQueue: a WorkQueue that can accept an item now and return it later, for example to check
// an object again in ten minutes.

#ifndef KINFORMER_WORKQUEUE_DELAYING_QUEUE_H_
#define KINFORMER_WORKQUEUE_DELAYING_QUEUE_H_

#include <cstddef>

#include "kinformer/workqueue/work_queue.h"

namespace kinformer {

// A WorkQueue with AddAfter.
//
// An item has at most one running delay: of two, the earlier one counts. A plain Add does not end
// a delay; at its end the item is added once more. Items whose delays end together are added in
// the order of their AddAfter calls. Delays run on the Env's loop; the queue has no thread, and no
// methods that block besides those of WorkQueue. Shutting down, in either way, drops delayed
// items. Thread-safety, ownership, cost: as WorkQueue. Counterpart:
// workqueue.TypedDelayingInterface.
template <class Item, class Hash = std::hash<Item>>
class DelayingQueue : public WorkQueue<Item, Hash> {
 public:
  using WorkQueue<Item, Hash>::WorkQueue;

  // Adds `item` once `delay` has passed; at once if it is not above zero. Ignored when shutting
  // down.
  void AddAfter(const Item& item, Duration delay) {
    auto& state = this->state();
    const std::size_t hash = state.nodes.HashOf(item);
    const internal::QueueLock lock(state);
    if (state.AcceptsLocked()) state.AddAfterLocked(state.nodes.FindOrMake(item, hash), delay);
  }

  // Returns the number of delayed items. May be outdated at once.
  [[nodiscard]] std::size_t Delayed() const {
    auto& state = this->state();
    const internal::QueueLock lock(state);
    return state.DelayedLocked();
  }
};

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_DELAYING_QUEUE_H_
