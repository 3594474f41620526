// base/core/log_allowance.h
//
// LogAllowance: limits the number of log lines of one kind.

#ifndef KINFORMER_BASE_CORE_LOG_ALLOWANCE_H_
#define KINFORMER_BASE_CORE_LOG_ALLOWANCE_H_

#include <cstddef>
#include <utility>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Allows the first few lines in a minute and counts the others: their number depends on a server,
// which must not be able to fill a log. The count is reported once a minute. Thread-compatible.
class LogAllowance {
 public:
  static constexpr std::size_t kMost = 20;
  static constexpr Duration kPeriod = std::chrono::minutes(1);

  explicit LogAllowance(Env& env) : env_(env) {}

  // Counts a line. Returns whether it may be logged.
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
  // Returns the number of suppressed lines; 0 if there are none or it is too early to report.
  [[nodiscard]] std::size_t TakeUntold() {
    if (untold_ == 0) return 0;
    const SteadyTime now = env_.Now();
    if (now < counted_again_) return 0;
    counted_again_ = now + kPeriod;
    return std::exchange(untold_, 0);
  }

 private:
  Env& env_;
  SteadyTime ends_{};           // end of the minute
  SteadyTime counted_again_{};  // when the count may be reported
  std::size_t said_ = 0;
  std::size_t untold_ = 0;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_LOG_ALLOWANCE_H_
