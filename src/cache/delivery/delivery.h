// cache/delivery/delivery.h
//
// Delivery: events that a listener has taken out of its queue and not yet passed to its handler:
// live events, or a replay.

#ifndef KINFORMER_CACHE_DELIVERY_DELIVERY_H_
#define KINFORMER_CACHE_DELIVERY_DELIVERY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cache/delivery/notification.h"
#include "cache/delivery/replay.h"

namespace kinformer::internal::cache {

// Used by the delivering thread while there is one, else guarded by the listener's lock.
class Delivery {
 public:
  using Step = ReplayCursor::Step;

  [[nodiscard]] bool empty() const { return events_.empty() && replay_ == nullptr; }
  void Add(Notification event) {
    // The key is read first, and usually on another core than the one that made it.
    event.object->PrefetchKey();
    events_.push_back(std::move(event));
  }
  // REQUIRES: empty.
  void Begin(Replay replay, bool uid_change_is_update) {
    replay_ = std::make_unique<ReplayCursor>(std::move(replay), uid_change_is_update);
  }

  // Appends the next events to `events`, all of one version and at most `most`. They are valid
  // until the next call.
  [[nodiscard]] Step NextBatch(std::size_t most, std::vector<RawEvent>& events) {
    if (next_ < events_.size()) {
      const std::uint64_t version = events_[next_].version;
      while (next_ < events_.size() && events.size() < most && events_[next_].version == version) {
        events.push_back(events_[next_++].Borrow());
      }
      return Step::kEvent;
    }
    RawEvent event;
    Step step = Next(event);
    if (step != Step::kEvent) return step;
    events.push_back(event);
    while (events.size() < most && (step = replay_->Next(event)) != Step::kEnd) {
      if (step == Step::kEvent) events.push_back(event);
      if (step == Step::kPause) break;
    }
    // Returns kEnd only from the next call: the events still need the snapshots.
    return Step::kEvent;
  }
  // Returns the next event. It is valid until the next call.
  [[nodiscard]] Step Next(RawEvent& event) {
    if (next_ < events_.size()) {
      event = events_[next_++].Borrow();
      return Step::kEvent;
    }
    events_.clear();
    next_ = 0;
    if (replay_ == nullptr) return Step::kEnd;
    const Step step = replay_->Next(event);
    if (step == Step::kEnd) replay_.reset();
    return step;
  }

 private:
  std::vector<Notification> events_;
  std::size_t next_ = 0;
  std::unique_ptr<ReplayCursor> replay_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_DELIVERY_H_
