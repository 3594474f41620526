// kinformer/request_queue.h
//
// RequestQueue: a controller's queue as event handlers and sources see it.

#ifndef KINFORMER_REQUEST_QUEUE_H_
#define KINFORMER_REQUEST_QUEUE_H_

#include <functional>
#include <optional>

#include "kinformer/priority_queue.h"

namespace kinformer {

// The priority of what no change calls for: objects that are there when a controller starts, and
// updates that changed nothing. So a change does not wait behind all of them. Counterpart:
// handler.LowPriority.
inline constexpr int kLowPriority = -100;

// A handle, valid during the call that it was given to. Each Add may be given a priority; what has
// none gets the event's: kLowPriority for objects of an initial list and for updates that changed
// nothing, else 0. Thread-safe. Counterpart: priorityqueue.PriorityQueue behind handler's
// WithLowPriorityWhenUnchanged.
template <class R, class Hash = std::hash<R>>
class RequestQueue {
 public:
  // `usual`: the priority of what is added without one. Empty: the queue knows no priorities, and
  // those that are given are not looked at.
  RequestQueue(PriorityQueue<R, Hash>& queue, std::optional<int> usual)
      : queue_(queue), usual_(usual) {}

  void Add(const R& request) const { AddWithOpts({}, request); }
  // Once `delay` has passed.
  void AddAfter(const R& request, Duration delay) const { AddWithOpts({.after = delay}, request); }
  // As after a failure.
  void AddRateLimited(const R& request) const { AddWithOpts({.rate_limited = true}, request); }
  void AddWithOpts(AddOpts options, const R& request) const {
    if (!usual_) {
      options.priority = 0;
    } else if (!options.priority) {
      options.priority = usual_;
    }
    queue_.AddWithOpts(options, request);
  }
  // The same queue for an event of another priority.
  [[nodiscard]] RequestQueue WithUsual(int usual) const {
    return RequestQueue(queue_, usual_ ? std::optional(usual) : std::nullopt);
  }

 private:
  PriorityQueue<R, Hash>& queue_;
  std::optional<int> usual_;
};

}  // namespace kinformer

#endif  // KINFORMER_REQUEST_QUEUE_H_
