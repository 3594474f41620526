// kinformer/base/runtime.h
//
// Runtime: the real Env, with its threads: an event loop, and a pool that runs handlers and grows
// when they are slow.
//
// Create it after fork(). Most programs never name it: Client::FromEnvironment() creates one and
// keeps it.
//
// A program with an event loop of its own may run the Runtime's loop inside it, on its own thread:
//
//   Runtime runtime({.host_driven_loop = true});
//   epoll_event event{.events = EPOLLIN, .data = {.fd = runtime.Fd()}};
//   epoll_ctl(set, EPOLL_CTL_ADD, runtime.Fd(), &event);
//   ...
//   if (ready.data.fd == runtime.Fd()) runtime.RunReady();

#ifndef KINFORMER_BASE_RUNTIME_H_
#define KINFORMER_BASE_RUNTIME_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/tracing.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer {

// Name, threads, log, metrics and tracer of a Runtime.
struct RuntimeOptions {
  std::string name{"kinformer"};  // first part of the threads' names
  // Limit of the pool, which starts with two threads and adds one when a handler has waited 10 ms.
  std::size_t max_handler_threads{16};
  std::shared_ptr<LogSink> log{};          // empty: warnings and errors on stderr
  std::shared_ptr<MetricsSink> metrics{};  // empty: none
  std::shared_ptr<Tracer> tracer{};        // empty: none
  // Creates no thread for the loop: the host runs it, by Fd() and RunReady().
  bool host_driven_loop{false};
  // Lets large caches ask the kernel for huge pages, in the heap that glibc's malloc keeps for
  // their thread: a first list takes a fifth less time. False disables this, in the whole process
  // and from then on, and so does KINFORMER_HUGE_PAGES=0 in the environment: for processes whose
  // resident memory must not exceed the memory in use.
  bool huge_pages{true};
};

// Owns threads, which block all signals except their own faults. Thread-safe.
//
// In a forked process, objects made before the fork can only be destroyed, which is immediate
// and does not affect the parent's connections: calls return kStopped, and posted tasks are
// dropped.
//
// Destruction stops the loop (tasks not yet run are destroyed), lets running handler callbacks
// finish and joins all threads. It must not happen on one of them, nor inside RunReady. All users
// of env() must be destroyed before; Refs and Snapshots may live longer.
//
// Host-driven, one thread counts as the loop's: the one that created the Runtime, until another
// calls RunReady. On it blocking calls return kWouldDeadlock, inside RunReady and outside: no other
// thread could do the work that they wait for. Loop-confined objects may be used there at any time.
// Handlers still run on the pool's threads, and loops of Env::NewLoop have threads of their own. A
// host with several event loops needs a Runtime for each. Destruction first runs all ready tasks.
class Runtime {
 public:
  explicit Runtime(RuntimeOptions options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] Env& env();

  // Returns a file descriptor that is readable when the loop has work: a posted task, a due timer,
  // a socket. Watch it level-triggered; do not read from it or close it. -1: not host-driven.
  [[nodiscard]] int Fd() const;
  // Runs ready tasks for about `slice`, and returns without waiting. Returns true if there may be
  // more to run now; Fd() is then readable, so a host that only watches Fd() misses nothing. Call
  // it from one thread at a time, not from a task. Exceptions of tasks are logged.
  bool RunReady(Duration slice = std::chrono::milliseconds(1));

 private:
  struct Impl;
  internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_RUNTIME_H_
