// base/loop/signal.h
//
// Signal: lets a coroutine wait for a notification of another thread.

#ifndef KINFORMER_BASE_LOOP_SIGNAL_H_
#define KINFORMER_BASE_LOOP_SIGNAL_H_

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/internal/flow.h"

#include "base/core/mutex.h"

namespace kinformer::internal::base {

// Remembers one notification, however many there were. For one waiter at a time, which asks again
// what it waits for, as with a Monitor:
//
//   while (!call->ended()) co_await call->signal().Wait();
//
// A signal that waits keeps the waiting flow, and so must outlive the wait. Thread-safe.
class Signal {
 public:
  class Waiting {
   public:
    explicit Waiting(Signal& signal) : signal_(signal) {}
    [[nodiscard]] bool await_ready() const { return signal_.Taken(); }
    template <class Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> at) const {
      return signal_.Register(at.promise().flow()->shared_from_this(), at);
    }
    void await_resume() const noexcept {}

   private:
    Signal& signal_;
  };

  void Notify() {
    std::shared_ptr<Flow> flow;
    std::coroutine_handle<> at;
    {
      const MutexLock lock(mutex_);
      flow = std::move(flow_);
      at = at_;
      notified_ = flow == nullptr;
    }
    if (flow != nullptr) flow->Continue(at);
  }

  // Awaits the next notification; one that has come already counts.
  [[nodiscard]] Waiting Wait() { return Waiting(*this); }

 private:
  bool Taken() {
    const MutexLock lock(mutex_);
    return std::exchange(notified_, false);
  }
  // Returns false if there is nothing to wait for.
  bool Register(std::shared_ptr<Flow> flow, std::coroutine_handle<> at) {
    const MutexLock lock(mutex_);
    if (std::exchange(notified_, false)) return false;
    flow_ = std::move(flow);
    at_ = at;
    return true;
  }

  Mutex mutex_;
  bool notified_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::shared_ptr<Flow> flow_ KINFORMER_GUARDED_BY(mutex_);  // null: nobody waits
  std::coroutine_handle<> at_ KINFORMER_GUARDED_BY(mutex_){};
};

// Notifies a signal when `stop` is requested, and at `deadline`; for the time of a wait. `signal`
// may outlive this.
class Limits {
 public:
  Limits(Env& env, const std::shared_ptr<Signal>& signal, const std::stop_token& stop,
         std::optional<SteadyTime> deadline)
      : on_stop_(stop, [signal] { signal->Notify(); }) {
    if (deadline) timer_ = env.loop().RunAt(*deadline, [signal] { signal->Notify(); });
  }
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

 private:
  const std::stop_callback<std::function<void()>> on_stop_;
  Timer timer_;
};

// Calls `check` until it returns a result: now, after each notification, at `deadline`, and when
// `stop` is requested. `env` must outlive it.
Task<Result<void>> AwaitUntil(Env& env, std::shared_ptr<Signal> signal, std::stop_token stop,
                              std::optional<SteadyTime> deadline,
                              std::function<std::optional<Result<void>>()> check);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_SIGNAL_H_
