// client/blocking.h
//
// BlockingCall: blocks a thread until work on the loop is over: a request, a stream of events. Ends
// when the loop completes it, at the caller's stop request or timeout, or when the loop is
// destroyed.

#ifndef KINFORMER_CLIENT_BLOCKING_H_
#define KINFORMER_CLIENT_BLOCKING_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"

namespace kinformer::internal::client {

// The loop's side of a blocking call. Derived classes start the work in Begin and call Complete
// when it is over. Begin, End and the derived class's callbacks run on the loop.
class BlockingCall : public std::enable_shared_from_this<BlockingCall> {
 public:
  explicit BlockingCall(Env& env) : env_(env), monitor_(env.NewMonitor()) {}
  virtual ~BlockingCall() = default;

  // Blocks until `call` ends. kWouldDeadlock on a thread of the loop. `on_wake`, if any, is called
  // on this thread, without locks, after each Wake and before Run returns; if it returns false, the
  // call is cancelled and Run returns OK; its exceptions are rethrown once the call has ended.
  static Result<void> Run(const std::shared_ptr<BlockingCall>& call, const CallOptions& options,
                          const std::function<bool()>& on_wake = {});

 protected:
  // Starts the work.
  virtual void Begin() = 0;
  // Ends the work. No callbacks follow.
  virtual void End() = 0;

  // Ends the call with `result`, and calls End. Loop only; only the first call has an effect.
  void Complete(Result<void> result);
  // Makes the waiting thread call on_wake.
  void Wake();

  Env& env() const { return env_; }
  Monitor& monitor() const { return *monitor_; }

 private:
  class AbandonGuard;
  void MarkDone(Result<void> result);
  // Waits; returns true if the call has ended.
  bool WaitForWake();

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  bool ended_ = false;  // loop only
  // Guarded by monitor_.
  bool done_ = false;
  bool woken_ = false;
  std::optional<Error> error_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_BLOCKING_H_
