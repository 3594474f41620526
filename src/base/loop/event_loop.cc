#include "base/loop/event_loop.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <optional>
#include <sys/timerfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "base/core/forked.h"
#include "base/core/real_thread.h"
#include "base/loop/asio_reactor.h"
#include "base/loop/task_turns.h"

namespace kinformer::internal::base {
namespace {

namespace asio = boost::asio;

thread_local const EventLoop* current = nullptr;

// Marks the time in which this thread is inside a loop.
class Inside {
 public:
  explicit Inside(const EventLoop& loop) : before_(std::exchange(current, &loop)) {}
  ~Inside() { current = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const EventLoop* const before_;
};

// Makes a descriptor that becomes readable at a given time. Asio's own timers use one only with
// glibc; otherwise a host could not wait for them.
int NewTimerDescriptor() {
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return fd;
}

void SetTimerDescriptor(int fd, SteadyTime when) {
  // Zero would disarm the timer.
  const std::int64_t nanos = std::max<std::int64_t>(when.time_since_epoch().count(), 1);
  itimerspec spec{};
  spec.it_value.tv_sec = static_cast<std::time_t>(nanos / 1'000'000'000);
  spec.it_value.tv_nsec = static_cast<long>(nanos % 1'000'000'000);
  timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, nullptr);
}

}  // namespace

struct EventLoop::Impl {
  Impl(EventLoopOptions loop_options, LogSink& log_sink, MetricsSink& metrics)
      : options(std::move(loop_options)),
        log(log_sink),
        lateness(metrics.NewHistogram("kinformer_loop_lag_seconds",
                                      "How much later than due an event loop ran a timer.",
                                      {{"loop", options.name}})),
        alarm(io, NewTimerDescriptor()),
        work(asio::make_work_guard(io)),
        tasks(options.host_driven) {
    AwaitAlarm();
  }

  void Run() {
    while (!stopped.load(std::memory_order_acquire)) {
      Closure run([this] { io.run(); });
      RunContained(run, log, "event loop");
    }
  }

  // May be called on any thread.
  void AddTask(Closure task) {
    if (tasks.Add(std::move(task))) AskForTurn();
  }

  void AskForTurn() {
    try {
      asio::post(io, [this] { Turn(); });
    } catch (...) {
      tasks.NotAsked();
      throw;
    }
  }

  void Turn() {
    bool more = false;
    try {
      more = tasks.Turn([this](Closure& task) { RunContained(task, log, "event loop"); },
                        [this] { return stopped.load(std::memory_order_acquire); });
    } catch (...) {  // of the host's log
      AskForTurn();
      throw;
    }
    if (more) AskForTurn();
  }

  // Makes the loop wake up for the first timer. Call it on the loop.
  void Arm() {
    const std::optional<SteadyTime> next = timers.Next();
    if (!next || (armed && *armed <= *next)) return;
    // The system need not be asked to wake the loop for what is due already.
    if (*next <= std::chrono::steady_clock::now()) {
      if (std::exchange(due_posted, true)) return;
      AddTask([this] {
        due_posted = false;
        RunDue();
        Arm();
      });
      return;
    }
    armed = next;
    SetTimerDescriptor(alarm.native_handle(), *next);
  }

  void AwaitAlarm() {
    alarm.async_wait(
        asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
          if (error) return;
          std::uint64_t count = 0;
          [[maybe_unused]] const auto got = ::read(alarm.native_handle(), &count, sizeof(count));
          armed.reset();
          RunDue();
          Arm();
          AwaitAlarm();
        });
  }

  void RunDue() {
    // Timers that become due while these run wait for the next turn, so that a timer which restarts
    // itself cannot block everything else.
    const SteadyTime now = std::chrono::steady_clock::now();
    while (std::optional<TimerQueue::Due> due = timers.PopDue(now)) {
      lateness->Observe(std::chrono::duration<double>(now - due->when).count());
      Closure run([&due] { due->Run(); });
      RunContained(run, log, "timer");
    }
  }

  // Polls until nothing is ready or `end` has passed. Returns whether there may be more.
  bool PollUntil(SteadyTime end) {
    bool more = true;
    while (more && std::chrono::steady_clock::now() < end) {
      Closure poll([this, &more] {
        more = true;  // if it throws
        more = io.poll_one() > 0;
      });
      RunContained(poll, log, "event loop");
    }
    return more;
  }

  const EventLoopOptions options;
  LogSink& log;
  const std::shared_ptr<Histogram> lateness;
  asio::io_context io{1};  // the hint: one thread runs it
  asio::posix::stream_descriptor alarm;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  TimerQueue timers;
  TaskTurns tasks;
  const Birthplace birthplace{};
  std::optional<SteadyTime> armed{};  // used on the loop only
  bool due_posted = false;            // likewise
  std::atomic<bool> stopped{false};
  std::thread thread{};

  // For host-driven loops.
  std::atomic<std::thread::id> driver{std::this_thread::get_id()};
  std::atomic<bool> woken{false};    // a task was posted since RunReady last checked
  std::atomic<bool> polling{false};  // a thread is in RunReady
};

EventLoop::EventLoop(EventLoopOptions options, LogSink& log, MetricsSink& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), log, metrics)) {
  if (impl_->options.host_driven) return;
  impl_->thread = StartThread(impl_->options.thread_name, [this, impl = impl_.get()] {
    const Inside inside(*this);
    impl->Run();
  });
}

EventLoop::~EventLoop() {
  if (Forked()) {
    // Closing them would remove the parent's descriptors from the parent's epoll set.
    LeaveToParent(std::move(impl_));
    return;
  }
  Stop();
  // While the loop still stands: destructors of tasks may post to it.
  impl_->timers.Clear();
  impl_->tasks.Clear();
}

bool EventLoop::Forked() const { return impl_->birthplace.InAnotherProcess(); }

void EventLoop::Stop() {
  impl_->stopped.store(true, std::memory_order_release);
  impl_->io.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void EventLoop::Post(Closure task) {
  if (impl_->stopped.load(std::memory_order_acquire) || Forked()) return;
  impl_->AddTask(std::move(task));
  WakeHost();
}

Timer EventLoop::RunAt(SteadyTime when, Closure task) {
  return RunAt(when, std::move(task), TimerQueue::OnDue());
}

Timer EventLoop::RunAt(SteadyTime when, Closure task, TimerQueue::OnDue on_due) {
  if (impl_->stopped.load(std::memory_order_acquire) || Forked()) return Timer();
  bool earliest = false;
  Timer timer = impl_->timers.Add(when, std::move(task), std::move(on_due), &earliest);
  if (earliest) {
    if (InThisExecutor()) {
      impl_->Arm();
    } else {
      impl_->AddTask([impl = impl_.get()] { impl->Arm(); });
      WakeHost();
    }
  }
  return timer;
}

bool EventLoop::InThisExecutor() const {
  if (impl_->options.host_driven) return impl_->driver.load() == std::this_thread::get_id();
  return impl_->io.get_executor().running_in_this_thread();
}

const EventLoop* EventLoop::Current() { return current; }

HasOwnWork* EventLoop::own_work() const { return impl_->options.own_work; }
const Env* EventLoop::owner() const { return impl_->options.owner; }

int EventLoop::Fd() const { return impl_->options.host_driven ? ReactorDescriptor(impl_->io) : -1; }

bool EventLoop::RunReady(Duration slice) {
  Impl& impl = *impl_;
  if (impl.stopped.load(std::memory_order_acquire) || Forked()) return false;
  if (!impl.options.host_driven || impl.polling.exchange(true)) {
    impl.log.Log(LogLevel::kError,
                 impl.options.host_driven
                     ? "RunReady called inside a task, or by two threads at once; ignored"
                     : "RunReady called on a Runtime that runs its own loop; ignored",
                 {});
    return false;
  }
  impl.driver.store(std::this_thread::get_id());
  const bool more = RunUntil(std::chrono::steady_clock::now() + slice);
  impl.polling.store(false);
  return more;
}

bool EventLoop::RunUntil(SteadyTime end) {
  Impl& impl = *impl_;
  const Inside inside(*this);
  // Polling makes the descriptor unreadable, so it must not end while a posted task is unseen.
  do {
    impl.woken.exchange(false, std::memory_order_acq_rel);
    if (impl.PollUntil(end)) {
      impl.woken.store(true, std::memory_order_release);
      InterruptReactor(impl.io);
      return true;
    }
  } while (impl.woken.load(std::memory_order_acquire));
  return false;
}

// Wakes a sleeping host when a task is posted, once until it polls. Tasks that post other tasks
// need not wake it, since the same turn finds those.
void EventLoop::WakeHost() {
  if (!impl_->options.host_driven || current == this) return;
  if (!impl_->woken.exchange(true, std::memory_order_acq_rel)) InterruptReactor(impl_->io);
}

boost::asio::io_context& EventLoop::io() { return impl_->io; }

}  // namespace kinformer::internal::base
