// kinformer/controller/event_channel.h
//
// EventChannel: events for controllers from elsewhere in the program, such as a webhook, another
// system, or another controller.
//
//   EventChannel<corev1::Pod> ordered(env);
//   controller->Watch(source::Channel<corev1::Pod>(
//       ordered, handler::EnqueueRequestForObject<corev1::Pod>())).OrExit();
//   Ref<corev1::Pod> pod = lister.Get("default", "web-0").OrExit();
//   ordered.Send(pod).OrExit();

#ifndef KINFORMER_CONTROLLER_EVENT_CHANNEL_H_
#define KINFORMER_CONTROLLER_EVENT_CHANNEL_H_

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/source.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/event_channel_core.h"
#include "kinformer/object/ref.h"

namespace kinformer {

// A channel; copies are the same channel. Every source made for it gets every event. Thread-safe.
// Counterpart: a chan event.GenericEvent.
template <class T>
class EventChannel {
 public:
  // Creates a channel; `env` must outlive it.
  explicit EventChannel(Env& env) : core_(std::make_shared<internal::EventChannelCore>(env)) {}
  // Passes the event to each source. Blocks while one of them is full: kWouldDeadlock on an event
  // loop, where sources with room get it nevertheless. kStopped: the channel is closed. kNotFound:
  // no source was made for it, so the event would be lost.
  Result<void> Send(const Ref<T>& object) const { return core_->Send(object.object()); }
  // Accepts no more events. Pending ones are still delivered.
  void Close() const { core_->Close(); }

  [[nodiscard]] const std::shared_ptr<internal::EventChannelCore>& core() const { return core_; }

 private:
  std::shared_ptr<internal::EventChannelCore> core_;
};

namespace source {

// Options of a source for a channel.
struct ChannelOptions {
  std::size_t buffer_size{1024};  // pending events for the handler, before the start too
};

namespace internal {

using kinformer::internal::EventChannelCore;

template <class T, class R>
class ChannelSource final : public TypedSource<R> {
 public:
  ChannelSource(const EventChannel<T>& channel,
                std::shared_ptr<handler::EventHandler<T, R>> handler,
                predicate::Predicate<T> accepts, const ChannelOptions& options)
      : handler_(std::move(handler)),
        accepts_(std::move(accepts)),
        receiver_(channel.core()->Subscribe(options.buffer_size)) {}
  ~ChannelSource() override { receiver_->Stop(); }

  Result<void> Start(const std::stop_token& /*stop*/, const RequestQueue<R>& queue) override {
    if (handler_ == nullptr) return Error(Reason::kInvalidArgument, "channel: no event handler");
    return receiver_->Start([this, queue](const kinformer::internal::ObjectRef& object) {
      const GenericEvent<T> event{Ref<T>(object)};
      if (!accepts_.Generic(event)) return;
      const kinformer::internal::HandledEvent handled(CauseType::kChannel, nullptr, object.get());
      handler_->Generic(event, queue);
    });
  }
  void Stop() override { receiver_->Stop(); }
  [[nodiscard]] std::string Describe() const override { return "channel"; }

 private:
  const std::shared_ptr<handler::EventHandler<T, R>> handler_;
  const predicate::Predicate<T> accepts_;
  const std::shared_ptr<EventChannelCore::Receiver> receiver_;
};

}  // namespace internal

// Returns a source of a channel's events, from this call on. The handler is called for one at a
// time, on the Env's pool. Counterpart: source.Channel.
template <class T, class R = Request>
[[nodiscard]] std::shared_ptr<TypedSource<R>> Channel(
    const EventChannel<T>& channel, std::shared_ptr<handler::EventHandler<T, R>> handler,
    predicate::PredicateFor<T> accepts = {}, const ChannelOptions& options = {}) {
  return std::make_shared<internal::ChannelSource<T, R>>(channel, std::move(handler),
                                                         std::move(accepts), options);
}

}  // namespace source
}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_EVENT_CHANNEL_H_
