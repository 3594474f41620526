#include "kinformer/testing/fake_recorder.h"

#include <ostream>
#include <utility>

#include "kinformer/api/corev1_mutable.h"

namespace kinformer::testing {

std::ostream& operator<<(std::ostream& out, const RecordedEvent& event) {
  out << event.type << ' ' << event.reason << ' ';
  if (!event.action.empty()) out << event.action << ' ';
  return out << event.message << " (" << event.kind << ' ' << event.object << ')';
}

std::vector<RecordedEvent> RecordedEvents::Events() const {
  const std::scoped_lock lock(mutex_);
  return events_;
}

void RecordedEvents::ClearEvents() {
  const std::scoped_lock lock(mutex_);
  events_.clear();
}

void RecordedEvents::Keep(RecordedEvent event) {
  const std::scoped_lock lock(mutex_);
  events_.push_back(std::move(event));
}

void FakeRecorder::AnnotatedEvent(const corev1::ObjectReferenceMutable& about,
                                  std::map<std::string, std::string> annotations,
                                  std::string_view type, std::string_view reason,
                                  std::string message) {
  Keep({.type = std::string(type),
        .reason = std::string(reason),
        .message = std::move(message),
        .kind = about.kind,
        .object = {about.namespace_, about.name},
        .annotations = std::move(annotations)});
}

void FakeEventsRecorder::AnnotatedEvent(
    const corev1::ObjectReferenceMutable& regarding,
    const std::optional<corev1::ObjectReferenceMutable>& /*related*/,
    std::map<std::string, std::string> annotations, std::string_view type, std::string_view reason,
    std::string_view action, std::string note) {
  Keep({.type = std::string(type),
        .reason = std::string(reason),
        .action = std::string(action),
        .message = std::move(note),
        .kind = regarding.kind,
        .object = {regarding.namespace_, regarding.name},
        .annotations = std::move(annotations)});
}

}  // namespace kinformer::testing
