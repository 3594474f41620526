// kinformer/events/event_recorder.h
//
// EventRecorder: records messages for people about an object, as `kubectl describe` shows them
// below it. An EventBroadcaster (event_broadcaster.h) makes recorders and sends what they record; a
// manager has one (GetEventRecorderFor). The class itself stands in recorders.h; this header adds
// the struct of a reference to an object.
//
//   recorder->Event(pod, kEventTypeNormal, "Printed", "two pages");
//   recorder->Event(ReferenceTo(pod), kEventTypeNormal, "Printed", "two pages");
//
// Events of events.k8s.io/v1, which have more fields: events.h.
//
// Counterpart: the package tools/record.

#ifndef KINFORMER_EVENTS_EVENT_RECORDER_H_
#define KINFORMER_EVENTS_EVENT_RECORDER_H_

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/events/recorders.h"

namespace kinformer {

namespace internal {
[[nodiscard]] corev1::ObjectReferenceMutable ReferenceTo(const EventSubject& subject);
}  // namespace internal

// Returns a reference to the object of an event, or to that of a Ref. Counterpart:
// reference.GetReference.
template <internal::Referable T>
[[nodiscard]] corev1::ObjectReferenceMutable ReferenceTo(const T& object) {
  return internal::ReferenceTo(internal::SubjectOf(object));
}

}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENT_RECORDER_H_
