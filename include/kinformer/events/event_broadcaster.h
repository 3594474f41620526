// kinformer/events/event_broadcaster.h
//
// EventBroadcaster: sends the events of its recorders (event_recorder.h) to the server.
//
//   EventBroadcaster broadcaster(env);
//   broadcaster.StartRecordingToSink(NewEventSink(client));
//   auto recorder = broadcaster.NewRecorder({.component = "printer"});
//   recorder->Event(pod, kEventTypeNormal, "Printed", "two pages");
//
// A repeated event increases the count of the first one instead of creating another object. From
// the tenth message about an object for the same reason on, messages are combined. After 25 events
// about one object, one more is sent every five minutes. So each reconcile may record an event.
//
// Counterpart: the package tools/record.

#ifndef KINFORMER_EVENTS_EVENT_BROADCASTER_H_
#define KINFORMER_EVENTS_EVENT_BROADCASTER_H_

#include <chrono>
#include <functional>
#include <memory>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/events/recorders.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer {

// Delivers events of recorders to sinks, each on a thread of its own. Thread-safe.
//
// Metric: kinformer_events_lost_total, with the label `why`: "queue full", "no answer", "refused",
// "shutdown". Events dropped as repetitions are not counted there but in
// kinformer_events_filtered_total.
//
// Counterpart: record.EventBroadcaster.
class EventBroadcaster {
 public:
  // Creates a broadcaster. `env` must outlive it and its recorders.
  explicit EventBroadcaster(Env& env, const EventBroadcasterOptions& options = {});
  ~EventBroadcaster();  // Shutdown()
  EventBroadcaster(const EventBroadcaster&) = delete;
  EventBroadcaster& operator=(const EventBroadcaster&) = delete;

  // Returns a recorder. `source`: the component's name, and optionally its host.
  [[nodiscard]] std::shared_ptr<EventRecorder> NewRecorder(corev1::EventSourceMutable source);
  // Adds a sink. Sinks are independent: each gets every event, and combines and limits for itself.
  void StartRecordingToSink(std::unique_ptr<EventSink> sink);
  // Calls `on_event` for every event, as recorded, in the order of recording. Exceptions are logged
  // and counted.
  void StartEventWatcher(std::function<void(const corev1::EventMutable&)> on_event);
  // Logs every event, warnings as warnings.
  void StartLogging();

  // Stops accepting events, delivers pending ones for at most `timeout`, and ends. Blocks. May be
  // called again. Called by a sink or a function of it, it does not wait for that one.
  void Shutdown(Duration timeout = std::chrono::seconds(10));

 private:
  struct Impl;
  internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENT_BROADCASTER_H_
