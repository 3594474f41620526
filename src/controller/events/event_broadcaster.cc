#include "kinformer/events/event_broadcaster.h"

#include <memory>
#include <utility>

#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"

#include "base/core/forked.h"
#include "controller/events/broadcaster_core.h"
#include "controller/events/event_correlator.h"
#include "controller/events/event_parts.h"

namespace kinformer {

using Core = internal::events::BroadcasterCore<corev1::EventMutable>;

struct EventBroadcaster::Impl {
  EventCorrelatorOptions correlator;
  std::shared_ptr<Core> core;
};

namespace {

class Recorder final : public EventRecorder {
 public:
  Recorder(std::shared_ptr<Core> core, corev1::EventSourceMutable source)
      : core_(std::move(core)), source_(std::move(source)) {}

  void AnnotatedEvent(const corev1::ObjectReferenceMutable& about,
                      std::map<std::string, std::string> annotations, std::string_view type,
                      std::string_view reason, std::string message) override {
    Env& env = core_->env();
    if (!internal::events::IsEvent(about, type, reason, message, source_.component, env)) return;
    corev1::EventMutable event;
    internal::events::SetEventName(about, env, event.metadata);
    event.metadata.annotations = std::move(annotations);
    event.involvedObject = about;
    event.reason = reason;
    event.message = std::move(message);
    event.type = type;
    event.source = source_;
    event.reportingComponent = source_.component;
    event.reportingInstance = source_.host;
    event.count = 1;
    event.firstTimestamp = metav1::Time(
        std::chrono::floor<std::chrono::seconds>(env.WallNow()).time_since_epoch().count());
    event.lastTimestamp = event.firstTimestamp;
    core_->Publish(event);
  }

 private:
  const std::shared_ptr<Core> core_;
  const corev1::EventSourceMutable source_;
};

}  // namespace

EventBroadcaster::EventBroadcaster(Env& env, const EventBroadcasterOptions& options)
    : impl_(std::make_unique<Impl>(Impl{
          .correlator = options.correlator,
          .core = std::make_shared<Core>(
              env,
              Core::Options{options.max_queued, options.max_attempts, options.retry_delay})})) {}

EventBroadcaster::~EventBroadcaster() {
  if (!internal::base::LeaveIfForkedOff(impl_->core->env(), impl_)) Shutdown();
}

std::shared_ptr<EventRecorder> EventBroadcaster::NewRecorder(corev1::EventSourceMutable source) {
  return std::make_shared<Recorder>(impl_->core, std::move(source));
}

void EventBroadcaster::StartRecordingToSink(std::unique_ptr<EventSink> sink) {
  impl_->core->StartRecording(std::move(sink), std::make_unique<internal::events::EventCorrelator>(
                                                   impl_->core->env(), impl_->correlator));
}

void EventBroadcaster::StartEventWatcher(
    std::function<void(const corev1::EventMutable&)> on_event) {
  impl_->core->StartWatcher(std::move(on_event));
}

void EventBroadcaster::StartLogging() { impl_->core->StartLogging(); }

void EventBroadcaster::Shutdown(Duration timeout) { impl_->core->Shutdown(timeout); }

}  // namespace kinformer
