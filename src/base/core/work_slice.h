// base/core/work_slice.h
//
// WorkSlice: how long one piece of work holds a loop before others have their turn.

#ifndef KINFORMER_BASE_CORE_WORK_SLICE_H_
#define KINFORMER_BASE_CORE_WORK_SLICE_H_

#include <chrono>

#include "kinformer/env.h"

namespace kinformer::internal::base {

// Begins where it is made. In simulated time it is never over, since no time passes in a turn: work
// is bounded by a count, too.
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
