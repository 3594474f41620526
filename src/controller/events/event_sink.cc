#include "kinformer/events/event_sink.h"

#include <memory>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/client/resource_client.h"

namespace kinformer {
namespace {

// `View` is the kind of events.
template <Resource View>
class ServerSink final : public BasicEventSink<typename View::Mutable> {
 public:
  using Event = typename View::Mutable;

  explicit ServerSink(const Client& client) : events_(client.For<View>()) {}

  Result<Event> Create(const Event& event, const CallOptions& call) override {
    return Copied(events_.Namespace(event.metadata.namespace_).Create(event, {}, call));
  }
  Result<Event> Patch(const Event& event, const kinformer::Patch& patch,
                      const CallOptions& call) override {
    return Copied(events_.Namespace(event.metadata.namespace_)
                      .Patch(event.metadata.name, patch, {}, "", call));
  }

 private:
  static Result<Event> Copied(Result<Ref<View>> answer) {
    if (!answer) return std::move(answer).error();
    return (*answer)->DeepCopy();
  }

  const ResourceClient<View> events_;
};

}  // namespace

std::unique_ptr<EventSink> NewEventSink(const Client& client) {
  return std::make_unique<ServerSink<corev1::Event>>(client);
}

std::unique_ptr<events::EventSink> events::NewEventSink(const Client& client) {
  return std::make_unique<ServerSink<eventsv1::Event>>(client);
}

}  // namespace kinformer
