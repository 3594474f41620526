// kinformer/internal/own_events.h
//
// OwnEvents: keeps events that show only what a reconcile itself has written from waking its
// request.

#ifndef KINFORMER_INTERNAL_OWN_EVENTS_H_
#define KINFORMER_INTERNAL_OWN_EVENTS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/own_write.h"
#include "kinformer/workqueue/priority_queue.h"

namespace kinformer::internal {

// An update that a source tells of. Borrows its texts.
struct UpdatedObject {
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  std::string_view from;  // resourceVersions
  std::string_view to;
};

// An addition to a queue, for an event.
struct HeldEvent {
  AddOpts options{};
  RawCause cause{};  // set only if the queue has notes of causes
};

// Thread-safe. A watch is often faster than the answer to the write, so events of a request that is
// being reconciled are held back until the end of the reconcile, when its writes are known; the
// request could not be reconciled earlier anyway. Costs one test of a pointer where it is off.
template <class R, class Hash = std::hash<R>>
class OwnEvents {
 public:
  // `filtered` counts the events that wake nobody. Null: off.
  explicit OwnEvents(std::shared_ptr<Counter> filtered) : filtered_(std::move(filtered)) {}

  [[nodiscard]] bool on() const { return filtered_ != nullptr; }

  // The reconcile of a request begins, and ends with the writes whose events need not wake it.
  // Returns what is to be added to the queue for the events that were held back.
  void Begin(const R& request) {
    if (!on()) return;
    const std::lock_guard lock(mutex_);
    running_[request];
  }
  [[nodiscard]] std::vector<HeldEvent> End(const R& request, std::vector<OwnWrite> writes) {
    if (!on()) return {};
    const std::lock_guard lock(mutex_);
    for (OwnWrite& write : writes) Remember(request, std::move(write));
    std::vector<HeldEvent> others;
    const auto ended = running_.find(request);
    if (ended == running_.end()) return others;
    for (Held& held : ended->second) {
      if (!Settle(request, held.uid, held.from, held.to)) others.push_back(std::move(held.event));
    }
    running_.erase(ended);
    return others;
  }

  // Returns true if the request need not be added to the queue for this update: it shows only own
  // writes, or is judged at the end of the reconcile. Moves from `event` in the second case.
  [[nodiscard]] bool Takes(const R& request, const UpdatedObject& update, HeldEvent& event) {
    const std::lock_guard lock(mutex_);
    if (const auto found = running_.find(request); found != running_.end()) {
      if (found->second.size() >= kMostHeld) return false;
      found->second.push_back({std::string(update.uid), std::string(update.from),
                               std::string(update.to), std::move(event)});
      return true;
    }
    return Settle(request, update.uid, update.from, update.to);
  }

 private:
  static constexpr std::size_t kMostHeld = 64;
  static constexpr std::size_t kMostWrites = 10'000;
  struct Held {
    std::string uid;
    std::string from;
    std::string to;
    HeldEvent event;
  };
  struct Written {
    R by;
    std::string from;
  };

  static std::string KeyOf(std::string_view uid, std::string_view to) {
    return std::string(uid).append("/").append(to);
  }
  void Remember(const R& request, OwnWrite write) {
    std::string key = KeyOf(write.uid, write.to);
    if (!writes_.insert_or_assign(key, Written{request, std::move(write.from)}).second) return;
    order_.push_back(std::move(key));
    if (order_.size() <= kMostWrites) return;
    writes_.erase(order_.front());
    order_.pop_front();
  }
  // Whether own writes of the request lead from one version to the other, one after the other.
  bool Settle(const R& request, std::string_view uid, std::string_view from, std::string_view to) {
    if (from == to) return false;
    std::string at(to);
    // Each write is taken once, so this ends.
    for (std::size_t steps = 0; steps < kMostHeld; ++steps) {
      const auto found = writes_.find(KeyOf(uid, at));
      if (found == writes_.end() || !(found->second.by == request)) return false;
      at = found->second.from;
      if (at != from) continue;
      filtered_->Add();
      return true;
    }
    return false;
  }

  const std::shared_ptr<Counter> filtered_;
  std::mutex mutex_;
  std::unordered_map<R, std::vector<Held>, Hash> running_;
  std::unordered_map<std::string, Written> writes_;  // by uid and new version
  std::deque<std::string> order_;                    // keys of writes_, the oldest first
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_OWN_EVENTS_H_
