#include "base/event_loop.h"

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/real_thread.h"

namespace kinformer::internal {

namespace asio = boost::asio;

struct EventLoop::Impl {
  Impl(LogSink& log_sink, MetricsSink& metrics)
      : log(log_sink),
        lateness(metrics.NewHistogram("kinformer_loop_lag_seconds",
                                      "How much later than due the event loop ran a timer.", {})),
        wake(io),
        work(asio::make_work_guard(io)) {}

  void Run() {
    while (!stopped.load(std::memory_order_acquire)) {
      Task run([this] { io.run(); });
      RunContained(run, log, "event loop");
    }
  }

  // On the loop: makes sure that it wakes for the first timer.
  void Arm() {
    const std::optional<SteadyTime> next = timers.Next();
    if (!next || (armed && *armed <= *next)) return;
    armed = next;
    wake.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(*next));
    wake.async_wait([this](const boost::system::error_code& error) {
      if (error) return;  // armed anew
      armed.reset();
      RunDue();
      Arm();
    });
  }

  void RunDue() {
    // Timers that become due while these run wait for the next turn, so that a timer which sets
    // itself again cannot keep everything else out.
    const SteadyTime now = std::chrono::steady_clock::now();
    while (std::optional<TimerQueue::Due> due = timers.PopDue(now)) {
      lateness->Observe(std::chrono::duration<double>(now - due->when).count());
      Task run([&due] { due->Run(); });
      RunContained(run, log, "timer");
    }
  }

  LogSink& log;
  const std::shared_ptr<Histogram> lateness;
  asio::io_context io{1};  // the hint: one thread runs it
  asio::steady_timer wake;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  TimerQueue timers;
  std::optional<SteadyTime> armed{};  // loop only
  std::atomic<bool> stopped{false};
  std::thread thread{};
};

EventLoop::EventLoop(const std::string& thread_name, LogSink& log, MetricsSink& metrics)
    : impl_(std::make_unique<Impl>(log, metrics)) {
  impl_->thread = StartThread(thread_name, [impl = impl_.get()] { impl->Run(); });
}

EventLoop::~EventLoop() {
  Stop();
  impl_->timers.Clear();
}

void EventLoop::Stop() {
  impl_->stopped.store(true, std::memory_order_release);
  impl_->io.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void EventLoop::Post(Task task) {
  if (impl_->stopped.load(std::memory_order_acquire)) return;
  asio::post(impl_->io, [impl = impl_.get(), task = std::move(task)]() mutable {
    RunContained(task, impl->log, "event loop");
  });
}

Timer EventLoop::RunAt(SteadyTime when, Task task) {
  return RunAt(when, std::move(task), TimerQueue::OnDue());
}

Timer EventLoop::RunAt(SteadyTime when, Task task, TimerQueue::OnDue on_due) {
  if (impl_->stopped.load(std::memory_order_acquire)) return Timer();
  bool earliest = false;
  Timer timer = impl_->timers.Add(when, std::move(task), std::move(on_due), &earliest);
  if (earliest) {
    if (InThisExecutor()) {
      impl_->Arm();
    } else {
      asio::post(impl_->io, [impl = impl_.get()] { impl->Arm(); });
    }
  }
  return timer;
}

bool EventLoop::InThisExecutor() const { return impl_->io.get_executor().running_in_this_thread(); }

boost::asio::io_context& EventLoop::io() { return impl_->io; }

}  // namespace kinformer::internal
