#include "cache/delivery/replay.h"

#include <algorithm>

#include "cache/store/coverage.h"

namespace kinformer::internal::cache {
namespace {

const SnapshotCore* UnlessEmpty(const SnapshotCore* snapshot) {
  return snapshot == nullptr || snapshot->size() == 0 ? nullptr : snapshot;
}

const Block* Find(const SnapshotCore* snapshot, const Block& like) {
  return snapshot == nullptr ? nullptr : snapshot->Get(like.namespace_(), like.name());
}

}  // namespace

ReplayCursor::ReplayCursor(Replay replay, bool uid_change_is_update)
    : replay_(std::move(replay)),
      uid_change_is_update_(uid_change_is_update),
      before_(UnlessEmpty(replay_.before.get())),
      pass_(before_ == nullptr ? Pass::kPresent : Pass::kDeletions) {}

ReplayCursor::Step ReplayCursor::Next(RawEvent& event) {
  if (pass_ == Pass::kDone) return Step::kEnd;
  const bool deletions = pass_ == Pass::kDeletions;
  if (next_ == size_) {
    if (Refill(deletions ? *before_ : *replay_.after)) return Step::kPause;
    pass_ = deletions ? Pass::kPresent : Pass::kDone;
    cursor_ = {};
    at_end_ = false;
    return deletions ? Step::kPause : Step::kEnd;
  }
  while (next_ < size_) {
    const Block& block = *batch_[next_++];
    event = RawEvent();
    event.epoch = EpochOf(block);
    event.version = replay_.after->version();
    event.block = &block;
    if (deletions ? Deletion(block, event) : Presence(block, event)) return Step::kEvent;
  }
  return Step::kPause;
}

std::uint32_t ReplayCursor::EpochOf(const Block& block) const {
  const Coverage* const coverage = replay_.after->coverage();
  if (coverage != nullptr && coverage->namespaces != nullptr) {
    const auto epoch = coverage->namespaces->EpochOf(block.namespace_());
    if (epoch) return static_cast<std::uint32_t>(*epoch);
  }
  return std::max(replay_.epoch, static_cast<std::uint32_t>(replay_.after->epoch()));
}

bool ReplayCursor::Refill(const SnapshotCore& walked) {
  next_ = 0;
  size_ = at_end_ ? 0 : walked.NextBatch(cursor_, batch_);
  at_end_ = size_ < batch_.size();
  return size_ > 0;
}

bool ReplayCursor::SameObject(const Block& one, const Block& other) const {
  return &one == &other || uid_change_is_update_ || one.uid() == other.uid();
}

bool ReplayCursor::Deletion(const Block& block, RawEvent& event) const {
  const Block* const newer = Find(replay_.after.get(), block);
  if (newer != nullptr && SameObject(block, *newer)) return false;
  event.type = EventType::kDeleted;
  event.final_state_unknown = true;
  return true;
}

bool ReplayCursor::Presence(const Block& block, RawEvent& event) const {
  if (replay_.resync) {
    event.type = EventType::kUpdated;
    event.old_block = &block;
    return true;
  }
  const Block* const older = Find(before_, block);
  if (older == nullptr || !SameObject(*older, block)) {
    event.type = EventType::kAdded;
    event.is_in_initial_list = replay_.initial;
    return true;
  }
  const bool same = older == &block || older->SameAs(block);
  event.type = EventType::kUpdated;
  // An unchanged object is reported as a resync.
  event.old_block = same && replay_.include_unchanged ? &block : older;
  return replay_.include_unchanged || !same;
}

}  // namespace kinformer::internal::cache
