// kinformer/events/event_recorder.h
//
// EventRecorder: records messages for people about an object, as `kubectl describe` shows them
// below it. An EventBroadcaster (event_broadcaster.h) makes recorders and sends what they record; a
// manager has one (GetEventRecorderFor).
//
//   recorder->Event(pod, kEventTypeNormal, "Printed", "two pages");
//
// Events of events.k8s.io/v1, which have more fields: events.h.
//
// Counterpart: the package tools/record.

#ifndef KINFORMER_EVENTS_EVENT_RECORDER_H_
#define KINFORMER_EVENTS_EVENT_RECORDER_H_

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Type of events about normal operation.
inline constexpr std::string_view kEventTypeNormal = "Normal";
// Type of events about problems.
inline constexpr std::string_view kEventTypeWarning = "Warning";
namespace corev1 {
using kinformer::kEventTypeNormal;
using kinformer::kEventTypeWarning;
}  // namespace corev1

// Returns a reference to the object of an event. Counterpart: reference.GetReference.
template <Resource T>
[[nodiscard]] corev1::ObjectReferenceMutable ReferenceTo(const T& object) {
  corev1::ObjectReferenceMutable reference;
  reference.kind = T::kind_info().kind;
  reference.apiVersion = T::kind_info().apiVersion();
  reference.namespace_ = object.metadata().namespace_();
  reference.name = object.metadata().name();
  reference.uid = object.metadata().uid();
  reference.resourceVersion = object.metadata().resourceVersion();
  return reference;
}

namespace internal {
template <class Given>
constexpr void ExplainEventOfError() {
  static_assert(kNeverHolds<Given>, "an event's message is text: give error.message()");
}
template <class Given>
constexpr void ExplainEventOfResult() {
  static_assert(kNeverHolds<Given>,
                "the object is still in its Result: if (!pod) return pod.error(); and then give "
                "*pod");
}
}  // namespace internal
template <Resource T>
[[nodiscard]] corev1::ObjectReferenceMutable ReferenceTo(const Ref<T>& object) {
  return ReferenceTo(*object);
}
namespace internal {
template <class T>
concept Referable = requires(const T& object) { ReferenceTo(object); };
}  // namespace internal

// Records events of one component. Thread-safe. Never blocks; a full queue drops and counts events.
// May outlive its broadcaster: events are then ignored. Counterpart: record.EventRecorder.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // Records an event. `type` is one of the two above, `reason` a word in CamelCase, `message` a
  // sentence for people. A reference without a name, or another type, is only logged, as an error.
  virtual void AnnotatedEvent(const corev1::ObjectReferenceMutable& about,
                              std::map<std::string, std::string> annotations, std::string_view type,
                              std::string_view reason, std::string message) = 0;
  void Event(const corev1::ObjectReferenceMutable& about, std::string_view type,
             std::string_view reason, std::string message) {
    AnnotatedEvent(about, {}, type, reason, std::move(message));
  }
  // Explains at compile time that there are no formats.
  template <class... Any>
  auto Eventf(const Any&... /*any*/) {
    static_assert(internal::kNeverHolds<Any...>,
                  "there is no Eventf: recorder->Event(pod, kEventTypeNormal, \"Printed\", "
                  "std::to_string(pages) + \" pages\") takes the finished text");
  }
  // Records an event about an object.
  template <internal::Referable T>
  void Event(const T& object, std::string_view type, std::string_view reason, std::string message) {
    AnnotatedEvent(ReferenceTo(object), {}, type, reason, std::move(message));
  }
  template <class T, std::same_as<Error> Wrong>
  void Event(const T& /*about*/, std::string_view /*type*/, std::string_view /*reason*/,
             const Wrong& /*message*/) {
    internal::ExplainEventOfError<Wrong>();
  }
  template <class T>
  void Event(const Result<T>& /*read*/, std::string_view /*type*/, std::string_view /*reason*/,
             const std::string& /*message*/) {
    internal::ExplainEventOfResult<T>();
  }
};

}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENT_RECORDER_H_
