// cache/delivery/pending_events.h
//
// PendingEvents: live events waiting for a handler, in order; beyond a listener's bound, one per
// object. Counterpart: the pendingNotifications of processorListener.

#ifndef KINFORMER_CACHE_DELIVERY_PENDING_EVENTS_H_
#define KINFORMER_CACHE_DELIVERY_PENDING_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "kinformer/internal/snapshot_core.h"

#include "cache/delivery/notification.h"

namespace kinformer::internal::cache {

// All operations take constant time unless stated otherwise. Not thread-safe.
class PendingEvents {
 public:
  // Number of waiting events, and the memory that exists only because of them.
  struct Load {
    std::size_t events = 0;
    std::size_t bytes = 0;
    Load& operator+=(const Load& other) {
      events += other.events;
      bytes += other.bytes;
      return *this;
    }
    Load& operator-=(const Load& other) {
      events -= other.events;
      bytes -= other.bytes;
      return *this;
    }
  };

  struct Taken {
    Notification event{};
    // State passed to Mark for this event, or null.
    std::shared_ptr<const SnapshotCore> state{};
  };

  PendingEvents() = default;
  PendingEvents(const PendingEvents&) = delete;
  PendingEvents& operator=(const PendingEvents&) = delete;

  void Append(const Notification& event);
  // Merges `event` with the waiting event of its object, at the position of the newer one, by the
  // rules of OverflowPolicy::kCoalesce. Returns the number of events that the handler is spared.
  // The first calls search a limited number of the newest events, as the index is built in steps.
  std::size_t Coalesce(const Notification& event);
  // Attaches the store's state after the newest event. REQUIRES: not empty.
  void Mark(std::shared_ptr<const SnapshotCore> state);
  // Removes and returns the oldest event. REQUIRES: not empty.
  Taken Take();
  // REQUIRES: not empty.
  [[nodiscard]] const Notification& Oldest() const { return first_->event; }

  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] const Load& load() const { return load_; }
  [[nodiscard]] bool HasMark() const { return marks_ > 0; }
  // Returns whether it has grown beyond what is kept for reuse when it is empty.
  [[nodiscard]] bool IsBulky() const;

 private:
  struct Slot {
    Notification event{};
    std::shared_ptr<const SnapshotCore> state{};
    Slot* older = nullptr;
    // The next free slot if this one is free.
    Slot* newer = nullptr;
    // Bytes that the event adds to the load.
    std::uint32_t bytes = 0;
    bool indexed = false;
  };
  struct NameOf {
    std::string_view namespace_;
    std::string_view name;
    // Implicit, so that the index can be searched by slot or by object.
    NameOf(const Slot* slot);    // NOLINT(google-explicit-constructor)
    NameOf(const Block* block);  // NOLINT(google-explicit-constructor)
    bool operator==(const NameOf&) const = default;
  };
  struct HashOfName {
    using is_transparent = void;
    std::size_t operator()(const NameOf& name) const;
  };
  struct SameName {
    using is_transparent = void;
    bool operator()(const NameOf& a, const NameOf& b) const { return a == b; }
  };
  // The newest slot of each object.
  using Index = std::unordered_set<Slot*, HashOfName, SameName>;

  Slot& NewSlot();
  // Removes a slot from the queue. Its event was moved out or is no longer needed.
  void Free(Slot& slot);
  void SetEvent(Slot& slot, Notification event);
  void LinkLast(Slot& slot);
  void Unlink(Slot& slot);
  void IndexNewest(Slot& slot);
  // Adds some older slots to the index.
  void ExtendIndex();

  std::deque<Slot> slots_;
  Slot* free_ = nullptr;
  Slot* first_ = nullptr;
  Slot* last_ = nullptr;
  Load load_{};
  std::size_t marks_ = 0;
  // Null before the first merge.
  std::unique_ptr<Index> index_;
  // The newest slot not yet in the index. Null: the index is complete.
  Slot* not_indexed_ = nullptr;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_PENDING_EVENTS_H_
