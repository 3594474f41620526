// base/core/real_thread.h
//
// Threads as a good guest of somebody's process makes them: named, and with all signals blocked
// that may go to any thread, so that the host's handlers for them never run here.

#ifndef KINFORMER_BASE_CORE_REAL_THREAD_H_
#define KINFORMER_BASE_CORE_REAL_THREAD_H_

#include <functional>
#include <string>
#include <thread>

#include "kinformer/log.h"
#include "kinformer/task.h"

namespace kinformer::internal::base {

// `name` is cut to the 15 bytes that the kernel keeps.
std::thread StartThread(std::string name, Task body);

// A thread that nobody joins. For what must happen although the thread that began it may not wait.
void StartDetachedThread(std::string name, Task body);

// Ends the process: a `what` was destroyed on a thread that it would have to join.
[[noreturn]] void DieOfOwnThread(const char* what);

// Runs `task`. What it throws ends up in the log under `where` and goes no further.
void RunContained(Task& task, LogSink& log, const char* where);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_REAL_THREAD_H_
