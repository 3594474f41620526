// kinformer/delaying_queue.h
//
// DelayingQueue: a WorkQueue that can take an item now and hand it out later. For "look at this
// again in ten minutes".

#ifndef KINFORMER_DELAYING_QUEUE_H_
#define KINFORMER_DELAYING_QUEUE_H_

#include <cstddef>

#include "kinformer/work_queue.h"

namespace kinformer {

// A WorkQueue with AddAfter.
//
// An item has at most one delay under way: of two, the earlier wins. A plain Add does not end a
// delay; when it ends the item is added once more. Items whose delays end together are added in the
// order of their AddAfter calls. Delays pass on the Env's loop; there is no thread of its own, and
// no call blocks that does not block in WorkQueue.
// Shutting down, in either way, drops what is delayed.
// Thread-safety, ownership, cost: as WorkQueue. Counterpart: workqueue.TypedDelayingInterface.
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

  // Items whose delay is under way. A moment's value.
  [[nodiscard]] std::size_t Delayed() const {
    auto& state = this->state();
    const internal::QueueLock lock(state);
    return state.DelayedLocked();
  }
};

}  // namespace kinformer

#endif  // KINFORMER_DELAYING_QUEUE_H_
