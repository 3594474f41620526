#include "controller/events/event_watcher.h"

#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/eventsv1_mutable.h"

#include "base/core/inside.h"

namespace kinformer::internal::events {

template <class Event>
EventWatcher<Event>::EventWatcher(Env& env, std::size_t max_queued,
                                  std::unique_ptr<EventTaker<Event>> taker)
    : env_(env), max_queued_(max_queued), taker_(std::move(taker)), monitor_(env.NewMonitor()) {
  thread_ = env_.NewThread("events", [this] { TakeAll(); });
}

template <class Event>
bool EventWatcher<Event>::Push(const Event& event) {
  const MonitorLock lock(*monitor_);
  if (queue_.size() >= max_queued_) return false;
  queue_.push_back(event);
  monitor_->NotifyAll();
  return true;
}

template <class Event>
bool EventWatcher<Event>::OnOwnThread() const {
  return base::Inside::Of(this);
}

template <class Event>
void EventWatcher<Event>::LetEnd() {
  const MonitorLock lock(*monitor_);
  ending_ = true;
  monitor_->NotifyAll();
}

template <class Event>
std::size_t EventWatcher<Event>::End(SteadyTime deadline) {
  std::deque<Event> given_up;
  {
    MonitorLock lock(*monitor_);
    ending_ = true;
    monitor_->NotifyAll();
    while (!ended_ && env_.Now() < deadline) lock.WaitUntil(deadline);
    given_up.swap(queue_);
  }
  stop_.request_stop();
  return given_up.size();
}

template <class Event>
void EventWatcher<Event>::TakeAll() {
  const base::Inside inside(this);
  const std::stop_token stop = stop_.get_token();
  MonitorLock lock(*monitor_);
  while (true) {
    const SteadyTime sweep = taker_->NextSweep();
    if (!ending_ && env_.Now() >= sweep) {
      monitor_->Unlock();
      taker_->Sweep(stop);
      monitor_->Lock();
    } else if (!queue_.empty()) {
      const Event event = std::move(queue_.front());
      queue_.pop_front();
      monitor_->Unlock();
      taker_->Take(event, stop);
      monitor_->Lock();
    } else if (ending_) {
      break;
    } else if (sweep == SteadyTime::max()) {
      lock.Wait();
    } else {
      lock.WaitUntil(sweep);
    }
  }
  monitor_->Unlock();
  taker_->Finish(stop);
  monitor_->Lock();
  ended_ = true;
  monitor_->NotifyAll();
}

template class EventWatcher<corev1::EventMutable>;
template class EventWatcher<eventsv1::EventMutable>;

}  // namespace kinformer::internal::events
