// base/core/spin.h

#ifndef KINFORMER_BASE_CORE_SPIN_H_
#define KINFORMER_BASE_CORE_SPIN_H_

#include <atomic>
#include <chrono>
#include <thread>

namespace kinformer::internal::base {

// Reads `flag` until it is false, or for a few microseconds: less than it takes to fall asleep and
// to be woken. Between two reads another thread may have the core, perhaps the one that is waited
// for. Not a wait: it passes no simulated time, in which nothing changes meanwhile.
inline void SpinWhile(const std::atomic<bool>& flag) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(5);
  do {
    std::this_thread::yield();
  } while (flag.load(std::memory_order_relaxed) && Clock::now() < end);
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_SPIN_H_
