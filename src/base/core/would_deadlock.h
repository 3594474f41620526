// base/core/would_deadlock.h
//
// WouldDeadlock: the error of who would wait on an event loop's thread for that loop.

#ifndef KINFORMER_BASE_CORE_WOULD_DEADLOCK_H_
#define KINFORMER_BASE_CORE_WOULD_DEADLOCK_H_

#include <string>

#include "kinformer/env.h"
#include "kinformer/error.h"

namespace kinformer::internal::base {

// kWouldDeadlock with that message, which is logged, too: functions that the library calls on the
// loop (index functions, transforms, filters) have nobody to give an error to, and what they get is
// mostly taken for "not there". One line a minute. Thread-safe.
Error WouldDeadlock(Env& env, std::string message);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_WOULD_DEADLOCK_H_
