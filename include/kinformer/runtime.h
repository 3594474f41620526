// kinformer/runtime.h
//
// Runtime: the real Env, with its threads: one event loop, a pool that runs handlers and grows when
// they are slow.
//
// Make one after fork(). Most programs never name it: Client::FromEnvironment() makes one and keeps
// it.
//
// A program that has an event loop may run ours inside it, on its own thread:
//
//   Runtime runtime({.host_driven_loop = true});
//   epoll_event event{.events = EPOLLIN, .data = {.fd = runtime.Fd()}};
//   epoll_ctl(set, EPOLL_CTL_ADD, runtime.Fd(), &event);
//   ...
//   if (ready.data.fd == runtime.Fd()) runtime.RunReady();

#ifndef KINFORMER_RUNTIME_H_
#define KINFORMER_RUNTIME_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "kinformer/env.h"
#include "kinformer/metrics.h"

namespace kinformer {

// Names, threads, log and metrics of a Runtime.
struct RuntimeOptions {
  std::string name{"kinformer"};  // first part of the threads' names
  // The pool starts with two and adds one when a runnable handler waited 10 ms.
  std::size_t max_handler_threads{16};
  std::shared_ptr<LogSink> log{};          // empty: warnings and errors on stderr
  std::shared_ptr<MetricsSink> metrics{};  // empty: none
  // No thread runs the loop: the host does, by Fd() and RunReady().
  bool host_driven_loop{false};
  // Large caches ask the kernel for huge pages in the heap that glibc's malloc keeps for their
  // thread: a first list takes a fifth less time. False leaves the heap alone, in the whole process
  // and from then on, and so does KINFORMER_HUGE_PAGES=0 in the environment: where a process must
  // not have more memory resident than it uses.
  bool huge_pages{true};
};

// Owns threads. Its threads block all signals but their own faults. Thread-safe.
//
// In a process that was forked off, what was made before is good for nothing but to be destroyed,
// which ends at once and leaves the parent's connections alone: calls return kStopped, and what is
// posted is dropped.
//
// Destruction stops the loop (tasks not yet run are destroyed), lets running handler callbacks
// finish and joins all threads. It must not happen on one of them, nor inside RunReady. Everything
// that was given env() must be gone before; Refs and Snapshots need not.
//
// Host-driven, one thread is the loop's thread: the one that made the Runtime, until another calls
// RunReady. On it calls that block return kWouldDeadlock, inside RunReady and outside: nobody else
// could do what they would wait for. What is loop-confined may be used there at any time. Handlers
// still run on the pool's threads, and loops made by Env::NewLoop have threads of their own. A host
// with several event loops makes a Runtime for each. Destruction first runs what is ready.
class Runtime {
 public:
  explicit Runtime(RuntimeOptions options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] Env& env();

  // Becomes readable when the loop has something to do: a task that was posted, a timer that is
  // due, a socket. Watch it level-triggered; do not read from it or close it. -1: not host-driven.
  [[nodiscard]] int Fd() const;
  // Runs what is ready, for about `slice`, and returns without waiting. True: there may be more to
  // run now; Fd() is then readable, so a host that only watches Fd() misses nothing. Call it from
  // one thread at a time, not from a task. A task that throws is logged.
  bool RunReady(Duration slice = std::chrono::milliseconds(1));

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_RUNTIME_H_
