// controller/events/event_watcher.h
//
// EventWatcher: a queue of events, and the thread that takes them out.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>

#include "kinformer/env.h"

namespace kinformer::internal::events {

// What becomes of events. Used by one thread. The tokens are stopped when there is no time left.
template <class Event>
class EventTaker {
 public:
  virtual ~EventTaker() = default;
  virtual void Take(const Event& event, const std::stop_token& stop) = 0;
  // Called when NextSweep() has come.
  [[nodiscard]] virtual SteadyTime NextSweep() const { return SteadyTime::max(); }
  virtual void Sweep(const std::stop_token& /*stop*/) {}
  // The last call: everything has been taken.
  virtual void Finish(const std::stop_token& /*stop*/) {}
};

// Thread-safe. End must have returned before it goes.
template <class Event>
class EventWatcher {
 public:
  EventWatcher(Env& env, std::size_t max_queued, std::unique_ptr<EventTaker<Event>> taker);

  // False: there is no room.
  bool Push(const Event& event);
  // Takes no more. What is not taken by `deadline` is given up. Blocks. Returns how many that were.
  std::size_t End(SteadyTime deadline);

 private:
  void TakeAll();

  Env& env_;
  const std::size_t max_queued_;
  const std::unique_ptr<EventTaker<Event>> taker_;
  std::stop_source stop_;
  const std::unique_ptr<Monitor> monitor_;
  // All under monitor_.
  std::deque<Event> queue_;
  bool ending_ = false;
  bool ended_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_
