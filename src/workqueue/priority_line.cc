#include "workqueue/priority_line.h"

#include <algorithm>
#include <cstdint>

namespace kinformer::internal {
namespace {

// Priorities change over time. This many empty levels are kept; further ones are removed as soon as
// they are empty.
constexpr std::size_t kKeptLevels = 32;

}  // namespace

PriorityLine::PriorityLine(Duration ageing) : QueueLine(ageing) {}

PriorityLine::Level& PriorityLine::LevelOf(int priority) {
  if (recent_ == nullptr || recent_->priority != priority) {
    const auto [it, made] = levels_.try_emplace(priority);
    recent_ = &it->second;
    if (made) recent_->priority = priority;
  }
  return *recent_;
}

bool PriorityLine::IsAhead(const QueueNode& a, const QueueNode& b) const {
  const std::int64_t rank_a = Rank(a.level, a.since);
  const std::int64_t rank_b = Rank(b.level, b.since);
  return rank_a != rank_b ? rank_a < rank_b : a.level > b.level;
}

std::vector<const QueueNode*> PriorityLine::InOrder() const {
  std::vector<const QueueNode*> nodes;
  nodes.reserve(size());
  for (const auto& [priority, level] : levels_) {
    for (const QueueNode* node = level.list.head(); node != nullptr; node = node->next) {
      nodes.push_back(node);
    }
  }
  // Equal nodes have the same level and keep its order.
  std::ranges::stable_sort(nodes, [this](const auto* a, const auto* b) { return IsAhead(*a, *b); });
  return nodes;
}

std::optional<SteadyTime> PriorityLine::OldestSince() const {
  std::optional<SteadyTime> oldest;
  for (const auto& [priority, level] : levels_) {
    const QueueNode* const head = level.list.head();
    if (head == nullptr || head->since == SteadyTime()) continue;
    oldest = std::min(oldest.value_or(head->since), head->since);
  }
  return oldest;
}

void PriorityLine::Join(QueueNode& node) {
  node.level = node.priority;
  CountIn(node);
  Level& level = LevelOf(node.level);
  if (level.list.LinkAtBack(node)) FrontChanged(level);
}

void PriorityLine::FrontChanged(Level& level) {
  if (level.list.front() == nullptr) {
    ahead_.Remove(level);
  } else {
    ahead_.Put(level);
  }
}

void PriorityLine::Unlink(QueueNode& node) {
  Level& level = LevelOf(node.level);
  if (level.list.Unlink(node)) FrontChanged(level);
  if (level.list.head() == nullptr && levels_.size() > kKeptLevels) Forget(level);
}

void PriorityLine::Forget(const Level& level) {
  if (recent_ == &level) recent_ = nullptr;
  levels_.erase(level.priority);
}

void PriorityLine::Take(QueueNode& node) {
  CountOut();
  Unlink(node);
  node.processing = true;
}

void PriorityLine::Release(QueueNode& node) {
  CountReleased();
  Level& level = LevelOf(node.level);
  if (level.list.Release(node)) FrontChanged(level);
}

void PriorityLine::Raise(QueueNode& node, SteadyTime now) {
  if (ages() && Rank(node.priority, now) > Rank(node.level, node.since)) return;
  Unlink(node);
  node.level = node.priority;
  if (ages()) node.since = now;
  Level& level = LevelOf(node.level);
  if (level.list.LinkAtBack(node)) FrontChanged(level);
}

}  // namespace kinformer::internal
