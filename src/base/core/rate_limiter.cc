#include "kinformer/base/rate_limiter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/internal/token_bucket.h"

#include "base/core/deadline.h"
#include "base/core/mutex.h"
#include "base/core/reserving_limiter.h"
#include "base/core/would_deadlock.h"

namespace kinformer::flowcontrol {
namespace {

using internal::base::MutexLock;

Error StoppedError() { return {Reason::kStopped, "the rate limiter is stopped"}; }

// A call that waits. Each has a monitor of its own, so that a limiter which nobody waits for needs
// nothing of the Env.
struct Waiter {
  explicit Waiter(Env& env) : monitor(env.NewMonitor()) {}
  void End() {
    const MonitorLock lock(*monitor);
    ended = true;
    monitor->NotifyAll();
  }
  // Returns whether it was ended before that time.
  bool WaitUntil(Env& env, SteadyTime time) {
    MonitorLock lock(*monitor);
    while (!ended && env.Now() < time) lock.WaitUntil(time);
    return ended;
  }

  const std::unique_ptr<Monitor> monitor;
  bool ended = false;  // guarded by monitor
};

// The calls that wait for one limiter.
class Waiters {
 public:
  void Add(Waiter& waiter) { waiting_.push_back(&waiter); }
  void Remove(Waiter& waiter) { std::erase(waiting_, &waiter); }
  void EndAll() {
    for (Waiter* waiter : waiting_) waiter->End();
  }

 private:
  std::vector<Waiter*> waiting_;
};

class TokenBucketRateLimiter final : public internal::base::ReservingLimiter {
 public:
  TokenBucketRateLimiter(Env& env, double qps, int burst)
      : env_(env), qps_(qps), burst_(std::max(burst, 1)), bucket_(qps, burst) {}

  bool TryAccept() override {
    const MutexLock lock(mutex_);
    if (stopped_) return false;
    if (bucket_.Reserve(env_.Now()) <= Duration::zero()) return true;
    bucket_.Return();
    return false;
  }
  void Stop() override {
    const MutexLock lock(mutex_);
    stopped_ = true;
    waiters_.EndAll();
  }
  [[nodiscard]] double QPS() const override { return qps_; }
  [[nodiscard]] int burst() const override { return burst_; }

  [[nodiscard]] std::optional<Duration> Reserve() override {
    const MutexLock lock(mutex_);
    if (stopped_) return std::nullopt;
    return bucket_.Reserve(env_.Now());
  }
  void Return() override {
    const MutexLock lock(mutex_);
    bucket_.Return();
  }

  void Accept() override { (void)Wait(std::stop_token(), SteadyTime::max()); }
  Result<void> Wait(const std::stop_token& stop, SteadyTime deadline) override {
    if (env_.OnLoopThread()) {
      return internal::base::WouldDeadlock(
          env_, "RateLimiter::Wait blocks and was called on an event loop; use TryAccept there");
    }
    if (stop.stop_requested()) return CanceledError();
    Waiter waiter(env_);
    SteadyTime ready{};
    {
      const MutexLock lock(mutex_);
      if (stopped_) return StoppedError();
      const SteadyTime now = env_.Now();
      const Duration wait = bucket_.Reserve(now);
      if (wait <= Duration::zero()) return {};
      ready = internal::base::After(now, wait);
      if (ready > deadline) {
        bucket_.Return();
        return Error(Reason::kDeadlineExceeded,
                     "the rate limiter has no token before the deadline; raise its rate");
      }
      waiters_.Add(waiter);
    }
    const std::stop_callback on_stop(stop, [&waiter] { waiter.End(); });
    const bool ended = waiter.WaitUntil(env_, ready);
    const MutexLock lock(mutex_);
    waiters_.Remove(waiter);
    if (!ended) return {};
    bucket_.Return();
    return stopped_ ? StoppedError() : CanceledError();
  }

 private:
  static Error CanceledError() {
    return {Reason::kCanceled, "a stop was requested while the call waited for the rate limiter"};
  }

  Env& env_;
  const double qps_;
  const int burst_;
  internal::base::Mutex mutex_;
  internal::TokenBucket bucket_ KINFORMER_GUARDED_BY(mutex_);
  Waiters waiters_ KINFORMER_GUARDED_BY(mutex_);
  bool stopped_ KINFORMER_GUARDED_BY(mutex_) = false;
};

class FakeAlwaysRateLimiter final : public RateLimiter {
 public:
  bool TryAccept() override { return true; }
  void Stop() override {}
  [[nodiscard]] double QPS() const override { return 1; }
  void Accept() override {}
  Result<void> Wait(const std::stop_token& /*stop*/, SteadyTime /*deadline*/) override {
    return {};
  }
};

class FakeNeverRateLimiter final : public RateLimiter {
 public:
  explicit FakeNeverRateLimiter(Env& env) : env_(env) {}
  bool TryAccept() override { return false; }
  void Stop() override {
    const MutexLock lock(mutex_);
    stopped_ = true;
    waiters_.EndAll();
  }
  [[nodiscard]] double QPS() const override { return 1; }
  void Accept() override {
    if (env_.OnLoopThread()) {
      (void)internal::base::WouldDeadlock(
          env_, "RateLimiter::Accept blocks and was called on an event loop");
      return;
    }
    Waiter waiter(env_);
    {
      const MutexLock lock(mutex_);
      if (stopped_) return;
      waiters_.Add(waiter);
    }
    waiter.WaitUntil(env_, SteadyTime::max());
    const MutexLock lock(mutex_);
    waiters_.Remove(waiter);
  }
  Result<void> Wait(const std::stop_token& /*stop*/, SteadyTime /*deadline*/) override {
    return Error(Reason::kStopped, "this rate limiter never lets anything pass");
  }

 private:
  Env& env_;
  internal::base::Mutex mutex_;
  Waiters waiters_ KINFORMER_GUARDED_BY(mutex_);
  bool stopped_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace

std::shared_ptr<RateLimiter> NewTokenBucketRateLimiter(Env& env, double qps, int burst) {
  return std::make_shared<TokenBucketRateLimiter>(env, qps, burst);
}

std::shared_ptr<PassiveRateLimiter> NewTokenBucketPassiveRateLimiter(Env& env, double qps,
                                                                     int burst) {
  return NewTokenBucketRateLimiter(env, qps, burst);
}

std::shared_ptr<RateLimiter> NewFakeAlwaysRateLimiter() {
  return std::make_shared<FakeAlwaysRateLimiter>();
}

std::shared_ptr<RateLimiter> NewFakeNeverRateLimiter(Env& env) {
  return std::make_shared<FakeNeverRateLimiter>(env);
}

}  // namespace kinformer::flowcontrol
