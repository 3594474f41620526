// client/tools/running_calls.h
//
// RunningCalls: lets a destructor wait until the loop has let go of what it started.

#ifndef KINFORMER_CLIENT_TOOLS_RUNNING_CALLS_H_
#define KINFORMER_CLIENT_TOOLS_RUNNING_CALLS_H_

#include <cstddef>
#include <memory>

#include "kinformer/base/env.h"

namespace kinformer::internal::client {

// Thread-safe. Always owned by a shared_ptr.
class RunningCalls : public std::enable_shared_from_this<RunningCalls> {
 public:
  explicit RunningCalls(Env& env) : env_(env), monitor_(env.NewMonitor()) {}

  // Returns what a call keeps while it runs.
  [[nodiscard]] std::shared_ptr<void> Begin() {
    const MonitorLock lock(*monitor_);
    ++running_;
    return {nullptr, [self = shared_from_this()](std::nullptr_t) { self->End(); }};
  }
  // Waits until all have ended. Does not wait on a thread of a loop, which may be theirs.
  void Wait() {
    if (env_.OnLoopThread()) return;
    MonitorLock lock(*monitor_);
    while (running_ > 0) lock.Wait();
  }

 private:
  void End() {
    const MonitorLock lock(*monitor_);
    --running_;
    monitor_->NotifyAll();
  }

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  std::size_t running_ = 0;  // guarded by monitor_
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_RUNNING_CALLS_H_
