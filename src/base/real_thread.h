// base/real_thread.h
//
// Threads as a good guest of somebody's process makes them: named, and with all signals blocked, so that the host's handlers
// never run on them.

#ifndef KINFORMER_BASE_REAL_THREAD_H_
#define KINFORMER_BASE_REAL_THREAD_H_

#include <functional>
#include <string>
#include <thread>

#include "kinformer/log.h"
#include "kinformer/task.h"

namespace kinformer::internal {

// `name` is cut to the 15 bytes that the kernel keeps.
std::thread StartThread(std::string name, Task body);

// Runs `task`. What it throws ends up in the log under `where` and goes no further.
void RunContained(Task& task, LogSink& log, const char* where);

}  // namespace kinformer::internal

#endif  // KINFORMER_BASE_REAL_THREAD_H_
