// base/loop/own_work.h
//
// OwnWork: where the library's own blocking work of an Env runs: reading token files and
// certificates, credential plugins, giving memory back. It is apart from Env::pool(), since all
// threads of a pool may be inside functions of the user's that wait for just this work. Functions
// of the user's never run here. It is not in Env itself, as only the library may use it: an Env is
// asked for it by its loop, so one that passes on another's loop shares that one's threads.

#ifndef KINFORMER_BASE_LOOP_OWN_WORK_H_
#define KINFORMER_BASE_LOOP_OWN_WORK_H_

#include <stop_token>

#include "kinformer/env.h"

namespace kinformer::internal::base {

struct OwnWork {
  Env& env;              // who has the threads; outlives what runs on them
  Executor& threads;     // started when there is something to do; joined when `env` ends
  std::stop_token ends;  // requested when `env` is about to end: what runs makes haste
};

// What has such threads.
class HasOwnWork {
 public:
  [[nodiscard]] virtual OwnWork own_work() = 0;

 protected:
  ~HasOwnWork() = default;
};

// That of the Runtime or Simulation whose loop `env` has. An Env with a loop that neither made is
// taken as it is, with its pool.
[[nodiscard]] OwnWork OwnWorkOf(Env& env);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_OWN_WORK_H_
