// cache/delivery/pending_events.h
//
// PendingEvents: live events that wait for a handler, in order; past a listener's bound, one per
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

// Each operation takes constant time, except where it says otherwise. Not thread-safe.
class PendingEvents {
 public:
  // What waits. The bytes are of memory that exists only because it does.
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
    // What Mark gave this event, or null.
    std::shared_ptr<const SnapshotCore> state{};
  };

  PendingEvents() = default;
  PendingEvents(const PendingEvents&) = delete;
  PendingEvents& operator=(const PendingEvents&) = delete;

  void Append(const Notification& event);
  // Merges `event` with what waits for its object, in the place of the newer, by the rules of
  // OverflowPolicy::kCoalesce. Returns how many events the handler is spared. The first calls look
  // for what waits in a limited number of the newest events.
  std::size_t Coalesce(const Notification& event);
  // `state` is the store when the newest event had happened. REQUIRES: not empty.
  void Mark(std::shared_ptr<const SnapshotCore> state);
  // The oldest. REQUIRES: not empty.
  Taken Take();
  // REQUIRES: not empty.
  [[nodiscard]] const Notification& Oldest() const { return first_->event; }

  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] const Load& load() const { return load_; }
  [[nodiscard]] bool HasMark() const { return marks_ > 0; }
  // Has grown beyond what is kept for the next events once it is empty.
  [[nodiscard]] bool IsBulky() const;

 private:
  struct Slot {
    Notification event{};
    std::shared_ptr<const SnapshotCore> state{};
    Slot* older = nullptr;
    // Of a free slot: the next free one.
    Slot* newer = nullptr;
    // What the event adds to the load.
    std::uint32_t bytes = 0;
    bool indexed = false;
  };
  struct NameOf {
    std::string_view namespace_;
    std::string_view name;
    // Implicit, so that the index is asked with a slot or with an object.
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
  // Takes a slot out of the line. Its event has been moved or is no longer needed.
  void Free(Slot& slot);
  void SetEvent(Slot& slot, Notification event);
  void LinkLast(Slot& slot);
  void Unlink(Slot& slot);
  void IndexNewest(Slot& slot);
  // Adds some more of the older slots to the index.
  void ExtendIndex();

  std::deque<Slot> slots_;
  Slot* free_ = nullptr;
  Slot* first_ = nullptr;
  Slot* last_ = nullptr;
  Load load_{};
  std::size_t marks_ = 0;
  // From the first merge on.
  std::unique_ptr<Index> index_;
  // The newest slot that the index has not been extended to. Null: it is whole.
  Slot* not_indexed_ = nullptr;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_PENDING_EVENTS_H_
