#include "kinformer/internal/queue_line.h"

#include <algorithm>
#include <utility>

namespace kinformer::internal {
namespace {

// Priorities change over time. This many empty levels are kept; further ones are removed as soon as
// they are empty.
constexpr std::size_t kKeptLevels = 32;

// 146 years: added to a point of time or subtracted from one, it does not overflow.
constexpr std::int64_t kMostHeadStart = std::int64_t{1} << 62;

}  // namespace

QueueLine::QueueLine(Duration ageing)
    : ageing_(ageing > Duration::zero() && ageing.count() < kMostHeadStart ? ageing
                                                                           : Duration::zero()) {}

QueueLine::Level& QueueLine::LevelOf(int priority) {
  if (recent_ == nullptr || recent_->priority != priority) {
    const auto [it, made] = levels_.try_emplace(priority);
    recent_ = &it->second;
    if (made) recent_->priority = priority;
  }
  return *recent_;
}

std::int64_t QueueLine::Rank(int level, SteadyTime since) const {
  if (!ages()) return 0;
  // Head start of the level: limited, so that neither product nor difference overflows.
  const std::int64_t most = kMostHeadStart / ageing_.count();
  const std::int64_t head_start = ageing_.count() * std::clamp<std::int64_t>(level, -most, most);
  return since.time_since_epoch().count() - head_start;
}

bool QueueLine::IsAhead(const QueueNode& a, const QueueNode& b) const {
  const std::int64_t rank_a = Rank(a.level, a.since);
  const std::int64_t rank_b = Rank(b.level, b.since);
  return rank_a != rank_b ? rank_a < rank_b : a.level > b.level;
}

std::vector<const QueueNode*> QueueLine::InOrder() const {
  std::vector<const QueueNode*> nodes;
  nodes.reserve(size_);
  for (const auto& [priority, level] : levels_) {
    for (const QueueNode* node = level.head; node != nullptr; node = node->next) {
      nodes.push_back(node);
    }
  }
  // Equal nodes have the same level and keep its order.
  std::ranges::stable_sort(nodes, [this](const auto* a, const auto* b) { return IsAhead(*a, *b); });
  return nodes;
}

std::optional<SteadyTime> QueueLine::OldestSince() const {
  std::optional<SteadyTime> oldest;
  for (const auto& [priority, level] : levels_) {
    if (level.head == nullptr || level.head->since == SteadyTime{}) continue;
    oldest = std::min(oldest.value_or(level.head->since), level.head->since);
  }
  return oldest;
}

void QueueLine::Join(QueueNode& node) {
  node.level = node.priority;
  ++size_;
  if (!node.processing) ++available_;
  LinkAtBack(node);
}

void QueueLine::LinkAtBack(QueueNode& node) {
  Level& level = LevelOf(node.level);
  node.next = nullptr;
  node.previous = level.back;
  (level.back == nullptr ? level.head : level.back->next) = &node;
  level.back = &node;
  node.passed_over = false;
  if (level.front == nullptr) SetFront(level, &node);
}

void QueueLine::Unlink(QueueNode& node) {
  Level& level = LevelOf(node.level);
  if (level.front == &node) SetFront(level, node.next);
  (node.previous == nullptr ? level.head : node.previous->next) = node.next;
  (node.next == nullptr ? level.back : node.next->previous) = node.previous;
  if (level.head == nullptr && levels_.size() > kKeptLevels) Forget(level);
}

void QueueLine::Forget(const Level& level) {
  if (recent_ == &level) recent_ = nullptr;
  levels_.erase(level.priority);
}

// Sets `front`, or the first node behind it that is not in process.
void QueueLine::SetFront(Level& level, QueueNode* front) {
  for (; front != nullptr && front->processing; front = front->next) front->passed_over = true;
  const bool was_ahead = level.front != nullptr;
  level.front = front;
  if (front == nullptr) {
    if (!was_ahead) return;
    const std::size_t place = level.place;
    Level* const last = ahead_.back();
    ahead_.pop_back();
    if (last == &level) return;
    ahead_[place] = last;
    last->place = place;
    PutInPlace(place);
  } else {
    if (!was_ahead) {
      level.place = ahead_.size();
      ahead_.push_back(&level);
    }
    PutInPlace(level.place);
  }
}

void QueueLine::PutInPlace(std::size_t place) {
  const auto swap_with = [&](std::size_t other) {
    std::swap(ahead_[place], ahead_[other]);
    ahead_[place]->place = place;
    ahead_[other]->place = other;
    place = other;
  };
  while (place > 0 && IsAhead(*ahead_[place]->front, *ahead_[(place - 1) / 2]->front)) {
    swap_with((place - 1) / 2);
  }
  for (;;) {
    std::size_t first = place;
    for (const std::size_t child : {2 * place + 1, 2 * place + 2}) {
      if (child < ahead_.size() && IsAhead(*ahead_[child]->front, *ahead_[first]->front))
        first = child;
    }
    if (first == place) return;
    swap_with(first);
  }
}

void QueueLine::BringForward(QueueNode& node) {
  if (First() == &node) return;
  Unlink(node);
  Level& level = LevelOf(node.level);
  node.previous = nullptr;
  node.next = level.head;
  level.head->previous = &node;
  level.head = &node;
  SetFront(level, &node);
}

void QueueLine::TakeFirst() {
  QueueNode& node = *ahead_[0]->front;
  --size_;
  --available_;
  Unlink(node);
  node.processing = true;
}

void QueueLine::Release(QueueNode& node) {
  ++available_;
  if (!node.passed_over) return;
  // All nodes before the front are passed over. This node becomes the front.
  Level& level = LevelOf(node.level);
  for (QueueNode* at = &node; at != level.front; at = at->next) at->passed_over = false;
  SetFront(level, &node);
}

void QueueLine::Raise(QueueNode& node, SteadyTime now) {
  if (ages() && Rank(node.priority, now) > Rank(node.level, node.since)) return;
  Unlink(node);
  node.level = node.priority;
  if (ages()) node.since = now;
  LinkAtBack(node);
}

}  // namespace kinformer::internal
