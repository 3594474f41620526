// base/backoff.h
//
// BackoffManager: how long to wait before the next attempt at something that keeps failing.

#ifndef KINFORMER_BASE_BACKOFF_H_
#define KINFORMER_BASE_BACKOFF_H_

#include "kinformer/env.h"

#include "base/mutex.h"

namespace kinformer::internal::base {

// The defaults are those of client-go's reflector.
struct BackoffOptions {
  Duration initial{std::chrono::milliseconds(800)};
  double factor{2.0};
  Duration cap{std::chrono::seconds(30)};  // of the base delay, without jitter
  double jitter{1.0};                      // the delay is drawn from [base, base * (1 + jitter))
  // After this long without a failure the sequence starts again; 0: only Reset starts it again.
  Duration reset{std::chrono::minutes(2)};
};

// Returns base delays initial, initial * factor, ... up to the cap, each with jitter.
//
// Quiet time counts from the end of the last delay. client-go counts from the last reset instead,
// so in a long outage it restarts its sequence every two minutes and makes about twice the intended
// attempts.
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

#endif  // KINFORMER_BASE_BACKOFF_H_
