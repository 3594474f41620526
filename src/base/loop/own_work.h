// base/loop/own_work.h
//
// OwnWork: threads for the library's own blocking work of an Env: reading token files and
// certificates, credential plugins, returning memory. It is separate from Env::pool(), because all
// threads of a pool may be in user functions that wait for this work. The only user functions that
// run here are those that open connections (Config::dial), for which others wait. It is not a part
// of Env, since only the library may use it: it is looked up through the Env's loop, so an Env that
// forwards another's loop shares that one's threads.

#ifndef KINFORMER_BASE_LOOP_OWN_WORK_H_
#define KINFORMER_BASE_LOOP_OWN_WORK_H_

#include "kinformer/base/env.h"

#include "base/loop/has_own_work.h"

namespace kinformer::internal::base {

// Returns the threads of the Runtime or Simulation to which the loop of `env` belongs. If the loop
// belongs to neither, returns `env` itself with its pool.
[[nodiscard]] OwnWork OwnWorkOf(Env& env);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_OWN_WORK_H_
