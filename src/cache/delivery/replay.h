// cache/delivery/replay.h
//
// Replay: events computed from snapshots while they are delivered, so that a list of any size waits
// in constant space. ReplayCursor: iterates over them.

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

// The difference between two states of the store, or a resync.
struct Replay {
  // Updates for all objects of `after`, each with itself as the old state.
  bool resync = false;
  // The start of the difference. Null, or an empty store: nothing.
  std::shared_ptr<const SnapshotCore> before{};
  std::shared_ptr<const SnapshotCore> after{};
  // Added objects are part of the initial list.
  bool initial = false;
  // Sends updates for unchanged objects, too.
  bool include_unchanged = false;
  // Epoch of the events if `after` has an older one: the oldest of the parts of its store.
  std::uint32_t epoch = 0;
};

// Returns deletions first, as tombstones, then the rest. Events live as long as the cursor.
class ReplayCursor {
 public:
  enum class Step : std::uint8_t {
    kEvent,
    // No event among the objects just examined: the caller may do other work in between.
    kPause,
    kEnd,
  };

  // `uid_change_is_update`: an object with a new uid is reported as an update, not as a deletion
  // and an addition.
  ReplayCursor(Replay replay, bool uid_change_is_update);

  [[nodiscard]] Step Next(RawEvent& event);

 private:
  enum class Pass : std::uint8_t { kDeletions, kPresent, kDone };

  [[nodiscard]] std::uint32_t EpochOf(const Block& block) const;
  // Loads the next batch of the pass. Returns false at its end.
  bool Refill(const SnapshotCore& walked);
  // Returns false if `block` causes no event in this pass.
  [[nodiscard]] bool Deletion(const Block& block, RawEvent& event) const;
  [[nodiscard]] bool Presence(const Block& block, RawEvent& event) const;
  // Returns whether handlers see both as one object.
  [[nodiscard]] bool SameObject(const Block& one, const Block& other) const;

  const Replay replay_;
  const bool uid_change_is_update_;
  // null if there is no earlier state to compare with
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
