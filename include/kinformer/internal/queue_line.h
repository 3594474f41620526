// kinformer/internal/queue_line.h
//
// QueueLine: what waits in a work queue, in the order in which it is given out: by priority, and
// first in, first out among equals. A plain queue is one in which all have the same priority.

#ifndef KINFORMER_INTERNAL_QUEUE_LINE_H_
#define KINFORMER_INTERNAL_QUEUE_LINE_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kinformer/env.h"

namespace kinformer::internal {

// What a queue knows about one item. Lives in the queue's table as long as it is dirty, processing
// or delayed. Packed: a queue may hold a million of them.
struct QueueNode {
  QueueNode* previous = nullptr;  // in its level of the line
  QueueNode* next = nullptr;
  // Since when it waits; once its priority has risen, since when it stands at its level. Only in
  // queues that ask for it: those with metrics, and those with ageing.
  SteadyTime since{};
  int priority = 0;               // of what is dirty or delayed
  int level = 0;                  // the level of the line in which it stands
  std::uint32_t delay_place = 0;  // while delayed: where QueueDelays has it
  std::uint32_t hash : 28 = 0;    // the table's
  bool dirty : 1 = false;         // needs work: waits in line, or for the end of its processing
  bool processing : 1 = false;    // a worker has it
  bool delayed : 1 = false;
  bool passed_over : 1 = false;  // the line's

  [[nodiscard]] bool idle() const { return !dirty && !processing && !delayed; }
};

// Levels, one for each priority in use, each a list in the order of joining. First() is the first
// item of the level that is ahead: without ageing, of the highest priority; with ageing, of the
// level whose first item has waited longest, when `ageing` times the priority is added to its wait.
// Since all wait equally fast, the order of two items never changes.
//
// An item that a worker has may join, and then keeps its place without being given out: it is
// passed over, until the worker is done (Release).
//
// Joining is O(1); taking the first is O(log levels), and passes over each held item once.
// Not thread-safe: its queue's monitor guards it. Nodes are the queue's, and must not move.
class QueueLine {
 public:
  // `ageing` of zero, or longer than anybody waits: strictly by priority.
  explicit QueueLine(Duration ageing);
  QueueLine(const QueueLine&) = delete;
  QueueLine& operator=(const QueueLine&) = delete;

  // `node` joins its priority's level, at the back. With ageing the caller has set `since`, not
  // below that of any which joined before.
  void Join(QueueNode& node);
  // `node`, which waits, has risen in priority: it joins the new level, with ageing as one that
  // waits since `now`, unless ageing has it further ahead where it is.
  void Raise(QueueNode& node, SteadyTime now);
  // The next to be given out; null if there is none, or if workers have all that wait.
  [[nodiscard]] QueueNode* First() const { return ahead_.empty() ? nullptr : ahead_[0]->front; }
  // Takes First() out of line, for a worker: `processing` is set.
  void TakeFirst();
  // The worker of `node`, which joined meanwhile, is done: it may be given out.
  void Release(QueueNode& node);

  // Whether it matters how long a node waits.
  [[nodiscard]] bool ages() const { return ageing_ != Duration::zero(); }
  // What waits, those included that workers have.
  [[nodiscard]] std::size_t size() const { return size_; }
  // What waits and may be given out.
  [[nodiscard]] std::size_t available() const { return available_; }
  // What waits, in the order in which it is given out if workers are done at once.
  [[nodiscard]] std::vector<const QueueNode*> InOrder() const;

 private:
  struct Level {
    int priority = 0;
    QueueNode* head = nullptr;
    QueueNode* back = nullptr;
    QueueNode* front = nullptr;  // the first that no worker has; what is before it is passed over
    std::size_t place = 0;       // in ahead_, while it has a front
  };

  Level& LevelOf(int priority);
  // Where a node stands that has waited since `since`: the lower, the further ahead.
  [[nodiscard]] std::int64_t Rank(int level, SteadyTime since) const;
  // Whether `a` goes before `b` for their levels and times.
  [[nodiscard]] bool IsAhead(const QueueNode& a, const QueueNode& b) const;
  void LinkAtBack(QueueNode& node);
  void Unlink(QueueNode& node);
  void SetFront(Level& level, QueueNode* front);
  void Forget(const Level& level);
  void PutInPlace(std::size_t place);

  const Duration ageing_;
  std::unordered_map<int, Level> levels_;
  Level* recent_ = nullptr;    // the level that was looked up last
  std::vector<Level*> ahead_;  // a heap of those that have something to give
  std::size_t size_ = 0;
  std::size_t available_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_LINE_H_
