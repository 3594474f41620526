// base/loop/event_loop.h
//
// EventLoop: the Executor behind Env::loop() of a Runtime: a Boost.Asio io_context, run by its own
// thread or by the host's event loop.

#ifndef KINFORMER_BASE_LOOP_EVENT_LOOP_H_
#define KINFORMER_BASE_LOOP_EVENT_LOOP_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"

#include "base/loop/has_own_work.h"
#include "base/loop/timer_queue.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

struct EventLoopOptions {
  std::string name{"main"};       // label of its metrics
  std::string thread_name{};      // name of its thread
  bool host_driven{false};        // no thread; RunReady runs it
  const Env* owner{nullptr};      // Env to which the loop belongs
  HasOwnWork* own_work{nullptr};  // owner of the threads of own_work.h
};

// Thread-safe. Tasks run in the order posted, in turns (task_turns.h); an exception from a task is
// logged and the loop continues. Due timers run one after the other, between tasks. In a forked
// child process it discards tasks, as if it had stopped.
class EventLoop final : public Executor {
 public:
  // Starts the thread unless host-driven. `log` and `metrics` must outlive the loop.
  EventLoop(EventLoopOptions options, LogSink& log, MetricsSink& metrics);
  // Calls Stop, then destroys pending tasks.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Post(Closure task) override;
  Timer RunAt(SteadyTime when, Closure task) override;
  // Like RunAt, but when the task is due, calls `on_due` on the loop with the task; `on_due`
  // decides where the task runs.
  Timer RunAt(SteadyTime when, Closure task, TimerQueue::OnDue on_due);
  // Host-driven: true on the thread that last called RunReady; before that, on the creating one.
  [[nodiscard]] bool InThisExecutor() const override;

  // Returns the loop that the calling thread is running, or null.
  [[nodiscard]] static const EventLoop* Current();
  [[nodiscard]] const Env* owner() const;
  [[nodiscard]] HasOwnWork* own_work() const;

  // Same as the functions of Runtime.
  [[nodiscard]] int Fd() const;
  bool RunReady(Duration slice);

  // Whether this process is a forked child of the process that made the loop.
  [[nodiscard]] bool Forked() const;
  // Ends the thread after the running task. Do not call it on the loop. May be called again.
  void Stop();

  // After starting an Asio operation outside of the loop's tasks, post a task: a host-driven loop
  // does not notice by itself that Asio has work.
  [[nodiscard]] boost::asio::io_context& io();

 private:
  bool RunUntil(SteadyTime end);
  void WakeHost();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_EVENT_LOOP_H_
