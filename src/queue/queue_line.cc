#include "kinformer/internal/queue_line.h"

#include <algorithm>
#include <utility>

namespace kinformer::internal {
namespace {

// Priorities come and go. So many levels are kept without anything in them; what is beyond is
// forgotten as soon as it is empty.
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

std::int64_t QueueLine::Rank(int level, SteadyTime ready_at) const {
  if (!ages()) return 0;
  // By how much the level is ahead: cut, so that neither product nor difference overflows.
  const std::int64_t most = kMostHeadStart / ageing_.count();
  const std::int64_t head_start = ageing_.count() * std::clamp<std::int64_t>(level, -most, most);
  return ready_at.time_since_epoch().count() - head_start;
}

bool QueueLine::IsAhead(const Level& a, const Level& b) const {
  const std::int64_t rank_a = Rank(a.priority, a.front->ready_at);
  const std::int64_t rank_b = Rank(b.priority, b.front->ready_at);
  return rank_a != rank_b ? rank_a < rank_b : a.priority > b.priority;
}

bool QueueLine::Before(const QueueNode& a, const QueueNode& b) const {
  if (a.level == b.level) return a.sequence < b.sequence;
  const std::int64_t rank_a = Rank(a.level, a.ready_at);
  const std::int64_t rank_b = Rank(b.level, b.ready_at);
  return rank_a != rank_b ? rank_a < rank_b : a.level > b.level;
}

std::vector<const QueueNode*> QueueLine::InLine() const {
  std::vector<const QueueNode*> nodes;
  nodes.reserve(size_);
  for (const Level* level : ahead_) {
    for (const QueueNode* node = level->front; node != nullptr; node = node->next) {
      nodes.push_back(node);
    }
  }
  return nodes;
}

void QueueLine::Join(QueueNode& node) {
  node.level = node.priority;
  ++size_;
  if (!node.processing) ++available_;
  LinkAtBack(LevelOf(node.level), node);
}

// A held node would be the front of an empty level: it stays outside until Release.
void QueueLine::LinkAtBack(Level& level, QueueNode& node) {
  if (level.front == nullptr && node.processing) return;
  LinkBefore(level, node, nullptr);
}

void QueueLine::LinkBefore(Level& level, QueueNode& node, QueueNode* next) {
  const QueueNode* const front = level.front;
  node.in_line = true;
  node.next = next;
  node.previous = next == nullptr ? level.back : next->previous;
  (node.previous == nullptr ? level.front : node.previous->next) = &node;
  (next == nullptr ? level.back : next->previous) = &node;
  FrontChanged(level, front);
}

void QueueLine::Unlink(Level& level, QueueNode& node) {
  const QueueNode* const front = level.front;
  const auto unlink = [&level](QueueNode& out) {
    (out.previous == nullptr ? level.front : out.previous->next) = out.next;
    (out.next == nullptr ? level.back : out.next->previous) = out.previous;
    out.in_line = false;
    out.previous = out.next = nullptr;
  };
  unlink(node);
  // Those that workers have step aside when they come to the front.
  while (level.front != nullptr && level.front->processing) unlink(*level.front);
  FrontChanged(level, front);
}

void QueueLine::FrontChanged(Level& level, const QueueNode* before) {
  if (level.front == before) return;
  if (before == nullptr) {
    level.place = ahead_.size();
    ahead_.push_back(&level);
    PutInPlace(level.place);
  } else if (level.front != nullptr) {
    PutInPlace(level.place);
  } else {
    const std::size_t place = level.place;
    Level* const last = ahead_.back();
    ahead_.pop_back();
    if (last != &level) {
      ahead_[place] = last;
      last->place = place;
      PutInPlace(place);
    }
    if (levels_.size() > kKeptLevels) {
      if (recent_ == &level) recent_ = nullptr;
      levels_.erase(level.priority);
    }
  }
}

void QueueLine::PutInPlace(std::size_t place) {
  const auto swap_with = [&](std::size_t other) {
    std::swap(ahead_[place], ahead_[other]);
    ahead_[place]->place = place;
    ahead_[other]->place = other;
    place = other;
  };
  while (place > 0 && IsAhead(*ahead_[place], *ahead_[(place - 1) / 2])) {
    swap_with((place - 1) / 2);
  }
  for (;;) {
    std::size_t first = place;
    for (const std::size_t child : {2 * place + 1, 2 * place + 2}) {
      if (child < ahead_.size() && IsAhead(*ahead_[child], *ahead_[first])) first = child;
    }
    if (first == place) return;
    swap_with(first);
  }
}

void QueueLine::TakeFirst() {
  Level& level = *ahead_[0];
  QueueNode& node = *level.front;
  --size_;
  --available_;
  node.processing = true;
  Unlink(level, node);
}

void QueueLine::Release(QueueNode& node) {
  ++available_;
  if (node.in_line) return;
  // What joined before it has been passed over as well, or was taken: its place is near the front.
  Level& level = LevelOf(node.level);
  QueueNode* next = level.front;
  while (next != nullptr && next->sequence < node.sequence) next = next->next;
  LinkBefore(level, node, next);
}

void QueueLine::Raise(QueueNode& node, std::uint64_t sequence, SteadyTime ready_at) {
  if (ages() && Rank(node.priority, ready_at) > Rank(node.level, node.ready_at)) return;
  if (node.in_line) Unlink(LevelOf(node.level), node);
  node.level = node.priority;
  node.sequence = sequence;
  node.ready_at = ready_at;
  LinkAtBack(LevelOf(node.level), node);
}

}  // namespace kinformer::internal
