#include "workqueue/fair_line.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace kinformer::internal {
namespace {

constexpr double kLeastWeight = 0.001;
constexpr double kMostWeight = 1000;

double Usable(double weight) {
  return std::isnan(weight) ? 1 : std::clamp(weight, kLeastWeight, kMostWeight);
}

}  // namespace

FairLine::FairLine(Duration ageing, Rules rules) : QueueLine(ageing), rules_(std::move(rules)) {}

bool FairLine::IsAhead(const Level& a, const Level& b) const {
  if (ages()) {
    const std::int64_t rank_a = Rank(a.priority, a.by_age.first().list.front()->since);
    const std::int64_t rank_b = Rank(b.priority, b.by_age.first().list.front()->since);
    if (rank_a != rank_b) return rank_a < rank_b;
  }
  return a.priority > b.priority;
}

FairLine::Level& FairLine::LevelOf(int priority) {
  const auto [it, made] = levels_.try_emplace(priority);
  if (made) it->second.priority = priority;
  return it->second;
}

FairLine::Flow& FairLine::FlowOf(int priority, const std::string& name) {
  Level& level = LevelOf(priority);
  const auto [it, made] = level.flows.try_emplace(name);
  Flow& flow = it->second;
  if (made) {
    flow.level = &level;
    flow.name = &it->first;
    if (free_.empty()) {
      flow.number = static_cast<int>(flows_.size());
      flows_.push_back(&flow);
    } else {
      flow.number = free_.back();
      free_.pop_back();
      flows_[static_cast<std::size_t>(flow.number)] = &flow;
    }
  }
  return flow;
}

void FairLine::Join(QueueNode& node) {
  CountIn(node);
  Link(FlowOf(node.priority, rules_.flow_of(node)), node);
  ForgetSome();
}

void FairLine::Link(Flow& flow, QueueNode& node) {
  node.level = flow.number;
  if (flow.list.head() == nullptr) flow.weight = Usable(rules_.weight_of(*flow.name));
  if (flow.list.LinkAtBack(node)) FrontChanged(flow);
}

void FairLine::Unlink(Flow& flow, const QueueNode& node) {
  if (flow.list.Unlink(node)) FrontChanged(flow);
  if (flow.list.head() != nullptr || flow.in_idle) return;
  flow.in_idle = true;
  idle_.push_back(flow.number);
}

FairLine::Turn FairLine::TurnOf(const Flow& flow) const {
  const double earliest = flow.level->now - kCredit;
  return {.starts = std::max(earliest, flow.done),
          .served = flow.done > earliest,
          .number = next_turn_};
}

void FairLine::FrontChanged(Flow& flow) {
  Level& level = *flow.level;
  if (flow.list.front() == nullptr) {
    EndWaiting(flow);
  } else if (flow.turn_place == kNoPlace) {
    BeginToWait(flow);
  } else if (ages()) {
    level.by_age.Put(flow);
  }
  if (level.by_turn.empty()) {
    ahead_.Remove(level);
  } else {
    ahead_.Put(level);
  }
}

void FairLine::BeginToWait(Flow& flow) {
  flow.turn = TurnOf(flow);
  ++next_turn_;
  flow.level->weights += flow.weight;
  flow.level->by_turn.Put(flow);
  if (ages()) flow.level->by_age.Put(flow);
}

void FairLine::EndWaiting(Flow& flow) {
  Level& level = *flow.level;
  level.by_turn.Remove(flow);
  level.by_age.Remove(flow);
  level.weights -= flow.weight;
  if (!level.by_turn.empty()) return;
  // Nobody waits, so nobody is ahead of others.
  level.now = level.latest + kCredit;
  level.weights = 0;
}

void FairLine::Take(QueueNode& node) {
  CountOut();
  Flow& flow = *flows_[static_cast<std::size_t>(node.level)];
  Level& level = *flow.level;
  level.now = level.by_turn.size() == 1 ? flow.turn.starts
                                        : std::max(level.now + 1 / level.weights, flow.turn.starts);
  flow.done = flow.turn.starts + 1 / flow.weight;
  level.latest = std::max(level.latest, flow.done);
  flow.turn = {.starts = flow.done, .served = true, .number = next_turn_++};
  level.by_turn.Put(flow);
  Unlink(flow, node);
  node.processing = true;
}

void FairLine::Release(QueueNode& node) {
  CountReleased();
  Flow& flow = *flows_[static_cast<std::size_t>(node.level)];
  if (flow.list.Release(node)) FrontChanged(flow);
}

void FairLine::Raise(QueueNode& node, SteadyTime now) {
  Flow& before = *flows_[static_cast<std::size_t>(node.level)];
  if (ages() && Rank(node.priority, now) > Rank(before.level->priority, node.since)) return;
  Flow& flow = FlowOf(node.priority, *before.name);
  Unlink(before, node);
  if (ages()) node.since = now;
  Link(flow, node);
  ForgetSome();
}

void FairLine::ForgetSome() {
  // Each call adds one flow at most, so two make up for those that have to stay.
  for (int i = 0; i < 2 && idle_.size() > kKeptFlows; ++i) {
    const int number = idle_.front();
    idle_.pop_front();
    Flow& flow = *flows_[static_cast<std::size_t>(number)];
    if (flow.list.head() != nullptr) {
      flow.in_idle = false;
    } else if (flow.done > flow.level->now - kCredit) {
      idle_.push_back(number);
    } else {
      Forget(flow);
    }
  }
}

void FairLine::Forget(Flow& flow) {
  flows_[static_cast<std::size_t>(flow.number)] = nullptr;
  free_.push_back(flow.number);
  Level& level = *flow.level;
  level.flows.erase(level.flows.find(*flow.name));
  if (level.flows.empty()) levels_.erase(levels_.find(level.priority));
}

// Copy of what determines the order, from which one item after the other is taken.
class FairLine::Preview {
 public:
  explicit Preview(const FairLine& line) : line_(line), next_turn_(line.next_turn_) {
    for (const auto& [priority, level] : line.levels_) {
      for (const auto& [name, flow] : level.flows) {
        if (flow.list.head() == nullptr) continue;
        Turn turn = flow.turn;
        if (flow.list.front() == nullptr) {
          turn = line.TurnOf(flow);
          turn.number = next_turn_++;
        }
        Add(levels_[priority], {turn, 1 / flow.weight, flow.list.head()});
      }
    }
    for (const auto& [priority, level] : levels_) ranks_.insert(RankOf(priority, level));
  }

  const QueueNode* Next() {
    const int priority = -ranks_.begin()->second;
    ranks_.erase(ranks_.begin());
    LevelCopy& level = levels_[priority];
    Entry entry = *level.flows.begin();
    level.flows.erase(level.flows.begin());
    level.ages.erase(level.ages.find(entry.node->since));
    const QueueNode* const node = entry.node;
    entry.node = node->next;
    entry.turn = {entry.turn.starts + entry.step, true, next_turn_++};
    if (entry.node != nullptr) Add(level, entry);
    if (!level.flows.empty()) ranks_.insert(RankOf(priority, level));
    return node;
  }

 private:
  struct Entry {
    Turn turn;
    double step;
    const QueueNode* node;
    bool operator<(const Entry& other) const { return turn.IsBefore(other.turn); }
  };
  struct LevelCopy {
    std::set<Entry> flows{};
    std::multiset<SteadyTime> ages{};  // of the first item of each flow
  };
  static void Add(LevelCopy& level, const Entry& entry) {
    level.flows.insert(entry);
    level.ages.insert(entry.node->since);
  }
  // Rank, and then the higher priority first.
  [[nodiscard]] std::pair<std::int64_t, int> RankOf(int priority, const LevelCopy& level) const {
    return {line_.Rank(priority, *level.ages.begin()), -priority};
  }

  const FairLine& line_;
  std::uint64_t next_turn_;
  std::map<int, LevelCopy> levels_{};
  std::set<std::pair<std::int64_t, int>> ranks_{};
};

std::vector<const QueueNode*> FairLine::InOrder() const {
  Preview preview(*this);
  std::vector<const QueueNode*> nodes;
  nodes.reserve(size());
  while (nodes.size() < size()) nodes.push_back(preview.Next());
  return nodes;
}

std::optional<SteadyTime> FairLine::OldestSince() const {
  std::optional<SteadyTime> oldest;
  for (const auto& [priority, level] : levels_) {
    for (const auto& [name, flow] : level.flows) {
      const QueueNode* const head = flow.list.head();
      if (head == nullptr || head->since == SteadyTime()) continue;
      oldest = std::min(oldest.value_or(head->since), head->since);
    }
  }
  return oldest;
}

}  // namespace kinformer::internal
