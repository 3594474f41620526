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

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {
FieldSelector SelectorOfEvents(std::string_view field,
                               const corev1::ObjectReferenceMutable& regarding);
}  // namespace internal

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
    Event(ReferenceTo(regarding), std::nullopt, type, reason, action, std::move(note));
  }
  template <kinformer::internal::Referable T, kinformer::internal::Referable U>
  void Event(const T& regarding, const U& related, std::string_view type, std::string_view reason,
             std::string_view action, std::string note) {
    Event(ReferenceTo(regarding), ReferenceTo(related), type, reason, action, std::move(note));
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

// Delivers events of recorders to sinks, each on a thread of its own. Thread-safe.
//
// Metric: kinformer_events_lost_total, as of kinformer::EventBroadcaster.
//
// Counterpart: events.EventBroadcaster. Differences: one thread for each sink, not eight, so events
// are written in their order; counts not yet written are written at the end; a change of an
// object's resourceVersion starts no new series.
class EventBroadcaster {
 public:
  // Creates a broadcaster. `env` must outlive it and its recorders.
  explicit EventBroadcaster(Env& env, const EventBroadcasterOptions& options = {});
  ~EventBroadcaster();  // Shutdown()
  EventBroadcaster(const EventBroadcaster&) = delete;
  EventBroadcaster& operator=(const EventBroadcaster&) = delete;

  // Returns a recorder. `reporting_controller`: a name such as "example.com/printer". Together with
  // the name of this machine it forms the reportingInstance.
  [[nodiscard]] std::shared_ptr<EventRecorder> NewRecorder(const std::string& reporting_controller);
  // Adds a sink. Sinks are independent: each gets every event, and counts series for itself.
  void StartRecordingToSink(std::unique_ptr<EventSink> sink);
  // Calls `on_event` for every event, as recorded, in the order of recording. Exceptions are logged
  // and counted.
  void StartEventWatcher(std::function<void(const eventsv1::EventMutable&)> on_event);
  // Logs every event, warnings as warnings.
  void StartLogging();

  // Stops accepting events, delivers pending events and unwritten counts for at most `timeout`, and
  // ends. Blocks. May be called again. Called by a sink or a function of it, it does not wait for
  // that one.
  void Shutdown(Duration timeout = std::chrono::seconds(10));

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
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
