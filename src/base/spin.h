// base/spin.h

#ifndef KINFORMER_BASE_SPIN_H_
#define KINFORMER_BASE_SPIN_H_

#include <atomic>

namespace kinformer::internal::base {

// Reads `flag` until it is false, or for a few microseconds: less than it takes to fall asleep and
// to be woken. Not a wait: it passes no simulated time, in which nothing changes meanwhile.
inline void SpinWhile(const std::atomic<bool>& flag) {
  constexpr int kReads = 100;
  for (int i = 0; i < kReads && flag.load(std::memory_order_relaxed); ++i) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_SPIN_H_
