// base/loop/timer_queue.h
//
// TimerQueue: tasks ordered by due time; tasks with equal times keep the order of adding. Both
// kinds of Env use it and differ only in who calls PopDue.

#ifndef KINFORMER_BASE_LOOP_TIMER_QUEUE_H_
#define KINFORMER_BASE_LOOP_TIMER_QUEUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kinformer/base/env.h"

#include "base/core/mutex.h"

namespace kinformer {

// State that a Timer refers to.
struct Timer::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  virtual ~State() = default;
  virtual void Cancel() = 0;
};

namespace internal::base {

// A task that either runs or is cancelled, but not both. Thread-safe.
class TimedTask {
 public:
  explicit TimedTask(Closure task) : task_(std::move(task)) {}
  // Returns the task once; later calls return an empty one.
  Closure Take() {
    MutexLock lock(mutex_);
    return std::exchange(task_, Closure());
  }
  // Runs the task unless it was taken before.
  void Run() {
    if (Closure task = Take()) task();
  }

 private:
  Mutex mutex_;
  Closure task_ KINFORMER_GUARDED_BY(mutex_);
};

// Thread-safe. Timers may outlive the queue.
class TimerQueue {
 public:
  TimerQueue() : core_(std::make_shared<Core>()) {}
  ~TimerQueue() { Clear(); }
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  // Sets `earliest` if the new entry is due before all others.
  Timer Add(SteadyTime when, Closure task, bool* earliest = nullptr);
  // Called with the task when it is due; decides where the task runs.
  using OnDue = std::function<void(std::shared_ptr<TimedTask>)>;
  Timer Add(SteadyTime when, Closure task, OnDue on_due, bool* earliest = nullptr);

  [[nodiscard]] std::optional<SteadyTime> Next() const;

  struct Due {
    SteadyTime when{};
    std::shared_ptr<TimedTask> task{};
    OnDue on_due{};  // empty: run it in Run
    void Run() {
      if (on_due) {
        on_due(std::move(task));
      } else {
        task->Run();
      }
    }
  };
  // Removes and returns the first entry if it is due at `now`.
  std::optional<Due> PopDue(SteadyTime now);

  // Destroys all tasks without running them.
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
