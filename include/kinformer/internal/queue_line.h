// kinformer/internal/queue_line.h
//
// QueueLine: waiting items of a work queue, in the order in which they are returned.

#ifndef KINFORMER_INTERNAL_QUEUE_LINE_H_
#define KINFORMER_INTERNAL_QUEUE_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kinformer/base/env.h"

namespace kinformer::internal {

// State of one item in a queue. Kept in the queue's table as long as it is dirty, processing or
// delayed. Packed: a queue may hold a million of them.
struct QueueNode {
  QueueNode* previous = nullptr;  // in its list of the line
  QueueNode* next = nullptr;
  // Start of its wait; if its priority has risen, start of its wait at its level. Only set in
  // queues that need it: those with metrics, and those with ageing.
  SteadyTime since{};
  int priority = 0;               // while dirty or delayed
  int level = 0;                  // the line's: which of its lists it is in
  std::uint32_t delay_place = 0;  // while delayed: its position in QueueDelays
  std::uint32_t hash : 28 = 0;    // the table's
  bool dirty : 1 = false;         // needs work: waits in line, or for its worker to finish
  bool processing : 1 = false;    // a worker has it
  bool delayed : 1 = false;
  bool passed_over : 1 = false;  // the line's

  [[nodiscard]] bool idle() const { return !dirty && !processing && !delayed; }
};

// Memory of a queue's owner in front of each node: what it notes on the item. Constructed and
// destroyed with the node, and used only with the queue's lock held.
struct QueueNotes {
  std::size_t bytes = 0;  // a multiple of new's usual alignment; 0: no notes
  void (*make)(void* note) = nullptr;
  void (*destroy)(void* note) = nullptr;
};

// An item that a worker has may join; it then keeps its place, but is passed over until the worker
// is done (Release). With ageing, the order of levels is by rank: the time since which their first
// item waits, less `ageing` times the priority. Since all waits grow equally fast, the order of two
// items never changes.
//
// Not thread-safe: its queue's monitor guards it. Nodes belong to the queue, and must not move.
class QueueLine {
 public:
  // Creates a line. `ageing` of zero, or longer than any wait: strictly by priority.
  explicit QueueLine(Duration ageing);
  virtual ~QueueLine() = default;
  QueueLine(const QueueLine&) = delete;
  QueueLine& operator=(const QueueLine&) = delete;

  // Adds `node` at the back of its priority's level. With ageing, the caller has set `since`, not
  // below that of any node that joined before.
  virtual void Join(QueueNode& node) = 0;
  // Moves `node`, which waits, to the level of its raised priority. With ageing its wait there
  // begins at `now`, but it stays in the old level if that puts it further ahead.
  virtual void Raise(QueueNode& node, SteadyTime now) = 0;
  // Returns the next item; null if there is none, or if workers have all waiting items.
  [[nodiscard]] virtual QueueNode* First() const = 0;
  // Takes `node`, which waits and no worker has, out of line for a worker: sets `processing`.
  virtual void Take(QueueNode& node) = 0;
  // Makes `node` available: it joined while a worker had it, and that worker is done.
  virtual void Release(QueueNode& node) = 0;
  // Returns the waiting items, in the order of First if workers finish at once.
  [[nodiscard]] virtual std::vector<const QueueNode*> InOrder() const = 0;

  // Returns true if the order depends on waiting times.
  [[nodiscard]] bool ages() const { return ageing_ != Duration::zero(); }
  // Returns the earliest start of a wait, of the items at the heads of their levels; empty: none
  // waits, or the waits are not measured.
  [[nodiscard]] virtual std::optional<SteadyTime> OldestSince() const = 0;
  // Returns the number of waiting items, including those that workers have.
  [[nodiscard]] std::size_t size() const { return size_; }
  // Returns the number of waiting items that First may return.
  [[nodiscard]] std::size_t available() const { return available_; }

 protected:
  // Returns the rank of a wait since `since` at a priority: lower ranks are further ahead.
  [[nodiscard]] std::int64_t Rank(int priority, SteadyTime since) const;
  // Counts a node that joins, or one that is taken.
  void CountIn(const QueueNode& node);
  void CountOut();
  void CountReleased() { ++available_; }

 private:
  const Duration ageing_;
  std::size_t size_ = 0;
  std::size_t available_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_LINE_H_
