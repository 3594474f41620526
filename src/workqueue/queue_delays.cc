#include "kinformer/internal/queue_delays.h"

#include <algorithm>

namespace kinformer::internal {
namespace {

constexpr std::size_t kLeastCapacity = 64;

}  // namespace

bool QueueDelays::Before(const Entry& a, const Entry& b) {
  if (a.ready_at != b.ready_at) return a.ready_at < b.ready_at;
  if (a.node->priority != b.node->priority) return a.node->priority > b.node->priority;
  return a.sequence < b.sequence;
}

void QueueDelays::Add(QueueNode& node, SteadyTime ready_at) {
  if (!node.delayed) {
    node.delayed = true;
    heap_.push_back({ready_at, next_sequence_++, &node});
    Sift(heap_.size() - 1, Entry(heap_.back()));
  } else if (Entry entry = heap_[node.delay_place]; ready_at < entry.ready_at) {
    entry.ready_at = ready_at;
    Sift(node.delay_place, entry);
  }
}

void QueueDelays::Raised(QueueNode& node) {
  Entry entry = heap_[node.delay_place];
  entry.sequence = next_sequence_++;
  Sift(node.delay_place, entry);
}

void QueueDelays::Remove(QueueNode& node) {
  node.delayed = false;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (last.node != &node) Sift(node.delay_place, last);
  // Returns the memory of a flood of items to the system.
  if (heap_.capacity() > kLeastCapacity && heap_.size() < heap_.capacity() / 8) {
    heap_.shrink_to_fit();
  }
}

void QueueDelays::Clear() {
  for (const Entry& entry : heap_) entry.node->delayed = false;
  heap_ = {};
}

void QueueDelays::Put(std::size_t place, const Entry& entry) {
  heap_[place] = entry;
  entry.node->delay_place = static_cast<std::uint32_t>(place);
}

void QueueDelays::Sift(std::size_t place, const Entry& entry) {
  for (; place > 0 && Before(entry, heap_[(place - 1) / 2]); place = (place - 1) / 2) {
    Put(place, heap_[(place - 1) / 2]);
  }
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child + 1 < heap_.size() && Before(heap_[child + 1], heap_[child])) ++child;
    if (child >= heap_.size() || !Before(heap_[child], entry)) break;
    Put(place, heap_[child]);
    place = child;
  }
  Put(place, entry);
}

}  // namespace kinformer::internal
