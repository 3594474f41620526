#include <memory>

#include "kinformer/event_recorder.h"
#include "kinformer/resource_client.h"

namespace kinformer {
namespace {

class ServerSink final : public EventSink {
 public:
  explicit ServerSink(const Client& client) : events_(client.For<corev1::Event>()) {}

  Result<corev1::EventMutable> Create(const corev1::EventMutable& event,
                                      const CallOptions& call) override {
    return Copied(events_.Namespace(event.metadata.namespace_).Create(event, {}, call));
  }
  Result<corev1::EventMutable> Patch(const corev1::EventMutable& event,
                                     const kinformer::Patch& patch,
                                     const CallOptions& call) override {
    return Copied(events_.Namespace(event.metadata.namespace_)
                      .Patch(event.metadata.name, patch, {}, "", call));
  }

 private:
  static Result<corev1::EventMutable> Copied(Result<Ref<corev1::Event>> answer) {
    if (!answer) return std::move(answer).error();
    return (*answer)->DeepCopy();
  }

  const ResourceClient<corev1::Event> events_;
};

}  // namespace

std::unique_ptr<EventSink> NewEventSink(const Client& client) {
  return std::make_unique<ServerSink>(client);
}

}  // namespace kinformer
