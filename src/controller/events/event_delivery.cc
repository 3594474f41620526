#include "controller/events/event_delivery.h"

#include <utility>

#include "kinformer/json.h"
#include "kinformer/until.h"

#include "controller/events/event_name.h"

namespace kinformer::internal::events {
namespace {

// Somebody has answered, or the event cannot be sent at all: to send it again changes nothing.
bool IsAnswer(const Error& error) {
  return error.http_status() != 0 || error.reason() == Reason::kInvalidArgument;
}

// Nobody's fault, and of no interest to those who read logs.
bool IsExpected(const Error& error) {
  if (IsAlreadyExists(error)) return true;
  if (!IsForbidden(error)) return false;
  for (const StatusCause& cause : error.details().causes) {
    if (cause.reason == "NamespaceTerminating") return true;
  }
  return false;
}

Patch PatchOf(const corev1::EventMutable& event) {
  json::Value body = json::Value::MakeObject();
  body.Set("count", event.count);
  body.Set("lastTimestamp", event.lastTimestamp.ToString());
  body.Set("message", event.message);
  return {.type = PatchType::kMergePatch, .body = body.Dump()};
}

}  // namespace

EventDelivery::EventDelivery(Env& env, const EventBroadcasterOptions& options,
                             std::unique_ptr<EventSink> sink, std::function<void(Lost)> lost,
                             std::function<void()> filtered)
    : env_(env),
      options_(options),
      sink_(std::move(sink)),
      lost_(std::move(lost)),
      filtered_(std::move(filtered)),
      correlator_(env, options.correlator) {}

void EventDelivery::Deliver(const corev1::EventMutable& event, const std::stop_token& stop) {
  CorrelatedEvent correlated = correlator_.Correlate(event);
  if (correlated.skip) {
    filtered_();
    return;
  }
  for (int attempt = 1; !stop.stop_requested(); ++attempt) {
    const Result<corev1::EventMutable> written = Write(correlated, stop);
    if (written) {
      correlator_.Observed(correlated.key, *written);
      return;
    }
    if (stop.stop_requested()) break;
    const bool refused = IsAnswer(written.error());
    if (refused || attempt >= options_.max_attempts) {
      env_.log().Log(IsExpected(written.error()) ? LogLevel::kDebug : LogLevel::kWarning,
                     "an event was not written",
                     {{"namespace", event.metadata.namespace_},
                      {"object", event.involvedObject.kind + " " + event.involvedObject.name},
                      {"reason", event.reason},
                      {"attempts", std::to_string(attempt)},
                      {"err", written.error().ToString()}});
      lost_(refused ? Lost::kRefused : Lost::kNoAnswer);
      return;
    }
    // Many programs may have lost the same server.
    const double part = attempt == 1 ? RandomUnit(env_) : 1;
    SleepUnlessStopped(env_, stop,
                       std::chrono::duration_cast<Duration>(options_.retry_delay * part));
  }
  lost_(Lost::kShutdown);
}

Result<corev1::EventMutable> EventDelivery::Write(CorrelatedEvent& correlated,
                                                  const std::stop_token& stop) {
  corev1::EventMutable& event = correlated.event;
  const CallOptions call{.stop = stop};
  if (correlated.repeats()) {
    Result<corev1::EventMutable> patched = sink_->Patch(event, PatchOf(event), call);
    if (patched || !IsNotFound(patched.error())) return patched;
    // The server forgets events after an hour.
    event.metadata.resourceVersion.clear();
    event.metadata.name = EventName(event.involvedObject.name, env_);
  }
  return sink_->Create(event, call);
}

}  // namespace kinformer::internal::events
