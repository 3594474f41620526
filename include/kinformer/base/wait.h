// kinformer/base/wait.h
//
// wait: repeats a check until it succeeds, with growing or constant delays.
//
//   Result<void> ready = wait::PollUntilTimeout(env, stop.token(), 1s, 30s, [&]() -> Result<bool> {
//     auto pod = client.For<corev1::Pod>("default").Get("web-0");
//     if (!pod) return pod.error();
//     return pod->status().phase() == "Running";
//   });
//
// All functions block, in the Env's time: for threads of the program or of Env::NewThread, not for
// the loop, where they are kWouldDeadlock. Exceptions of conditions pass through. Until and
// JitterUntil, which end only when stopped, are in until.h. Counterpart: the package wait.

#ifndef KINFORMER_BASE_WAIT_H_
#define KINFORMER_BASE_WAIT_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/internal/callable.h"

namespace kinformer::wait {

namespace internal {
struct ConditionWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a condition is called with nothing, no token either, and says whether it holds: "
                  "[]() -> Result<bool> { ... }");
  }
};
}  // namespace internal

// A check. True: the condition holds. False: not yet. An error ends the wait.
using Condition = kinformer::internal::Callable<Result<bool>(), internal::ConditionWords>;

// Growing delays. A value. Counterpart: wait.Backoff.
struct Backoff {
  TimeSpan duration{};  // the first delay
  double factor{0};     // ratio of each delay to the one before it; 0: all are equal
  double jitter{0};     // each delay is drawn from [delay, delay * (1 + jitter)); 0: none
  int steps{0};         // number of attempts
  TimeSpan cap{};       // longest delay, without jitter; the first that would exceed it is the last
  // Returns the next delay, and counts a step.
  Duration Step(Env& env);
};

// Checks up to backoff.steps times, with a delay between. kTimeout: it never held; kCanceled:
// `stop` was requested. Counterpart: wait.ExponentialBackoffWithContext.
Result<void> ExponentialBackoff(Env& env, const std::stop_token& stop, Backoff backoff,
                                const Condition& condition);

// Time of a poll's first check.
enum class FirstAsked : std::uint8_t {
  kAtOnce,         // even if stop was requested before
  kAfterInterval,  // not if it is stopped or its time is over by then
};

// Checks every `interval`, for at most `timeout`. kDeadlineExceeded, kCanceled. Counterpart:
// wait.PollUntilContextTimeout, whose `immediate` is kAtOnce.
Result<void> PollUntilTimeout(Env& env, const std::stop_token& stop, Duration interval,
                              Duration timeout, const Condition& condition,
                              FirstAsked first = FirstAsked::kAtOnce);
// Does the same without a time limit. Counterpart: wait.PollUntilContextCancel.
Result<void> PollUntilCancel(Env& env, const std::stop_token& stop, Duration interval,
                             const Condition& condition, FirstAsked first = FirstAsked::kAtOnce);

namespace internal {
template <class Immediate>
constexpr void ExplainImmediate() {
  static_assert(kinformer::internal::kNeverHolds<Immediate>,
                "Go's `immediate` stands behind the function, and true is the default: "
                "PollUntilTimeout(env, stop, 1s, 30s, function) asks at once, and with "
                "wait::FirstAsked::kAfterInterval at the end after the first interval");
}
}  // namespace internal
// Calls with `immediate` where Go has it.
template <std::same_as<bool> Immediate, class Function>
Result<void> PollUntilTimeout(Env& /*env*/, const std::stop_token& /*stop*/, Duration /*interval*/,
                              Duration /*timeout*/, Immediate /*immediate*/,
                              const Function& /*condition*/) {
  internal::ExplainImmediate<Immediate>();
  return {};
}
// The same without a timeout.
template <std::same_as<bool> Immediate, class Function>
Result<void> PollUntilCancel(Env& /*env*/, const std::stop_token& /*stop*/, Duration /*interval*/,
                             Immediate /*immediate*/, const Function& /*condition*/) {
  internal::ExplainImmediate<Immediate>();
  return {};
}

}  // namespace kinformer::wait

#endif  // KINFORMER_BASE_WAIT_H_
