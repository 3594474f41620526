// controller/events/event_parts.h
//
// Common access to the parts of events in all API versions.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_PARTS_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_PARTS_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/base/env.h"

namespace kinformer::internal::events {

inline const corev1::ObjectReferenceMutable& AboutOf(const corev1::EventMutable& event) {
  return event.involvedObject;
}
inline const corev1::ObjectReferenceMutable& AboutOf(const eventsv1::EventMutable& event) {
  return event.regarding;
}
inline const std::string& TextOf(const corev1::EventMutable& event) { return event.message; }
inline const std::string& TextOf(const eventsv1::EventMutable& event) { return event.note; }

// Joins texts to one key without ambiguity.
std::string JoinedKey(std::initializer_list<std::string_view> parts);

// Sets the name and the namespace of an event about `about`.
void SetEventName(const corev1::ObjectReferenceMutable& about, Env& env,
                  metav1::ObjectMetaMutable& metadata);

// Whether the arguments form a valid event: about an object with a name, and of one of the two
// types. If not, logs it with `who`.
bool IsEvent(const corev1::ObjectReferenceMutable& about, std::string_view type,
             std::string_view reason, std::string_view text, std::string_view who, Env& env);

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_PARTS_H_
