// kinformer/priority_queue.h
//
// PriorityQueue: a RateLimitingQueue in which what matters more is given out first. A controller
// that starts has every object of its caches in its queue; what people change meanwhile should not
// wait behind all of them.
//
//   PriorityQueue<ObjectName> queue(env, {.name = "pods"});
//   queue.AddWithOpts({.priority = -100}, {"default", "web-0"});  // of the initial list
//   queue.Add({"default", "web-1"});                              // changed just now: priority 0
//   while (auto next = queue.GetWithPriority()) {                 // web-1, then web-0
//     if (Reconcile(next->item).ok()) {
//       queue.Forget(next->item);
//     } else {
//       queue.AddWithOpts({.rate_limited = true, .priority = next->priority}, next->item);
//     }
//     queue.Done(next->item);
//   }

#ifndef KINFORMER_PRIORITY_QUEUE_H_
#define KINFORMER_PRIORITY_QUEUE_H_

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kinformer/internal/time_span.h"
#include "kinformer/rate_limiting_queue.h"

namespace kinformer {

// What a queue is called, and how long a priority holds against waiting.
struct PriorityQueueOptions {
  std::string name{};        // label of the queue's metrics; empty: no metrics
  std::string controller{};  // label of that name, as controller-runtime has; empty: none
  // Waiting for so long counts as much as one level of priority; see PriorityQueue. Zero: strictly
  // by priority, as controller-runtime.
  internal::TimeSpan ageing{std::chrono::seconds(1)};
};

// How an item is added. Counterpart: priorityqueue.AddOpts.
struct AddOpts {
  internal::TimeSpan after{};  // not before this has passed; at once if it is not above zero
  bool rate_limited = false;   // not before the limiter says so; with `after`, the earlier of both
  std::optional<int> priority{};  // higher is given out sooner; empty: 0
};

// A RateLimitingQueue whose items have priorities, 0 unless AddWithOpts says otherwise.
//
// Order: of two items that wait, that of the higher priority is given out first, and of equal ones
// that which has waited longer. With ageing, each `ageing` that an item has waited counts as one
// level more. So an item is overtaken by one that is d levels higher only if that begins to wait
// less than d * ageing after it, and none waits for ever, however many come at higher priorities.
// With the default, what an initial list puts at -100 is behind what comes in the next 100 s, and
// then has its turn. client-go's and controller-runtime's queues do not age.
//
// One item, one entry: an item that is added again keeps the higher of the priorities and the
// earlier of the times. If its priority rises, it goes behind what waits at the new one already; if
// not, it keeps its place. What waits does not become delayed again, and a delayed item that is
// added without delay waits at once: unlike in DelayingQueue, its delay is over then.
// An item that is added while a worker has it waits from then on, is counted by Len, and keeps its
// place, but is given out only after Done.
//
// Shutting down: ShutDown ends the giving out, as in controller-runtime and unlike in the other
// queues; what waits then stays, for Waiting to tell. ShutDownWithDrain gives out what waits. No
// item is lost on the way: each is given to a worker, or still waits.
//
// All else, threads, ownership, metrics, is as with RateLimitingQueue, but that workqueue_depth has
// a second label, `priority`: of 25 priorities at most, the rest together is
// "exceeded_cardinality_limit"; and that workqueue_retries_total does not count delays of zero.
// Cost: as WorkQueue; getting an item takes O(log n) for n priorities in use, however many items.
// Counterpart: controller-runtime pkg/controller/priorityqueue.PriorityQueue.
template <class Item, class Hash = std::hash<Item>>
class PriorityQueue : public RateLimitingQueue<Item, Hash> {
 public:
  // An item, and the priority at which it waited. What GetWithPriority returns in
  // controller-runtime, where it has no name.
  struct Prioritised {
    Item item;
    int priority;
  };

  // With a limiter of 5 ms to 1000 s for each item, and none over all.
  explicit PriorityQueue(Env& env, const PriorityQueueOptions& options = {})
      : PriorityQueue(env,
                      std::make_unique<ItemExponentialFailureRateLimiter<Item, Hash>>(
                          std::chrono::milliseconds(5), std::chrono::seconds(1000)),
                      options) {}
  // A template, so that {} in the second place are the options above.
  template <std::convertible_to<std::unique_ptr<RateLimiter<Item>>> Limiter>
  PriorityQueue(Env& env, Limiter limiter, const PriorityQueueOptions& options = {})
      : RateLimitingQueue<Item, Hash>(
            std::make_shared<typename RateLimitingQueue<Item, Hash>::State>(
                env, internal::QueueRules{.name = options.name,
                                          .controller = options.controller,
                                          .by_priority = true,
                                          .ageing = options.ageing}),
            std::move(limiter)) {}

  // Adds `item` as `opts` say. Ignored when shutting down, but for the limiter, which counts.
  void AddWithOpts(const AddOpts& opts, const Item& item) {
    Duration after = opts.after;
    if (opts.rate_limited) {
      const Duration wait = this->limiter().When(item);
      if (after <= Duration::zero() || wait < after) after = wait;
    }
    AddAll({&item, 1}, after, opts.priority.value_or(0));
  }
  // Adds each of `items`, in their order, taking the lock once; if rate limited, once for each, and
  // the limiter is asked for each by itself.
  void AddWithOpts(const AddOpts& opts, std::span<const Item> items) {
    if (opts.rate_limited) {
      for (const Item& item : items) AddWithOpts(opts, item);
    } else {
      AddAll(items, opts.after, opts.priority.value_or(0));
    }
  }

  // As Get, with the priority at which the item waited: whoever adds it again can keep it.
  [[nodiscard]] std::optional<Prioritised> GetWithPriority() {
    auto& state = this->state();
    const internal::QueueLock lock(state);
    const internal::QueueNode* const node = state.GetLocked();
    if (node == nullptr) return std::nullopt;
    return Prioritised{state.ItemOf(*node), node->priority};
  }

 private:
  void AddAll(std::span<const Item> items, Duration after, int priority) {
    auto& state = this->state();
    const internal::QueueLock lock(state);
    if (!state.AcceptsLocked()) return;
    for (const Item& item : items) {
      state.AddAfterLocked(state.nodes.FindOrMake(item, state.nodes.HashOf(item)), after, priority);
    }
  }
};

}  // namespace kinformer

#endif  // KINFORMER_PRIORITY_QUEUE_H_
