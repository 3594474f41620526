#include "kinformer/internal/event_channel_core.h"

#include <algorithm>
#include <utility>

#include "base/core/inside.h"
#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"

namespace kinformer::internal {
namespace {

// Receiver whose delivery runs on this thread: its own Stop must not wait for the delivery.
thread_local const void* delivering_here = nullptr;

}  // namespace

std::shared_ptr<EventChannelCore::Receiver> EventChannelCore::Subscribe(std::size_t room) {
  auto receiver = std::make_shared<Receiver>(shared_from_this(), std::max<std::size_t>(1, room));
  MonitorLock lock(*monitor_);
  std::erase_if(receivers_, [](const auto& weak) { return weak.expired(); });
  receivers_.push_back(receiver);
  return receiver;
}

Result<void> EventChannelCore::Send(const ObjectRef& object) {
  if (!object) return Error(Reason::kInvalidArgument, "event channel: there is no object to send");
  // Kept until the monitor is released, because the last reference to one may end here.
  std::vector<std::shared_ptr<Receiver>> receivers;
  bool sent = false;
  bool left_out = false;
  {
    MonitorLock lock(*monitor_);
    if (closed_) return Error(Reason::kStopped, "the event channel is closed");
    for (const auto& weak : receivers_) receivers.push_back(weak.lock());
    const bool may_wait = !env_.OnLoopThread();
    for (const auto& receiver : receivers) {
      if (receiver == nullptr) continue;
      const auto full = [&] { return receiver->waiting_.size() >= receiver->room_ && !closed_; };
      while (may_wait && full()) lock.Wait();
      if (closed_) return Error(Reason::kStopped, "the event channel has been closed meanwhile");
      if (receiver->stopped_) continue;
      sent = true;
      left_out |= full();
      if (full()) continue;
      receiver->waiting_.push_back(object);
      receiver->RunSoonLocked();
    }
  }
  if (left_out) {
    return base::WouldDeadlock(
        env_,
        "a source of this event channel has no room, and an event loop cannot wait for it: "
        "send from another thread, or give the source a larger buffer_size");
  }
  if (!sent) return Error(Reason::kNotFound, "no source has been made for this event channel");
  return {};
}

void EventChannelCore::Close() {
  MonitorLock lock(*monitor_);
  closed_ = true;
  monitor_->NotifyAll();
}

Result<void> EventChannelCore::Receiver::Start(Deliver deliver) {
  MonitorLock lock(*channel_->monitor_);
  if (started_)
    return Error(Reason::kInvalidArgument, "channel: the source has been started before");
  started_ = true;
  deliver_ = [deliver = std::move(deliver), whose = base::Inside::All()](const ObjectRef& object) {
    const base::Inside inside(whose);
    deliver(object);
  };
  RunSoonLocked();
  return {};
}

void EventChannelCore::Receiver::Stop() {
  Deliver gone;
  std::deque<ObjectRef> dropped;
  MonitorLock lock(*channel_->monitor_);
  stopped_ = true;
  dropped.swap(waiting_);
  channel_->monitor_->NotifyAll();
  if (delivering_here == this) return;
  while (delivering_) lock.Wait();
  gone.swap(deliver_);
}

void EventChannelCore::Receiver::RunSoonLocked() {
  if (scheduled_ || delivering_ || !started_ || waiting_.empty()) return;
  scheduled_ = true;
  channel_->env_.pool().Post([self = shared_from_this()] { self->DeliverNext(); });
}

void EventChannelCore::Receiver::DeliverNext() {
  ObjectRef object;
  {
    MonitorLock lock(*channel_->monitor_);
    scheduled_ = false;
    if (stopped_) return;
    object = std::move(waiting_.front());
    waiting_.pop_front();
    delivering_ = true;
    channel_->monitor_->NotifyAll();
  }
  delivering_here = this;
  static_cast<void>(
      base::CallUser(channel_->env_, "event handler of a channel", [&] { deliver_(object); }));
  delivering_here = nullptr;
  MonitorLock lock(*channel_->monitor_);
  delivering_ = false;
  channel_->monitor_->NotifyAll();
  RunSoonLocked();
}

}  // namespace kinformer::internal
