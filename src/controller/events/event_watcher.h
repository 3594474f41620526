// controller/events/event_watcher.h
//
// EventWatcher: a queue of events, and the thread that takes them out.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/env.h"

namespace kinformer::internal::events {

// Thread-safe. End must have returned before it goes.
class EventWatcher {
 public:
  // What is done with an event. The token is stopped when there is no time left.
  using Take = std::function<void(const corev1::EventMutable& event, const std::stop_token& stop)>;

  EventWatcher(Env& env, std::size_t max_queued, Take take);

  // False: there is no room.
  bool Push(const corev1::EventMutable& event);
  // Takes no more. What is not taken by `deadline` is given up. Blocks. Returns how many that were.
  std::size_t End(SteadyTime deadline);

 private:
  void TakeAll();

  Env& env_;
  const std::size_t max_queued_;
  const Take take_;
  std::stop_source stop_;
  const std::unique_ptr<Monitor> monitor_;
  // All under monitor_.
  std::deque<corev1::EventMutable> queue_;
  bool ending_ = false;
  bool ended_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_
