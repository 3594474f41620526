// kinformer/client/retry.h
//
// retry: repeats a call that may fail for a temporary reason, such as a write that conflicts with
// another client's.
//
//   auto pods = client.For<corev1::Pod>("default");
//   Result<Ref<corev1::Pod>> changed = retry::RetryOnConflict(env, retry::kDefaultRetry, [&] {
//     auto pod = pods.Get("web-0");  // read anew each time
//     if (!pod) return pod;
//     corev1::Pod::Mutable wanted = pod->DeepCopy();
//     wanted.metadata.labels["tier"] = "front";
//     return pods.Update(wanted);
//   });
//
// Counterpart: the package util/retry.

#ifndef KINFORMER_CLIENT_RETRY_H_
#define KINFORMER_CLIENT_RETRY_H_

#include <chrono>
#include <concepts>
#include <stop_token>
#include <type_traits>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/base/until.h"
#include "kinformer/base/wait.h"
#include "kinformer/internal/callable.h"

namespace kinformer::retry {

namespace internal {
template <class Given>
inline constexpr bool kIsRetried = requires(const Given& result) {
  result.ok();
  result.error();
};
// Logs that each of `times` calls ended in a conflict.
void LogConflicts(Env& env, int times, const Error& last);
}  // namespace internal

// Backoff for conflicts between programs that seldom write the same object.
inline constexpr wait::Backoff kDefaultRetry{
    .duration = std::chrono::milliseconds(10), .factor = 1, .jitter = 0.1, .steps = 5};
// Backoff for conflicts with a program that may write the object constantly.
inline constexpr wait::Backoff kDefaultBackoff{
    .duration = std::chrono::milliseconds(10), .factor = 5, .jitter = 0.1, .steps = 4};

// Calls `function`, which returns a Result, up to backoff.steps times while `retriable(error)` is
// true, with a delay between. Returns its last result. `stop` ends the delays. Blocks; on the loop
// it tries once. Exceptions of the functions pass through. Counterpart: retry.OnError.
template <class Retriable, class Function>
std::invoke_result_t<Function&> OnError(Env& env, wait::Backoff backoff, Retriable&& retriable,
                                        Function&& function, const std::stop_token& stop = {}) {
  static_assert(internal::kIsRetried<std::invoke_result_t<Function&>>,
                "the function that is tried again gives a Result: []() -> Result<void> { ... }");
  while (true) {
    auto result = function();
    if (result.ok() || !retriable(result.error()) || backoff.steps <= 1 || env.OnLoopThread() ||
        !SleepUnlessStopped(env, stop, backoff.Step(env))) {
      return result;
    }
  }
}

// Repeats a function that reads an object, changes it and writes it, on conflicts with other
// writers. Logs a warning if each call ended in a conflict. Counterpart: retry.RetryOnConflict.
template <class Function>
std::invoke_result_t<Function&> RetryOnConflict(Env& env, wait::Backoff backoff,
                                                Function&& function,
                                                const std::stop_token& stop = {}) {
  auto result = OnError(env, backoff, IsConflict, function, stop);
  if constexpr (internal::kIsRetried<std::invoke_result_t<Function&>>) {
    if (!result.ok() && IsConflict(result.error()) && backoff.steps > 1 && !env.OnLoopThread() &&
        !stop.stop_requested()) {
      internal::LogConflicts(env, backoff.steps, result.error());
    }
  }
  return result;
}

// Explains calls without the Env, as in Go.
template <std::same_as<wait::Backoff> Backoff, class Function>
auto RetryOnConflict(const Backoff& /*backoff*/, const Function& /*function*/) {
  static_assert(kinformer::internal::kNeverHolds<Function>,
                "RetryOnConflict's first argument is the Env, which waits: "
                "RetryOnConflict(client.env(), retry::kDefaultRetry, function)");
  return Result<void>();
}

}  // namespace kinformer::retry

#endif  // KINFORMER_CLIENT_RETRY_H_
