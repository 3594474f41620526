// workqueue/fair_line.h
//
// FairLine: a line in which flows of items share the workers by their weights.

#ifndef KINFORMER_WORKQUEUE_FAIR_LINE_H_
#define KINFORMER_WORKQUEUE_FAIR_LINE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kinformer/internal/queue_line.h"

#include "workqueue/placed_heap.h"
#include "workqueue/queue_list.h"

namespace kinformer::internal {

// Between priorities the order is that of a PriorityLine: the level whose oldest item has the
// lowest rank is next. Within a level, it is start-time fair queueing: each flow has a list and a
// virtual time, which its items advance by 1/weight each; the flow of the earliest time is next. A
// flow that begins to wait starts kCredit before the level's virtual time, or where its last item
// has put it, if that is later. So a flow that needs less than its share does not wait for one that
// takes more, a flow saves up no more than the credit, and it gains nothing by leaving and coming
// back. The level's time advances with each item by one part of all flows that wait: so flows that
// are new all the time pass one that waits some five times each, and then it has its turn. While
// one flow waits alone, the level's time is that of the flow. `level` of a node is the number of
// its flow.
//
// Each operation is O(log flows + log levels). Flows without items are remembered while their time
// is ahead of the level's, and kKeptFlows more.
class FairLine final : public QueueLine {
 public:
  static constexpr std::size_t kKeptFlows = 256;
  static constexpr double kCredit = 4;  // items of a flow of weight 1

  // Functions that do not throw.
  struct Rules {
    std::function<std::string(const QueueNode&)> flow_of;
    std::function<double(const std::string& flow)> weight_of;
  };
  FairLine(Duration ageing, Rules rules);

  void Join(QueueNode& node) override;
  void Raise(QueueNode& node, SteadyTime now) override;
  [[nodiscard]] QueueNode* First() const override {
    return ahead_.empty() ? nullptr : ahead_.first().by_turn.first().list.front();
  }
  void Take(QueueNode& node) override;
  void Release(QueueNode& node) override;
  [[nodiscard]] std::vector<const QueueNode*> InOrder() const override;
  [[nodiscard]] std::optional<SteadyTime> OldestSince() const override;

  // Returns the number of remembered flows, counted once for each priority.
  [[nodiscard]] std::size_t flows() const { return flows_.size() - free_.size(); }

 private:
  struct Level;
  // Rank within a level.
  struct Turn {
    double starts = 0;    // virtual time at which its next item starts
    bool served = false;  // it has had its turn since it began to wait, or shortly before
    std::uint64_t number = 0;

    [[nodiscard]] bool IsBefore(const Turn& other) const {
      if (starts != other.starts) return starts < other.starts;
      return served != other.served ? other.served : number < other.number;
    }
  };
  // The items of one flow at one priority.
  struct Flow {
    Level* level = nullptr;
    const std::string* name = nullptr;
    int number = 0;  // in flows_
    double weight = 1;
    double done = 0;  // virtual time at which its last item that was taken is done
    Turn turn{};      // while the list has a front
    QueueList list{};
    bool in_idle = false;  // idle_ has it
    std::size_t turn_place = kNoPlace;
    std::size_t age_place = kNoPlace;
  };
  struct TurnAhead {
    bool operator()(const Flow& a, const Flow& b) const { return a.turn.IsBefore(b.turn); }
  };
  struct AgeAhead {
    bool operator()(const Flow& a, const Flow& b) const {
      return a.list.front()->since < b.list.front()->since;
    }
  };
  struct Level {
    int priority = 0;
    double now = kCredit;  // virtual time
    double latest = 0;     // the latest at which an item is done
    double weights = 0;    // of the flows that wait
    std::unordered_map<std::string, Flow> flows{};
    PlacedHeap<Flow, &Flow::turn_place, TurnAhead> by_turn{};  // flows that wait
    PlacedHeap<Flow, &Flow::age_place, AgeAhead> by_age{};     // the same, if the line ages
    std::size_t place = kNoPlace;                              // in ahead_, while a flow waits
  };
  struct LevelAhead {
    const FairLine* line;
    bool operator()(const Level& a, const Level& b) const { return line->IsAhead(a, b); }
  };
  class Preview;

  [[nodiscard]] bool IsAhead(const Level& a, const Level& b) const;
  Level& LevelOf(int priority);
  Flow& FlowOf(int priority, const std::string& name);
  void Link(Flow& flow, QueueNode& node);
  void Unlink(Flow& flow, const QueueNode& node);
  // Brings the heaps in order after the front of `flow` has changed.
  void FrontChanged(Flow& flow);
  void BeginToWait(Flow& flow);
  void EndWaiting(Flow& flow);
  // Forgets up to two flows that nothing has to be remembered of.
  void ForgetSome();
  void Forget(Flow& flow);
  [[nodiscard]] Turn TurnOf(const Flow& flow) const;

  const Rules rules_;
  std::unordered_map<int, Level> levels_;
  PlacedHeap<Level, &Level::place, LevelAhead> ahead_{LevelAhead{this}};
  std::vector<Flow*> flows_;  // by number
  std::vector<int> free_;     // numbers
  std::deque<int> idle_;      // numbers of flows that had no item, oldest first
  std::uint64_t next_turn_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_WORKQUEUE_FAIR_LINE_H_
