// kinformer/workqueue/async_work_queue.h
//
// AsyncWorkQueue: the Get of a work queue for coroutines (task.h), so that a hundred workers need
// no thread each.
//
//   Task<Result<void>> Worker(WorkQueue<ObjectName>& queue, std::stop_token stop) {
//     const AsyncWorkQueue items(queue);
//     while (std::optional<ObjectName> key = co_await items.Get(stop)) {
//       const Result<void> done = co_await Handle(*key);
//       queue.Done(*key);
//       if (!done) co_return done;
//     }
//     co_return Result<void>();
//   }

#ifndef KINFORMER_WORKQUEUE_ASYNC_WORK_QUEUE_H_
#define KINFORMER_WORKQUEUE_ASYNC_WORK_QUEUE_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/internal/queue_task.h"
#include "kinformer/workqueue/work_queue.h"

namespace kinformer {

// Takes items from a WorkQueue or a queue that is derived from it. Workers that wait in threads
// come before tasks that wait. Copyable. Thread-safe.
template <class Item, class Hash>
class AsyncWorkQueue {
 public:
  explicit AsyncWorkQueue(const WorkQueue<Item, Hash>& queue) : state_(queue.state_) {}

  // Waits for an item and returns it; the caller must call the queue's Done. Empty once the queue
  // is shut down and has no waiting items, or if none waits when `stop` is requested. May be
  // awaited on a loop.
  [[nodiscard]] Task<std::optional<Item>> Get(std::stop_token stop = {}) const {
    return Next(state_, std::move(stop));
  }

 private:
  using State = typename WorkQueue<Item, Hash>::State;

  static Task<std::optional<Item>> Next(std::shared_ptr<State> state, std::stop_token stop) {
    internal::QueueNode* const node = co_await internal::GetTask(state, stop);
    if (node == nullptr) co_return std::nullopt;
    const internal::QueueLock lock(*state);
    co_return State::ItemOf(*node);
  }

  std::shared_ptr<State> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_ASYNC_WORK_QUEUE_H_
