#include <memory>
#include <optional>
#include <utility>

#include "kinformer/events/events.h"

namespace kinformer::events {
namespace {

class RecorderAdapter final : public EventRecorder {
 public:
  explicit RecorderAdapter(std::shared_ptr<kinformer::EventRecorder> recorder)
      : recorder_(std::move(recorder)) {}

  void AnnotatedEvent(const corev1::ObjectReferenceMutable& regarding,
                      const std::optional<corev1::ObjectReferenceMutable>& /*related*/,
                      std::map<std::string, std::string> annotations, std::string_view type,
                      std::string_view reason, std::string_view /*action*/,
                      std::string note) override {
    recorder_->AnnotatedEvent(regarding, std::move(annotations), type, reason, std::move(note));
  }

 private:
  const std::shared_ptr<kinformer::EventRecorder> recorder_;
};

}  // namespace

std::shared_ptr<EventRecorder> NewEventRecorderAdapter(
    std::shared_ptr<kinformer::EventRecorder> recorder) {
  return std::make_shared<RecorderAdapter>(std::move(recorder));
}

}  // namespace kinformer::events
