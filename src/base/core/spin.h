// base/core/spin.h

#ifndef KINFORMER_BASE_CORE_SPIN_H_
#define KINFORMER_BASE_CORE_SPIN_H_

#include <atomic>
#include <chrono>
#include <thread>

namespace kinformer::internal::base {

// Reads `flag` until it is false, or for a few microseconds: less than it takes to fall asleep and
// wake up. Yields between reads, so that another thread can use the core, perhaps the one that sets
// the flag. Takes no simulated time, in which the flag could not change.
inline void SpinWhile(const std::atomic<bool>& flag) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(5);
  do {
    std::this_thread::yield();
  } while (flag.load(std::memory_order_relaxed) && Clock::now() < end);
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_SPIN_H_
