#include "kinformer/events/recorders.h"

#include "kinformer/events/event_recorder.h"

namespace kinformer {

corev1::ObjectReferenceMutable internal::ReferenceTo(const EventSubject& subject) {
  const metav1::ObjectMeta& metadata = subject.metadata;
  return {.kind = std::string(subject.type->kind),
          .namespace_ = std::string(metadata.namespace_()),
          .name = std::string(metadata.name()),
          .uid = std::string(metadata.uid()),
          .apiVersion = subject.type->apiVersion(),
          .resourceVersion = std::string(metadata.resourceVersion())};
}

void EventRecorder::EventAbout(const internal::EventSubject& about, std::string_view type,
                               std::string_view reason, std::string message) {
  AnnotatedEvent(internal::ReferenceTo(about), {}, type, reason, std::move(message));
}

void events::EventRecorder::EventAbout(const kinformer::internal::EventSubject& regarding,
                                       const kinformer::internal::EventSubject& related,
                                       std::string_view type, std::string_view reason,
                                       std::string_view action, std::string note) {
  std::optional<corev1::ObjectReferenceMutable> other;
  if (related.type != nullptr) other = kinformer::internal::ReferenceTo(related);
  AnnotatedEvent(kinformer::internal::ReferenceTo(regarding), other, {}, type, reason, action,
                 std::move(note));
}

}  // namespace kinformer
