// kinformer/events/events.h
//
// Events of events.k8s.io/v1, which have more fields than those of core/v1 (event_recorder.h): the
// `action` that was taken, and a `related` object. `kubectl describe` shows both kinds.
//
//   events::EventBroadcaster broadcaster(env);
//   broadcaster.StartRecordingToSink(events::NewEventSink(client));
//   auto recorder = broadcaster.NewRecorder("example.com/printer");
//   recorder->Event(pod, kEventTypeNormal, "Printed", "Printing", "two pages");
//
// A repeated event becomes a series of the first one instead of another object. The second event is
// written at once; later ones are counted in the program, and the count is written every half an
// hour, when no event was added for six minutes, and when the broadcaster ends. Events belong to
// one series if type, action, reason, recorder, regarding and related are equal; the note stays
// that of the first.
//
// Counterpart: the package tools/events.

#ifndef KINFORMER_EVENTS_EVENTS_H_
#define KINFORMER_EVENTS_EVENTS_H_

#include <memory>
#include <string>
#include <type_traits>

#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/events/basic_event_broadcaster.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/events/recorders.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {
FieldSelector SelectorOfEvents(std::string_view field,
                               const corev1::ObjectReferenceMutable& regarding);
}  // namespace internal

namespace events {

// Broadcaster of events.k8s.io/v1 events. Thread-safe.
//
// Counterpart: events.EventBroadcaster. Differences: one thread for each sink, not eight, so events
// are written in their order; counts not yet written are written at the end; a change of an
// object's resourceVersion starts no new series.
class EventBroadcaster : public BasicEventBroadcaster<eventsv1::EventMutable> {
 public:
  // Creates a broadcaster. `env` must outlive it and its recorders.
  explicit EventBroadcaster(Env& env, const EventBroadcasterOptions& options = {});

  // Returns a recorder. `reporting_controller`: a name such as "example.com/printer". Together with
  // the name of this machine it forms the reportingInstance.
  [[nodiscard]] std::shared_ptr<EventRecorder> NewRecorder(const std::string& reporting_controller);
};

// Returns a recorder that records core/v1 events, without action and related. Counterpart:
// record.NewEventRecorderAdapter.
std::shared_ptr<EventRecorder> NewEventRecorderAdapter(
    std::shared_ptr<kinformer::EventRecorder> recorder);

// Returns a selector for lists and watches of `Event`, which is corev1::Event or eventsv1::Event.
// It selects events about `regarding`, by its name, kind, apiVersion and uid, as far as set.
// Counterpart: events.GetFieldSelector.
template <Resource Event>
[[nodiscard]] FieldSelector GetFieldSelector(const corev1::ObjectReferenceMutable& regarding) {
  constexpr bool kCore = std::is_same_v<Event, corev1::Event>;
  static_assert(kCore || std::is_same_v<Event, eventsv1::Event>, "not a kind of events");
  return internal::SelectorOfEvents(kCore ? "involvedObject" : "regarding", regarding);
}

}  // namespace events
}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENTS_H_
