// base/core/testing/on_loop.h
//
// OnLoop: runs a function on the loop, for tests with real threads.

#ifndef KINFORMER_BASE_CORE_TESTING_ON_LOOP_H_
#define KINFORMER_BASE_CORE_TESTING_ON_LOOP_H_

#include <atomic>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Runs `task` on the loop and waits for it.
template <class F>
void OnLoop(Env& env, F task) {
  std::atomic<bool> done{false};
  env.loop().Post([&] {
    task();
    done.store(true, std::memory_order_release);
    done.notify_one();
  });
  done.wait(false, std::memory_order_acquire);
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_TESTING_ON_LOOP_H_
