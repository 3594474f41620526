#include "kinformer/events/basic_event_broadcaster.h"

#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/eventsv1_mutable.h"

#include "base/core/forked.h"
#include "controller/events/broadcaster_core.h"

namespace kinformer {

template <class Event>
BasicEventBroadcaster<Event>::BasicEventBroadcaster(std::shared_ptr<Core> core)
    : core_(std::move(core)) {}

template <class Event>
BasicEventBroadcaster<Event>::~BasicEventBroadcaster() {
  if (!internal::base::LeaveIfForkedOff(core_->env(), core_)) Shutdown();
}

template <class Event>
void BasicEventBroadcaster<Event>::StartRecordingToSink(
    std::unique_ptr<BasicEventSink<Event>> sink) {
  core_->StartRecording(std::move(sink));
}

template <class Event>
void BasicEventBroadcaster<Event>::StartEventWatcher(std::function<void(const Event&)> on_event) {
  core_->StartWatcher(std::move(on_event));
}

template <class Event>
void BasicEventBroadcaster<Event>::StartLogging() {
  core_->StartLogging();
}

template <class Event>
void BasicEventBroadcaster<Event>::Shutdown(Duration timeout) {
  core_->Shutdown(timeout);
}

template class BasicEventBroadcaster<corev1::EventMutable>;
template class BasicEventBroadcaster<eventsv1::EventMutable>;

}  // namespace kinformer
