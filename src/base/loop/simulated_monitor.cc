#include "base/loop/simulated_monitor.h"

#include <cstddef>

namespace kinformer::internal::base {

void SimulatedMonitor::Lock() {
  while (locked_) {
    SimulationWaiter waiter{core_.current()};
    lockers_.push_back(&waiter);
    core_.Park(waiter, "a lock");
  }
  locked_ = true;
}

void SimulatedMonitor::Unlock() {
  locked_ = false;
  // Wakes all of them: the first to run is chosen at random, like every other step.
  for (SimulationWaiter* waiter : lockers_) core_.MakeReady(*waiter);
  lockers_.clear();
}

void SimulatedMonitor::Wait() {
  SimulationWaiter waiter{core_.current()};
  waiters_.push_back(&waiter);
  Unlock();
  core_.Park(waiter, "a notification");
  Lock();
}

bool SimulatedMonitor::WaitUntil(SteadyTime deadline) {
  if (deadline <= core_.Now()) return false;
  SimulationWaiter waiter{core_.current()};
  waiters_.push_back(&waiter);
  Unlock();
  Timer timer;
  core_.MakeReadyAt(deadline, waiter, timer);
  core_.Park(waiter, "a notification or a time");
  timer.Cancel();
  const bool notified = std::erase(waiters_, &waiter) == 0;
  Lock();
  return notified;
}

void SimulatedMonitor::NotifyOne() {
  if (waiters_.empty()) return;
  const auto index = static_cast<std::ptrdiff_t>(core_.Draw(waiters_.size()));
  SimulationWaiter* waiter = *(waiters_.begin() + index);
  waiters_.erase(waiters_.begin() + index);
  core_.MakeReady(*waiter);
}

void SimulatedMonitor::NotifyAll() {
  for (SimulationWaiter* waiter : waiters_) core_.MakeReady(*waiter);
  waiters_.clear();
}

}  // namespace kinformer::internal::base
