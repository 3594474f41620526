// kinformer/workqueue/work_queue.h
//
// WorkQueue: passes keys of changed objects from event handlers to workers, which bring the cluster
// in line with the objects. Handlers add keys; workers take keys, look up the objects in a cache,
// act, and mark the keys as done.
//
// The queue holds each item at most once, however often it is added, and never gives one item to
// two workers at a time. An item that is added while a worker has it is returned again after that
// worker is done. So no change is missed, no work is done twice without need, and workers need no
// lock per key.
//
//   WorkQueue<ObjectName> queue(env, {.name = "pods"});
//   pods.AddEventHandler({.on_update = [adder = queue.Adder()](const Updated<corev1::Pod>& e) {
//     adder.Add(e.object_name());
//   }}).OrExit();
//   while (std::optional<ObjectName> key = queue.Get()) {  // empty once the queue shuts down
//     Result<void> done = Reconcile(*key);
//     queue.Done(*key);
//   }
//
// Delays and retries: see delaying_queue.h, rate_limiting_queue.h. Worker threads: worker.h.

#ifndef KINFORMER_WORKQUEUE_WORK_QUEUE_H_
#define KINFORMER_WORKQUEUE_WORK_QUEUE_H_

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/queue_core.h"
#include "kinformer/internal/queue_item.h"
#include "kinformer/internal/queue_table.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/fair_flows.h"
#include "kinformer/workqueue/work_queue_order.h"

namespace kinformer {

// Name of a queue.
struct WorkQueueOptions {
  std::string name{};  // label of the queue's metrics; empty: no metrics
};

template <class Item, class Hash = std::hash<Item>>
class AsyncWorkQueue;  // async_work_queue.h

// A first-in, first-out queue of distinct items. `Item` is copyable,
// equality-comparable and hashed by `Hash`.
//
// Guarantees: an item is waiting at most once; it is held by at most one worker; an
// Add that happens before a Done of the same item leads to another Get after it.
// Items are returned in the order in which they became waiting. Thread-safe. Only
// Get and ShutDownWithDrain block. All waits use the Env, so that simulated time
// works. Ownership: the queue copies items and keeps nothing of an item that is
// done. It must outlive all calls; `env` must outlive it. Destruction shuts it down
// and waits for blocked calls to return. A caller of Add that may outlive the queue,
// such as a handler of an informer that is declared before the queue, uses an Adder,
// which does nothing once the queue is destroyed. Cost: one hash lookup per call;
// about 65 bytes per item plus the item. An ObjectName is stored as the bytes of its
// names. While items arrive within microseconds of each other, a worker that finds
// none yields its core for some microseconds before it sleeps, one worker at a time.
// Metrics: workqueue_depth, _adds_total, _queue_duration_seconds,
// _work_duration_seconds, _unfinished_work_seconds,
// _longest_running_processor_seconds, _retries_total, each with the label `name`.
// Counterpart: client-go util/workqueue.Typed.
template <class Item, class Hash = std::hash<Item>>
class WorkQueue {
  static_assert(internal::CheckQueueItem<Item, Hash>());

 protected:
  struct State;

 public:
  explicit WorkQueue(Env& env, const WorkQueueOptions& options = {})
      : WorkQueue(std::make_shared<State>(env, internal::QueueRules{.name = options.name})) {}
  // Creates a queue that returns its items in an order of the program's own, which it owns. Waiting
  // returns them in the order in which they became waiting even so.
  // Is a template, so that {} as the second argument means the options above.
  template <std::convertible_to<std::unique_ptr<WorkQueueOrder<Item>>> Order>
  WorkQueue(Env& env, Order order, const WorkQueueOptions& options = {})
      : WorkQueue(std::make_shared<State>(
            env, internal::QueueRules{.name = options.name, .ordered = order != nullptr},
            std::move(order))) {}
  ~WorkQueue() {
    if (state_->LeaveIfForkedOff()) return;
    const internal::QueueLock lock(*state_);
    state_->ShutDownLocked();
    state_->WaitForCallersLocked();
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Marks `item` as needing work. Does nothing if it already waits or the queue is shutting down.
  void Add(const Item& item) { AddTo(*state_, item); }

  // Adds items, and may outlive the queue. A copyable handle, thread-safe.
  class QueueAdder {
   public:
    // Does as WorkQueue::Add. Does nothing once the queue is destroyed.
    void Add(const Item& item) const { WorkQueue::AddTo(*state_, item); }

   private:
    friend class WorkQueue;
    explicit QueueAdder(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };
  [[nodiscard]] QueueAdder Adder() const { return QueueAdder(state_); }

  // Waits for an item and returns it; the caller must call Done. Empty once the queue is shut down
  // and has no waiting items. On the event loop, which must not wait, also empty if no item is
  // waiting at the moment.
  [[nodiscard]] std::optional<Item> Get() {
    const internal::QueueLock lock(*state_);
    internal::QueueNode* const node = state_->GetLocked();
    if (node == nullptr) return std::nullopt;
    return State::ItemOf(*node);
  }

  // Reports that the caller has finished with `item` from Get. If it was added meanwhile, it waits
  // again, at the back. Logs an error, and does nothing else, if no worker has the item.
  void Done(const Item& item) {
    const std::size_t hash = state_->nodes.HashOf(item);
    const internal::QueueLock lock(*state_);
    internal::QueueNode* const node = state_->nodes.Find(item, hash);
    if (node == nullptr || !node->processing) {
      state_->ReportBadDone();
      return;
    }
    state_->DoneLocked(*node);
    if (node->idle()) state_->nodes.Erase(*node);
  }

  // Returns the number of waiting items, without those that workers hold or that are delayed. May
  // be outdated at once: for metrics and tests, not for decisions.
  [[nodiscard]] std::size_t Len() const {
    const internal::QueueLock lock(*state_);
    return state_->LenLocked();
  }

  // Returns copies of the waiting items, front first. Holds the lock meanwhile: for inspection.
  [[nodiscard]] std::vector<Item> Waiting() const {
    const internal::QueueLock lock(*state_);
    std::vector<Item> items;
    items.reserve(state_->LenLocked());
    for (const auto* node : state_->WaitingLocked()) items.push_back(State::ItemOf(*node));
    return items;
  }

  // Shuts the queue down: Add is ignored, delayed items are dropped, and Get returns the waiting
  // items and then nothing. Returns at once; may be called again. Ends a ShutDownWithDrain that
  // waits elsewhere.
  void ShutDown() {
    const internal::QueueLock lock(*state_);
    state_->ShutDownLocked();
    state_->nodes.EraseIdle();
  }

  // Shuts down, then waits until no item waits and no worker holds one, until `timeout` has passed,
  // or until ShutDown is called. Returns true if the queue is drained. Unlike client-go, waiting
  // items count: none is left, and each of several callers returns. On the event loop it does not
  // wait.
  [[nodiscard]] bool ShutDownWithDrain(Duration timeout = Duration::max()) {
    const internal::QueueLock lock(*state_);
    const bool drained = state_->ShutDownWithDrainLocked(timeout);
    state_->nodes.EraseIdle();
    return drained;
  }

  [[nodiscard]] bool ShuttingDown() const {
    const internal::QueueLock lock(*state_);
    return state_->ShuttingDownLocked();
  }

 protected:
  struct State final : internal::QueueCore {
    State(Env& env, const internal::QueueRules& rules,
          std::unique_ptr<WorkQueueOrder<Item>> of_program = nullptr, FairFlows<Item> of_items = {})
        : internal::QueueCore(env, rules),
          nodes(env.Random(), rules.notes),
          order(std::move(of_program)),
          flows(std::move(of_items)) {}
    static Item ItemOf(const internal::QueueNode& node) {
      return internal::QueueTable<Item, Hash>::ItemOf(node);
    }
    internal::QueueTable<Item, Hash> nodes;
    const std::unique_ptr<WorkQueueOrder<Item>> order;  // null: first in, first out
    const FairFlows<Item> flows;                        // used if QueueRules::fair

   private:
    void PushedLocked(const internal::QueueNode& node) override {
      try {
        order->Push(ItemOf(node));
      } catch (...) {
        this->ReportThrew("WorkQueueOrder");
      }
    }
    void TouchedLocked(const internal::QueueNode& node) override {
      try {
        order->Touch(ItemOf(node));
      } catch (...) {
        this->ReportThrew("WorkQueueOrder");
      }
    }
    internal::QueueNode* ChosenLocked() override {
      try {
        const std::optional<Item> item = order->Pop();
        internal::QueueNode* const node = item ? nodes.Find(*item, nodes.HashOf(*item)) : nullptr;
        return node != nullptr && node->dirty && !node->processing ? node : nullptr;
      } catch (...) {
        this->ReportThrew("WorkQueueOrder");
        return nullptr;
      }
    }
    std::string FlowOfLocked(const internal::QueueNode& node) override {
      try {
        const Item item = ItemOf(node);
        if (flows.flow_of) return flows.flow_of(item);
        if constexpr (std::is_same_v<Item, ObjectName>) return item.namespace_;
      } catch (...) {
        this->ReportThrew("FairFlows::flow_of");
      }
      return {};
    }
    double WeightOfLocked(const std::string& flow) override {
      try {
        if (flows.weight_of) return flows.weight_of(flow);
      } catch (...) {
        this->ReportThrew("FairFlows::weight_of");
      }
      return 1;
    }
  };

  explicit WorkQueue(std::shared_ptr<State> state) : state_(std::move(state)) {}

  State& state() const { return *state_; }

 private:
  template <class OtherItem, class OtherHash>
  friend class AsyncWorkQueue;

  static void AddTo(State& state, const Item& item) {
    const std::size_t hash = state.nodes.HashOf(item);
    const internal::QueueLock lock(state);
    if (state.AcceptsLocked()) state.AddLocked(state.nodes.FindOrMake(item, hash));
  }

  const std::shared_ptr<State> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_WORK_QUEUE_H_
