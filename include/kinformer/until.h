// kinformer/until.h
//
// Until: runs a function again and again until told to stop. ParallelizeUntil: runs many pieces of
// work on a few threads.

#ifndef KINFORMER_UNTIL_H_
#define KINFORMER_UNTIL_H_

#include <cstddef>
#include <functional>
#include <stop_token>

#include "kinformer/env.h"

namespace kinformer {

// Calls `function`, waits `period`, and so on; returns once stop is requested. Stop is looked at
// before each call and ends the wait, but never interrupts a call. Blocks: for threads made by
// Env::NewThread, not for the loop (where it returns at once, with an error in the log). What the
// function throws passes through. Counterpart: wait.Until.
void Until(Env& env, const std::stop_token& stop, Duration period,
           const std::function<void()>& function);

// How JitterUntil spaces its calls.
struct UntilOptions {
  double jitter{0};    // each wait is drawn from [period, period * (1 + jitter))
  bool sliding{true};  // the wait begins when the function returns; else when it was called
};

// The general form. Counterpart: wait.JitterUntil.
void JitterUntil(Env& env, const std::stop_token& stop, Duration period,
                 const std::function<void()>& function, UntilOptions options);

// Sleeps in the Env's time until `duration` has passed (true) or stop is requested (false). Blocks
// as Until.
bool SleepUnlessStopped(Env& env, const std::stop_token& stop, Duration duration);

// How ParallelizeUntil shares out its pieces.
struct ParallelizeOptions {
  std::size_t chunk_size{1};  // pieces taken by a thread at a time
};

// Calls work(i) for each i below `pieces`, on up to `workers` threads of the Env, and returns when
// all calls have ended. After stop is requested no further piece begins. Each piece is worked on at
// most once; exactly once if nobody stops it. `work` must not throw. Blocks as Until. Counterpart:
// workqueue.ParallelizeUntil.
void ParallelizeUntil(Env& env, const std::stop_token& stop, std::size_t workers,
                      std::size_t pieces, const std::function<void(std::size_t)>& work,
                      ParallelizeOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_UNTIL_H_
