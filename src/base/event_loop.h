// base/event_loop.h
//
// EventLoop: the Executor under Env::loop() of a Runtime: a Boost.Asio io_context run by one thread.

#ifndef KINFORMER_BASE_EVENT_LOOP_H_
#define KINFORMER_BASE_EVENT_LOOP_H_

#include <memory>
#include <string>

#include "kinformer/env.h"
#include "kinformer/log.h"
#include "kinformer/metrics.h"

#include "base/timer_queue.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::internal {

// Thread-safe. Tasks run in the order posted; a task that throws is logged and the loop goes on. Timers run when due, one after
// the other, between tasks.
class EventLoop final : public Executor {
 public:
  // Starts the thread. `log` and `metrics` must outlive the loop.
  EventLoop(const std::string& thread_name, LogSink& log, MetricsSink& metrics);
  // Stop, then destroys what waits.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Post(Task task) override;
  Timer RunAt(SteadyTime when, Task task) override;
  // As RunAt; but when the time has come `on_due` is called on the loop with the task and decides where it runs.
  Timer RunAt(SteadyTime when, Task task, TimerQueue::OnDue on_due);
  [[nodiscard]] bool InThisExecutor() const override;

  // Ends the thread after the running task. Not on the loop. May be called again.
  void Stop();

  [[nodiscard]] boost::asio::io_context& io();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_BASE_EVENT_LOOP_H_
