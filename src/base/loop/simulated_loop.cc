#include "base/loop/simulated_loop.h"

#include <optional>
#include <utility>

#include "base/core/real_thread.h"

namespace kinformer::internal::base {
namespace {

thread_local const SimulatedLoop* current = nullptr;

}  // namespace

SimulatedLoop::SimulatedLoop(Env& env, std::string name)
    : env_(env),
      name_(std::move(name)),
      view_(env, tasks_),
      monitor_(env.NewMonitor()),
      thread_(env.NewThread(name_, [this] { Run(); })) {}

SimulatedLoop::~SimulatedLoop() {
  if (tasks_.InThisExecutor()) DieOfOwnThread("Loop");
  {
    MonitorLock lock(*monitor_);
    stopped_ = true;
    monitor_->NotifyAll();
  }
  thread_->Join();
  // Destroys the tasks; anything that their destructors post is ignored now.
  queue_.clear();
  timers_.Clear();
}

bool SimulatedLoop::OnOne() { return current != nullptr; }

void SimulatedLoop::Run() {
  current = this;
  MonitorLock lock(*monitor_);
  while (!stopped_) {
    while (std::optional<TimerQueue::Due> due = timers_.PopDue(env_.Now())) {
      queue_.push_back(std::move(due->task));
    }
    if (queue_.empty()) {
      if (const std::optional<SteadyTime> next = timers_.Next()) {
        lock.WaitUntil(*next);
      } else {
        lock.Wait();
      }
      continue;
    }
    const std::shared_ptr<TimedTask> timed = std::move(queue_.front());
    queue_.pop_front();
    monitor_->Unlock();
    timed->Run();
    monitor_->Lock();
  }
}

void SimulatedLoop::Tasks::Post(Closure task) {
  MonitorLock lock(*loop_.monitor_);
  if (loop_.stopped_) return;
  loop_.queue_.push_back(std::make_shared<TimedTask>(std::move(task)));
  loop_.monitor_->NotifyOne();
}

Timer SimulatedLoop::Tasks::RunAt(SteadyTime when, Closure task) {
  MonitorLock lock(*loop_.monitor_);
  if (loop_.stopped_) return Timer();
  bool earliest = false;
  Timer timer = loop_.timers_.Add(when, std::move(task), &earliest);
  if (earliest) loop_.monitor_->NotifyOne();
  return timer;
}

bool SimulatedLoop::Tasks::InThisExecutor() const { return current == &loop_; }

}  // namespace kinformer::internal::base
