// base/core/log_allowance.h
//
// LogAllowance: how many lines of one kind may go to a log.

#ifndef KINFORMER_BASE_CORE_LOG_ALLOWANCE_H_
#define KINFORMER_BASE_CORE_LOG_ALLOWANCE_H_

#include <cstddef>
#include <utility>

#include "kinformer/env.h"

namespace kinformer::internal::base {

// The first few in a minute are said, and the others counted: a server decides how many there are,
// and a log must not grow at its pace. Their number is said once a minute. Thread-compatible.
class LogAllowance {
 public:
  static constexpr std::size_t kMost = 20;
  static constexpr Duration kPeriod = std::chrono::minutes(1);

  explicit LogAllowance(Env& env) : env_(env) {}

  // One more. True: it may be said.
  [[nodiscard]] bool Take() {
    const SteadyTime now = env_.Now();
    if (now >= ends_) {
      ends_ = now + kPeriod;
      said_ = 0;
    }
    if (said_ < kMost) {
      ++said_;
      return true;
    }
    ++untold_;
    return false;
  }
  // How many have not been said. 0: none, or their number may not be said again yet.
  [[nodiscard]] std::size_t TakeUntold() {
    if (untold_ == 0) return 0;
    const SteadyTime now = env_.Now();
    if (now < counted_again_) return 0;
    counted_again_ = now + kPeriod;
    return std::exchange(untold_, 0);
  }

 private:
  Env& env_;
  SteadyTime ends_{};           // of the minute
  SteadyTime counted_again_{};  // when the number of others may be said
  std::size_t said_ = 0;
  std::size_t untold_ = 0;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_LOG_ALLOWANCE_H_
