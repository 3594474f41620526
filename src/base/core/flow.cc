#include "kinformer/internal/flow.h"

#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"

namespace kinformer::internal {

void Flow::Resume(std::coroutine_handle<> at) {
  const std::shared_ptr<Flow> self = shared_from_this();  // the owner may leave meanwhile
  at_ = at;
  if (turns_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
  bool ended = false;
  do {
    next_ = std::exchange(at_, nullptr);
    while (next_ && wanted()) std::exchange(next_, nullptr).resume();
    ended = Ended();
  } while (turns_.fetch_sub(1, std::memory_order_acq_rel) != 1);
  if (ended && wanted()) Deliver();
}

void SpawnedFlow::Continue(std::coroutine_handle<> at) {
  executor_.Post(
      [self = std::static_pointer_cast<SpawnedFlow>(shared_from_this()), at] { self->Resume(at); });
}

void BlockingFlow::Continue(std::coroutine_handle<> at) {
  {
    const MonitorLock lock(*monitor_);
    waiting_ = at;
  }
  // Without the lock, for which the woken thread would have to wait at once. The caller keeps this.
  monitor_->NotifyAll();
}

void BlockingFlow::RunToItsEnd(std::coroutine_handle<> at) {
  Resume(at);
  while (!delivered_) {
    std::coroutine_handle<> next;
    {
      MonitorLock lock(*monitor_);
      while (!waiting_) lock.Wait();
      next = std::exchange(waiting_, nullptr);
    }
    Resume(next);
  }
}

std::optional<Error> WhyNotBlock(Env& env) {
  if (!env.OnLoopThread()) return std::nullopt;
  return base::WouldDeadlock(env,
                             "a blocking request on an event loop's thread: make it from a "
                             "handler, a worker or main");
}

Error ReportTaskThrew(Env& env) { return base::ReportThrown(env, "spawned task"); }

void CallDone(Env& env, const std::function<void()>& done) {
  static_cast<void>(base::CallUser(env, "function of a spawned task", done));
}

}  // namespace kinformer::internal
