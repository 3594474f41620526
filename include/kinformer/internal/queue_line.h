// kinformer/internal/queue_line.h
//
// QueueLine: waiting items of a work queue, in the order in which they are returned: by priority,
// and first in, first out among equals. In a plain queue all priorities are equal.

#ifndef KINFORMER_INTERNAL_QUEUE_LINE_H_
#define KINFORMER_INTERNAL_QUEUE_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kinformer/base/env.h"

namespace kinformer::internal {

// State of one item in a queue. Kept in the queue's table as long as it is dirty, processing or
// delayed. Packed: a queue may hold a million of them.
struct QueueNode {
  QueueNode* previous = nullptr;  // in its level of the line
  QueueNode* next = nullptr;
  // Start of its wait; if its priority has risen, start of its wait at its level. Only set in
  // queues that need it: those with metrics, and those with ageing.
  SteadyTime since{};
  int priority = 0;               // while dirty or delayed
  int level = 0;                  // level of the line that it is in
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

// Levels, one for each priority in use, each a list in order of joining. First() is the first item
// of the leading level: without ageing, the one of highest priority; with ageing, the one whose
// first item has waited longest, with `ageing` times the priority added to its wait. Since all
// waits grow equally fast, the order of two items never changes.
//
// An item that a worker has may join; it then keeps its place, but is passed over until the worker
// is done (Release).
//
// Joining is O(1); taking the first is O(log levels), and passes over each held item once. Not
// thread-safe: its queue's monitor guards it. Nodes belong to the queue, and must not move.
class QueueLine {
 public:
  // Creates a line. `ageing` of zero, or longer than any wait: strictly by priority.
  explicit QueueLine(Duration ageing);
  QueueLine(const QueueLine&) = delete;
  QueueLine& operator=(const QueueLine&) = delete;

  // Adds `node` at the back of its priority's level. With ageing, the caller has set `since`, not
  // below that of any node that joined before.
  void Join(QueueNode& node);
  // Moves `node`, which waits, to the level of its raised priority. With ageing its wait there
  // begins at `now`, but it stays in the old level if that puts it further ahead.
  void Raise(QueueNode& node, SteadyTime now);
  // Returns the next item; null if there is none, or if workers have all waiting items.
  [[nodiscard]] QueueNode* First() const { return ahead_.empty() ? nullptr : ahead_[0]->front; }
  // Makes `node`, which waits, First(). REQUIRES: one level, and no worker has an item in line, as
  // in plain queues.
  void BringForward(QueueNode& node);
  // Takes First() out of line for a worker: sets `processing`.
  void TakeFirst();
  // Makes `node` available: it joined while a worker had it, and that worker is done.
  void Release(QueueNode& node);

  // Returns true if the order depends on waiting times.
  [[nodiscard]] bool ages() const { return ageing_ != Duration::zero(); }
  // Returns the earliest start of a wait, of the items at the heads of their levels; empty: none
  // waits, or the waits are not measured.
  [[nodiscard]] std::optional<SteadyTime> OldestSince() const;
  // Returns the number of waiting items, including those that workers have.
  [[nodiscard]] std::size_t size() const { return size_; }
  // Returns the number of waiting items that First may return.
  [[nodiscard]] std::size_t available() const { return available_; }
  // Returns the waiting items, in the order of First if workers finish at once.
  [[nodiscard]] std::vector<const QueueNode*> InOrder() const;

 private:
  struct Level {
    int priority = 0;
    QueueNode* head = nullptr;
    QueueNode* back = nullptr;
    QueueNode* front = nullptr;  // first node that no worker has; those before it are passed over
    std::size_t place = 0;       // in ahead_, while it has a front
  };

  Level& LevelOf(int priority);
  // Returns the rank of a node that has waited since `since`: lower ranks are further ahead.
  [[nodiscard]] std::int64_t Rank(int level, SteadyTime since) const;
  // Returns true if `a` comes before `b`, by their levels and times.
  [[nodiscard]] bool IsAhead(const QueueNode& a, const QueueNode& b) const;
  void LinkAtBack(QueueNode& node);
  void Unlink(QueueNode& node);
  void SetFront(Level& level, QueueNode* front);
  void Forget(const Level& level);
  void PutInPlace(std::size_t place);

  const Duration ageing_;
  std::unordered_map<int, Level> levels_;
  Level* recent_ = nullptr;    // result of the last look-up
  std::vector<Level*> ahead_;  // a heap of levels with available items
  std::size_t size_ = 0;
  std::size_t available_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_LINE_H_
