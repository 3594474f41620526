#include <memory>
#include <optional>
#include <utility>

#include "kinformer/discovery.h"
#include "kinformer/events.h"

#include "base/core/deadline.h"

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

class BroadcasterAdapter final : public EventBroadcasterAdapter {
 public:
  BroadcasterAdapter(Client client, bool has_series)
      : client_(std::move(client)), core_(client_.env()) {
    if (has_series) series_.emplace(client_.env());
  }

  void StartRecordingToSink() override {
    core_.StartRecordingToSink(kinformer::NewEventSink(client_));
    if (series_) series_->StartRecordingToSink(events::NewEventSink(client_));
  }
  std::shared_ptr<EventRecorder> NewRecorder(const std::string& name) override {
    if (series_) return series_->NewRecorder(name);
    return NewEventRecorderAdapter(DeprecatedNewLegacyRecorder(name));
  }
  std::shared_ptr<kinformer::EventRecorder> DeprecatedNewLegacyRecorder(
      const std::string& name) override {
    corev1::EventSourceMutable source;
    source.component = name;
    return core_.NewRecorder(std::move(source));
  }
  void Shutdown(Duration timeout) override {
    const Env& env = client_.env();
    const SteadyTime deadline = internal::base::After(env.Now(), timeout);
    core_.Shutdown(timeout);
    if (series_) series_->Shutdown(std::max(deadline - env.Now(), Duration(0)));
  }

 private:
  const Client client_;
  kinformer::EventBroadcaster core_;
  std::optional<EventBroadcaster> series_{};
};

}  // namespace

std::shared_ptr<EventRecorder> NewEventRecorderAdapter(
    std::shared_ptr<kinformer::EventRecorder> recorder) {
  return std::make_shared<RecorderAdapter>(std::move(recorder));
}

Result<std::unique_ptr<EventBroadcasterAdapter>> EventBroadcasterAdapter::New(
    const Client& client) {
  const Result<RestMapping> served =
      client.Discovery().FirstServed({{"events.k8s.io", "v1", "events"}});
  if (!served && !IsNotFound(served.error())) return served.error();
  return std::unique_ptr<EventBroadcasterAdapter>(
      std::make_unique<BroadcasterAdapter>(client, served.ok()));
}

}  // namespace kinformer::events
