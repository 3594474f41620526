// kinformer/internal/noted_queue.h
//
// NotedQueue: operations of a PriorityQueue that has notes on its items.

#ifndef KINFORMER_INTERNAL_NOTED_QUEUE_H_
#define KINFORMER_INTERNAL_NOTED_QUEUE_H_

#include <cstddef>
#include <optional>

#include "kinformer/internal/queue_core.h"
#include "kinformer/workqueue/priority_queue.h"

namespace kinformer::internal {

// The functions given here run with the queue's lock held: they must be quick, and must not call
// the queue.
struct NotedQueue {
  // Does as PriorityQueue::AddWithOpts, and calls `write` with the memory of the item's note, and
  // the time of now. The time is that of the item's wait, if it waits from now on: asking for it
  // once more would take as long as the rest.
  template <class Item, class Hash, class Write>
  static void Add(PriorityQueue<Item, Hash>& queue, const AddOpts& opts, const Item& item,
                  const Write& write) {
    const Duration after = queue.DelayOf(opts, item);
    auto& state = queue.state();
    const QueueLock lock(state);
    if (!state.AcceptsLocked()) return;
    QueueNode& node = state.nodes.FindOrMake(item, state.nodes.HashOf(item));
    const bool waited = node.dirty;
    state.AddAfterLocked(node, after, opts.priority.value_or(0));
    const bool joined = node.dirty && !waited && node.since != SteadyTime();
    write(state.nodes.NoteOf(node), joined ? node.since : state.env().Now());
  }
  // Does as PriorityQueue::GetWithPriority, and calls `take` with the memory of the item's note.
  template <class Item, class Hash, class Take>
  [[nodiscard]] static std::optional<typename PriorityQueue<Item, Hash>::Prioritised> Get(
      PriorityQueue<Item, Hash>& queue, const Take& take) {
    auto& state = queue.state();
    const QueueLock lock(state);
    QueueNode* const node = state.GetLocked();
    if (node == nullptr) return std::nullopt;
    take(state.nodes.NoteOf(*node));
    return typename PriorityQueue<Item, Hash>::Prioritised{state.ItemOf(*node), node->priority};
  }

  // An item that Look has found.
  struct Seen {
    const QueueNode& node;
    const void* note;
    SteadyTime ready_at;  // the end of its delay, if it is delayed
    bool asked;           // it is the one that was asked for
  };
  // Calls `see` for `asked`, if the queue has it, and for all other items, if they are no more than
  // `most`; with Seen, and with a function that returns the item.
  template <class Item, class Hash, class See>
  static void Look(const PriorityQueue<Item, Hash>& queue, const std::optional<Item>& asked,
                   std::size_t most, const See& see) {
    auto& state = queue.state();
    const QueueLock lock(state);
    const QueueNode* const first =
        asked ? state.nodes.Find(*asked, state.nodes.HashOf(*asked)) : nullptr;
    const auto look = [&](const QueueNode& node) {
      see(Seen{node, state.nodes.NoteOf(node), state.ReadyAtLocked(node), &node == first},
          [&] { return state.ItemOf(node); });
    };
    if (first != nullptr) look(*first);
    if (state.nodes.size() > most) return;
    state.nodes.ForEach([&](const QueueNode& node) {
      if (&node != first) look(node);
    });
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_NOTED_QUEUE_H_
