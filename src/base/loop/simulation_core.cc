#include "base/loop/simulation_core.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <boost/asio/io_context.hpp>

#include "base/core/real_thread.h"
#include "base/loop/io_loop.h"
#include "base/loop/simulated_loop.h"
#include "base/loop/simulated_monitor.h"

namespace kinformer::internal::base {
namespace {

constexpr std::size_t kMaxPoolThreads = 16;
constexpr std::uint64_t kMaxStepsAtOneTime = 20'000'000;
// A wait of the driver outside the Run functions is stuck if it takes this long.
constexpr Duration kDriverPatience = std::chrono::hours(24 * 365);

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "kinformer: simulation: %s\n", text.c_str());
  std::abort();
}

class SimulatedThreadHandle final : public Thread {
 public:
  SimulatedThreadHandle(SimulationCore& core, SimulatedThread* thread)
      : core_(core), thread_(thread) {}
  ~SimulatedThreadHandle() override {
    if (thread_ != nullptr && core_.current() == thread_) DieOfOwnThread("Thread");
    Join();
  }
  SimulatedThreadHandle(const SimulatedThreadHandle&) = delete;
  SimulatedThreadHandle& operator=(const SimulatedThreadHandle&) = delete;
  void Join() override {
    if (thread_ != nullptr && core_.current() == thread_) ThrowOfOwnThread();
    if (SimulatedThread* thread = std::exchange(thread_, nullptr)) core_.JoinThread(thread);
  }

 private:
  SimulationCore& core_;
  SimulatedThread* thread_;
};

}  // namespace

Timer SimulatedPool::RunAt(SteadyTime when, Closure task) {
  return core_.timers_.Add(when, std::move(task), [this](std::shared_ptr<TimedTask> timed) {
    queue_.push_back(std::move(timed));
  });
}

bool SimulatedPool::InThisExecutor() const {
  return core_.current_ != nullptr && core_.current_->of_pool_ == this;
}

bool SimulatedPool::HasWork() const {
  return !queue_.empty() && (!idle_.empty() || started_ < kMaxPoolThreads);
}

std::unique_ptr<Monitor> SimulationCore::NewMonitor() {
  return std::make_unique<SimulatedMonitor>(*this);
}

std::unique_ptr<Thread> SimulationCore::NewThread(std::string name, Closure body) {
  return std::make_unique<SimulatedThreadHandle>(*this, Spawn(std::move(name), std::move(body)));
}

std::unique_ptr<Loop> SimulationCore::NewLoop(std::string name) {
  return std::make_unique<SimulatedLoop>(*this, std::move(name));
}

bool SimulationCore::OnLoopThread() const {
  return loop_.InThisExecutor() || SimulatedLoop::OnOne();
}

// ---- threads and their turns

SimulatedThread* SimulationCore::NewSimThread(std::string name, SimulatedPool* of_pool) {
  threads_.push_back(std::make_unique<SimulatedThread>(*this, std::move(name), of_pool));
  SimulatedThread* thread = threads_.back().get();
  thread->thread = StartThread("sim/" + thread->name_, [this, thread] { Main(*thread); });
  return thread;
}

SimulatedThread* SimulationCore::Spawn(std::string name, Closure body) {
  // Threads that have ended are kept until their handles have joined them.
  std::erase_if(threads_, [](const std::unique_ptr<SimulatedThread>& thread) {
    if (thread->leave) thread->thread.join();
    return thread->leave;
  });
  SimulatedThread* thread = NewSimThread(std::move(name), nullptr);
  thread->body = std::move(body);
  ready_.push_back(thread);
  return thread;
}

void SimulationCore::Main(SimulatedThread& thread) {
  AwaitTurn(thread);
  while (!thread.leave) {
    try {
      thread.body();
      thread.body = Closure();
    } catch (...) {
      thread.error = std::current_exception();
      thread.body = Closure();
    }
    thread.ended = true;
    for (SimulationWaiter* waiter : thread.joiners) MakeReady(*waiter);
    if (thread.of_pool_ == nullptr) break;
    thread.of_pool_->idle_.push_back(&thread);
    GiveTurnBack(thread);
    AwaitTurn(thread);
  }
  GiveTurnBack(thread);
}

void SimulationCore::AwaitTurn(SimulatedThread& thread) {
  std::unique_lock lock(thread.mutex);
  thread.changed.wait(lock, [&thread] { return thread.has_turn; });
}

void SimulationCore::GiveTurnBack(SimulatedThread& thread) {
  {
    const std::lock_guard lock(thread.mutex);
    thread.has_turn = false;
  }
  const std::lock_guard lock(driver_mutex_);
  driver_has_turn_ = true;
  driver_wake_.notify_one();
}

// Runs `thread` until it gives the turn back. Called by the driver only.
void SimulationCore::HandTurnTo(SimulatedThread& thread) {
  SimulatedThread* const before = std::exchange(current_, &thread);
  {
    const std::lock_guard lock(driver_mutex_);
    driver_has_turn_ = false;
  }
  {
    const std::lock_guard lock(thread.mutex);
    thread.has_turn = true;
    thread.changed.notify_one();
  }
  {
    std::unique_lock lock(driver_mutex_);
    driver_wake_.wait(lock, [this] { return driver_has_turn_; });
  }
  current_ = before;
  if (thread.error != nullptr) std::rethrow_exception(std::exchange(thread.error, nullptr));
}

void SimulationCore::Park(SimulationWaiter& waiter, const char* what) {
  if (SimulatedThread* const self = waiter.thread) {
    self->waits_for = what;
    GiveTurnBack(*self);
    AwaitTurn(*self);
    return;
  }
  const SteadyTime deadline = now_ + kDriverPatience;
  while (!waiter.ready) {
    if (StepOnce(!in_loop_task_)) continue;
    if (!AdvanceTo(deadline)) {
      Die(std::string(in_loop_task_ ? "a loop task" : "the driving thread") + " waits for " + what +
          " that can never come; waiting threads: " + WhoWaits());
    }
  }
}

void SimulationCore::MakeReady(SimulationWaiter& waiter) {
  if (waiter.ready) return;
  waiter.ready = true;
  if (waiter.thread != nullptr) ready_.push_back(waiter.thread);
}

void SimulationCore::MakeReadyAt(SteadyTime when, SimulationWaiter& waiter, Timer& timer) {
  timer = timers_.Add(when, [this, &waiter] { MakeReady(waiter); });
}

void SimulationCore::JoinThread(SimulatedThread* thread) {
  if (!thread->ended) {
    SimulationWaiter waiter{current_};
    thread->joiners.push_back(&waiter);
    Park(waiter, ("the end of thread " + thread->name_).c_str());
  }
  thread->leave = true;
}

// ---- steps

bool SimulationCore::StepOnce(bool with_loop) {
  const bool loop = with_loop && !loop_queue_.empty();
  const bool pool = pool_.HasWork();
  const bool own = own_threads_.HasWork();
  const std::size_t sources = ready_.size() + (loop ? 1U : 0U) + (pool ? 1U : 0U) + (own ? 1U : 0U);
  if (sources == 0) return false;
  sockets_quiet_ = false;
  if (++steps_at_now_ > kMaxStepsAtOneTime) {
    Die("20 million steps without time passing: something posts itself for ever");
  }
  std::size_t choice = Draw(sources);
  if (loop) {
    if (choice == 0) {
      RunLoopTask();
      return true;
    }
    --choice;
  }
  if (pool) {
    if (choice == 0) {
      RunPoolTask(pool_);
      return true;
    }
    --choice;
  }
  if (own) {
    if (choice == 0) {
      RunPoolTask(own_threads_);
      return true;
    }
    --choice;
  }
  SimulatedThread* const thread = ready_[choice];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(choice));
  Trace(3, choice);
  HandTurnTo(*thread);
  return true;
}

void SimulationCore::RunLoopTask() {
  const std::shared_ptr<TimedTask> timed = std::move(loop_queue_.front());
  loop_queue_.pop_front();
  struct Scope {
    bool& flag;
    ~Scope() { flag = false; }
  } const scope{in_loop_task_};
  in_loop_task_ = true;
  timed->Run();
}

void SimulationCore::RunPoolTask(SimulatedPool& pool) {
  std::shared_ptr<TimedTask> timed = std::move(pool.queue_.front());
  pool.queue_.pop_front();
  SimulatedThread* thread = nullptr;
  if (pool.idle_.empty()) {
    thread = NewSimThread(pool.name_ + std::to_string(pool.started_++), &pool);
  } else {
    thread = pool.idle_.back();
    pool.idle_.pop_back();
  }
  thread->ended = false;
  thread->body = [timed = std::move(timed)] { timed->Run(); };
  HandTurnTo(*thread);
}

bool SimulationCore::PollSockets() {
  // Inside a task of the loop no other task can run, so time advances without polling sockets.
  if (io_ == nullptr || sockets_quiet_ || in_loop_task_) return false;
  loop_.Post([this] {
    io_->restart();
    sockets_quiet_ = io_->poll() == 0;
  });
  return StepOnce(true);
}

// Advances time to the next timer and fires all timers of that time. Returns false if there is none
// up to `limit`.
bool SimulationCore::AdvanceTo(SteadyTime limit) {
  if (PollSockets()) return true;
  const std::optional<SteadyTime> next = timers_.Next();
  if (!next || *next > limit) return false;
  if (*next > now_) SetNow(*next);
  while (std::optional<TimerQueue::Due> due = timers_.PopDue(now_)) due->Run();
  return true;
}

bool SimulationCore::RunUntil(const std::function<bool()>& done, SteadyTime deadline) {
  while (!done()) {
    if (Step()) continue;
    if (AdvanceTo(deadline)) continue;
    if (timers_.Next()) SetNow(deadline);
    return done();
  }
  return true;
}

void SimulationCore::RunFor(Duration duration) {
  const SteadyTime deadline = now_ + duration;
  while (Step() || AdvanceTo(deadline)) {
  }
  if (deadline > now_) SetNow(deadline);
}

void GiveSockets(Env& env, boost::asio::io_context& io) {
  auto* const core = dynamic_cast<SimulationCore*>(&env);
  if (core == nullptr) Die("only the Env of a Simulation can be given sockets");
  core->GiveSockets(io);
}

std::string SimulationCore::WhoWaits() const {
  std::string text;
  for (const std::unique_ptr<SimulatedThread>& thread : threads_) {
    if (thread->ended) continue;
    if (!text.empty()) text.append(", ");
    text.append(thread->name_).append(" (for ").append(thread->waits_for).append(")");
  }
  return text.empty() ? "none" : text;
}

SimulationCore::~SimulationCore() {
  own_work_ends_.request_stop();
  const std::string waiting = WhoWaits();
  if (waiting != "none") {
    Die("destroyed while threads still wait: " + waiting +
        ". Destroy what uses env() before the Simulation.");
  }
  loop_queue_.clear();
  pool_.queue_.clear();
  own_threads_.queue_.clear();
  timers_.Clear();
  for (SimulatedPool* pool : {&pool_, &own_threads_}) {
    for (SimulatedThread* thread : pool->idle_) {
      thread->leave = true;
      HandTurnTo(*thread);
    }
  }
  for (const std::unique_ptr<SimulatedThread>& thread : threads_) thread->thread.join();
}

}  // namespace kinformer::internal::base
