// base/loop/has_own_work.h
//
// HasOwnWork: the owner of a loop that has threads for the library's own work (own_work.h).

#ifndef KINFORMER_BASE_LOOP_HAS_OWN_WORK_H_
#define KINFORMER_BASE_LOOP_HAS_OWN_WORK_H_

#include <stop_token>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

struct OwnWork {
  Env& env;              // owner of the threads; outlives the work
  Executor& threads;     // started on first use; joined when `env` ends
  std::stop_token ends;  // requested when `env` is about to end, so that work ends soon
};

// Interface of a loop's owner that has such threads.
class HasOwnWork {
 public:
  [[nodiscard]] virtual OwnWork own_work() = 0;

 protected:
  ~HasOwnWork() = default;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_HAS_OWN_WORK_H_
