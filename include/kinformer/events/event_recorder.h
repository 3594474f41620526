// kinformer/events/event_recorder.h
//
// Events: messages for people about an object, as `kubectl describe` shows them below it.
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
// Events of events.k8s.io/v1, which have more fields: events.h.
//
// Counterpart: the package tools/record.

#ifndef KINFORMER_EVENTS_EVENT_RECORDER_H_
#define KINFORMER_EVENTS_EVENT_RECORDER_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/time_span.h"
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
  reference.kind = T::type_info().kind;
  reference.apiVersion = T::type_info().apiVersion();
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

// Destination of core/v1 events. Counterpart: record.EventSink.
using EventSink = BasicEventSink<corev1::EventMutable>;
// Returns a sink that writes Event objects (core/v1) to a server.
std::unique_ptr<EventSink> NewEventSink(const Client& client);

// Limits for similar events. Counterpart: record.CorrelatorOptions.
struct EventCorrelatorOptions {
  std::size_t cache_size{4096};  // remembered events, and groups of similar events
  // Number of different messages for one reason about one object after which they are combined; a
  // message is counted for max_interval.
  std::size_t max_events{10};
  internal::TimeSpan max_interval{std::chrono::minutes(10)};
  // Rate limit for events of one source about one object, by type: a burst, then events per second.
  int burst_size{25};
  double qps{1.0 / 300};
};

// Counterpart: record.BroadcasterOption.
struct EventBroadcasterOptions {
  std::size_t max_queued{1000};  // per sink and watcher; more are dropped and counted
  // Attempts to send an event if the server does not answer; refused events are not retried.
  int max_attempts{12};
  internal::TimeSpan retry_delay{std::chrono::seconds(10)};  // a random part of it the first time
  EventCorrelatorOptions correlator{};
};

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
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENT_RECORDER_H_
