// kinformer/events/basic_event_broadcaster.h
//
// BasicEventBroadcaster: common part of the broadcasters of both versions of events, core/v1
// (event_broadcaster.h) and events.k8s.io/v1 (events.h).

#ifndef KINFORMER_EVENTS_BASIC_EVENT_BROADCASTER_H_
#define KINFORMER_EVENTS_BASIC_EVENT_BROADCASTER_H_

#include <chrono>
#include <functional>
#include <memory>

#include "kinformer/base/env.h"
#include "kinformer/events/event_sink.h"

namespace kinformer {

namespace internal::events {
template <class Event>
class BroadcasterCore;
}  // namespace internal::events

// Delivers events of recorders to sinks, each on a thread of its own. `Event` is the struct of one
// version of events. Thread-safe.
//
// Metric: kinformer_events_lost_total, with the label `why`: "queue full", "no answer", "refused",
// "shutdown". Events dropped as repetitions are not counted there but in
// kinformer_events_filtered_total.
template <class Event>
class BasicEventBroadcaster {
 public:
  BasicEventBroadcaster(const BasicEventBroadcaster&) = delete;
  BasicEventBroadcaster& operator=(const BasicEventBroadcaster&) = delete;

  // Adds a sink. Sinks are independent: each gets every event, and recognizes repetitions for
  // itself.
  void StartRecordingToSink(std::unique_ptr<BasicEventSink<Event>> sink);
  // Calls `on_event` for every event, as recorded, in the order of recording. Exceptions are logged
  // and counted.
  void StartEventWatcher(std::function<void(const Event&)> on_event);
  // Logs every event, warnings as warnings.
  void StartLogging();

  // Stops accepting events, delivers pending events and unwritten counts for at most `timeout`, and
  // ends. Blocks. May be called again. Called by a sink or a function of it, it does not wait for
  // that one.
  void Shutdown(Duration timeout = std::chrono::seconds(10));

 protected:
  using Core = internal::events::BroadcasterCore<Event>;

  explicit BasicEventBroadcaster(std::shared_ptr<Core> core);
  ~BasicEventBroadcaster();  // Shutdown()

  [[nodiscard]] const std::shared_ptr<Core>& core() const { return core_; }

 private:
  std::shared_ptr<Core> core_;  // shared with the recorders
};

extern template class BasicEventBroadcaster<corev1::EventMutable>;
extern template class BasicEventBroadcaster<eventsv1::EventMutable>;

}  // namespace kinformer

#endif  // KINFORMER_EVENTS_BASIC_EVENT_BROADCASTER_H_
