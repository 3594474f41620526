// kinformer/internal/queue_delays.h
//
// QueueDelays: delayed items of a work queue, ordered by the end of their
// delays.

#ifndef KINFORMER_INTERNAL_QUEUE_DELAYS_H_
#define KINFORMER_INTERNAL_QUEUE_DELAYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/queue_line.h"

namespace kinformer::internal {

// A heap ordered by the end of the delay, then by priority, then by insertion. Sets and clears
// `delayed` of its nodes, and stores their positions in `delay_place`. Each operation is O(log
// n). Not thread-safe: its queue's monitor guards it. Nodes belong to the queue, and must not
// move.
class QueueDelays {
 public:
  QueueDelays() = default;
  QueueDelays(const QueueDelays&) = delete;
  QueueDelays& operator=(const QueueDelays&) = delete;

  // Delays a node. If it is delayed already, the earlier time counts.
  void Add(QueueNode& node, SteadyTime ready_at);
  // Moves a delayed node whose priority has risen, behind others that are ready at the same time.
  void Raised(QueueNode& node);
  void Remove(QueueNode& node);
  void Clear();

  // REQUIRES: the node is delayed.
  [[nodiscard]] SteadyTime ReadyAt(const QueueNode& node) const {
    return heap_[node.delay_place].ready_at;
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  // REQUIRES: not empty.
  [[nodiscard]] QueueNode& first() const { return *heap_[0].node; }
  [[nodiscard]] SteadyTime first_ready_at() const { return heap_[0].ready_at; }

 private:
  struct Entry {
    SteadyTime ready_at;
    std::uint64_t sequence;
    QueueNode* node;
  };

  static bool Before(const Entry& a, const Entry& b);
  void Put(std::size_t place, const Entry& entry);
  // Puts `entry` at `place`, or where it belongs above or below it.
  void Sift(std::size_t place, const Entry& entry);

  std::vector<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_DELAYS_H_
