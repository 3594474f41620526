// kinformer/work_queue.h
//
// WorkQueue: the hand-off between event handlers, which learn that an object changed, and workers,
// which bring the world in line with it. Handlers add keys; workers take keys, look the object up
// in a cache, act, and mark the key done.
//
// The queue holds each item at most once, however often it is added, and never gives one item to
// two workers at a time. An item that is added while a worker has it is given out again after that
// worker is done. So no change is missed, no work is repeated for its own sake, and a worker never
// needs a lock per key.
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

#ifndef KINFORMER_WORK_QUEUE_H_
#define KINFORMER_WORK_QUEUE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/queue_core.h"
#include "kinformer/internal/queue_item.h"
#include "kinformer/internal/queue_table.h"

namespace kinformer {

// What a queue is called.
struct WorkQueueOptions {
  std::string name{};  // label of the queue's metrics; empty: no metrics
};

// A first-in, first-out queue of distinct items. `Item` is copyable, equality-comparable and hashed
// by `Hash`.
//
// Guarantees: an item is waiting at most once; it is held by at most one worker; an Add that
// happens before a Done of the same item leads to another Get after it. Items are given out in the
// order in which they became waiting.
// Thread-safe. Get and ShutDownWithDrain block; nothing else does. All waits go through the Env, so
// simulated time works.
// Ownership: the queue copies items and keeps nothing of an item that is done. It must outlive all
// calls; `env` must outlive it. Destruction shuts it down and waits for blocked calls to leave.
// Who adds and may still be there then, as an event handler of an informer that is declared before
// the queue, takes an Adder, which does nothing once the queue has gone.
// Cost: one hash lookup per call; about 65 bytes per item beside the item. An ObjectName is kept as
// the bytes of its names. While items come within microseconds of each other, a worker that finds
// none yields its core for some microseconds before it sleeps, one worker at a time.
// Metrics: workqueue_depth, _adds_total, _queue_duration_seconds, _work_duration_seconds,
// _unfinished_work_seconds, _longest_running_processor_seconds, _retries_total, each with the label
// `name`.
// Counterpart: client-go util/workqueue.Typed.
template <class Item, class Hash = std::hash<Item>>
class WorkQueue {
  static_assert(internal::CheckQueueItem<Item, Hash>());

 protected:
  struct State;

 public:
  explicit WorkQueue(Env& env, const WorkQueueOptions& options = {})
      : WorkQueue(std::make_shared<State>(env, internal::QueueRules{.name = options.name})) {}
  ~WorkQueue() {
    if (state_->LeaveIfForkedOff()) return;
    const internal::QueueLock lock(*state_);
    state_->ShutDownLocked();
    state_->WaitForCallersLocked();
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Marks `item` as needing work. A no-op if it is already waiting or the queue is shutting down.
  void Add(const Item& item) { AddTo(*state_, item); }

  // Adds, and may outlive the queue. A copyable handle, thread-safe.
  class QueueAdder {
   public:
    // As WorkQueue::Add. A no-op once the queue has gone.
    void Add(const Item& item) const { WorkQueue::AddTo(*state_, item); }

   private:
    friend class WorkQueue;
    explicit QueueAdder(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };
  [[nodiscard]] QueueAdder Adder() const { return QueueAdder(state_); }

  // Waits for an item and gives it to the caller, who must call Done. Empty once the queue is shut
  // down and nothing waits. On the event loop, where nothing may wait, also when there is nothing
  // at the moment.
  [[nodiscard]] std::optional<Item> Get() {
    const internal::QueueLock lock(*state_);
    internal::QueueNode* const node = state_->GetLocked();
    if (node == nullptr) return std::nullopt;
    return State::ItemOf(*node);
  }

  // The caller has finished with `item`, which Get gave it. If it was added meanwhile, it waits
  // again, at the back. For an item that nobody holds this does nothing and logs an error.
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

  // Items waiting, not counting those that workers hold or that are delayed. A moment's value: for
  // metrics and tests, not for decisions.
  [[nodiscard]] std::size_t Len() const {
    const internal::QueueLock lock(*state_);
    return state_->LenLocked();
  }

  // What waits, front first. Copies under the lock: for inspection.
  [[nodiscard]] std::vector<Item> Waiting() const {
    const internal::QueueLock lock(*state_);
    std::vector<Item> items;
    items.reserve(state_->LenLocked());
    for (const auto* node : state_->WaitingLocked()) items.push_back(State::ItemOf(*node));
    return items;
  }

  // From now on Add is ignored and delayed items are dropped; Get drains what waits and then
  // returns empty. Returns at once; may be called again. Ends a ShutDownWithDrain that waits
  // elsewhere.
  void ShutDown() {
    const internal::QueueLock lock(*state_);
    state_->ShutDownLocked();
    state_->nodes.EraseIdle();
  }

  // Like ShutDown, then waits until nothing waits and no worker holds an item, or until `timeout`
  // has passed, or until ShutDown is called. Returns whether the queue drained. Unlike client-go,
  // items still waiting count: none is left behind, and every one of several callers returns. On
  // the event loop it does not wait.
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
    State(Env& env, const internal::QueueRules& rules)
        : internal::QueueCore(env, rules), nodes(env.Random()) {}
    static Item ItemOf(const internal::QueueNode& node) {
      return internal::QueueTable<Item, Hash>::ItemOf(node);
    }
    internal::QueueTable<Item, Hash> nodes;
  };

  explicit WorkQueue(std::shared_ptr<State> state) : state_(std::move(state)) {}

  State& state() const { return *state_; }

 private:
  static void AddTo(State& state, const Item& item) {
    const std::size_t hash = state.nodes.HashOf(item);
    const internal::QueueLock lock(state);
    if (state.AcceptsLocked()) state.AddLocked(state.nodes.FindOrMake(item, hash));
  }

  const std::shared_ptr<State> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_WORK_QUEUE_H_
