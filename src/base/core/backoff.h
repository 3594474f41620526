// base/core/backoff.h
//
// BackoffManager: delays between attempts of an operation that keeps failing.

#ifndef KINFORMER_BASE_CORE_BACKOFF_H_
#define KINFORMER_BASE_CORE_BACKOFF_H_

#include "kinformer/base/env.h"

#include "base/core/mutex.h"

namespace kinformer::internal::base {

// The defaults are those of client-go's reflector.
struct BackoffOptions {
  Duration initial{std::chrono::milliseconds(800)};
  double factor{2.0};
  Duration cap{std::chrono::seconds(30)};  // of the base delay, without jitter
  double jitter{1.0};                      // random factor: [base, base * (1 + jitter))
  // Time without a failure after which the sequence restarts; 0: only Reset restarts it.
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

  // Returns the delay before the next attempt.
  [[nodiscard]] Duration Next();
  // Restarts the sequence with the initial delay.
  void Reset();

 private:
  Env& env_;
  const BackoffOptions options_;
  Mutex mutex_;
  Duration base_ KINFORMER_GUARDED_BY(mutex_);
  SteadyTime quiet_since_ KINFORMER_GUARDED_BY(mutex_);
};

// Returns duration * factor, exact to the nanosecond; at most about 285 years, to avoid overflow.
[[nodiscard]] Duration Scaled(Duration duration, double factor);

// Returns a random value in [duration, duration * (1 + factor)); a factor of 0 or less means 1.
// Counterpart: wait.Jitter.
[[nodiscard]] Duration Jitter(Env& env, Duration duration, double factor);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_BACKOFF_H_
