#include "cache/delivery/processor.h"

#include <algorithm>
#include <utility>

#include "base/core/deadline.h"

namespace kinformer::internal::cache {

Duration ResyncPeriods::ForHandler(Duration wanted, Duration& check, bool running) {
  if (wanted <= Duration(0)) return Duration(0);
  wanted = std::max(wanted, kMinimum);
  if (check == Duration(0)) {
    // An informer without a check period cannot resync; before it runs it may still get one.
    if (running) return Duration(0);
    return wanted;
  }
  if (wanted >= check) return wanted;
  if (running) return check;
  check = wanted;
  return wanted;
}

void Processor::Add(std::shared_ptr<Listener> listener, Duration resync_period,
                    std::shared_ptr<const SnapshotCore> current, bool synced) {
  if (listener->removed()) return;
  if (suspended_) listener->Suspend();
  if (current != nullptr && current->size() > 0) {
    Replay replay;
    replay.after = std::move(current);
    replay.initial = true;
    listener->PushReplay(std::move(replay));
    Watch();
  }
  if (synced) listener->PushSynced();
  Entry& entry = listeners_.emplace_back();
  entry.listener = std::move(listener);
  entry.resync_period = resync_period;
  entry.synced = synced;
  entry.next_resync = base::After(env_.Now(), resync_period);
}

void Processor::Remove(const Listener* listener) {
  std::erase_if(listeners_,
                [listener](const Entry& entry) { return entry.listener.get() == listener; });
}

void Processor::Distribute(std::span<const Notification> events, const Snapshots& snapshot) {
  if (events.empty() || listeners_.empty()) return;
  Watch();
  for (const Entry& entry : listeners_) {
    const bool needs_state = entry.listener->options().overflow == OverflowPolicy::kDropAndResync;
    entry.listener->Push(events, needs_state ? snapshot() : nullptr);
  }
}

void Processor::DistributeReplaced(const std::shared_ptr<const SnapshotCore>& before,
                                   const std::shared_ptr<const SnapshotCore>& after, bool initial) {
  if (!listeners_.empty()) Watch();
  for (const Entry& entry : listeners_) {
    Replay replay;
    replay.before = before;
    replay.after = after;
    replay.initial = initial;
    replay.include_unchanged = entry.syncing;
    entry.listener->PushReplay(std::move(replay));
  }
}

void Processor::Resync(const std::vector<std::weak_ptr<Listener>>& listeners,
                       const std::shared_ptr<const SnapshotCore>& current) {
  if (!listeners_.empty()) Watch();
  for (const std::weak_ptr<Listener>& weak : listeners) {
    if (const std::shared_ptr<Listener> listener = weak.lock()) {
      Replay replay;
      replay.resync = true;
      replay.after = current;
      listener->PushReplay(std::move(replay));
    }
  }
}

void Processor::Synced() {
  for (Entry& entry : listeners_) {
    if (!std::exchange(entry.synced, true)) entry.listener->PushSynced();
  }
}

std::vector<std::weak_ptr<Listener>> Processor::DueForResync() {
  std::vector<std::weak_ptr<Listener>> due;
  const SteadyTime now = env_.Now();
  for (Entry& entry : listeners_) {
    entry.syncing = entry.resync_period > Duration(0) && now >= entry.next_resync;
    if (!entry.syncing) continue;
    entry.next_resync = base::After(now, entry.resync_period);
    due.push_back(entry.listener);
  }
  return due;
}

bool Processor::Blocked() const {
  return std::any_of(listeners_.begin(), listeners_.end(),
                     [](const Entry& entry) { return entry.listener->Full(); });
}

void Processor::Watch() {
  if (suspended_ || watch_.armed()) return;
  watch_ = env_.loop().RunAt(env_.Now() + kHandlerWatchPeriod, [this] {
    watch_ = Timer();
    bool busy = false;
    for (const Entry& entry : listeners_) busy |= entry.listener->NameIfSlow();
    if (busy) Watch();
  });
}

void Processor::Suspend() {
  suspended_ = true;
  watch_ = Timer();
  for (const Entry& entry : listeners_) entry.listener->Suspend();
}

void Processor::Resume() {
  suspended_ = false;
  for (Entry& entry : listeners_) {
    entry.synced = false;
    entry.listener->Resume();
  }
}

}  // namespace kinformer::internal::cache
