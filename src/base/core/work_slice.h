// base/core/work_slice.h
//
// WorkSlice: limits the time for which one piece of work occupies a loop.

#ifndef KINFORMER_BASE_CORE_WORK_SLICE_H_
#define KINFORMER_BASE_CORE_WORK_SLICE_H_

#include <chrono>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Starts at its construction. It never ends in simulated time, because no time passes in a turn, so
// work must also be limited by a count.
class WorkSlice {
 public:
  explicit WorkSlice(Env& env) : env_(env), end_(env.Now() + std::chrono::milliseconds(1)) {}
  [[nodiscard]] bool over() const { return env_.Now() >= end_; }

 private:
  Env& env_;
  const SteadyTime end_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_WORK_SLICE_H_
