#include "base/real_thread.h"

#include <csignal>
#include <exception>
#include <pthread.h>
#include <utility>

namespace kinformer::internal {

std::thread StartThread(std::string name, Task body) {
  name.resize(std::min<std::size_t>(name.size(), 15));
  // The new thread inherits the mask; blocking inside it would leave a gap.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread([name = std::move(name), task = std::move(body)]() mutable {
    pthread_setname_np(pthread_self(), name.c_str());
    task();
    // What the task owns goes before the thread counts as ended.
    task = Task();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

void RunContained(Task& task, LogSink& log, const char* where) {
  try {
    task();
  } catch (const std::exception& e) {
    log.Log(LogLevel::kError, "a task threw an exception", {{"where", where}, {"what", e.what()}});
  } catch (...) {
    log.Log(LogLevel::kError, "a task threw something that is no exception", {{"where", where}});
  }
}

}  // namespace kinformer::internal
