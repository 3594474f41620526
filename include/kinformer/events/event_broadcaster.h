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

#include <memory>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/events/basic_event_broadcaster.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/events/recorders.h"

namespace kinformer {

// Broadcaster of core/v1 events. Thread-safe. Counterpart: record.EventBroadcaster.
class EventBroadcaster : public BasicEventBroadcaster<corev1::EventMutable> {
 public:
  // Creates a broadcaster. `env` must outlive it and its recorders.
  explicit EventBroadcaster(Env& env, const EventBroadcasterOptions& options = {});

  // Returns a recorder. `source`: the component's name, and optionally its host.
  [[nodiscard]] std::shared_ptr<EventRecorder> NewRecorder(corev1::EventSourceMutable source);
};

}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENT_BROADCASTER_H_
