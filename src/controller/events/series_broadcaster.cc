#include <memory>
#include <utility>

#include "kinformer/events/events.h"

#include "base/text/host_name.h"
#include "controller/events/broadcaster_core.h"
#include "controller/events/event_parts.h"
#include "controller/events/series_correlator.h"

namespace kinformer::events {

using Core = internal::events::BroadcasterCore<eventsv1::EventMutable>;

namespace {

class Recorder final : public EventRecorder {
 public:
  Recorder(std::shared_ptr<Core> core, const std::string& controller)
      : core_(std::move(core)),
        controller_(controller),
        instance_(controller + "-" + internal::base::HostName()) {}

  void AnnotatedEvent(const corev1::ObjectReferenceMutable& regarding,
                      const std::optional<corev1::ObjectReferenceMutable>& related,
                      std::map<std::string, std::string> annotations, std::string_view type,
                      std::string_view reason, std::string_view action, std::string note) override {
    Env& env = core_->env();
    if (!internal::events::IsEvent(regarding, type, reason, note, controller_, env)) return;
    eventsv1::EventMutable event;
    internal::events::SetEventName(regarding, env, event.metadata);
    event.metadata.annotations = std::move(annotations);
    event.eventTime = metav1::MicroTime(
        metav1::Time(std::chrono::floor<std::chrono::microseconds>(env.WallNow())));
    event.reportingController = controller_;
    event.reportingInstance = instance_;
    event.action = action;
    event.reason = reason;
    event.regarding = regarding;
    event.related = related;
    event.note = std::move(note);
    event.type = type;
    core_->Publish(event);
  }

 private:
  const std::shared_ptr<Core> core_;
  const std::string controller_;
  const std::string instance_;
};

}  // namespace

EventBroadcaster::EventBroadcaster(Env& env, const EventBroadcasterOptions& options)
    : BasicEventBroadcaster(std::make_shared<Core>(
          env, Core::Options{.max_queued = options.max_queued,
                             .max_attempts = options.max_attempts,
                             .retry_delay = options.retry_delay,
                             .new_correlation = [&env, series = internal::events::SeriesOptions{
                                                           .cache_size = options.cache_size,
                                                           .finish_time = options.finish_time,
                                                           .refresh_time = options.refresh_time}] {
                               return std::make_unique<internal::events::SeriesCorrelator>(env,
                                                                                           series);
                             }})) {}

std::shared_ptr<EventRecorder> EventBroadcaster::NewRecorder(
    const std::string& reporting_controller) {
  return std::make_shared<Recorder>(core(), reporting_controller);
}

}  // namespace kinformer::events
