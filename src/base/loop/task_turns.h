// base/loop/task_turns.h
//
// TaskTurns: the tasks posted to an event loop, and how many of them run before it looks for I/O.

#ifndef KINFORMER_BASE_LOOP_TASK_TURNS_H_
#define KINFORMER_BASE_LOOP_TASK_TURNS_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "kinformer/base/closure.h"
#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// A queue of tasks that an event loop runs in turns: it looks for I/O between them, which takes a
// system call. A turn has the tasks that are there when it begins; if these took no more than
// kBrief, it also has those that they have posted, and then those that these have posted. So a
// short chain (a request ends, its coroutine goes on, and starts the next request) is one turn, and
// a task of some length that posts itself again does not keep the loop from its sockets.
//
// Thread-safe, but a turn runs on one thread.
class TaskTurns {
 public:
  static constexpr Duration kBrief = std::chrono::microseconds(100);

  // The loop takes one task a turn, whatever is there.
  explicit TaskTurns(bool one_at_a_time) : one_at_a_time_(one_at_a_time) {}

  // Adds a task. True: no turn was asked for, and the caller must do that now.
  bool Add(Closure task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    return !std::exchange(asked_, true);
  }

  // No turn could be asked for after all, so the next Add has to.
  void NotAsked() {
    const std::lock_guard lock(mutex_);
    asked_ = false;
  }

  // Runs a turn: calls `run` with each task until `stopped()`. True: tasks are left, and the caller
  // must ask for another turn, as it must if `run` throws.
  template <class Run, class Stopped>
  bool Turn(const Run& run, const Stopped& stopped) {
    const SteadyTime begin = std::chrono::steady_clock::now();
    std::size_t left = Size();
    for (int generation = 0; generation < kGenerations; ++generation) {
      if (one_at_a_time_ && left > 1) left = 1;
      for (; left > 0 && !stopped(); --left) {
        Closure task = Take();
        run(task);
      }
      left = Size();
      if (left == 0 || one_at_a_time_ || std::chrono::steady_clock::now() - begin > kBrief) break;
    }
    const std::lock_guard lock(mutex_);
    asked_ = !tasks_.empty();
    return asked_;
  }

  // Destroys the tasks that are left.
  void Clear() {
    std::deque<Closure> left;
    const std::lock_guard lock(mutex_);
    left.swap(tasks_);
  }

 private:
  static constexpr int kGenerations = 3;

  [[nodiscard]] std::size_t Size() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }
  Closure Take() {
    const std::lock_guard lock(mutex_);
    Closure task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

  const bool one_at_a_time_;
  mutable std::mutex mutex_;
  std::deque<Closure> tasks_;
  bool asked_ = false;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_TASK_TURNS_H_
