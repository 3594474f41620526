// base/core/real_thread.h
//
// Threads for use inside other programs: named, and with all asynchronous signals blocked, so that
// the host's signal handlers never run on them.

#ifndef KINFORMER_BASE_CORE_REAL_THREAD_H_
#define KINFORMER_BASE_CORE_REAL_THREAD_H_

#include <functional>
#include <string>
#include <thread>

#include "kinformer/base/closure.h"
#include "kinformer/base/log.h"

namespace kinformer::internal::base {

// `name` is truncated to the 15 bytes that the kernel keeps.
std::thread StartThread(std::string name, Closure body);

// Starts a thread that is never joined, for work whose initiator may not wait.
void StartDetachedThread(std::string name, Closure body);

// Ends the process: a `what` is destroyed on a thread that it would have to join.
[[noreturn]] void DieOfOwnThread(const char* what);

// Throws, as std::thread does: a thread would wait for its own end.
[[noreturn]] void ThrowOfOwnThread();

// Runs `task`. An exception is logged under `where` and not passed on.
void RunContained(Closure& task, LogSink& log, const char* where);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_REAL_THREAD_H_
