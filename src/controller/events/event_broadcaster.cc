#include "kinformer/events/event_broadcaster.h"

#include <memory>
#include <utility>

#include "kinformer/events/event_recorder.h"

#include "controller/events/broadcaster_core.h"
#include "controller/events/event_correlator.h"
#include "controller/events/event_parts.h"

namespace kinformer {

using Core = internal::events::BroadcasterCore<corev1::EventMutable>;

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
    : BasicEventBroadcaster(std::make_shared<Core>(
          env, Core::Options{.max_queued = options.max_queued,
                             .max_attempts = options.max_attempts,
                             .retry_delay = options.retry_delay,
                             .new_correlation = [&env, correlator = options.correlator] {
                               return std::make_unique<internal::events::EventCorrelator>(
                                   env, correlator);
                             }})) {}

std::shared_ptr<EventRecorder> EventBroadcaster::NewRecorder(corev1::EventSourceMutable source) {
  return std::make_shared<Recorder>(core(), std::move(source));
}

}  // namespace kinformer
