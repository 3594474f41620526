// kinformer/wait.h
//
// wait: try something again until it holds, later and later or at even intervals.
//
//   Result<void> ready = wait::PollUntilTimeout(env, stop.token(), 1s, 30s, [&]() -> Result<bool> {
//     auto pod = client.For<corev1::Pod>("default").Get("web-0");
//     if (!pod) return pod.error();
//     return pod->status().phase() == "Running";
//   });
//
// All of it blocks, in the Env's time: for threads of the program or of Env::NewThread, not for the
// loop, where it is kWouldDeadlock. What a condition throws passes through. Until and JitterUntil,
// which never end by themselves, are in until.h. Counterpart: the package wait.

#ifndef KINFORMER_WAIT_H_
#define KINFORMER_WAIT_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "kinformer/env.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/result.h"

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

// True: it holds. False: not yet. An error ends the waiting.
using Condition = kinformer::internal::Callable<Result<bool>(), internal::ConditionWords>;

// Delays that grow. A value. Counterpart: wait.Backoff.
struct Backoff {
  kinformer::internal::TimeSpan duration{};  // the first delay
  double factor{0};  // each delay is so many times the one before; 0: all are the same
  double jitter{0};  // each delay is drawn from [delay, delay * (1 + jitter)); 0: none
  int steps{0};      // how often to try
  kinformer::internal::TimeSpan
      cap{};  // no delay is longer, but for jitter; the first that would be is the last
  // The next delay. Counts a step.
  Duration Step(Env& env);
};

// Asks up to backoff.steps times, with a delay between. kTimeout: it never held; kCanceled: stop
// was requested. Counterpart: wait.ExponentialBackoffWithContext.
Result<void> ExponentialBackoff(Env& env, const std::stop_token& stop, Backoff backoff,
                                const Condition& condition);

// When a poll asks for the first time.
enum class FirstAsked : std::uint8_t {
  kAtOnce,         // whether or not stop was requested
  kAfterInterval,  // never, where it is stopped or its time is over by then
};

// Asks every `interval`, for at most `timeout`. kDeadlineExceeded, kCanceled. Counterpart:
// wait.PollUntilContextTimeout, whose `immediate` is kAtOnce.
Result<void> PollUntilTimeout(Env& env, const std::stop_token& stop, Duration interval,
                              Duration timeout, const Condition& condition,
                              FirstAsked first = FirstAsked::kAtOnce);
// The same without an end of its own. Counterpart: wait.PollUntilContextCancel.
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
template <std::same_as<bool> Immediate, class Function>
Result<void> PollUntilCancel(Env& /*env*/, const std::stop_token& /*stop*/, Duration /*interval*/,
                             Immediate /*immediate*/, const Function& /*condition*/) {
  internal::ExplainImmediate<Immediate>();
  return {};
}

}  // namespace kinformer::wait

#endif  // KINFORMER_WAIT_H_
