// cache/delivery/listener_queue.h
//
// ListenerQueue: the waiting events of a listener's handler, in order, and the policy for a queue
// that exceeds its bound.

#ifndef KINFORMER_CACHE_DELIVERY_LISTENER_QUEUE_H_
#define KINFORMER_CACHE_DELIVERY_LISTENER_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>

#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/snapshot_core.h"

#include "cache/delivery/delivery.h"
#include "cache/delivery/notification.h"
#include "cache/delivery/pending_events.h"
#include "cache/delivery/replay.h"

namespace kinformer::internal::cache {

// Guarded by its listener's lock. Passes everything that it drops to the caller, to be destroyed
// outside the lock, since it may be large.
class ListenerQueue {
 public:
  // Live events, followed by a replay or by the end of the initial list.
  struct Section {
    std::unique_ptr<PendingEvents> events{};  // null: none
    std::optional<Replay> replay{};
  };
  using Discarded = std::list<Section>;

  enum class Taken : std::uint8_t {
    kNothing,
    kWork,
    // The initial list has been delivered.
    kSynced,
  };

  // `limits` must outlive the queue. `most_of_version`: limit of the events of one version that are
  // taken together.
  ListenerQueue(const HandlerOptions& limits, bool uid_change_is_update,
                std::size_t most_of_version)
      : limits_(limits),
        uid_change_is_update_(uid_change_is_update),
        most_of_version_(most_of_version) {}

  // `after`: the store after these events. REQUIRES: `events` is not empty; `after` is not null
  // with kDropAndResync.
  void Push(std::span<const Notification> events, std::shared_ptr<const SnapshotCore> after,
            Discarded& discarded);
  void PushReplay(Replay replay, Discarded& discarded);
  void PushSynced();

  // Takes the next events to deliver. REQUIRES: `delivery` is empty.
  Taken Take(Delivery& delivery, Discarded& discarded);
  void Clear(Discarded& discarded);

  [[nodiscard]] bool empty() const {
    return sections_.empty() && (last_ == nullptr || last_->empty());
  }
  // Returns the load of live events only.
  [[nodiscard]] PendingEvents::Load Waiting() const {
    PendingEvents::Load load = sections_load_;
    if (last_ != nullptr) load += last_->load();
    return load;
  }
  // Returns whether only live events wait.
  [[nodiscard]] bool only_live() const { return sections_.empty(); }
  // With kBlock: returns whether the informer must wait. Depends on the previous value, so that the
  // informer does not stop and continue with each event.
  [[nodiscard]] bool IsFull(bool was_full) const;
  [[nodiscard]] std::uint64_t coalesced() const { return coalesced_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  using Position = std::list<Section>::iterator;

  [[nodiscard]] bool OverBound() const;
  [[nodiscard]] std::size_t WaitingLists() const;
  void DropAndResync(std::shared_ptr<const SnapshotCore> after, Discarded& discarded);
  bool JoinWaitingList(Replay& replay, Discarded& discarded);
  void TakeEvents(PendingEvents& events, Delivery& delivery);
  // Replaces all from `first` on by `difference`, but keeps `kept` before it and the end of the
  // initial list after it. Returns the number of replaced events.
  std::size_t ReplaceFrom(Position first, std::unique_ptr<PendingEvents> kept, Replay difference,
                          Discarded& discarded);
  // Ends the last section.
  void Close(std::optional<Replay> replay);
  static void Discard(std::unique_ptr<PendingEvents> events, Discarded& discarded);

  const HandlerOptions& limits_;
  const bool uid_change_is_update_;
  const std::size_t most_of_version_;
  std::list<Section> sections_;
  // Live events after the sections. Null: none.
  std::unique_ptr<PendingEvents> last_;
  PendingEvents::Load sections_load_{};
  // kDropAndResync: the state that the handler knows after the events taken so far. Null: there is
  // no snapshot of it.
  std::shared_ptr<const SnapshotCore> reached_;
  std::uint32_t epoch_ = 0;  // epoch of the newest event
  std::uint64_t coalesced_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_LISTENER_QUEUE_H_
