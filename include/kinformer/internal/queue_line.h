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

// What a queue knows about one item. Lives in the queue's map as long as it is dirty, processing or
// delayed.
struct QueueNode {
  bool dirty = false;       // needs work: waits in line, or for the end of its current processing
  bool processing = false;  // a worker has it
  bool delayed = false;
  bool in_line = false;
  int priority = 0;  // of what is dirty or delayed
  int level = 0;     // the level of the line in which it stands, or will
  QueueNode* previous = nullptr;
  QueueNode* next = nullptr;
  SteadyTime added{};  // the first Add since it was last handed out
  // When the delay ends; of what waits in a queue with ageing, since when it stands at its level.
  SteadyTime ready_at{};
  std::uint64_t sequence = 0;  // orders equal ready_at, and places in line

  [[nodiscard]] bool idle() const { return !dirty && !processing && !delayed; }
};

// Levels, one for each priority in use, each a list in the order of joining. First() is the first
// item of the level that is ahead: without ageing, of the highest priority; with ageing, of the
// level whose first item has waited longest, when `ageing` times the priority is added to its wait.
// Since all wait equally fast, the order of two items never changes.
//
// An item that a worker has may join, and then keeps its place without being given out: it is
// passed over, and returns to its place (Release) when the worker is done.
//
// Joining is O(1); taking the first is O(log levels), and passes over each held item once.
// Not thread-safe: its queue's monitor guards it. Nodes are the queue's, and must not move.
class QueueLine {
 public:
  // `ageing` of zero, or longer than anybody waits: strictly by priority.
  explicit QueueLine(Duration ageing);
  QueueLine(const QueueLine&) = delete;
  QueueLine& operator=(const QueueLine&) = delete;

  // `node` joins its priority's level, at the back. The caller has set its sequence, above all that
  // joined before, and with ageing its ready_at, not below theirs.
  void Join(QueueNode& node);
  // `node`, which waits, has risen in priority: it joins the new level with `sequence` and
  // `ready_at`, unless ageing has it further ahead where it is.
  void Raise(QueueNode& node, std::uint64_t sequence, SteadyTime ready_at);
  // The next to be given out; null if there is none, or if workers have all that wait.
  [[nodiscard]] QueueNode* First() const { return ahead_.empty() ? nullptr : ahead_[0]->front; }
  // Takes First() out of line, for a worker: `processing` is set.
  void TakeFirst();
  // The worker of `node`, which joined meanwhile, is done.
  void Release(QueueNode& node);

  // Whether it matters how long a node waits.
  [[nodiscard]] bool ages() const { return ageing_ != Duration::zero(); }
  // What waits, those included that workers have.
  [[nodiscard]] std::size_t size() const { return size_; }
  // What waits and may be given out.
  [[nodiscard]] std::size_t available() const { return available_; }
  // Whether `a` is given out before `b`; both wait, and have sequences.
  [[nodiscard]] bool Before(const QueueNode& a, const QueueNode& b) const;
  // What stands in line, level by level: without those that wait beside it for Release.
  [[nodiscard]] std::vector<const QueueNode*> InLine() const;

 private:
  struct Level {
    int priority = 0;
    QueueNode* front = nullptr;  // never held by a worker
    QueueNode* back = nullptr;
    std::size_t place = 0;  // in ahead_, while it has a front
  };

  Level& LevelOf(int priority);
  // Where a node stands that has waited since `ready_at`: the lower, the further ahead.
  [[nodiscard]] std::int64_t Rank(int level, SteadyTime ready_at) const;
  [[nodiscard]] bool IsAhead(const Level& a, const Level& b) const;
  void LinkAtBack(Level& level, QueueNode& node);
  void LinkBefore(Level& level, QueueNode& node, QueueNode* next);
  void Unlink(Level& level, QueueNode& node);
  // The front of `level` has changed from `before`.
  void FrontChanged(Level& level, const QueueNode* before);
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
