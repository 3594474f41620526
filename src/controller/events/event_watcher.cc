#include "controller/events/event_watcher.h"

#include <utility>

namespace kinformer::internal::events {

EventWatcher::EventWatcher(Env& env, std::size_t max_queued, Take take)
    : env_(env), max_queued_(max_queued), take_(std::move(take)), monitor_(env.NewMonitor()) {
  thread_ = env_.NewThread("events", [this] { TakeAll(); });
}

bool EventWatcher::Push(const corev1::EventMutable& event) {
  const MonitorLock lock(*monitor_);
  if (ending_) return true;
  if (queue_.size() >= max_queued_) return false;
  queue_.push_back(event);
  monitor_->NotifyAll();
  return true;
}

std::size_t EventWatcher::End(SteadyTime deadline) {
  std::size_t given_up = 0;
  {
    MonitorLock lock(*monitor_);
    ending_ = true;
    monitor_->NotifyAll();
    while (!ended_ && env_.Now() < deadline) lock.WaitUntil(deadline);
    given_up = queue_.size();
    queue_.clear();
  }
  stop_.request_stop();
  thread_->Join();
  return given_up;
}

void EventWatcher::TakeAll() {
  MonitorLock lock(*monitor_);
  while (true) {
    while (queue_.empty() && !ending_) lock.Wait();
    if (queue_.empty()) break;
    const corev1::EventMutable event = std::move(queue_.front());
    queue_.pop_front();
    monitor_->Unlock();
    take_(event, stop_.get_token());
    monitor_->Lock();
  }
  ended_ = true;
  monitor_->NotifyAll();
}

}  // namespace kinformer::internal::events
