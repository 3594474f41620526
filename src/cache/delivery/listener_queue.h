// cache/delivery/listener_queue.h
//
// ListenerQueue: what waits for a listener's handler, in order, and what happens when that is more
// than it may be.

#ifndef KINFORMER_CACHE_DELIVERY_LISTENER_QUEUE_H_
#define KINFORMER_CACHE_DELIVERY_LISTENER_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>

#include "kinformer/informer_options.h"
#include "kinformer/internal/snapshot_core.h"

#include "cache/delivery/delivery.h"
#include "cache/delivery/notification.h"
#include "cache/delivery/pending_events.h"
#include "cache/delivery/replay.h"

namespace kinformer::internal::cache {

// Guarded by its listener's lock. Whatever is let go of is given to the caller, who destroys it
// without the lock: it may be much.
class ListenerQueue {
 public:
  // Live events, and what follows them: a replay, or the end of the initial list.
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

  // `limits` outlives the queue. `most_of_version`: so many events of one version are taken
  // together, where there are as many.
  ListenerQueue(const HandlerOptions& limits, bool uid_change_is_update,
                std::size_t most_of_version)
      : limits_(limits),
        uid_change_is_update_(uid_change_is_update),
        most_of_version_(most_of_version) {}

  // `after`: the store once these have happened. REQUIRES: there are some; `after` is not null with
  // kDropAndResync.
  void Push(std::span<const Notification> events, std::shared_ptr<const SnapshotCore> after,
            Discarded& discarded);
  void PushReplay(Replay replay, Discarded& discarded);
  void PushSynced();

  // Takes what is to be delivered next. REQUIRES: `delivery` is empty.
  Taken Take(Delivery& delivery, Discarded& discarded);
  void Clear(Discarded& discarded);

  [[nodiscard]] bool empty() const {
    return sections_.empty() && (last_ == nullptr || last_->empty());
  }
  // Live events only.
  [[nodiscard]] PendingEvents::Load Waiting() const {
    PendingEvents::Load load = sections_load_;
    if (last_ != nullptr) load += last_->load();
    return load;
  }
  // Live events are all that waits.
  [[nodiscard]] bool only_live() const { return sections_.empty(); }
  // With kBlock: the informer is to wait until this is false. Given what it was, so that the
  // informer does not start and stop with each event.
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
  // `difference` takes the place of all from `first` on, except `kept`, which comes before it, and
  // the end of the initial list, which comes after it. Returns how many events it replaces.
  std::size_t ReplaceFrom(Position first, std::unique_ptr<PendingEvents> kept, Replay difference,
                          Discarded& discarded);
  // Ends the last section.
  void Close(std::optional<Replay> replay);
  static void Discard(std::unique_ptr<PendingEvents> events, Discarded& discarded);

  const HandlerOptions& limits_;
  const bool uid_change_is_update_;
  const std::size_t most_of_version_;
  std::list<Section> sections_;
  // The events that follow them. Null: none.
  std::unique_ptr<PendingEvents> last_;
  PendingEvents::Load sections_load_{};
  // kDropAndResync: the state that the handler knows once it has had what was taken. Null: none
  // that has a snapshot.
  std::shared_ptr<const SnapshotCore> reached_;
  std::uint32_t epoch_ = 0;  // of the newest event
  std::uint64_t coalesced_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_LISTENER_QUEUE_H_
