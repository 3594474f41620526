// kinformer/base/task.h
//
// Task<T>: a coroutine that returns a T. Programs that wait for many things at once are written
// with it from top to bottom, without a thread for each wait.
//
//   Task<Result<void>> Restart(AsyncResourceClient<corev1::Pod> pods, std::string name) {
//     Result<Ref<corev1::Pod>> pod = co_await pods.Get(name);
//     if (!pod) co_return pod.error();
//     co_return co_await pods.Delete(name);
//   }
//   ...
//   Spawn(env, Restart(pods, "web-0"), [](Result<void> done) { ... });  // returns at once
//   Result<void> done = BlockOn(env, Restart(pods, "web-0"));           // waits
//
// Guarantees:
//  * A task begins when it is awaited, or given to Spawn or BlockOn, and not before. Destroying one
//    that has not begun destroys the coroutine's parameters, and nothing runs.
//  * Of a task and all that it awaits, at most one coroutine runs at a time, so they need no locks
//    among themselves. Between two co_await it may run on different threads of one executor.
//  * A co_await that has something to wait for never blocks a thread, except in BlockOn.
//  * An exception that leaves a coroutine reaches the one that awaits it. BlockOn throws it to its
//    caller; Spawn logs and counts it like that of any function of the program.
//
// A coroutine's parameters should be values: references and views may have ended when it begins.
// Cancellation and deadlines are those of the calls it makes (CallOptions).
//
// With g++ 12, an expression with co_await must not contain a lambda that captures values, or an
// aggregate in braces: it would be destroyed twice. A variable before it is safe.
//
// Counterpart: none in client-go, where a goroutine blocks.

#ifndef KINFORMER_BASE_TASK_H_
#define KINFORMER_BASE_TASK_H_

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/flow.h"

namespace kinformer {

template <class T>
class Task;

namespace internal {

template <class T>
class TaskPromise : public PromiseBase {
 public:
  std::coroutine_handle<TaskPromise> get_return_object() {
    return std::coroutine_handle<TaskPromise>::from_promise(*this);
  }
  template <class U = T>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T Take() {
    RethrowIfThrown();
    return *std::move(value_);
  }

 private:
  std::optional<T> value_{};
};

template <>
class TaskPromise<void> : public PromiseBase {
 public:
  std::coroutine_handle<TaskPromise> get_return_object() {
    return std::coroutine_handle<TaskPromise>::from_promise(*this);
  }
  void return_void() const noexcept {}
  void Take() const { RethrowIfThrown(); }
};

template <class Promise>
concept PromiseOfTask = std::is_base_of_v<PromiseBase, Promise>;

template <class Promise>
constexpr void ExplainForeignCoroutine() {
  static_assert(PromiseOfTask<Promise>,
                "co_await of kinformer's calls is for coroutines that return kinformer::Task; "
                "programs of boost::asio take kinformer/base/asio.h, others Spawn with a function");
}

}  // namespace internal

// See the head of this file. Movable. Thread-compatible.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<T>;
  using value_type = T;

  Task(std::coroutine_handle<promise_type> handle)  // NOLINT(google-explicit-constructor)
      : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // ---- For co_await, which may happen once.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) const {
    internal::ExplainForeignCoroutine<Promise>();
    if constexpr (internal::PromiseOfTask<Promise>) {
      caller.promise().flow()->Next(Join(*caller.promise().flow(), caller));
    }
  }
  T await_resume() const { return handle_.promise().Take(); }

 private:
  friend struct internal::TaskAccess;

  std::coroutine_handle<> Join(internal::Flow& flow, std::coroutine_handle<> caller) const {
    handle_.promise().Join(&flow, caller);
    return handle_;
  }

  std::coroutine_handle<promise_type> handle_;
};

namespace internal {

// Access to a task for those that start it.
struct TaskAccess {
  template <class T>
  static std::coroutine_handle<> Join(const Task<T>& task, Flow& flow) {
    return task.Join(flow, nullptr);
  }
  template <class T>
  static bool Done(const Task<T>& task) {
    return task.handle_.done();
  }
};

// A task that was started by Spawn: it keeps itself until it has ended.
template <class T>
class Spawned final : public SpawnedFlow {
 public:
  Spawned(Env& env, Executor& executor, Task<T> task, std::function<void(T)> done)
      : SpawnedFlow(executor), env_(env), task_(std::move(task)), done_(std::move(done)) {}
  void Begin() { Continue(TaskAccess::Join(*task_, *this)); }

 private:
  [[nodiscard]] bool Ended() const override { return TaskAccess::Done(*task_); }
  void Deliver() override {
    T result = Take();
    task_.reset();
    if (done_) CallDone(env_, [&] { done_(std::move(result)); });
  }
  T Take() {
    try {
      return task_->await_resume();
    } catch (...) {
      return ReportTaskThrew(env_);
    }
  }

  Env& env_;
  std::optional<Task<T>> task_;
  const std::function<void(T)> done_;
};

// A task for which a thread waits.
template <class T>
class Blocking final : public BlockingFlow {
 public:
  Blocking(Env& env, Task<T> task) : BlockingFlow(env), task_(std::move(task)) {}
  T Run() {
    RunToItsEnd(TaskAccess::Join(task_, *this));
    // The variables end on this thread, even if another one still holds the flow.
    const Task<T> ended = std::move(task_);
    return ended.await_resume();
  }

 private:
  [[nodiscard]] bool Ended() const override { return TaskAccess::Done(task_); }

  Task<T> task_;
};

template <class T>
inline constexpr bool kReturnsResult = false;
template <class T>
inline constexpr bool kReturnsResult<Result<T>> = true;

}  // namespace internal

// Starts `task` on `executor`, and returns at once. `done` is called there with its result. An
// exception of the task becomes an error, and one of `done` is logged and counted. If the executor
// ends before, the coroutine's variables are destroyed, and `done` is not called.
//
// On env.loop() a task must not block; on env.pool() it may for a while. `env` and `executor` must
// outlive it. Thread-safe.
template <class T>
  requires internal::kReturnsResult<T>
void Spawn(Env& env, Executor& executor, Task<T> task,
           std::type_identity_t<std::function<void(T)>> done = {}) {
  std::make_shared<internal::Spawned<T>>(env, executor, std::move(task), std::move(done))->Begin();
}
// Does the same on env.pool().
template <class T>
  requires internal::kReturnsResult<T>
void Spawn(Env& env, Task<T> task, std::type_identity_t<std::function<void(T)>> done = {}) {
  Spawn(env, env.pool(), std::move(task), std::move(done));
}
// Explains at compile time that what is spawned returns a Result.
template <class T, class... Rest>
  requires(!internal::kReturnsResult<T>)
void Spawn(Env& /*env*/, Task<T> /*task*/, const Rest&... /*rest*/) {
  static_assert(internal::kReturnsResult<T>,
                "Spawn takes a Task<Result<T>>, so that what fails has a place: return "
                "Task<Result<void>> and co_return Result<void>()");
}

// Runs `task` on the calling thread, blocks until it has ended, and returns its result.
// kWouldDeadlock on a thread of a loop. Throws what leaves the task.
template <class T>
  requires internal::kReturnsResult<T>
T BlockOn(Env& env, Task<T> task) {
  if (std::optional<Error> deadlock = internal::WhyNotBlock(env)) return *std::move(deadlock);
  return std::make_shared<internal::Blocking<T>>(env, std::move(task))->Run();
}

}  // namespace kinformer

#endif  // KINFORMER_BASE_TASK_H_
