// kinformer/base/until.h
//
// Until: calls a function repeatedly until it is stopped. ParallelizeUntil: runs many pieces of
// work on a few threads.

#ifndef KINFORMER_BASE_UNTIL_H_
#define KINFORMER_BASE_UNTIL_H_

#include <cstddef>
#include <functional>
#include <stop_token>

#include "kinformer/base/env.h"

namespace kinformer {

// Calls `function`, waits `period`, and so on; returns once `stop` is requested, which is checked
// before each call and ends the wait, but does not interrupt a call. Blocks: for threads of
// Env::NewThread, not for the loop (where it logs an error and returns at once). Exceptions of the
// function pass through. Counterpart: wait.Until.
void Until(Env& env, const std::stop_token& stop, Duration period,
           const std::function<void()>& function);

// Intervals of JitterUntil's calls.
struct UntilOptions {
  double jitter{0};    // each wait is drawn from [period, period * (1 + jitter))
  bool sliding{true};  // the wait begins at the end of a call; else at its start
};

// Does as Until, with options. Counterpart: wait.JitterUntil.
void JitterUntil(Env& env, const std::stop_token& stop, Duration period,
                 const std::function<void()>& function, UntilOptions options);

// Sleeps in the Env's time until `duration` has passed (true) or `stop` is requested (false).
// Blocks as Until.
bool SleepUnlessStopped(Env& env, const std::stop_token& stop, Duration duration);

// Distribution of pieces by ParallelizeUntil.
struct ParallelizeOptions {
  std::size_t chunk_size{1};  // pieces taken by a thread at a time
};

// Calls work(i) for each i below `pieces`, on up to `workers` threads of the Env, and returns when
// all calls have ended. After `stop` is requested no further piece begins. Each piece is called at
// most once; exactly once without a stop. `work` must not throw. Blocks as Until. Counterpart:
// workqueue.ParallelizeUntil.
void ParallelizeUntil(Env& env, const std::stop_token& stop, std::size_t workers,
                      std::size_t pieces, const std::function<void(std::size_t)>& work,
                      ParallelizeOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_BASE_UNTIL_H_
