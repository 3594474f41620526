#include <memory>
#include <utility>

#include "kinformer/events/events.h"

#include "base/core/forked.h"
#include "base/text/host_name.h"
#include "controller/events/broadcaster_core.h"
#include "controller/events/event_parts.h"
#include "controller/events/series_correlator.h"

namespace kinformer::events {

using Core = internal::events::BroadcasterCore<eventsv1::EventMutable>;

struct EventBroadcaster::Impl {
  internal::events::SeriesOptions series;
  std::shared_ptr<Core> core;
};

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
    : impl_(std::make_unique<Impl>(Impl{
          .series = {.cache_size = options.cache_size,
                     .finish_time = options.finish_time,
                     .refresh_time = options.refresh_time},
          .core = std::make_shared<Core>(
              env,
              Core::Options{options.max_queued, options.max_attempts, options.retry_delay})})) {}

EventBroadcaster::~EventBroadcaster() {
  if (!internal::base::LeaveIfForkedOff(impl_->core->env(), impl_)) Shutdown();
}

std::shared_ptr<EventRecorder> EventBroadcaster::NewRecorder(
    const std::string& reporting_controller) {
  return std::make_shared<Recorder>(impl_->core, reporting_controller);
}

void EventBroadcaster::StartRecordingToSink(std::unique_ptr<EventSink> sink) {
  impl_->core->StartRecording(std::move(sink), std::make_unique<internal::events::SeriesCorrelator>(
                                                   impl_->core->env(), impl_->series));
}

void EventBroadcaster::StartEventWatcher(
    std::function<void(const eventsv1::EventMutable&)> on_event) {
  impl_->core->StartWatcher(std::move(on_event));
}

void EventBroadcaster::StartLogging() { impl_->core->StartLogging(); }

void EventBroadcaster::Shutdown(Duration timeout) { impl_->core->Shutdown(timeout); }

}  // namespace kinformer::events
