// workqueue/priority_line.h
//
// PriorityLine: the line of most queues: by priority, and first in, first out among equals. In a
// plain queue all priorities are equal.

#ifndef KINFORMER_WORKQUEUE_PRIORITY_LINE_H_
#define KINFORMER_WORKQUEUE_PRIORITY_LINE_H_

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kinformer/internal/queue_line.h"

#include "workqueue/placed_heap.h"
#include "workqueue/queue_list.h"

namespace kinformer::internal {

// Levels, one for each priority in use, each a list in order of joining. First() is the first item
// of the leading level: without ageing, the one of highest priority; with ageing, the one of the
// lowest rank. `level` of a node is the priority of its level.
//
// Joining is O(1); taking the first is O(log levels), and passes over each held item once.
class PriorityLine final : public QueueLine {
 public:
  explicit PriorityLine(Duration ageing);

  void Join(QueueNode& node) override;
  void Raise(QueueNode& node, SteadyTime now) override;
  [[nodiscard]] QueueNode* First() const override {
    return ahead_.empty() ? nullptr : ahead_.first().list.front();
  }
  void Take(QueueNode& node) override;
  void Release(QueueNode& node) override;
  [[nodiscard]] std::vector<const QueueNode*> InOrder() const override;
  [[nodiscard]] std::optional<SteadyTime> OldestSince() const override;

 private:
  struct Level {
    int priority = 0;
    QueueList list{};
    std::size_t place = kNoPlace;  // in ahead_, while the list has a front
  };
  struct Ahead {
    const PriorityLine* line;
    bool operator()(const Level& a, const Level& b) const {
      return line->IsAhead(*a.list.front(), *b.list.front());
    }
  };

  Level& LevelOf(int priority);
  // Returns true if `a` comes before `b`, by their levels and times.
  [[nodiscard]] bool IsAhead(const QueueNode& a, const QueueNode& b) const;
  void Unlink(QueueNode& node);
  void FrontChanged(Level& level);
  void Forget(const Level& level);

  std::unordered_map<int, Level> levels_;
  Level* recent_ = nullptr;                                     // result of the last look-up
  PlacedHeap<Level, &Level::place, Ahead> ahead_{Ahead{this}};  // levels with available items
};

}  // namespace kinformer::internal

#endif  // KINFORMER_WORKQUEUE_PRIORITY_LINE_H_
