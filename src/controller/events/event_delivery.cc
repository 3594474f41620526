#include "controller/events/event_delivery.h"

#include <string>
#include <type_traits>
#include <utility>

#include "kinformer/base/until.h"

#include "base/core/user_call.h"
#include "controller/events/event_parts.h"

namespace kinformer::internal::events {
namespace {

// Whether a retry is pointless: the server has answered, or the event cannot be sent at all. An
// exception is a patch that fell back to a create of an object that exists now: it can be patched.
bool IsFinal(const Error& error, EventWrite write) {
  if (write == EventWrite::kPatch && IsAlreadyExists(error)) return false;
  return error.http_status() != 0 || error.reason() == Reason::kInvalidArgument;
}

// Whether the refusal is normal and not worth a warning.
bool IsExpected(const Error& error) {
  if (IsAlreadyExists(error)) return true;
  if (!IsForbidden(error)) return false;
  for (const StatusCause& cause : error.details().causes) {
    if (cause.reason == "NamespaceTerminating") return true;
  }
  return false;
}

// Calls the user's sink. An exception becomes a permanent error, since a retry could throw each
// time.
template <class Call>
std::invoke_result_t<Call> CallSink(Env& env, const Call& call) {
  try {
    return call();
  } catch (...) {
    return Error(Reason::kInvalidArgument, base::ReportThrown(env, "event sink").message());
  }
}

}  // namespace

template <class Event>
EventDelivery<Event>::EventDelivery(Env& env, DeliveryOptions options,
                                    std::unique_ptr<BasicEventSink<Event>> sink,
                                    std::unique_ptr<Correlation<Event>> correlation)
    : env_(env),
      options_(std::move(options)),
      sink_(std::move(sink)),
      correlation_(std::move(correlation)) {}

template <class Event>
void EventDelivery<Event>::Take(const Event& event, const std::stop_token& stop) {
  CorrelatedEvent<Event> correlated = correlation_->Correlate(event);
  if (correlated.write == EventWrite::kLater) return;
  if (correlated.write == EventWrite::kSkipped) {
    options_.skipped();
    return;
  }
  for (int attempt = 1; !stop.stop_requested(); ++attempt) {
    const std::optional<Error> unanswered = Attempt(correlated, stop);
    if (!unanswered) return;
    if (stop.stop_requested()) break;
    if (attempt >= options_.max_attempts) {
      GiveUp(event, Lost::kNoAnswer, *unanswered);
      return;
    }
    // Spreads the retries of many programs that lost the same server.
    const double part = attempt == 1 ? RandomUnit(env_) : 1;
    SleepUnlessStopped(env_, stop,
                       std::chrono::duration_cast<Duration>(options_.retry_delay * part));
  }
  options_.lost(Lost::kShutdown);
}

template <class Event>
void EventDelivery<Event>::Sweep(const std::stop_token& stop) {
  // If the server does not answer, the next sweep retries.
  for (CorrelatedEvent<Event>& correlated : correlation_->Sweep()) {
    if (stop.stop_requested() || Attempt(correlated, stop)) return;
  }
}

template <class Event>
void EventDelivery<Event>::Finish(const std::stop_token& stop) {
  bool answered = true;
  for (CorrelatedEvent<Event>& correlated : correlation_->Unwritten()) {
    answered = answered && !stop.stop_requested() && !Attempt(correlated, stop);
    if (!answered) options_.lost(Lost::kShutdown);
  }
}

template <class Event>
std::optional<Error> EventDelivery<Event>::Attempt(CorrelatedEvent<Event>& correlated,
                                                   const std::stop_token& stop) {
  const Result<Event> written = Write(correlated, stop);
  if (written) {
    correlation_->Observed(correlated.key, *written);
    return std::nullopt;
  }
  if (!IsFinal(written.error(), correlated.write)) return written.error();
  correlation_->Refused(correlated.key);
  GiveUp(correlated.event, Lost::kRefused, written.error());
  return std::nullopt;
}

template <class Event>
void EventDelivery<Event>::GiveUp(const Event& event, Lost why, const Error& error) {
  const corev1::ObjectReferenceMutable& about = AboutOf(event);
  env_.log().Log(IsExpected(error) ? LogLevel::kDebug : LogLevel::kWarning,
                 "an event was not written",
                 {{"namespace", event.metadata.namespace_},
                  {"object", about.kind + " " + about.name},
                  {"reason", event.reason},
                  {"err", error.ToString()}});
  options_.lost(why);
}

template <class Event>
Result<Event> EventDelivery<Event>::Write(CorrelatedEvent<Event>& correlated,
                                          const std::stop_token& stop) {
  Event& event = correlated.event;
  const CallOptions call{.stop = stop};
  if (correlated.write == EventWrite::kPatch) {
    const Patch patch = correlation_->PatchOf(event);
    Result<Event> patched = CallSink(env_, [&] { return sink_->Patch(event, patch, call); });
    if (patched || !IsNotFound(patched.error())) return patched;
    // The server deletes events after an hour.
    event.metadata.resourceVersion.clear();
    correlation_->Renew(event);
  }
  return CallSink(env_, [&] { return sink_->Create(event, call); });
}

template class EventDelivery<corev1::EventMutable>;
template class EventDelivery<eventsv1::EventMutable>;

}  // namespace kinformer::internal::events
