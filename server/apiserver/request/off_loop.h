// apiserver/request/off_loop.h
//
// OffLoop: runs work on requests that would block the loop for too long on another thread, and
// returns the result to the loop.

#ifndef KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_
#define KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_

#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kinformer/base/env.h"

#include "apiserver/request/async.h"
#include "base/core/own_calls.h"

namespace kinformer::apiserver {

template <class Work>
class OffLoopWork;

// Loop-confined. Uses one thread, made on first use, which handles large bodies one by one while
// the loop serves other requests. Destruction waits for the work under way, so objects used by
// `work` must outlive this.
class OffLoop {
 public:
  explicit OffLoop(Env& env) : env_(env) {}
  OffLoop(const OffLoop&) = delete;
  OffLoop& operator=(const OffLoop&) = delete;
  ~OffLoop();

  // Returns whether work on that many bytes takes too long for a turn of the loop.
  [[nodiscard]] static bool IsMuch(std::size_t bytes) { return bytes > kMuch; }

  // Awaits the result of `work` over that many bytes: runs it at once if there is little to do,
  // else on the other thread. `work` may use variables of the coroutine and of its callers, which
  // stay until it has ended, even if nobody waits for the result any more. An exception of `work`
  // reaches the coroutine.
  template <class Work>
  [[nodiscard]] OffLoopWork<Work> Do(std::size_t bytes, Work work) {
    return OffLoopWork<Work>(IsMuch(bytes) ? this : nullptr, std::move(work));
  }
  // The same, always on the other thread.
  template <class Work>
  [[nodiscard]] OffLoopWork<Work> Do(Work work) {
    return OffLoopWork<Work>(this, std::move(work));
  }

  // Owns the work under way; destroying it cancels what has not run.
  using Ticket = std::shared_ptr<void>;
  // Runs `work` on the other thread, then `then` on the loop, unless the ticket was destroyed
  // before. Both are destroyed on the other thread.
  [[nodiscard]] Ticket Start(std::function<void()> work, std::function<void()> then);

 private:
  template <class Work>
  friend class OffLoopWork;

  // About two milliseconds of work, for the worst content of that size.
  static constexpr std::size_t kMuch = std::size_t{16} << 10;

  // Work of a coroutine, which waits at `at` in `flow`. Holding the flow keeps the variables.
  struct Job {
    std::shared_ptr<Flow> flow{};
    std::coroutine_handle<> at{};
    std::function<void()> work{};
  };
  using Jobs = std::list<Job>;

  Executor& Thread();
  void Begin(std::shared_ptr<Flow> flow, std::coroutine_handle<> at, std::function<void()> work);
  void End(Jobs::iterator job);

  Env& env_;
  std::unique_ptr<Loop> loop_{};
  Jobs jobs_{};
  const internal::base::OwnCalls own_calls_{};
};

// Awaitable of OffLoop::Do.
template <class Work>
class OffLoopWork {
 public:
  using Value = std::invoke_result_t<Work&>;
  static_assert(std::is_trivially_destructible_v<Work>,
                "kinformer: capture by reference: the variables stay until the work has ended, and "
                "g++ 12 destroys other captures twice");

  // `elsewhere`: null to run `work` at once.
  OffLoopWork(OffLoop* elsewhere, Work work) : elsewhere_(elsewhere), work_(std::move(work)) {}
  OffLoopWork(const OffLoopWork&) = delete;
  OffLoopWork& operator=(const OffLoopWork&) = delete;

  [[nodiscard]] bool await_ready() {
    if (elsewhere_ == nullptr) Run();
    return elsewhere_ == nullptr;
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> at) {
    elsewhere_->Begin(at.promise().flow()->shared_from_this(), at, [this] { Run(); });
  }
  Value await_resume() {
    if (thrown_) std::rethrow_exception(thrown_);
    if constexpr (!std::is_void_v<Value>) return *std::move(value_);
  }

 private:
  struct Nothing {};

  void Run() {
    try {
      if constexpr (std::is_void_v<Value>) {
        work_();
      } else {
        value_.emplace(work_());
      }
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  OffLoop* const elsewhere_;
  Work work_;
  std::optional<std::conditional_t<std::is_void_v<Value>, Nothing, Value>> value_{};
  std::exception_ptr thrown_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_
