#include "client/tools/watch_events.h"

#include <stop_token>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/would_deadlock.h"

namespace kinformer::internal::client {

std::size_t WatchEvents::Push(OwnedWatchEvent event) {
  const MonitorLock lock(*monitor_);
  if (!closed_) events_.push_back(std::move(event));
  monitor_->NotifyOne();
  return events_.size();
}

void WatchEvents::Close(std::optional<Error> error) {
  const MonitorLock lock(*monitor_);
  if (!closed_) error_ = std::move(error);
  closed_ = true;
  monitor_->NotifyAll();
}

void WatchEvents::Stop() {
  std::deque<OwnedWatchEvent> dropped;
  const MonitorLock lock(*monitor_);
  closed_ = true;
  error_.reset();
  events_.swap(dropped);
  monitor_->NotifyAll();
}

Result<std::optional<OwnedWatchEvent>> WatchEvents::Next(const CallOptions& call) {
  const std::stop_callback on_stop(call.stop, [this] {
    const MonitorLock lock(*monitor_);
    monitor_->NotifyAll();
  });
  const bool on_loop = env_.OnLoopThread();
  const SteadyTime deadline = base::After(env_.Now(), call.timeout);
  {
    MonitorLock lock(*monitor_);
    for (;;) {
      if (call.stop.stop_requested()) {
        return Error(Reason::kCanceled, "the caller has stopped waiting for an event of the watch");
      }
      if (!events_.empty()) {
        std::optional<OwnedWatchEvent> event = std::move(events_.front());
        events_.pop_front();
        return event;
      }
      if (error_) return *std::exchange(error_, std::nullopt);
      if (closed_) return std::optional<OwnedWatchEvent>();
      if (on_loop) break;
      if (call.timeout <= Duration(0)) {
        lock.Wait();
      } else if (env_.Now() >= deadline) {
        return Error(Reason::kDeadlineExceeded,
                     "no event of the watch came in the time that the caller allows");
      } else {
        static_cast<void>(lock.WaitUntil(deadline));
      }
    }
  }
  return base::WouldDeadlock(
      env_,
      "waiting for an event of a watch on an event loop's thread: take them on a "
      "thread of Env::NewThread, or use an informer's handler");
}

std::size_t WatchEvents::size() const {
  const MonitorLock lock(*monitor_);
  return events_.size();
}

}  // namespace kinformer::internal::client
