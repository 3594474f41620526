// base/loop/event_loop.h
//
// EventLoop: the Executor under Env::loop() of a Runtime: a Boost.Asio io_context, run by a thread
// of its own or by the host's event loop.

#ifndef KINFORMER_BASE_LOOP_EVENT_LOOP_H_
#define KINFORMER_BASE_LOOP_EVENT_LOOP_H_

#include <memory>
#include <string>

#include "kinformer/env.h"
#include "kinformer/log.h"
#include "kinformer/metrics.h"

#include "base/loop/own_work.h"
#include "base/loop/timer_queue.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

struct EventLoopOptions {
  std::string name{"main"};       // label of its metrics
  std::string thread_name{};      // of its thread
  bool host_driven{false};        // no thread: RunReady runs it
  const Env* owner{nullptr};      // whose loop it is
  HasOwnWork* own_work{nullptr};  // who has the threads of own_work.h
};

// Thread-safe. Tasks run in the order posted; a task that throws is logged and the loop goes on.
// Timers run when due, one after the other, between tasks. In a process that was forked off it
// takes no tasks, as if it had stopped.
class EventLoop final : public Executor {
 public:
  // Starts the thread, if it is to have one. `log` and `metrics` must outlive the loop.
  EventLoop(EventLoopOptions options, LogSink& log, MetricsSink& metrics);
  // Stop, then destroys what waits.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Post(Task task) override;
  Timer RunAt(SteadyTime when, Task task) override;
  // As RunAt; but when the time has come `on_due` is called on the loop with the task and decides
  // where it runs.
  Timer RunAt(SteadyTime when, Task task, TimerQueue::OnDue on_due);
  // Host-driven: on the thread that made the loop, until another calls RunReady; then on that one.
  [[nodiscard]] bool InThisExecutor() const override;

  // The loop that the calling thread is inside of; null: none.
  [[nodiscard]] static const EventLoop* Current();
  [[nodiscard]] const Env* owner() const;
  [[nodiscard]] HasOwnWork* own_work() const;

  // As Runtime's.
  [[nodiscard]] int Fd() const;
  bool RunReady(Duration slice);

  // Was this process forked off the one that made the loop?
  [[nodiscard]] bool Forked() const;
  // Ends the thread after the running task. Not inside the loop. May be called again.
  void Stop();

  // Who begins work with it outside the loop's tasks posts a task afterwards: a host-driven loop
  // does not see by itself that Asio has something to run.
  [[nodiscard]] boost::asio::io_context& io();

 private:
  bool RunUntil(SteadyTime end);
  void WakeHost();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_EVENT_LOOP_H_
