// kinformer/base/env.h
//
// Env: the library's interface to the outside world, except the network: threads, clocks,
// randomness, log, metrics and traces. No code in kinformer asks the operating system for these
// directly, so a test can run the whole library in simulated time (simulation.h), and a host can
// run it on its own threads.
//
// Where code runs:
//   loop()     the event loop: sockets, decoding, reflectors, queues, store writes. Never block.
//   NewLoop    a further event loop, for what must not wait behind the first.
//   pool()     handler callbacks. May block.
//   NewThread  code that is written as a blocking loop: workers, leader election.
//
// All waiting goes through a Monitor or an Executor of the Env. A std::mutex is fine for short
// critical sections in which nothing waits; a std::condition_variable is not, since simulated time
// could not see it.

#ifndef KINFORMER_BASE_ENV_H_
#define KINFORMER_BASE_ENV_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/closure.h"
#include "kinformer/base/log.h"

namespace kinformer {

// Length of time.
using Duration = std::chrono::nanoseconds;
// Point on the steady clock, which all waits use.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
// Tag that distinguishes points on the boot-time clock from others.
struct BootClock {};
// Point on the boot-time clock, which runs while the machine sleeps.
using BootTime = std::chrono::time_point<BootClock, std::chrono::nanoseconds>;
// Point on the wall clock, for people and servers.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

class MetricsSink;  // metrics.h
class Tracer;       // tracing.h

// A task that will run at some time, unless cancelled. Destroying the handle cancels.
//
// On the executor's own thread Cancel is exact: the task does not run afterwards. On another
// thread the task may be running or about to run. Thread-compatible; may outlive its
// executor.
class Timer {
 public:
  struct State;
  Timer() = default;
  explicit Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Timer(Timer&&) noexcept = default;
  Timer& operator=(Timer&& other) noexcept;
  ~Timer();
  void Cancel();
  [[nodiscard]] bool armed() const { return state_ != nullptr; }

 private:
  std::shared_ptr<State> state_;
};

// Runs tasks. Tasks that one thread posts run in order on an executor with one thread, and start in
// order on one with several. Thread-safe. Never blocks. Tasks posted after shutdown are destroyed
// without running.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void Post(Closure task) = 0;
  // Runs `task` at time `when`, on this executor.
  [[nodiscard]] virtual Timer RunAt(SteadyTime when, Closure task) = 0;
  // Returns true if the calling thread is one of this executor's.
  [[nodiscard]] virtual bool InThisExecutor() const = 0;
};

// A lock with a condition; waits use the Env's time. Counterpart: sync.Mutex with
// sync.Cond.
//
//   MonitorLock lock(*monitor_);
//   while (queue_.empty()) lock.Wait();
//
// Wait may return without a Notify: check in a loop.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void Lock() = 0;
  virtual void Unlock() = 0;
  virtual void Wait() = 0;  // REQUIRES: locked by the caller; unlocked while waiting
  virtual bool WaitUntil(SteadyTime deadline) = 0;  // false: the deadline has passed
  virtual void NotifyOne() = 0;
  virtual void NotifyAll() = 0;
};

// Holds a Monitor for its scope.
class MonitorLock {
 public:
  explicit MonitorLock(Monitor& monitor) : monitor_(monitor) { monitor_.Lock(); }
  ~MonitorLock() { monitor_.Unlock(); }
  MonitorLock(const MonitorLock&) = delete;
  MonitorLock& operator=(const MonitorLock&) = delete;
  void Wait() { monitor_.Wait(); }
  bool WaitUntil(SteadyTime deadline) { return monitor_.WaitUntil(deadline); }

 private:
  Monitor& monitor_;
};

// A thread of the Env. Join waits for the body's end; destruction joins.
class Thread {
 public:
  virtual ~Thread() = default;
  virtual void Join() = 0;
};

class Loop;

// Interface to the outside world: see the head of this file. Thread-safe. Outlives all its users.
class Env {
 public:
  virtual ~Env() = default;

  [[nodiscard]] virtual SteadyTime Now() const = 0;
  // Returns boot time, which advances while the machine sleeps, when Now stands still, and is never
  // set back as WallNow may be. Use it for grants with a time limit, such as leases.
  [[nodiscard]] virtual BootTime BootNow() const = 0;
  [[nodiscard]] virtual WallTime WallNow() const = 0;
  // Returns 64 uniformly distributed bits. Not for keys: for jitter and choices.
  [[nodiscard]] virtual std::uint64_t Random() = 0;

  [[nodiscard]] virtual Executor& loop() = 0;
  [[nodiscard]] virtual Executor& pool() = 0;
  [[nodiscard]] virtual std::unique_ptr<Monitor> NewMonitor() = 0;
  [[nodiscard]] virtual std::unique_ptr<Thread> NewThread(std::string name, Closure body) = 0;

  // Starts another event loop, on a thread of its own. `name` is part of the thread's name and the
  // label `loop` of the loop's metrics; that of loop() is "main".
  [[nodiscard]] virtual std::unique_ptr<Loop> NewLoop(std::string name) = 0;
  // Returns true if the calling thread runs an event loop: loop(), or another one of NewLoop, of
  // this Env or one that shares its pool. There, calls that would block are kWouldDeadlock.
  [[nodiscard]] virtual bool OnLoopThread() const = 0;

  [[nodiscard]] virtual LogSink& log() = 0;
  [[nodiscard]] virtual MetricsSink& metrics() = 0;
  // Returns null if nobody traces. Never changes.
  [[nodiscard]] virtual Tracer* tracer() { return nullptr; }

  // Sleeps in the Env's time. For threads of NewThread; on a loop it logs an error and returns at
  // once.
  void SleepFor(Duration duration);
};

// Another event loop beside the first. Objects that use its env() run on it, and so neither wait
// for an informer that decodes a large list nor delay one. A transport belongs to one loop, so a
// client on a loop of its own has connections of its own too.
//
//   std::unique_ptr<Loop> loop = env.NewLoop("leases");
//   Client client = Client::NewForConfig(loop->env(), config).OrExit();
//
// Thread-safe. Destruction lets the running task finish, destroys waiting ones and joins the
// thread; it must not happen on that thread. All users of its env() must be destroyed before it,
// and it must be destroyed before the Env that made it.
class Loop {
 public:
  virtual ~Loop() = default;
  // Returns an Env with the clock, pool, log, metrics and tracer of this loop's maker, and this as
  // loop().
  [[nodiscard]] virtual Env& env() = 0;
};

// Returns a double in [0, 1) from the Env's randomness.
[[nodiscard]] double RandomUnit(Env& env);

}  // namespace kinformer

#endif  // KINFORMER_BASE_ENV_H_
