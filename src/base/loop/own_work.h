// base/loop/own_work.h
//
// OwnWork: threads for the library's own blocking work of an Env: reading token files and
// certificates, credential plugins, returning memory. It is separate from Env::pool(), because all
// threads of a pool may be in user functions that wait for this work. User functions never run
// here. It is not a part of Env, since only the library may use it: it is looked up through the
// Env's loop, so an Env that forwards another's loop shares that one's threads.

#ifndef KINFORMER_BASE_LOOP_OWN_WORK_H_
#define KINFORMER_BASE_LOOP_OWN_WORK_H_

#include <stop_token>

#include "kinformer/env.h"

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

// Returns the threads of the Runtime or Simulation to which the loop of `env` belongs. If the loop
// belongs to neither, returns `env` itself with its pool.
[[nodiscard]] OwnWork OwnWorkOf(Env& env);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_OWN_WORK_H_
