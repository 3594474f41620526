// cache/delivery/replay.h
//
// Replay: events that are worked out from snapshots as they are delivered, so that a list of any
// size waits in constant space. ReplayCursor: yields them.

#ifndef KINFORMER_CACHE_DELIVERY_REPLAY_H_
#define KINFORMER_CACHE_DELIVERY_REPLAY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/internal/snapshot_core.h"

namespace kinformer::internal::cache {

// Either what turned one state of the store into another, or a resync.
struct Replay {
  // Updates for all objects of `after`, each with itself. The handler's state stays as it was.
  bool resync = false;
  // Where the difference begins. Null, or empty: with nothing.
  std::shared_ptr<const SnapshotCore> before{};
  std::shared_ptr<const SnapshotCore> after{};
  // What is added is part of the initial list.
  bool initial = false;
  // Updates also for objects that are the same in both.
  bool include_unchanged = false;
  // Of its events, where `after` is not so far yet: keys of a DeltaFIFO run ahead of the store.
  std::uint32_t epoch = 0;
};

// Yields deletions first, as tombstones, then the rest. Events are valid as long as the cursor.
class ReplayCursor {
 public:
  enum class Step : std::uint8_t {
    kEvent,
    // No event so far: the caller may see to other things after so many objects.
    kPause,
    kEnd,
  };

  // `uid_change_is_update`: an object under another uid is one update rather than a deletion and an
  // addition.
  ReplayCursor(Replay replay, bool uid_change_is_update);

  [[nodiscard]] Step Next(RawEvent& event);

 private:
  enum class Pass : std::uint8_t { kDeletions, kPresent, kDone };

  [[nodiscard]] std::uint32_t EpochOf(const Block& block) const;
  // Moves on to the next batch of the pass. False: there is none.
  bool Refill(const SnapshotCore& walked);
  // False: `block` is no event of this pass.
  [[nodiscard]] bool Deletion(const Block& block, RawEvent& event) const;
  [[nodiscard]] bool Presence(const Block& block, RawEvent& event) const;
  // Of one object, as far as handlers are told.
  [[nodiscard]] bool SameObject(const Block& one, const Block& other) const;

  const Replay replay_;
  const bool uid_change_is_update_;
  // Null where there is nothing to look anything up in.
  const SnapshotCore* const before_;
  Pass pass_;
  SnapshotCore::Cursor cursor_{};
  std::array<const Block*, 64> batch_{};
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  bool at_end_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_REPLAY_H_
