// What waits for a listener's handler: queueing, merging past the bound, dropping.

#include <cstddef>
#include <utility>

#include "cache/delta.h"
#include "cache/informer_metrics.h"
#include "cache/listener.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kTake = 32;  // live events taken at once

// Memory that exists only because the event waits.
std::size_t BytesOf(const Notification& event) {
  std::size_t bytes = sizeof(Notification);
  if (event.old_object) bytes += event.old_object->allocated_bytes();
  if (event.kind == RawEvent::Kind::kDelete) bytes += event.object->allocated_bytes();
  return bytes;
}

}  // namespace

bool Listener::OverBound() const {
  return live_ >= options_.max_events || live_bytes_ >= options_.max_bytes;
}

void Listener::UpdateFull() {
  if (options_.overflow != OverflowPolicy::kBlock) return;
  if (OverBound()) {
    full_.store(true, std::memory_order_release);
  } else if (live_ <= options_.max_events / 2 && live_bytes_ <= options_.max_bytes / 2) {
    full_.store(false, std::memory_order_release);
  }
}

void Listener::Report() {
  if (hooks_.metrics == nullptr) return;
  ListenerMetrics& metrics = *hooks_.metrics;
  metrics.waiting.Set(live_);
  metrics.waiting_bytes.Set(live_bytes_);
  metrics.delivered.Follow(delivered_.load(std::memory_order_relaxed));
  metrics.coalesced.Follow(coalesced_.load(std::memory_order_relaxed));
  metrics.dropped.Follow(dropped_.load(std::memory_order_relaxed));
}

void Listener::Push(std::span<const Notification> events,
                    std::shared_ptr<const SnapshotCore> after) {
  if (events.empty()) return;
  bool wakes = false;
  {
    MutexLock lock(mutex_);
    if (removed_.load(std::memory_order_relaxed)) return;
    for (const Notification& event : events) {
      if (options_.overflow == OverflowPolicy::kCoalesce && OverBound()) {
        if (!coalescing_) BuildIndex();
        Coalesce(event);
      } else {
        Append(event);
      }
    }
    if (options_.overflow == OverflowPolicy::kDropAndResync && after != nullptr) {
      if (OverBound()) {
        DropAndResync(std::move(after));
      } else {
        Entry& entry = entries_.emplace_back();
        entry.kind = Entry::Kind::kMark;
        entry.mark = std::move(after);
      }
    }
    UpdateFull();
    Report();
    wakes = NeedsTurn();
  }
  // Not under the lock, where the thread that wakes would only wait for it.
  if (wakes) PostTurn();
}

void Listener::Append(const Notification& event) {
  Entry& entry = entries_.emplace_back();
  entry.kind = Entry::Kind::kLive;
  entry.event = event;
  ++live_;
  live_bytes_ += BytesOf(event);
  if (coalescing_) index_[KeyOf(*event.object)] = head_ + entries_.size() - 1;
}

void Listener::Void(Entry& entry) {
  --live_;
  live_bytes_ -= BytesOf(entry.event);
  entry = Entry();
  ++voids_;
}

void Listener::BuildIndex() {
  index_.clear();
  coalescing_ = true;
  for (std::size_t i = entries_.size(); i > 0; --i) {
    const Entry& entry = entries_[i - 1];
    if (entry.kind == Entry::Kind::kVoid) continue;
    if (entry.kind != Entry::Kind::kLive) break;
    index_.try_emplace(KeyOf(*entry.event.object), head_ + i - 1);
  }
}

// Drops the holes that merging leaves, so that a handler that never returns costs no more than its keys.
void Listener::Compact() {
  std::deque<Entry> kept;
  for (Entry& entry : entries_) {
    if (entry.kind != Entry::Kind::kVoid) kept.push_back(std::move(entry));
  }
  entries_ = std::move(kept);
  voids_ = 0;
  BuildIndex();
}

void Listener::Coalesce(const Notification& event) {
  const auto it = index_.find(KeyOf(*event.object));
  Entry* older = nullptr;
  if (it != index_.end() && it->second >= head_) {
    Entry& entry = entries_[static_cast<std::size_t>(it->second - head_)];
    if (entry.kind == Entry::Kind::kLive) older = &entry;
  }
  if (older == nullptr) return Append(event);

  using Kind = RawEvent::Kind;
  Notification merged = event;
  switch (older->event.kind) {
    case Kind::kAdd:
      if (event.kind == Kind::kDelete) {
        // It came and went while the handler was busy.
        coalesced_.fetch_add(2, std::memory_order_relaxed);
        Void(*older);
        index_.erase(it);
        return;
      }
      merged.kind = Kind::kAdd;
      merged.is_in_initial_list = older->event.is_in_initial_list;
      merged.old_object = ObjectRef();
      break;
    case Kind::kUpdate:
      if (event.kind == Kind::kUpdate) merged.old_object = older->event.old_object;
      break;
    case Kind::kDelete:
      // Two incarnations stay two events.
      if (event.kind != Kind::kAdd || older->event.object->uid() != event.object->uid()) {
        return Append(event);
      }
      merged.kind = Kind::kUpdate;
      merged.old_object = older->event.object;
      break;
  }
  coalesced_.fetch_add(1, std::memory_order_relaxed);
  Void(*older);
  Append(merged);
  if (voids_ > 64 && voids_ > live_) Compact();
}

// Whatever waits after the last state that the handler is sure to reach gives way to one difference.
void Listener::DropAndResync(std::shared_ptr<const SnapshotCore> after) {
  const auto is_base = [](const Entry& entry) {
    return entry.kind == Entry::Kind::kMark ||
           (entry.kind == Entry::Kind::kReplay && entry.replay->IsDifference());
  };
  std::size_t keep = 0;
  while (keep < entries_.size() && !is_base(entries_[keep])) ++keep;
  if (keep == entries_.size()) {
    // Only this batch waits: it is delivered, and the next may be dropped.
    Entry& entry = entries_.emplace_back();
    entry.kind = Entry::Kind::kMark;
    entry.mark = std::move(after);
    return;
  }
  bool synced = false;
  while (entries_.size() > keep + 1) {
    Entry& last = entries_.back();
    if (last.kind == Entry::Kind::kLive) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      Void(last);
    }
    if (last.kind == Entry::Kind::kSynced) synced = true;
    if (last.kind == Entry::Kind::kVoid) --voids_;
    entries_.pop_back();
  }
  Entry& base = entries_.back();
  if (base.kind == Entry::Kind::kReplay) {
    base.replay->after = std::move(after);
  } else {
    base.kind = Entry::Kind::kReplay;
    base.replay = std::make_unique<Replay>();
    base.replay->before = std::move(base.mark);
    base.replay->after = std::move(after);
  }
  if (synced) entries_.emplace_back().kind = Entry::Kind::kSynced;
}

void Listener::PushReplay(Replay replay) {
  MutexLock lock(mutex_);
  if (removed_.load(std::memory_order_relaxed)) return;
  // A difference that has not begun takes in what followed it, so that lists do not pile up behind a slow handler.
  if (replay.before != nullptr) {
    for (std::size_t i = entries_.size(); i > 0; --i) {
      Entry& entry = entries_[i - 1];
      if (entry.kind != Entry::Kind::kReplay) continue;
      if (!entry.replay->IsDifference()) break;
      bool synced = false;
      while (entries_.size() > i) {
        Entry& last = entries_.back();
        if (last.kind == Entry::Kind::kLive) {
          coalesced_.fetch_add(1, std::memory_order_relaxed);
          Void(last);
        }
        if (last.kind == Entry::Kind::kSynced) synced = true;
        if (last.kind == Entry::Kind::kVoid) --voids_;
        entries_.pop_back();
      }
      entry.replay->after = std::move(replay.after);
      entry.replay->include_unchanged |= replay.include_unchanged;
      if (synced) entries_.emplace_back().kind = Entry::Kind::kSynced;
      index_.clear();
      UpdateFull();
      Report();
      return Schedule();
    }
  } else if (!replay.initial) {
    // A resync that waits already is as good.
    for (const Entry& entry : entries_) {
      if (entry.kind == Entry::Kind::kReplay && entry.replay->before == nullptr &&
          !entry.replay->initial) {
        return;
      }
    }
  }
  Entry& entry = entries_.emplace_back();
  entry.kind = Entry::Kind::kReplay;
  entry.replay = std::make_unique<Replay>(std::move(replay));
  index_.clear();
  Schedule();
}

void Listener::PushSynced() {
  MutexLock lock(mutex_);
  entries_.emplace_back().kind = Entry::Kind::kSynced;
  index_.clear();
  Schedule();
}

bool Listener::Take(bool& synced) {
  synced = false;
  while (!entries_.empty()) {
    Entry& front = entries_.front();
    if (front.kind == Entry::Kind::kLive) {
      if (taken_.size() == kTake) break;
      --live_;
      live_bytes_ -= BytesOf(front.event);
      taken_.push_back(std::move(front.event));
    } else if (front.kind == Entry::Kind::kVoid) {
      --voids_;
    } else if (!taken_.empty()) {
      // What the others stand for is not reached before these are delivered.
      break;
    } else if (front.kind == Entry::Kind::kMark) {
      // The last one is where a difference would start.
      if (entries_.size() == 1) break;
    } else {
      if (front.kind == Entry::Kind::kReplay) {
        replay_ = std::move(front.replay);
      } else {
        synced = true;
      }
      entries_.pop_front();
      ++head_;
      return true;
    }
    entries_.pop_front();
    ++head_;
  }
  if (coalescing_ && live_ < options_.max_events / 2) {
    coalescing_ = false;
    index_.clear();
  }
  return !taken_.empty();
}

void Listener::Clear() {
  entries_.clear();
  index_.clear();
  taken_.clear();
  next_taken_ = 0;
  replay_.reset();
  live_ = 0;
  live_bytes_ = 0;
  voids_ = 0;
  Report();
}

}  // namespace kinformer::internal
