#include "base/core/real_thread.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <system_error>
#include <utility>

#include "base/core/out_of_memory.h"
#include "base/core/user_call.h"

namespace kinformer::internal::base {

std::thread StartThread(std::string name, Closure body) {
  name.resize(std::min<std::size_t>(name.size(), 15));
  // The new thread inherits the mask; blocking the signals inside it would leave a gap.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // Signals raised by a thread's own faults stay unblocked: blocked, they would end the process
  // without calling the host's handlers.
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread([name = std::move(name), task = std::move(body)]() mutable {
    pthread_setname_np(pthread_self(), name.c_str());
    task();
    // Destroys the task's captures before the thread counts as ended.
    task = Closure();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

void StartDetachedThread(std::string name, Closure body) {
  StartThread(std::move(name), std::move(body)).detach();
}

void DieOfOwnThread(const char* what) {
  std::fprintf(stderr,
               "kinformer: a %s was destroyed on one of its own threads; it would wait for itself. "
               "Let the thread that made it destroy it.\n",
               what);
  std::abort();
}

void ThrowOfOwnThread() {
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          "a thread cannot wait for its own end: let another thread wait for it");
}

void RunContained(Closure& task, LogSink& log, const char* where) {
  try {
    task();
  } catch (const std::bad_alloc&) {
    DieOfNoMemory(where);
  } catch (...) {
    log.Log(LogLevel::kError, "a task threw", {{"where", where}, {"what", Thrown()}});
  }
}

}  // namespace kinformer::internal::base
