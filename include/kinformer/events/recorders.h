// kinformer/events/recorders.h
//
// Recorders of events, and the options of what they record to, without the structs of events: what
// a program needs that gets its recorders from a Manager.
//
//   auto recorder = manager->GetEventRecorderFor("printer");
//   recorder->Event(pod, kEventTypeNormal, "Printed", "two pages");
//
// To write a reference to an object (ReferenceTo), and for the broadcasters: event_recorder.h and
// events.h.

#ifndef KINFORMER_EVENTS_RECORDERS_H_
#define KINFORMER_EVENTS_RECORDERS_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_meta.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace corev1 {
struct EventMutable;            // kinformer/api/corev1_mutable.h
struct ObjectReferenceMutable;  // kinformer/api/corev1_mutable.h
}  // namespace corev1

// Type of events about normal operation.
inline constexpr std::string_view kEventTypeNormal = "Normal";
// Type of events about problems.
inline constexpr std::string_view kEventTypeWarning = "Warning";
namespace corev1 {
using kinformer::kEventTypeNormal;
using kinformer::kEventTypeWarning;
}  // namespace corev1

namespace internal {
// The object of an event: its kind and metadata. Null: there is none.
struct EventSubject {
  const KindInfo* type = nullptr;
  metav1::ObjectMeta metadata{};
};
template <Resource T>
EventSubject SubjectOf(const T& object) {
  return {&T::kind_info(), object.metadata()};
}
template <Resource T>
EventSubject SubjectOf(const Ref<T>& object) {
  return {&T::kind_info(), T(object.object().get()).metadata()};
}
template <class T>
concept Referable = requires(const T& object) { SubjectOf(object); };
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
    EventAbout(internal::SubjectOf(object), type, reason, std::move(message));
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

 private:
  void EventAbout(const internal::EventSubject& about, std::string_view type,
                  std::string_view reason, std::string message);
};

// The group of an event.
struct EventAggregatorKeys {
  std::string aggregate{};  // that of the group
  std::string local{};      // tells the events of the group apart
};
// Functions that replace those of an EventBroadcaster of core/v1. Each sink calls them on its
// thread, for each event. Exceptions are logged and counted, and the default counts for that event.
// Counterpart: record.EventAggregatorKeyFunc, EventAggregatorMessageFunc, EventSpamKeyFunc.
using EventAggregatorKeyFunc = std::function<EventAggregatorKeys(const corev1::EventMutable&)>;
using EventAggregatorMessageFunc = std::function<std::string(const corev1::EventMutable&)>;
using EventSpamKeyFunc = std::function<std::string(const corev1::EventMutable&)>;

// Limits for similar events. Counterpart: record.CorrelatorOptions.
struct EventCorrelatorOptions {
  std::size_t cache_size{4096};  // remembered events, and groups of similar events
  // Number of different messages for one reason about one object after which they are combined; a
  // message is counted for max_interval.
  std::size_t max_events{10};
  TimeSpan max_interval{std::chrono::minutes(10)};
  // Rate limit for events of one source about one object, by type: a burst, then events per second.
  int burst_size{25};
  double qps{1.0 / 300};
  // Returns the group in which an event is combined with others. Empty: all but the message, which
  // tells them apart.
  EventAggregatorKeyFunc key_func{};
  // Returns the message of combined events. Empty: "(combined from similar events): " and that of
  // the last one.
  EventAggregatorMessageFunc message_func{};
  // Returns the key of the events that share a rate limit. Empty: source, object and type.
  EventSpamKeyFunc spam_key_func{};
};

// Counterpart: record.BroadcasterOption.
struct EventBroadcasterOptions {
  std::size_t max_queued{1000};  // per sink and watcher; more are dropped and counted
  // Attempts to send an event if the server does not answer; refused events are not retried.
  int max_attempts{12};
  TimeSpan retry_delay{std::chrono::seconds(10)};  // a random part of it the first time
  EventCorrelatorOptions correlator{};
};

namespace events {

// Records events of one controller. Thread-safe. Never blocks; if the queue is full, events are
// dropped and counted. May outlive its broadcaster: events are then ignored. Counterpart:
// events.EventRecorder, with Event in place of Eventf, since there are no formats.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // Records an event. `regarding`: its object; `related`: another object involved. `type` is
  // kEventTypeNormal or kEventTypeWarning; `reason` and `action` are words in CamelCase: the cause,
  // and the action that was taken or failed; `note` is a sentence for people, at most 1 KiB. A
  // `regarding` without a name, or another type, is logged as an error, and no event is recorded.
  virtual void AnnotatedEvent(const corev1::ObjectReferenceMutable& regarding,
                              const std::optional<corev1::ObjectReferenceMutable>& related,
                              std::map<std::string, std::string> annotations, std::string_view type,
                              std::string_view reason, std::string_view action,
                              std::string note) = 0;
  void Event(const corev1::ObjectReferenceMutable& regarding,
             const std::optional<corev1::ObjectReferenceMutable>& related, std::string_view type,
             std::string_view reason, std::string_view action, std::string note) {
    AnnotatedEvent(regarding, related, {}, type, reason, action, std::move(note));
  }
  // Explains at compile time that there are no formats.
  template <class... Any>
  auto Eventf(const Any&... /*any*/) {
    static_assert(kinformer::internal::kNeverHolds<Any...>,
                  "there is no Eventf: recorder->Event(pod, kEventTypeNormal, \"Printed\", "
                  "\"Printing\", std::to_string(pages) + \" pages\") takes the finished text");
  }
  // Record an event about an object, or about two.
  template <kinformer::internal::Referable T>
  void Event(const T& regarding, std::string_view type, std::string_view reason,
             std::string_view action, std::string note) {
    EventAbout(kinformer::internal::SubjectOf(regarding), {}, type, reason, action,
               std::move(note));
  }
  template <kinformer::internal::Referable T, kinformer::internal::Referable U>
  void Event(const T& regarding, const U& related, std::string_view type, std::string_view reason,
             std::string_view action, std::string note) {
    EventAbout(kinformer::internal::SubjectOf(regarding), kinformer::internal::SubjectOf(related),
               type, reason, action, std::move(note));
  }
  template <class T, std::same_as<Error> Wrong>
  void Event(const T& /*regarding*/, std::string_view /*type*/, std::string_view /*reason*/,
             std::string_view /*action*/, const Wrong& /*note*/) {
    kinformer::internal::ExplainEventOfError<Wrong>();
  }
  template <class T>
  void Event(const Result<T>& /*read*/, std::string_view /*type*/, std::string_view /*reason*/,
             std::string_view /*action*/, const std::string& /*note*/) {
    kinformer::internal::ExplainEventOfResult<T>();
  }

 private:
  void EventAbout(const kinformer::internal::EventSubject& regarding,
                  const kinformer::internal::EventSubject& related, std::string_view type,
                  std::string_view reason, std::string_view action, std::string note);
};

// Options for sending events and for series.
struct EventBroadcasterOptions {
  std::size_t max_queued{1000};  // per sink and watcher; more are dropped and counted
  // Attempts to send an event if the server does not answer; refused events are not retried.
  int max_attempts{12};
  TimeSpan retry_delay{std::chrono::seconds(10)};  // a random part of it the first time
  std::size_t cache_size{4096};                    // series, and events that may start one
  // Time without another event after which a series ends.
  TimeSpan finish_time{std::chrono::minutes(6)};
  // Interval at which the count of a series is written, so that the server keeps the event.
  TimeSpan refresh_time{std::chrono::minutes(30)};
};

}  // namespace events
}  // namespace kinformer

#endif  // KINFORMER_EVENTS_RECORDERS_H_
