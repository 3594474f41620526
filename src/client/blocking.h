// client/blocking.h
//
// BlockingCall: a thread waits for something that the loop does: a request, a stream of events.
// Ends when the loop says so, when the caller's stop token or time says so, or when the loop is
// gone.

#ifndef KINFORMER_CLIENT_BLOCKING_H_
#define KINFORMER_CLIENT_BLOCKING_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

namespace kinformer::internal::client {

// The loop's side of a blocking call. Derive, start the work in Begin, call Complete when it is
// over. Begin, End and the derived class's callbacks run on the loop.
class BlockingCall : public std::enable_shared_from_this<BlockingCall> {
 public:
  explicit BlockingCall(Env& env) : env_(env), monitor_(env.NewMonitor()) {}
  virtual ~BlockingCall() = default;

  // Runs `call` to its end. kWouldDeadlock on a loop's thread. `on_wake`, if any, is called on this
  // thread, under no lock, whenever the loop has called Wake and before Run returns; false from it
  // cancels the call with OK; what it throws is thrown on, once the call has ended.
  static Result<void> Run(const std::shared_ptr<BlockingCall>& call, const CallOptions& options,
                          const std::function<bool()>& on_wake = {});

 protected:
  // Starts the work.
  virtual void Begin() = 0;
  // Ends the work: no callbacks after this.
  virtual void End() = 0;

  // The work is over. Calls End. Loop only; later calls change nothing.
  void Complete(Result<void> result);
  // Has the waiting thread call on_wake.
  void Wake();

  Env& env() const { return env_; }
  Monitor& monitor() const { return *monitor_; }

 private:
  class AbandonGuard;
  void MarkDone(Result<void> result);
  // Whether it is the end that ends the wait.
  bool WaitForWake();

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  bool ended_ = false;  // loop only
  // Under monitor_.
  bool done_ = false;
  bool woken_ = false;
  std::optional<Error> error_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_BLOCKING_H_
