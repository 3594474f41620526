#include "kinformer/base/wait.h"

#include <algorithm>

#include "kinformer/base/until.h"

#include "base/core/backoff.h"
#include "base/core/deadline.h"
#include "base/core/would_deadlock.h"

namespace kinformer::wait {
namespace {

Error Canceled() {
  return Error(Reason::kCanceled, "the caller stopped waiting for the condition");
}

Error OnLoop(Env& env) {
  return kinformer::internal::base::WouldDeadlock(
      env, "waiting for a condition on an event loop would stop it");
}

Result<void> Poll(Env& env, const std::stop_token& stop, Duration interval, SteadyTime deadline,
                  const Condition& condition, FirstAsked first) {
  if (env.OnLoopThread()) return OnLoop(env);
  for (bool asks = first == FirstAsked::kAtOnce;; asks = true) {
    if (asks) {
      const Result<bool> holds = condition();
      if (!holds.ok()) return holds.error();
      if (*holds) return {};
    }
    const SteadyTime next =
        std::min(kinformer::internal::base::After(env.Now(), interval), deadline);
    if (!SleepUnlessStopped(env, stop, next - env.Now())) return Canceled();
    if (env.Now() >= deadline) {
      return Error(Reason::kDeadlineExceeded, "timed out waiting for the condition");
    }
  }
}

}  // namespace

Duration Backoff::Step(Env& env) {
  const Duration base = duration;
  if (steps > 0) {
    --steps;
    if (factor != 0) duration = kinformer::internal::base::Scaled(duration, factor);
    if (cap > Duration::zero() && duration > cap) {
      duration = cap;
      steps = 0;
    }
  }
  return jitter > 0 ? kinformer::internal::base::Jitter(env, base, jitter) : base;
}

Result<void> ExponentialBackoff(Env& env, const std::stop_token& stop, Backoff backoff,
                                const Condition& condition) {
  if (env.OnLoopThread()) return OnLoop(env);
  while (backoff.steps > 0) {
    const Result<bool> holds = condition();
    if (!holds.ok()) return holds.error();
    if (*holds) return {};
    if (backoff.steps == 1) break;
    if (!SleepUnlessStopped(env, stop, backoff.Step(env))) return Canceled();
  }
  return Error(Reason::kTimeout, "timed out waiting for the condition");
}

Result<void> PollUntilTimeout(Env& env, const std::stop_token& stop, Duration interval,
                              Duration timeout, const Condition& condition, FirstAsked first) {
  return Poll(env, stop, interval, kinformer::internal::base::After(env.Now(), timeout), condition,
              first);
}

Result<void> PollUntilCancel(Env& env, const std::stop_token& stop, Duration interval,
                             const Condition& condition, FirstAsked first) {
  return Poll(env, stop, interval, SteadyTime::max(), condition, first);
}

}  // namespace kinformer::wait
