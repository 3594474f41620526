#include "base/core/backoff.h"

#include <algorithm>
#include <cmath>

namespace kinformer::internal::base {
Duration Scaled(Duration duration, double factor) {
  const double nanos = std::round(static_cast<double>(duration.count()) * factor);
  constexpr double kMost = 9.0e18;
  return Duration(static_cast<Duration::rep>(std::clamp(nanos, 0.0, kMost)));
}

BackoffManager::BackoffManager(Env& env, BackoffOptions options)
    : env_(env), options_(options), base_(options.initial), quiet_since_(env.Now()) {}

Duration BackoffManager::Next() {
  const SteadyTime now = env_.Now();
  const double unit = options_.jitter > 0 ? RandomUnit(env_) : 0;
  MutexLock lock(mutex_);
  if (options_.reset > Duration::zero() && now - quiet_since_ > options_.reset) {
    base_ = options_.initial;
  }
  const Duration delay = Scaled(base_, 1 + unit * options_.jitter);
  quiet_since_ = now + delay;
  base_ = Scaled(base_, options_.factor);
  if (options_.cap > Duration::zero()) base_ = std::min(base_, options_.cap);
  return delay;
}

void BackoffManager::Reset() {
  MutexLock lock(mutex_);
  base_ = options_.initial;
}

Duration Jitter(Env& env, Duration duration, double factor) {
  return Scaled(duration, 1 + RandomUnit(env) * (factor > 0 ? factor : 1.0));
}

}  // namespace kinformer::internal::base
