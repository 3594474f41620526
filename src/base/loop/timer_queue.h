// base/loop/timer_queue.h
//
// TimerQueue: tasks waiting for their time, in the order in which it comes; equal times in the
// order of adding. Both Envs keep their timers here and differ only in who calls PopDue.

#ifndef KINFORMER_BASE_LOOP_TIMER_QUEUE_H_
#define KINFORMER_BASE_LOOP_TIMER_QUEUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kinformer/env.h"

#include "base/core/mutex.h"

namespace kinformer {

// What a Timer holds on to.
struct Timer::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  virtual ~State() = default;
  virtual void Cancel() = 0;
};

namespace internal::base {

// A task that at most one of a runner and a canceller gets. Thread-safe.
class TimedTask {
 public:
  explicit TimedTask(Task task) : task_(std::move(task)) {}
  // The task, once; empty afterwards.
  Task Take() {
    MutexLock lock(mutex_);
    return std::exchange(task_, Task());
  }
  // Runs the task unless it was taken before.
  void Run() {
    if (Task task = Take()) task();
  }

 private:
  Mutex mutex_;
  Task task_ KINFORMER_GUARDED_BY(mutex_);
};

// Thread-safe. Timers that it has handed out may outlive it.
class TimerQueue {
 public:
  TimerQueue() : core_(std::make_shared<Core>()) {}
  ~TimerQueue() { Clear(); }
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  // `earliest` tells whether the new entry comes before all others.
  Timer Add(SteadyTime when, Task task, bool* earliest = nullptr);
  // `on_due` gets the task when its time has come and decides where it runs.
  using OnDue = std::function<void(std::shared_ptr<TimedTask>)>;
  Timer Add(SteadyTime when, Task task, OnDue on_due, bool* earliest = nullptr);

  [[nodiscard]] std::optional<SteadyTime> Next() const;

  struct Due {
    SteadyTime when{};
    std::shared_ptr<TimedTask> task{};
    OnDue on_due{};  // empty: run it here
    void Run() {
      if (on_due) {
        on_due(std::move(task));
      } else {
        task->Run();
      }
    }
  };
  // Takes out the first entry if its time is not after `now`.
  std::optional<Due> PopDue(SteadyTime now);

  // Destroys all tasks unrun.
  void Clear();

 private:
  using Key = std::pair<SteadyTime, std::uint64_t>;
  struct Entry {
    std::shared_ptr<TimedTask> task;
    OnDue on_due;
  };
  struct Core {
    mutable Mutex mutex;
    std::map<Key, Entry> entries KINFORMER_GUARDED_BY(mutex);
    std::uint64_t next_sequence KINFORMER_GUARDED_BY(mutex) = 0;
  };
  struct Handle;

  std::shared_ptr<Core> core_;
};

}  // namespace internal::base
}  // namespace kinformer

#endif  // KINFORMER_BASE_LOOP_TIMER_QUEUE_H_
