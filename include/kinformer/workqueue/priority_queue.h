// kinformer/workqueue/priority_queue.h
//
// PriorityQueue: a RateLimitingQueue that returns important items first. When a controller starts,
// all objects of its caches are in its queue; changes that people make meanwhile should not wait
// behind all of them.
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

#ifndef KINFORMER_WORKQUEUE_PRIORITY_QUEUE_H_
#define KINFORMER_WORKQUEUE_PRIORITY_QUEUE_H_

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kinformer/base/time_span.h"
#include "kinformer/workqueue/fair_flows.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

namespace kinformer {

namespace internal {
struct NotedQueue;  // internal/noted_queue.h
}  // namespace internal

// Name of a queue, and the weight of waiting time against priority.
struct PriorityQueueOptions {
  std::string name{};        // label of the queue's metrics; empty: no metrics
  std::string controller{};  // label of that name, as in controller-runtime; empty: none
  // Waiting time that counts as one level of priority; see PriorityQueue. Zero: strictly by
  // priority, as in controller-runtime.
  TimeSpan ageing{std::chrono::seconds(1)};
};

// Options for adding an item. Counterpart: priorityqueue.AddOpts.
struct AddOpts {
  TimeSpan after{};           // time until it may be returned; at once if it is not above zero
  bool rate_limited = false;  // delay set by the limiter; with `after` too, the shorter one counts
  std::optional<int> priority{};  // higher is returned sooner; empty: 0
};

// A RateLimitingQueue whose items have priorities, 0 unless AddWithOpts sets another.
//
// Order: of two waiting items, the one of higher priority is returned first; of equal ones, the one
// that has waited longer. With ageing, each `ageing` that an item has waited counts as one level
// more. So an item d levels higher overtakes another only if it begins to wait less than d * ageing
// later, and no item waits for ever, however many arrive with higher priorities. With the default,
// items of an initial list at -100 are behind all that arrive within the next 100 s, and then have
// their turn. client-go's and controller-runtime's queues do not age.
//
// One item, one entry: an item that is added again keeps the higher of the priorities and the
// earlier of the times. If its priority rises, it moves behind the items that wait at the new
// priority; if not, it keeps its place. A waiting item is not delayed again, and a delayed item
// that is added without delay waits at once: unlike in DelayingQueue, its delay is then over. An
// item that is added while a worker has it waits from then on, is counted by Len, and keeps its
// place, but is returned only after Done.
//
// With FairFlows, items of equal priority are returned so that their flows share the workers by
// weight (start-time fair queueing): while n flows of equal weight wait, each has every n-th turn.
// A flow that has had less than its share goes before one that has had more, for four items: so
// tenants with few items hardly wait for one with many. Within a flow, the item that has waited
// longer is first. Between priorities nothing changes: the level whose oldest item is ahead, by
// priority and ageing, gives the next one. Flows without items are forgotten once they have had no
// more than their share, but for 256. Cost: Add and Get are O(log n) for n flows.
//
// Shutting down: after ShutDown, Get returns nothing more, as in controller-runtime and unlike in
// the other queues; waiting items stay, and Waiting returns them. ShutDownWithDrain still returns
// them. No item is lost: each is given to a worker, or still waits.
//
// Threads, ownership and metrics are as with RateLimitingQueue, except that workqueue_depth has a
// second label, `priority`, for 25 priorities at most, with all others together as
// "exceeded_cardinality_limit"; and that workqueue_retries_total does not count delays of zero.
// Cost: as WorkQueue; Get is O(log n) for n priorities in use, whatever the number of items.
// Counterpart: controller-runtime pkg/controller/priorityqueue.PriorityQueue.
template <class Item, class Hash = std::hash<Item>>
class PriorityQueue : public RateLimitingQueue<Item, Hash> {
 public:
  // An item, and the priority at which it waited: result of GetWithPriority. Has no name in
  // controller-runtime.
  struct Prioritised {
    Item item;
    int priority;
  };

  // Creates a queue with a limiter of 5 ms to 1000 s per item, and no limit for all together.
  explicit PriorityQueue(Env& env, const PriorityQueueOptions& options = {})
      : PriorityQueue(env, NewLimiter(), options) {}
  // Is a template, so that {} as the second argument means the options above.
  template <std::convertible_to<std::unique_ptr<RateLimiter<Item>>> Limiter>
  PriorityQueue(Env& env, Limiter limiter, const PriorityQueueOptions& options = {})
      : PriorityQueue(env, std::move(limiter), std::optional<FairFlows<Item>>(), options) {}
  // Creates a queue whose items of equal priority share the workers by flows. An empty optional: by
  // the time of waiting only.
  template <std::convertible_to<std::optional<FairFlows<Item>>> Flows>
  explicit PriorityQueue(Env& env, Flows flows, const PriorityQueueOptions& options = {})
      : PriorityQueue(env, NewLimiter(), std::move(flows), options) {}
  template <std::convertible_to<std::unique_ptr<RateLimiter<Item>>> Limiter,
            std::convertible_to<std::optional<FairFlows<Item>>> Flows>
  PriorityQueue(Env& env, Limiter limiter, Flows flows, const PriorityQueueOptions& options = {})
      : PriorityQueue(env, std::unique_ptr<RateLimiter<Item>>(std::move(limiter)), options,
                      std::optional<FairFlows<Item>>(std::move(flows)), internal::QueueNotes()) {}

  // Adds `item` with `opts`. Ignored when shutting down, except that the limiter counts it.
  void AddWithOpts(const AddOpts& opts, const Item& item) {
    AddAll({&item, 1}, DelayOf(opts, item), opts.priority.value_or(0));
  }
  // Adds each of `items`, in their order, taking the lock once; if rate limited, once for each
  // item, and the limiter is called for each.
  void AddWithOpts(const AddOpts& opts, std::span<const Item> items) {
    if (opts.rate_limited) {
      for (const Item& item : items) AddWithOpts(opts, item);
    } else {
      AddAll(items, opts.after, opts.priority.value_or(0));
    }
  }

  // Does as Get, and returns the item's priority, so that it can be added again with the same one.
  [[nodiscard]] std::optional<Prioritised> GetWithPriority() {
    auto& state = this->state();
    const internal::QueueLock lock(state);
    const internal::QueueNode* const node = state.GetLocked();
    if (node == nullptr) return std::nullopt;
    return Prioritised{state.ItemOf(*node), node->priority};
  }

 protected:
  // Creates a queue with notes on its items, for classes of the library: see internal::NotedQueue.
  PriorityQueue(Env& env, std::unique_ptr<RateLimiter<Item>> limiter,
                const PriorityQueueOptions& options, std::optional<FairFlows<Item>> flows,
                const internal::QueueNotes& notes)
      : RateLimitingQueue<Item, Hash>(
            std::make_shared<typename RateLimitingQueue<Item, Hash>::State>(
                env,
                internal::QueueRules{.name = options.name,
                                     .controller = options.controller,
                                     .by_priority = true,
                                     .ageing = options.ageing,
                                     .fair = flows.has_value(),
                                     .notes = notes},
                nullptr, flows ? *std::move(flows) : FairFlows<Item>()),
            std::move(limiter)) {}

 private:
  friend struct internal::NotedQueue;

  [[nodiscard]] Duration DelayOf(const AddOpts& opts, const Item& item) {
    if (!opts.rate_limited) return opts.after;
    const Duration wait = this->limiter().When(item);
    return opts.after <= Duration::zero() || wait < opts.after ? wait : Duration(opts.after);
  }
  static std::unique_ptr<RateLimiter<Item>> NewLimiter() {
    return std::make_unique<ItemExponentialFailureRateLimiter<Item, Hash>>(
        std::chrono::milliseconds(5), std::chrono::seconds(1000));
  }

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

#endif  // KINFORMER_WORKQUEUE_PRIORITY_QUEUE_H_
