// base/core/deadline.h

#ifndef KINFORMER_BASE_CORE_DEADLINE_H_
#define KINFORMER_BASE_CORE_DEADLINE_H_

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Returns `now + delay`, or the latest time if that overflows: Duration::max() means "never".
inline SteadyTime After(SteadyTime now, Duration delay) {
  return delay < SteadyTime::max() - now ? now + delay : SteadyTime::max();
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_DEADLINE_H_
