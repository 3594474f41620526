// kinformer/env.h
//
// Env: everything the library takes from the outside world besides the network: where work runs,
// what time it is, randomness, the log and the metrics. Nothing in kinformer asks the operating
// system for these directly, so a test can put the whole library into simulated time (simulation.h)
// and a host can place it on its own threads.
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

#ifndef KINFORMER_ENV_H_
#define KINFORMER_ENV_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/log.h"
#include "kinformer/task.h"

namespace kinformer {

// Lengths of time.
using Duration = std::chrono::nanoseconds;
// Points on the steady clock, by which everything waits.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
// Tells points on the boot-time clock from those on others.
struct BootClock {};
// Points on the boot-time clock, which goes on while the machine sleeps.
using BootTime = std::chrono::time_point<BootClock, std::chrono::nanoseconds>;
// Points on the wall clock: what people and servers read.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

class MetricsSink;  // metrics.h

// A task that will run at some time, unless cancelled. Destroying the handle cancels.
//
// Cancel called on the executor's own thread is exact: the task does not run afterwards. From
// another thread the task may be running or just about to. Thread-compatible; may outlive its
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

// Runs tasks. Post keeps order: tasks posted one after the other by one thread run in that order on
// an executor with one thread, and start in that order on one with several. Thread-safe. Never
// blocks. Tasks posted after shutdown are destroyed unrun.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void Post(Task task) = 0;
  // Runs `task` once `when` has come, on this executor.
  [[nodiscard]] virtual Timer RunAt(SteadyTime when, Task task) = 0;
  // Is the calling thread one of this executor's?
  [[nodiscard]] virtual bool InThisExecutor() const = 0;
};

// A lock with a condition, whose waits pass in the Env's time. Counterpart: sync.Mutex with
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

// See the head of this file. Thread-safe. Outlives everything that was given a reference to it.
class Env {
 public:
  virtual ~Env() = default;

  [[nodiscard]] virtual SteadyTime Now() const = 0;
  // Goes on while the machine sleeps, where Now stands still, and is never set back as WallNow may
  // be. What was granted for a time (a lease) is over by this clock.
  [[nodiscard]] virtual BootTime BootNow() const = 0;
  [[nodiscard]] virtual WallTime WallNow() const = 0;
  // 64 uniformly distributed bits. Not for keys: for jitter and choices.
  [[nodiscard]] virtual std::uint64_t Random() = 0;

  [[nodiscard]] virtual Executor& loop() = 0;
  [[nodiscard]] virtual Executor& pool() = 0;
  [[nodiscard]] virtual std::unique_ptr<Monitor> NewMonitor() = 0;
  [[nodiscard]] virtual std::unique_ptr<Thread> NewThread(std::string name, Task body) = 0;

  // Starts a further event loop, on a thread of its own. `name` is part of the thread's name and
  // the label `loop` of the loop's metrics; that of loop() is "main".
  [[nodiscard]] virtual std::unique_ptr<Loop> NewLoop(std::string name) = 0;
  // Does the calling thread run an event loop: loop(), or any other made by NewLoop of this Env or
  // of one that shares its pool? Nothing may wait there: calls that would, return kWouldDeadlock.
  [[nodiscard]] virtual bool OnLoopThread() const = 0;

  [[nodiscard]] virtual LogSink& log() = 0;
  [[nodiscard]] virtual MetricsSink& metrics() = 0;

  // Sleeps in the Env's time. For threads made by NewThread; on a loop it returns at once, with an
  // error in the log.
  void SleepFor(Duration duration);
};

// An event loop beside the first. What is given its env() runs on it, and so neither waits behind
// an informer that decodes a large list nor delays one. A transport belongs to one loop, so a
// client on a loop of its own has connections of its own, too.
//
//   std::unique_ptr<Loop> loop = env.NewLoop("leases");
//   Client client = Client::NewForConfig(loop->env(), config).OrExit();
//
// Thread-safe. Destruction lets the task that runs finish, destroys those that wait and joins the
// thread; it must not happen on that thread. Whatever was given env() must be gone before, and this
// must be gone before the Env that made it.
class Loop {
 public:
  virtual ~Loop() = default;
  // The Env that made this loop, with the same clock, pool, log and metrics, whose loop() is this.
  [[nodiscard]] virtual Env& env() = 0;
};

// A double in [0, 1) from the Env's randomness.
[[nodiscard]] double RandomUnit(Env& env);

}  // namespace kinformer

#endif  // KINFORMER_ENV_H_
