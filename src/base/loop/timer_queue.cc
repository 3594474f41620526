#include "base/loop/timer_queue.h"

namespace kinformer {

Timer& Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    Cancel();
    state_ = std::move(other.state_);
  }
  return *this;
}

Timer::~Timer() { Cancel(); }

void Timer::Cancel() {
  // Moved out first: the task's captures may own this timer.
  if (const std::shared_ptr<State> state = std::move(state_)) state->Cancel();
}

namespace internal::base {

struct TimerQueue::Handle final : Timer::State {
  Handle(std::weak_ptr<Core> c, Key k, std::shared_ptr<TimedTask> t)
      : core(std::move(c)), key(k), task(std::move(t)) {}

  void Cancel() override {
    // Declared before the lock, so destroyed after it: destroying a task may call into this.
    Entry dropped;
    Closure taken = task->Take();
    if (const std::shared_ptr<Core> queue = core.lock()) {
      MutexLock lock(queue->mutex);
      if (const auto it = queue->entries.find(key); it != queue->entries.end()) {
        dropped = std::move(it->second);
        queue->entries.erase(it);
      }
    }
  }

  const std::weak_ptr<Core> core;
  const Key key;
  const std::shared_ptr<TimedTask> task;
};

Timer TimerQueue::Add(SteadyTime when, Closure task, bool* earliest) {
  return Add(when, std::move(task), OnDue(), earliest);
}

Timer TimerQueue::Add(SteadyTime when, Closure task, OnDue on_due, bool* earliest) {
  auto timed = std::make_shared<TimedTask>(std::move(task));
  Key key;
  {
    MutexLock lock(core_->mutex);
    key = Key(when, core_->next_sequence++);
    const auto it = core_->entries.emplace(key, Entry{timed, std::move(on_due)}).first;
    if (earliest != nullptr) *earliest = it == core_->entries.begin();
  }
  return Timer(std::make_shared<Handle>(core_, key, std::move(timed)));
}

std::optional<SteadyTime> TimerQueue::Next() const {
  MutexLock lock(core_->mutex);
  if (core_->entries.empty()) return std::nullopt;
  return core_->entries.begin()->first.first;
}

std::optional<TimerQueue::Due> TimerQueue::PopDue(SteadyTime now) {
  MutexLock lock(core_->mutex);
  const auto it = core_->entries.begin();
  if (it == core_->entries.end() || it->first.first > now) return std::nullopt;
  Due due{it->first.first, std::move(it->second.task), std::move(it->second.on_due)};
  core_->entries.erase(it);
  return due;
}

void TimerQueue::Clear() {
  std::map<Key, Entry> dropped;
  {
    MutexLock lock(core_->mutex);
    dropped.swap(core_->entries);
  }
  // Handles share the tasks: take them, so that they are not kept alive by the last handle.
  for (auto& [key, entry] : dropped) entry.task->Take();
}

}  // namespace internal::base
}  // namespace kinformer
