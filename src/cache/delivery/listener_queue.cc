#include "cache/delivery/listener_queue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace kinformer::internal::cache {
namespace {

// Number of lists that may wait with kBlock; with one more the informer waits.
constexpr std::size_t kMostWaitingLists = 1;
// Number of events taken at once; more only for events of one version.
constexpr std::size_t kTakenAtOnce = 32;

bool IsList(const ListenerQueue::Section& section) {
  return section.replay.has_value() && !section.replay->resync;
}

// Takes the events up to the first mark and returns its `state`. REQUIRES: there is a mark.
std::unique_ptr<PendingEvents> TakeToMark(PendingEvents& events,
                                          std::shared_ptr<const SnapshotCore>& state) {
  auto taken = std::make_unique<PendingEvents>();
  while (state == nullptr) {
    PendingEvents::Taken next = events.Take();
    taken->Append(next.event);
    state = std::move(next.state);
  }
  return taken;
}

}  // namespace

// ---- load and bounds

bool ListenerQueue::OverBound() const {
  const PendingEvents::Load load = Waiting();
  return load.events >= limits_.max_events || load.bytes >= limits_.max_bytes;
}

std::size_t ListenerQueue::WaitingLists() const {
  return static_cast<std::size_t>(std::count_if(sections_.begin(), sections_.end(), IsList));
}

bool ListenerQueue::IsFull(bool was_full) const {
  if (limits_.overflow != OverflowPolicy::kBlock) return false;
  if (OverBound() || WaitingLists() > kMostWaitingLists) return true;
  const PendingEvents::Load load = Waiting();
  return was_full && (load.events > limits_.max_events / 2 || load.bytes > limits_.max_bytes / 2);
}

// ---- in

void ListenerQueue::Push(std::span<const Notification> events,
                         std::shared_ptr<const SnapshotCore> after, Discarded& discarded) {
  if (last_ == nullptr) last_ = std::make_unique<PendingEvents>();
  const bool coalesces = limits_.overflow == OverflowPolicy::kCoalesce;
  for (const Notification& event : events) {
    epoch_ = std::max(epoch_, event.epoch);
    if (coalesces && OverBound()) {
      coalesced_ += last_->Coalesce(event);
    } else {
      last_->Append(event);
    }
  }
  if (limits_.overflow != OverflowPolicy::kDropAndResync) return;
  if (OverBound()) {
    DropAndResync(std::move(after), discarded);
  } else {
    last_->Mark(std::move(after));
  }
}

void ListenerQueue::PushReplay(Replay replay, Discarded& discarded) {
  if (replay.resync) {
    // A waiting resync serves this one, too.
    for (const Section& section : sections_) {
      if (section.replay.has_value() && section.replay->resync) return;
    }
  } else if (limits_.overflow != OverflowPolicy::kBlock && JoinWaitingList(replay, discarded)) {
    return;
  }
  Close(std::move(replay));
}

void ListenerQueue::PushSynced() { Close(std::nullopt); }

void ListenerQueue::Close(std::optional<Replay> replay) {
  if (last_ != nullptr) sections_load_ += last_->load();
  if (replay.has_value()) replay->epoch = epoch_;
  sections_.push_back({std::move(last_), std::move(replay)});
}

// Merges a list into a waiting one, so that lists do not pile up behind a slow handler.
bool ListenerQueue::JoinWaitingList(Replay& replay, Discarded& discarded) {
  const auto found = std::find_if(sections_.rbegin(), sections_.rend(), [](const Section& section) {
    return section.replay.has_value();
  });
  if (found == sections_.rend() || found->replay->resync) return false;
  Replay joined = *found->replay;
  joined.after = std::move(replay.after);
  joined.include_unchanged |= replay.include_unchanged;
  const Position position = std::prev(found.base());
  std::unique_ptr<PendingEvents> kept = std::move(position->events);
  const std::size_t joining = ReplaceFrom(position, std::move(kept), std::move(joined), discarded);
  (limits_.overflow == OverflowPolicy::kDropAndResync ? dropped_ : coalesced_) += joining;
  return true;
}

// Keeps events up to the first state that the handler surely knows; then sends the difference.
void ListenerQueue::DropAndResync(std::shared_ptr<const SnapshotCore> after, Discarded& discarded) {
  Replay difference;
  difference.after = std::move(after);
  if (reached_ != nullptr) {
    difference.before = reached_;
    dropped_ += ReplaceFrom(sections_.begin(), nullptr, std::move(difference), discarded);
    return;
  }
  for (Position at = sections_.begin(); at != sections_.end(); ++at) {
    if (at->events != nullptr && at->events->HasMark()) {
      std::unique_ptr<PendingEvents> kept = TakeToMark(*at->events, difference.before);
      dropped_ += ReplaceFrom(at, std::move(kept), std::move(difference), discarded);
      return;
    }
    if (IsList(*at)) {
      Replay longer = *at->replay;
      longer.after = std::move(difference.after);
      std::unique_ptr<PendingEvents> kept = std::move(at->events);
      dropped_ += ReplaceFrom(at, std::move(kept), std::move(longer), discarded);
      return;
    }
  }
  if (last_->HasMark()) {
    std::unique_ptr<PendingEvents> kept = TakeToMark(*last_, difference.before);
    dropped_ += ReplaceFrom(sections_.end(), std::move(kept), std::move(difference), discarded);
    return;
  }
  // Only this batch waits: it is delivered, and later ones may be dropped.
  last_->Mark(std::move(difference.after));
}

std::size_t ListenerQueue::ReplaceFrom(Position first, std::unique_ptr<PendingEvents> kept,
                                       Replay difference, Discarded& discarded) {
  std::size_t replaced = last_ == nullptr ? 0 : last_->load().events;
  bool synced = false;
  for (Position at = first; at != sections_.end(); ++at) {
    if (at->events != nullptr) replaced += at->events->load().events;
    if (!at->replay.has_value()) synced = true;
  }
  discarded.splice(discarded.end(), sections_, first, sections_.end());
  Discard(std::move(last_), discarded);
  sections_load_ = {};
  for (const Section& section : sections_) {
    if (section.events != nullptr) sections_load_ += section.events->load();
  }
  last_ = std::move(kept);
  Close(std::move(difference));
  if (synced) PushSynced();
  return replaced;
}

// ---- out

void ListenerQueue::TakeEvents(PendingEvents& events, Delivery& delivery) {
  std::size_t of_version = 0;  // number of events of the current version taken so far
  std::uint64_t version = 0;
  for (std::size_t taken = 0; !events.empty(); ++taken) {
    const bool begins = taken == 0 || events.Oldest().version != version;
    if (taken >= kTakenAtOnce && (begins || of_version >= most_of_version_)) return;
    version = events.Oldest().version;
    of_version = begins ? 1 : of_version + 1;
    PendingEvents::Taken next = events.Take();
    delivery.Add(std::move(next.event));
    reached_ = std::move(next.state);
  }
}

ListenerQueue::Taken ListenerQueue::Take(Delivery& delivery, Discarded& discarded) {
  for (;;) {
    const bool is_last = sections_.empty();
    std::unique_ptr<PendingEvents>& events = is_last ? last_ : sections_.front().events;
    if (events != nullptr && !events->empty()) {
      const PendingEvents::Load before = events->load();
      TakeEvents(*events, delivery);
      if (!is_last) {
        sections_load_ -= before;
        sections_load_ += events->load();
      } else if (events->empty() && events->IsBulky()) {
        Discard(std::move(events), discarded);
      }
      return Taken::kWork;
    }
    if (is_last) return Taken::kNothing;
    Section& front = sections_.front();
    std::optional<Replay> replay = std::move(front.replay);
    discarded.splice(discarded.end(), sections_, sections_.begin());
    if (!replay.has_value()) return Taken::kSynced;
    if (limits_.overflow == OverflowPolicy::kDropAndResync && !replay->resync) {
      reached_ = replay->after;
    }
    delivery.Begin(*std::move(replay), uid_change_is_update_);
    return Taken::kWork;
  }
}

void ListenerQueue::Clear(Discarded& discarded) {
  discarded.splice(discarded.end(), sections_);
  Discard(std::move(last_), discarded);
  sections_load_ = {};
  if (reached_ != nullptr) discarded.push_back({nullptr, Replay{.after = std::move(reached_)}});
}

void ListenerQueue::Discard(std::unique_ptr<PendingEvents> events, Discarded& discarded) {
  if (events != nullptr) discarded.push_back({std::move(events), std::nullopt});
}

}  // namespace kinformer::internal::cache
