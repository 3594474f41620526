// kinformer/events.h
//
// Events of events.k8s.io/v1, which say more than those of core/v1 (event_recorder.h): what was
// done (`action`), and with what else (`related`). `kubectl describe` shows both kinds.
//
//   events::EventBroadcaster broadcaster(env);
//   broadcaster.StartRecordingToSink(events::NewEventSink(client));
//   auto recorder = broadcaster.NewRecorder("example.com/printer");
//   recorder->Event(pod, kEventTypeNormal, "Printed", "Printing", "two pages");
//
// The same event again is not a new object but a series of the first one. The second event is
// written at once, later ones are counted here; the count is written every half an hour, when
// nothing has been added for six minutes, and when the broadcaster ends. Events are the same that
// have type, action, reason, recorder, regarding and related in common: the note is that of the
// first.
//
// Counterpart: the package tools/events.

#ifndef KINFORMER_EVENTS_H_
#define KINFORMER_EVENTS_H_

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
#include "kinformer/client.h"
#include "kinformer/env.h"
#include "kinformer/event_recorder.h"
#include "kinformer/event_sink.h"
#include "kinformer/field_selector.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer {

namespace internal {
FieldSelector SelectorOfEvents(std::string_view field,
                               const corev1::ObjectReferenceMutable& regarding);
}  // namespace internal

namespace events {

// Gives events of one controller. Thread-safe. Never blocks; events that find no room are counted.
// May outlive its broadcaster: events are then ignored. Counterpart: events.EventRecorder, whose
// Eventf this is without the format.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `regarding`: what the event is about; `related`: what else has to do with it. `type` is
  // kEventTypeNormal or kEventTypeWarning; `reason` and `action` are words in CamelCase: why, and
  // what was done or failed; `note` is a sentence for people, of 1 KiB at most. A `regarding`
  // without a name, or another type, is an error in the log and no event.
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
  // There are no formats.
  template <class... Any>
  auto Eventf(const Any&... /*any*/) {
    static_assert(kinformer::internal::kNeverHolds<Any...>,
                  "there is no Eventf: recorder->Event(pod, kEventTypeNormal, \"Printed\", "
                  "\"Printing\", std::to_string(pages) + \" pages\") takes the finished text");
  }
  // The same about objects.
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

// Where events of events.k8s.io/v1 go. Counterpart: events.EventSink.
using EventSink = BasicEventSink<eventsv1::EventMutable>;
// To the Event objects (events.k8s.io/v1) of a server.
std::unique_ptr<EventSink> NewEventSink(const Client& client);

// How events are written, and for how long series last.
struct EventBroadcasterOptions {
  std::size_t max_queued{1000};  // for each sink and watcher; more are dropped, and counted
  // Of an event whose server does not answer; what it refuses is not tried again.
  int max_attempts{12};
  internal::TimeSpan retry_delay{std::chrono::seconds(10)};  // a random part of it the first time
  std::size_t cache_size{4096};  // series, and events that may become one
  // A series to which nothing was added for so long is over.
  internal::TimeSpan finish_time{std::chrono::minutes(6)};
  // So often the count of a series is written, so that the server does not forget the event.
  internal::TimeSpan refresh_time{std::chrono::minutes(30)};
};

// Takes events of recorders to sinks, each on a thread of its own. Thread-safe.
//
// Metric: kinformer_events_lost_total, as of kinformer::EventBroadcaster.
//
// Counterpart: events.EventBroadcaster. Different: one thread for each sink, not eight, so events
// are written in their order; counts that are not written yet are written at the end; a change of
// an object's resourceVersion begins no new series.
class EventBroadcaster {
 public:
  // `env` must outlive it, and its recorders.
  explicit EventBroadcaster(Env& env, const EventBroadcasterOptions& options = {});
  ~EventBroadcaster();  // Shutdown()
  EventBroadcaster(const EventBroadcaster&) = delete;
  EventBroadcaster& operator=(const EventBroadcaster&) = delete;

  // `reporting_controller`: a name such as "example.com/printer". With the name of this machine it
  // makes the reportingInstance.
  [[nodiscard]] std::shared_ptr<EventRecorder> NewRecorder(const std::string& reporting_controller);
  // Several sinks know nothing of each other: each gets every event, and counts for itself.
  void StartRecordingToSink(std::unique_ptr<EventSink> sink);
  // Calls `on_event` for every event, as it was given, in the order they were given in. What it
  // throws is logged and counted.
  void StartEventWatcher(std::function<void(const eventsv1::EventMutable&)> on_event);
  // Writes every event into the log, warnings as such.
  void StartLogging();

  // Takes no more events, delivers those that wait, and counts that were not written, for at most
  // `timeout`, and ends. Blocks. May be called again.
  void Shutdown(Duration timeout = std::chrono::seconds(10));

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Gives the events of core/v1 instead: action and related are left out. Counterpart:
// record.NewEventRecorderAdapter.
std::shared_ptr<EventRecorder> NewEventRecorderAdapter(
    std::shared_ptr<kinformer::EventRecorder> recorder);

// Selects the events about `regarding` in lists and watches of `Event`, which is corev1::Event or
// eventsv1::Event, by those of name, kind, apiVersion and uid that it has. Counterpart:
// events.GetFieldSelector.
template <Resource Event>
[[nodiscard]] FieldSelector GetFieldSelector(const corev1::ObjectReferenceMutable& regarding) {
  constexpr bool kCore = std::is_same_v<Event, corev1::Event>;
  static_assert(kCore || std::is_same_v<Event, eventsv1::Event>, "not a kind of events");
  return internal::SelectorOfEvents(kCore ? "involvedObject" : "regarding", regarding);
}

}  // namespace events
}  // namespace kinformer

#endif  // KINFORMER_EVENTS_H_
