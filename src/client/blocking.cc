#include "client/blocking.h"

#include <exception>
#include <stop_token>

#include "base/core/deadline.h"
#include "base/core/would_deadlock.h"

namespace kinformer::internal::client {

// Owned by the task that starts the call. If the loop is gone, the task is destroyed without
// running, and this ends the call, so that the caller does not wait for ever.
class BlockingCall::AbandonGuard {
 public:
  explicit AbandonGuard(std::shared_ptr<BlockingCall> call) : call_(std::move(call)) {}
  AbandonGuard(AbandonGuard&&) noexcept = default;
  AbandonGuard& operator=(AbandonGuard&&) = delete;
  ~AbandonGuard() {
    if (call_ != nullptr) call_->MarkDone(Error(Reason::kStopped, "the event loop has ended"));
  }
  std::shared_ptr<BlockingCall> Take() { return std::exchange(call_, nullptr); }

 private:
  std::shared_ptr<BlockingCall> call_;
};

Result<void> BlockingCall::Run(const std::shared_ptr<BlockingCall>& call,
                               const CallOptions& options, const std::function<bool()>& on_wake) {
  Env& env = call->env_;
  if (env.OnLoopThread()) {
    return base::WouldDeadlock(env,
                               "a blocking request on an event loop's thread: make it from a "
                               "handler, a worker or main");
  }
  if (options.stop.stop_requested())
    return Error(Reason::kCanceled, "the caller has stopped the request");
  env.loop().Post([guard = AbandonGuard(call)]() mutable {
    const std::shared_ptr<BlockingCall> self = guard.Take();
    if (!self->ended_) self->Begin();
  });
  const auto cancel = [&env, call](Result<void> why) {
    env.loop().Post([call, why = std::move(why)]() mutable { call->Complete(std::move(why)); });
  };
  // The stop callback may run on any thread, so it only posts to the loop.
  const std::stop_callback on_stop(options.stop, [&cancel] {
    cancel(Error(Reason::kCanceled, "the caller has stopped the request"));
  });
  Timer deadline;
  if (options.timeout > Duration::zero()) {
    deadline = env.loop().RunAt(base::After(env.Now(), options.timeout), [call] {
      call->Complete(
          Error(Reason::kDeadlineExceeded, "the request took longer than the caller allows"));
    });
  }

  bool cancelled = false;
  std::exception_ptr thrown;  // by on_wake, on the caller's thread; rethrown to the caller
  while (true) {
    const bool done = call->WaitForWake();
    if (on_wake && !cancelled) {
      try {
        cancelled = !on_wake();
      } catch (...) {
        thrown = std::current_exception();
        cancelled = true;
      }
      if (cancelled) cancel(Result<void>());
    }
    if (done) break;
  }
  if (thrown) std::rethrow_exception(thrown);
  MonitorLock lock(*call->monitor_);
  if (call->error_ && !cancelled) return *call->error_;
  return {};
}

void BlockingCall::Complete(Result<void> result) {
  if (ended_) return;
  ended_ = true;
  End();
  MarkDone(std::move(result));
}

void BlockingCall::MarkDone(Result<void> result) {
  MonitorLock lock(*monitor_);
  done_ = true;
  if (!result) error_ = std::move(result).error();
  monitor_->NotifyAll();
}

bool BlockingCall::WaitForWake() {
  MonitorLock lock(*monitor_);
  while (!done_ && !woken_) lock.Wait();
  woken_ = false;
  return done_;
}

void BlockingCall::Wake() {
  MonitorLock lock(*monitor_);
  woken_ = true;
  monitor_->NotifyAll();
}

}  // namespace kinformer::internal::client
