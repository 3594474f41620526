// client/loop_call.h
//
// LoopCall: work on the loop for which a coroutine or a thread waits: a request, a stream of
// events. Ends when the loop completes it, at the caller's stop request or timeout, or when the
// loop is destroyed.

#ifndef KINFORMER_CLIENT_LOOP_CALL_H_
#define KINFORMER_CLIENT_LOOP_CALL_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/client/request_options.h"

#include "base/core/mutex.h"
#include "base/loop/signal.h"

namespace kinformer::internal::client {

// The loop's side of a call. Derived classes start the work in Begin and call Complete when it is
// over. Begin, End and the derived class's callbacks run on the loop.
class LoopCall : public std::enable_shared_from_this<LoopCall> {
 public:
  explicit LoopCall(Env& env) : env_(env) {}
  virtual ~LoopCall() = default;

  // Runs `call` to its end. `on_wake`, if any, is called in the task after each Wake and before the
  // end; if it returns false, the call is cancelled and the task returns OK; its exceptions are
  // rethrown once the call has ended.
  static Task<Result<void>> Run(std::shared_ptr<LoopCall> call, CallOptions options,
                                std::function<bool()> on_wake = {});

 protected:
  // Starts the work.
  virtual void Begin() = 0;
  // Ends the work. No callbacks follow.
  virtual void End() = 0;

  // Ends the call with `result`, and calls End. Loop only; only the first call has an effect.
  void Complete(Result<void> result);
  // Makes the task call on_wake.
  void Wake() { signal_.Notify(); }

  Env& env() const { return env_; }

 private:
  class AbandonGuard;
  void Start(CallOptions options);
  void BeginOnLoop(const CallOptions& options, SteadyTime deadline);
  // Completes with `why`, on the loop.
  void CancelLater(Result<void> why);
  void MarkDone(Result<void> result);
  // Returns the result, once the call has ended.
  std::optional<Result<void>> Outcome() const;

  Env& env_;
  base::Signal signal_;
  // Loop only.
  bool ended_ = false;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  Timer deadline_;

  mutable base::Mutex mutex_;
  std::optional<Result<void>> outcome_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LOOP_CALL_H_
