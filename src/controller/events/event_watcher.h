// controller/events/event_watcher.h
//
// EventWatcher: a queue of events, and the thread that handles them.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>

#include "kinformer/base/env.h"

namespace kinformer::internal::events {

// Handler of queued events. Used by one thread. `stop` is requested when the time is over.
template <class Event>
class EventTaker {
 public:
  virtual ~EventTaker() = default;
  virtual void Take(const Event& event, const std::stop_token& stop) = 0;
  // Sweep is called when the time of NextSweep() has come.
  [[nodiscard]] virtual SteadyTime NextSweep() const { return SteadyTime::max(); }
  virtual void Sweep(const std::stop_token& /*stop*/) {}
  // The last call, after all events have been handled.
  virtual void Finish(const std::stop_token& /*stop*/) {}
};

// Thread-safe. Call End before the destructor, which waits for the running event.
template <class Event>
class EventWatcher {
 public:
  EventWatcher(Env& env, std::size_t max_queued, std::unique_ptr<EventTaker<Event>> taker);

  // Returns false if the queue is full.
  bool Push(const Event& event);
  // Whether the caller is called by the taker.
  [[nodiscard]] bool OnOwnThread() const;
  // Lets it end when the queue is empty. Does not block.
  void LetEnd();
  // Handles queued events until `deadline` and drops the rest. Blocks. Returns the number dropped.
  std::size_t End(SteadyTime deadline);

 private:
  void TakeAll();

  Env& env_;
  const std::size_t max_queued_;
  const std::unique_ptr<EventTaker<Event>> taker_;
  std::stop_source stop_;
  const std::unique_ptr<Monitor> monitor_;
  // Guarded by monitor_.
  std::deque<Event> queue_;
  bool ending_ = false;
  bool ended_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_WATCHER_H_
