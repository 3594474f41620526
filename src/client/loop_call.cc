#include "client/loop_call.h"

#include <exception>
#include <utility>

#include "base/core/deadline.h"

namespace kinformer::internal::client {
namespace {

Error Stopped() { return Error(Reason::kCanceled, "the caller has stopped the request"); }

}  // namespace

// Owned by the task that starts the call. If the loop is gone, the task is destroyed without
// running, and this ends the call, so that the caller does not wait for ever.
class LoopCall::AbandonGuard {
 public:
  explicit AbandonGuard(std::shared_ptr<LoopCall> call) : call_(std::move(call)) {}
  AbandonGuard(AbandonGuard&&) noexcept = default;
  AbandonGuard& operator=(AbandonGuard&&) = delete;
  ~AbandonGuard() {
    if (call_ != nullptr) call_->MarkDone(Error(Reason::kStopped, "the event loop has ended"));
  }
  std::shared_ptr<LoopCall> Take() { return std::exchange(call_, nullptr); }

 private:
  std::shared_ptr<LoopCall> call_;
};

Task<Result<void>> LoopCall::Run(std::shared_ptr<LoopCall> call, CallOptions options,
                                 std::function<bool()> on_wake) {
  if (options.stop.stop_requested()) co_return Stopped();
  call->Start(std::move(options));
  bool cancelled = false;
  std::exception_ptr thrown;  // by on_wake; rethrown once the call has ended
  std::optional<Result<void>> outcome;
  while (true) {
    co_await call->signal_.Wait();
    outcome = call->Outcome();
    if (on_wake && !cancelled) {
      try {
        cancelled = !on_wake();
      } catch (...) {
        thrown = std::current_exception();
        cancelled = true;
      }
      if (cancelled) call->CancelLater({});
    }
    if (outcome) break;
  }
  if (thrown) std::rethrow_exception(thrown);
  if (cancelled) co_return Result<void>();
  co_return *std::move(outcome);
}

void LoopCall::Start(CallOptions options) {
  const SteadyTime deadline = options.timeout > Duration::zero()
                                  ? base::After(env_.Now(), options.timeout)
                                  : SteadyTime::max();
  env_.loop().Post([guard = AbandonGuard(shared_from_this()), options = std::move(options),
                    deadline]() mutable { guard.Take()->BeginOnLoop(options, deadline); });
}

void LoopCall::BeginOnLoop(const CallOptions& options, SteadyTime deadline) {
  if (options.stop.stop_possible()) {
    on_stop_.emplace(options.stop, [weak = weak_from_this()] {
      if (const std::shared_ptr<LoopCall> self = weak.lock()) self->CancelLater(Stopped());
    });
  }
  if (deadline < SteadyTime::max()) {
    deadline_ = env_.loop().RunAt(deadline, [weak = weak_from_this()] {
      const std::shared_ptr<LoopCall> self = weak.lock();
      if (self == nullptr) return;
      self->Complete(
          Error(Reason::kDeadlineExceeded, "the request took longer than the caller allows"));
    });
  }
  Begin();
}

void LoopCall::CancelLater(Result<void> why) {
  env_.loop().Post([self = shared_from_this(), why = std::move(why)]() mutable {
    self->Complete(std::move(why));
  });
}

void LoopCall::Complete(Result<void> result) {
  if (std::exchange(ended_, true)) return;
  const std::shared_ptr<LoopCall> self = shared_from_this();
  on_stop_.reset();
  deadline_ = Timer();
  End();
  MarkDone(std::move(result));
}

void LoopCall::MarkDone(Result<void> result) {
  {
    const base::MutexLock lock(mutex_);
    outcome_ = std::move(result);
  }
  signal_.Notify();
}

std::optional<Result<void>> LoopCall::Outcome() const {
  const base::MutexLock lock(mutex_);
  return outcome_;
}

}  // namespace kinformer::internal::client
