// kinformer/internal/flow.h
//
// Flow: a coroutine that was started, together with those that it awaits. Untyped half of Task<T>.

#ifndef KINFORMER_INTERNAL_FLOW_H_
#define KINFORMER_INTERNAL_FLOW_H_

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

namespace kinformer::internal {

struct TaskAccess;

// At most one coroutine of a flow runs or waits, and the others await it. A stretch from one wait
// to the next is a turn. Whatever it waits for calls Continue once, on any thread, and may do so
// while the turn that began the wait has not ended: the turn then goes on by itself.
class Flow : public std::enable_shared_from_this<Flow> {
 public:
  Flow() = default;
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  virtual ~Flow() = default;

  // Returns whether someone still waits for the result. Thread-safe.
  [[nodiscard]] bool wanted() const { return wanted_.load(std::memory_order_acquire); }

  // ---- For awaitables.
  // Continues `at`, which has been waiting, where the flow runs. Thread-safe.
  virtual void Continue(std::coroutine_handle<> at) = 0;
  // Continues `at` as soon as the coroutine that runs now is suspended.
  void Next(std::coroutine_handle<> at) { next_ = at; }

 protected:
  // Takes a turn on this thread. The caller may be destroyed meanwhile; this is not.
  void Resume(std::coroutine_handle<> at);
  // Nobody wants the result any more: no coroutine runs after the next co_await.
  void Leave() { wanted_.store(false, std::memory_order_release); }

 private:
  // Returns whether the first coroutine has ended. Called within a turn.
  [[nodiscard]] virtual bool Ended() const = 0;
  // Called once, when it has ended and is wanted.
  virtual void Deliver() = 0;

  std::atomic<bool> wanted_{true};
  std::atomic<int> turns_{0};     // the turn under way, and the one that waits for its end
  std::coroutine_handle<> at_{};  // begins the next turn
  std::coroutine_handle<> next_{};
};

// State that the promises of all tasks have. Each task starts when it is awaited, and continues its
// caller at its end.
class PromiseBase {
 public:
  [[nodiscard]] Flow* flow() const { return flow_; }
  void Join(Flow* flow, std::coroutine_handle<> caller) {
    flow_ = flow;
    caller_ = caller;
  }
  void RethrowIfThrown() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

  // ---- Called by the compiler.
  struct ToCaller {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      const PromiseBase& promise = ended.promise();
      if (promise.caller_) promise.flow_->Next(promise.caller_);
    }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] ToCaller final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

 private:
  Flow* flow_ = nullptr;
  std::coroutine_handle<> caller_{};
  std::exception_ptr thrown_{};
};

// A flow on an executor. Whatever it waits for keeps it.
class SpawnedFlow : public Flow {
 public:
  explicit SpawnedFlow(Executor& executor) : executor_(executor) {}
  // Posts: the caller may hold locks, or be inside of a callback of what ends.
  void Continue(std::coroutine_handle<> at) override;

 private:
  Executor& executor_;
};

// A flow on a thread that waits for its end.
class BlockingFlow : public Flow {
 public:
  explicit BlockingFlow(Env& env) : monitor_(env.NewMonitor()) {}
  void Continue(std::coroutine_handle<> at) override;

 protected:
  void RunToItsEnd(std::coroutine_handle<> at);

 private:
  void Deliver() override { delivered_ = true; }

  const std::unique_ptr<Monitor> monitor_;
  std::coroutine_handle<> waiting_{};  // guarded by monitor_
  bool delivered_ = false;             // of the waiting thread
};

// Returns the error of a call that would block a loop; empty if it may block. Logs it.
[[nodiscard]] std::optional<Error> WhyNotBlock(Env& env);
// Logs and counts the exception that is being handled, which left a task.
Error ReportTaskThrew(Env& env);
// Calls a function of the program; an exception is logged and counted.
void CallDone(Env& env, const std::function<void()>& done);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_FLOW_H_
