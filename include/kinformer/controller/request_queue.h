// kinformer/controller/request_queue.h
//
// RequestQueue: a controller's queue, as seen by event handlers and sources.

#ifndef KINFORMER_CONTROLLER_REQUEST_QUEUE_H_
#define KINFORMER_CONTROLLER_REQUEST_QUEUE_H_

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/failing_requests.h"
#include "kinformer/internal/noted_queue.h"
#include "kinformer/internal/own_events.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/priority_queue.h"

namespace kinformer {

// Priority of requests without a change: for objects that exist when a controller starts, and for
// updates that changed nothing, so that changes do not wait behind them. Counterpart:
// handler.LowPriority.
inline constexpr int kLowPriority = -100;

// A handle, valid during the call that gets it. Each Add may have a priority; without one it has
// the event's: kLowPriority for objects of an initial list and for updates that changed nothing,
// else 0. While a request fails, ControllerOptions::event_retry_interval delays its events; its
// min_interval and settle_time always do. Each Add is a cause of the reconcile (causes.h): the
// event whose handler makes it. Thread-safe. Counterpart: priorityqueue.PriorityQueue behind
// handler's WithLowPriorityWhenUnchanged.
template <class R, class Hash = std::hash<R>>
class RequestQueue {
 public:
  // Creates a handle. `usual`: the priority of requests without one. Empty: the queue has no
  // priorities, and given ones are ignored.
  RequestQueue(PriorityQueue<R, Hash>& queue, std::optional<int> usual)
      : RequestQueue(queue, usual, nullptr, nullptr) {}
  // Creates the handle of a controller, whose failing requests have delays that events keep, and
  // whose queue has the causes of its requests.
  RequestQueue(PriorityQueue<R, Hash>& queue, std::optional<int> usual,
               internal::FailingRequests<R, Hash>* failing, const internal::CauseBook* causes,
               internal::OwnEvents<R, Hash>* own = nullptr)
      : queue_(queue), usual_(usual), failing_(failing), causes_(causes), own_(own) {}

  void Add(const R& request) const { AddWithOpts({}, request); }
  // Adds a request after `delay`.
  void AddAfter(const R& request, Duration delay) const { AddWithOpts({.after = delay}, request); }
  // Adds a request with the limiter's delay, as after a failure.
  void AddRateLimited(const R& request) const { AddWithOpts({.rate_limited = true}, request); }
  void AddWithOpts(AddOpts options, const R& request) const {
    if (!usual_) {
      options.priority = 0;
    } else if (!options.priority) {
      options.priority = usual_;
    }
    // Most requests of a program's own sources have nothing more to be noted.
    if (causes_ != nullptr && !event_ && internal::HandledEvent::Current() == nullptr) {
      return AddPlain(request, options);
    }
    internal::HeldEvent event{options, {}};
    if (causes_ != nullptr) event.cause = causes_->Here(request);
    if (IsForOwnEvent(request) && own_->Takes(request, *event_, event)) return;
    AddEvent(request, std::move(event));
  }
  // Adds a request for an event that comes now, or was held back.
  void AddEvent(const R& request, internal::HeldEvent event) const {
    AddOpts& options = event.options;
    Delay(request, options);
    if (causes_ == nullptr) return queue_.AddWithOpts(options, request);
    internal::NotedQueue::Add(queue_, options, request, [&](void* note, SteadyTime now) {
      static_cast<internal::CauseNote*>(note)->Add(std::move(event.cause), now, causes_->budget());
    });
  }
  // Returns a handle on the same queue for an event of another priority.
  [[nodiscard]] RequestQueue WithUsual(int usual) const {
    RequestQueue other = *this;
    if (usual_) other.usual_ = usual;
    return other;
  }
  // Returns a handle on the same queue for an update. A request that names the updated object is
  // not added if the update shows only what its reconcile has written
  // (ControllerOptions::filter_own_events).
  [[nodiscard]] RequestQueue OfUpdate(const internal::UpdatedObject& event) const {
    RequestQueue other = *this;
    other.event_ = event;
    return other;
  }
  [[nodiscard]] bool FiltersOwnEvents() const { return own_ != nullptr && own_->on(); }

 private:
  void AddPlain(const R& request, AddOpts options) const {
    Delay(request, options);
    internal::NotedQueue::Add(queue_, options, request, [&](void* note, SteadyTime now) {
      static_cast<internal::CauseNote*>(note)->AddPlain(CauseType::kSource, now, causes_->budget());
    });
  }
  // Delays a request that has failed, or has a pace.
  void Delay(const R& request, AddOpts& options) const {
    if (failing_ == nullptr || options.rate_limited) return;
    // A request that its source delays is no event before its time.
    const Duration wait =
        options.after > Duration(0) ? failing_->WaitOf(request) : failing_->WaitOfEvent(request);
    if (wait > options.after) options.after = wait;
  }
  [[nodiscard]] bool IsForOwnEvent([[maybe_unused]] const R& request) const {
    if constexpr (std::is_same_v<R, ObjectName>) {
      return event_ && FiltersOwnEvents() && request.name == event_->name &&
             request.namespace_ == event_->namespace_;
    } else {
      return false;
    }
  }

  PriorityQueue<R, Hash>& queue_;
  std::optional<int> usual_;
  internal::FailingRequests<R, Hash>* failing_;     // null: no request waits
  const internal::CauseBook* causes_;               // null: the queue has no notes
  internal::OwnEvents<R, Hash>* own_ = nullptr;     // null: none are filtered
  std::optional<internal::UpdatedObject> event_{};  // the update that is handled
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_REQUEST_QUEUE_H_
