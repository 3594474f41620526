// base/core/backoff.h
//
// BackoffManager: how long to wait before the next attempt at something that keeps failing.

#ifndef KINFORMER_BASE_CORE_BACKOFF_H_
#define KINFORMER_BASE_CORE_BACKOFF_H_

#include "kinformer/env.h"

#include "base/core/mutex.h"

namespace kinformer::internal::base {

// The defaults are those of client-go's reflector.
struct BackoffOptions {
  Duration initial{std::chrono::milliseconds(800)};
  double factor{2.0};
  Duration cap{std::chrono::seconds(30)};  // of the base delay; jitter comes on top
  double jitter{1.0};                      // the delay is drawn from [base, base * (1 + jitter))
  // After this long without a failure the sequence starts again; 0: only Reset starts it again.
  Duration reset{std::chrono::minutes(2)};
};

// Gives base delays initial, initial * factor, ... up to the cap, each with jitter.
//
// Quiet time counts from the end of the delay last given. client-go counts from the last reset
// instead, so a long outage starts its sequence again every two minutes and sends about twice the
// attempts it means to.
//
// Thread-safe; never blocks; `env` must outlive it. Counterpart: wait.Backoff with its DelayFunc,
// wait.BackoffManager.
class BackoffManager {
 public:
  explicit BackoffManager(Env& env, BackoffOptions options = {});

  // The delay before the next attempt.
  [[nodiscard]] Duration Next();
  // The next delay is the initial one.
  void Reset();

 private:
  Env& env_;
  const BackoffOptions options_;
  Mutex mutex_;
  Duration base_ KINFORMER_GUARDED_BY(mutex_);
  SteadyTime quiet_since_ KINFORMER_GUARDED_BY(mutex_);
};

// duration * factor, to the nanosecond; at most about 285 years, which no count overflows.
[[nodiscard]] Duration Scaled(Duration duration, double factor);

// A value drawn from [duration, duration * (1 + factor)); a factor of 0 or less means 1.
// Counterpart: wait.Jitter.
[[nodiscard]] Duration Jitter(Env& env, Duration duration, double factor);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_BACKOFF_H_
