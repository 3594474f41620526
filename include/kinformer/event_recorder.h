// kinformer/event_recorder.h
//
// Events: what a program tells people about an object, as `kubectl describe` shows it below.
//
//   EventBroadcaster broadcaster(env);
//   broadcaster.StartRecordingToSink(NewEventSink(client));
//   auto recorder = broadcaster.NewRecorder({.component = "printer"});
//   recorder->Event(pod, kEventTypeNormal, "Printed", "two pages");
//
// The same event again is not a new object but a higher count of the first one; from the tenth
// message about an object for the same reason on, they are told together; and who has 25 events
// about one object has one more every five minutes. So an event may be given at each reconcile.
//
// Events of events.k8s.io/v1, which say more: events.h.
//
// Counterpart: the package tools/record.

#ifndef KINFORMER_EVENT_RECORDER_H_
#define KINFORMER_EVENT_RECORDER_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client.h"
#include "kinformer/env.h"
#include "kinformer/event_sink.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer {

// Of what is as it should be.
inline constexpr std::string_view kEventTypeNormal = "Normal";
// Of what somebody should look at.
inline constexpr std::string_view kEventTypeWarning = "Warning";
namespace corev1 {
using kinformer::kEventTypeNormal;
using kinformer::kEventTypeWarning;
}  // namespace corev1

// What an event is about. Counterpart: reference.GetReference.
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

// Gives events of one component. Thread-safe. Never blocks; events that find no room are counted.
// May outlive its broadcaster: events are then ignored. Counterpart: record.EventRecorder.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `type` is one of the two; `reason` a word in CamelCase, `message` a sentence for people. A
  // reference without a name, or another type, is an error in the log and no event.
  virtual void AnnotatedEvent(const corev1::ObjectReferenceMutable& about,
                              std::map<std::string, std::string> annotations, std::string_view type,
                              std::string_view reason, std::string message) = 0;
  void Event(const corev1::ObjectReferenceMutable& about, std::string_view type,
             std::string_view reason, std::string message) {
    AnnotatedEvent(about, {}, type, reason, std::move(message));
  }
  // There are no formats.
  template <class... Any>
  auto Eventf(const Any&... /*any*/) {
    static_assert(internal::kNeverHolds<Any...>,
                  "there is no Eventf: recorder->Event(pod, kEventTypeNormal, \"Printed\", "
                  "std::to_string(pages) + \" pages\") takes the finished text");
  }
  // The same about an object.
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

// Where events of core/v1 go. Counterpart: record.EventSink.
using EventSink = BasicEventSink<corev1::EventMutable>;
// To the Event objects (core/v1) of a server.
std::unique_ptr<EventSink> NewEventSink(const Client& client);

// What becomes of events that are alike. Counterpart: record.CorrelatorOptions.
struct EventCorrelatorOptions {
  std::size_t cache_size{4096};  // events, and kinds of events, that are remembered
  // So many different messages for one reason about one object are told together from then on, each
  // counting for the time that follows it.
  std::size_t max_events{10};
  internal::TimeSpan max_interval{std::chrono::minutes(10)};
  // Of one source about one object, by type: so many at once, then so many a second.
  int burst_size{25};
  double qps{1.0 / 300};
};

// Counterpart: record.BroadcasterOption.
struct EventBroadcasterOptions {
  std::size_t max_queued{1000};  // for each sink and watcher; more are dropped, and counted
  // Of an event whose server does not answer; what it refuses is not tried again.
  int max_attempts{12};
  internal::TimeSpan retry_delay{std::chrono::seconds(10)};  // a random part of it the first time
  EventCorrelatorOptions correlator{};
};

// Takes events of recorders to sinks, each on a thread of its own. Thread-safe.
//
// Metric: kinformer_events_lost_total, with the label `why`: "queue full", "no answer", "refused",
// "shutdown". What is left out as too much of the same is not counted there but in
// kinformer_events_filtered_total.
//
// Counterpart: record.EventBroadcaster.
class EventBroadcaster {
 public:
  // `env` must outlive it, and its recorders.
  explicit EventBroadcaster(Env& env, const EventBroadcasterOptions& options = {});
  ~EventBroadcaster();  // Shutdown()
  EventBroadcaster(const EventBroadcaster&) = delete;
  EventBroadcaster& operator=(const EventBroadcaster&) = delete;

  // `source`: the component's name, and the host it runs on or nothing.
  [[nodiscard]] std::shared_ptr<EventRecorder> NewRecorder(corev1::EventSourceMutable source);
  // Several sinks know nothing of each other: each gets every event, and counts for itself.
  void StartRecordingToSink(std::unique_ptr<EventSink> sink);
  // Calls `on_event` for every event, as it was given, in the order they were given in. What it
  // throws is logged and counted.
  void StartEventWatcher(std::function<void(const corev1::EventMutable&)> on_event);
  // Writes every event into the log, warnings as such.
  void StartLogging();

  // Takes no more events, delivers those that wait for at most `timeout`, and ends. Blocks. May be
  // called again.
  void Shutdown(Duration timeout = std::chrono::seconds(10));

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_EVENT_RECORDER_H_
