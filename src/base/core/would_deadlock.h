// base/core/would_deadlock.h
//
// WouldDeadlock: error for a wait on an event loop's thread for that same loop.

#ifndef KINFORMER_BASE_CORE_WOULD_DEADLOCK_H_
#define KINFORMER_BASE_CORE_WOULD_DEADLOCK_H_

#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

namespace kinformer::internal::base {

// Returns kWouldDeadlock with that message and logs it: functions that the library calls on the
// loop (index functions, transforms, filters) cannot return an error, and usually treat a failed
// read as "not there". At most one line a minute. Thread-safe.
Error WouldDeadlock(Env& env, std::string message);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_WOULD_DEADLOCK_H_
