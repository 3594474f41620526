#include "kinformer/simulation.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/metrics.h"

#include "base/prng.h"
#include "base/real_thread.h"
#include "base/timer_queue.h"

// How the turn passes: the thread that made the Simulation (the driver) picks every step. Loop tasks it runs itself, on its own
// stack; a simulated thread it wakes, and then sleeps until that thread gives the turn back. So at any moment one thread runs,
// and all state below needs no lock: each hand-over orders what came before it.
//
// When the driver itself must wait (a contended Monitor, a Join, a blocking call in a test), it runs steps from inside the wait
// until it can go on; loop tasks only if the wait is not itself inside one.

namespace kinformer {
namespace {

constexpr Duration kSteadyStart = std::chrono::hours(1);
constexpr std::size_t kMaxPoolThreads = 16;
constexpr std::uint64_t kMaxStepsAtOneTime = 20'000'000;
// A wait of the driver outside the Run functions that takes this long will not end.
constexpr Duration kDriverPatience = std::chrono::hours(24 * 365);

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "kinformer: simulation: %s\n", text.c_str());
  std::abort();
}

class Core;

// A real thread that runs only when the driver hands it the turn.
class SimThread {
 public:
  SimThread(Core& core, std::string name, bool of_pool)
      : core_(core), name_(std::move(name)), of_pool_(of_pool) {}

  Core& core_;
  const std::string name_;
  const bool of_pool_;
  Task body{};         // what it runs when woken: a thread's body, or one pool task
  bool ended = false;  // ran its body; a pool thread then waits for the next one
  bool leave = false;  // a pool thread that shall end for good
  std::string waits_for{"its first turn"};
  std::vector<struct Waiter*> joiners{};
  std::exception_ptr error{};

  // The turn. Guarded by mutex; everything else by the turn itself.
  std::mutex mutex{};
  std::condition_variable changed{};
  bool has_turn = false;
  std::thread thread{};
};

// One wait of one thread, on that thread's stack.
struct Waiter {
  SimThread* thread = nullptr;  // null: the driver
  bool ready = false;
};

class SimMonitor;

class Core final : public Env {
 public:
  explicit Core(SimulationOptions options)
      : log_(options.log != nullptr ? std::move(options.log) : NewNullLog()),
        metrics_(options.metrics != nullptr ? std::move(options.metrics) : NewNullMetrics()),
        wall_start_(options.start),
        choices_(internal::MixBits(options.seed ^ 0x6b696e666f726d65)),
        random_(internal::MixBits(options.seed + 1)) {}

  ~Core() override;

  // ---- Env
  [[nodiscard]] SteadyTime Now() const override { return now_; }
  [[nodiscard]] WallTime WallNow() const override {
    return wall_start_ + (now_ - SteadyTime(kSteadyStart));
  }
  [[nodiscard]] std::uint64_t Random() override {
    const std::uint64_t value = random_.Next();
    Trace(5, value);
    return value;
  }
  [[nodiscard]] Executor& loop() override { return loop_; }
  [[nodiscard]] Executor& pool() override { return pool_; }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override;
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Task body) override;
  [[nodiscard]] LogSink& log() override { return *log_; }
  [[nodiscard]] MetricsSink& metrics() override { return *metrics_; }

  // ---- driving
  bool Step() { return StepOnce(!in_loop_task_); }
  bool RunUntil(const std::function<bool()>& done, SteadyTime deadline);
  void RunFor(Duration duration);
  SimThread* Spawn(std::string name, Task body);
  [[nodiscard]] std::uint64_t trace() const { return trace_; }

  // ---- waiting, for the thread that has the turn
  [[nodiscard]] SimThread* current() const { return current_; }
  // Gives the turn away until `waiter` is ready.
  void Park(Waiter& waiter, const char* what);
  void MakeReady(Waiter& waiter);
  void MakeReadyAt(SteadyTime when, Waiter& waiter, Timer& timer);
  void JoinThread(SimThread* thread);
  [[nodiscard]] std::uint64_t Draw(std::uint64_t n) {
    if (n <= 1) return 0;
    const std::uint64_t choice = choices_.Below(n);
    Trace(1, choice);
    return choice;
  }

 private:
  class Loop final : public Executor {
   public:
    explicit Loop(Core& core) : core_(core) {}
    void Post(Task task) override {
      core_.loop_queue_.push_back(std::make_shared<internal::TimedTask>(std::move(task)));
    }
    Timer RunAt(SteadyTime when, Task task) override {
      return core_.timers_.Add(when, std::move(task),
                               [&core = core_](std::shared_ptr<internal::TimedTask> timed) {
                                 core.loop_queue_.push_back(std::move(timed));
                               });
    }
    [[nodiscard]] bool InThisExecutor() const override {
      return core_.current_ == nullptr && core_.in_loop_task_;
    }

   private:
    Core& core_;
  };

  class Pool final : public Executor {
   public:
    explicit Pool(Core& core) : core_(core) {}
    void Post(Task task) override {
      core_.pool_queue_.push_back(std::make_shared<internal::TimedTask>(std::move(task)));
    }
    Timer RunAt(SteadyTime when, Task task) override {
      return core_.timers_.Add(when, std::move(task),
                               [&core = core_](std::shared_ptr<internal::TimedTask> timed) {
                                 core.pool_queue_.push_back(std::move(timed));
                               });
    }
    [[nodiscard]] bool InThisExecutor() const override {
      return core_.current_ != nullptr && core_.current_->of_pool_;
    }

   private:
    Core& core_;
  };

  using Queue = std::deque<std::shared_ptr<internal::TimedTask>>;

  void Trace(std::uint64_t kind, std::uint64_t value) {
    trace_ = internal::MixBits(trace_ + internal::kGoldenGamma + kind) ^
             internal::MixBits(value + internal::kGoldenGamma);
  }
  bool StepOnce(bool with_loop);
  void RunLoopTask();
  void RunPoolTask();
  bool AdvanceTo(SteadyTime limit);
  void SetNow(SteadyTime now) {
    now_ = now;
    steps_at_now_ = 0;
    Trace(2, static_cast<std::uint64_t>(now.time_since_epoch().count()));
  }
  SimThread* NewSimThread(std::string name, bool of_pool);
  void HandTurnTo(SimThread& thread);
  void GiveTurnBack(SimThread& thread);
  void AwaitTurn(SimThread& thread);
  void Main(SimThread& thread);
  [[nodiscard]] std::string WhoWaits() const;

  const std::shared_ptr<LogSink> log_;
  const std::shared_ptr<MetricsSink> metrics_;
  const WallTime wall_start_;
  SteadyTime now_{kSteadyStart};
  internal::Prng choices_;
  internal::Prng random_;
  std::uint64_t trace_ = 0;
  std::uint64_t steps_at_now_ = 0;

  Loop loop_{*this};
  Pool pool_{*this};
  internal::TimerQueue timers_;
  Queue loop_queue_;
  Queue pool_queue_;
  std::vector<SimThread*> ready_;
  std::vector<SimThread*> idle_pool_;
  std::size_t pool_threads_ = 0;
  std::vector<std::unique_ptr<SimThread>> threads_;
  SimThread* current_ = nullptr;  // null: the driver
  bool in_loop_task_ = false;
  std::size_t ended_threads_ = 0;

  std::mutex driver_mutex_;
  std::condition_variable driver_wake_;
  bool driver_has_turn_ = true;
};

// ---- Monitor and Thread

class SimMonitor final : public Monitor {
 public:
  explicit SimMonitor(Core& core) : core_(core) {}

  void Lock() override {
    while (locked_) {
      Waiter waiter{core_.current()};
      lockers_.push_back(&waiter);
      core_.Park(waiter, "a lock");
    }
    locked_ = true;
  }
  void Unlock() override {
    locked_ = false;
    // All of them: who comes first is drawn like every other step.
    for (Waiter* waiter : lockers_) core_.MakeReady(*waiter);
    lockers_.clear();
  }
  void Wait() override {
    Waiter waiter{core_.current()};
    waiters_.push_back(&waiter);
    Unlock();
    core_.Park(waiter, "a notification");
    std::erase(waiters_, &waiter);
    Lock();
  }
  bool WaitUntil(SteadyTime deadline) override {
    if (deadline <= core_.Now()) return false;
    Waiter waiter{core_.current()};
    waiters_.push_back(&waiter);
    Unlock();
    Timer timer;
    core_.MakeReadyAt(deadline, waiter, timer);
    core_.Park(waiter, "a notification or a time");
    timer.Cancel();
    const bool notified = std::erase(waiters_, &waiter) == 0;
    Lock();
    return notified;
  }
  void NotifyOne() override {
    if (waiters_.empty()) return;
    const auto index = static_cast<std::ptrdiff_t>(core_.Draw(waiters_.size()));
    Waiter* waiter = *(waiters_.begin() + index);
    waiters_.erase(waiters_.begin() + index);
    core_.MakeReady(*waiter);
  }
  void NotifyAll() override {
    for (Waiter* waiter : waiters_) core_.MakeReady(*waiter);
    waiters_.clear();
  }

 private:
  Core& core_;
  bool locked_ = false;
  std::vector<Waiter*> lockers_;
  std::vector<Waiter*> waiters_;
};

class SimThreadHandle final : public Thread {
 public:
  SimThreadHandle(Core& core, SimThread* thread) : core_(core), thread_(thread) {}
  ~SimThreadHandle() override { Join(); }
  SimThreadHandle(const SimThreadHandle&) = delete;
  SimThreadHandle& operator=(const SimThreadHandle&) = delete;
  void Join() override {
    if (SimThread* thread = std::exchange(thread_, nullptr)) core_.JoinThread(thread);
  }

 private:
  Core& core_;
  SimThread* thread_;
};

std::unique_ptr<Monitor> Core::NewMonitor() { return std::make_unique<SimMonitor>(*this); }

std::unique_ptr<Thread> Core::NewThread(std::string name, Task body) {
  return std::make_unique<SimThreadHandle>(*this, Spawn(std::move(name), std::move(body)));
}

// ---- threads and their turns

SimThread* Core::NewSimThread(std::string name, bool of_pool) {
  threads_.push_back(std::make_unique<SimThread>(*this, std::move(name), of_pool));
  SimThread* thread = threads_.back().get();
  thread->thread = internal::StartThread("sim/" + thread->name_, [this, thread] { Main(*thread); });
  return thread;
}

SimThread* Core::Spawn(std::string name, Task body) {
  // Threads that ended are kept until they are joined by the driver; here is a good moment.
  if (current_ == nullptr && ended_threads_ > 64) {
    std::erase_if(threads_, [](const std::unique_ptr<SimThread>& thread) {
      if (!thread->ended || thread->of_pool_ || !thread->joiners.empty()) return false;
      if (!thread->leave) return false;  // its handle has not joined it yet
      thread->thread.join();
      return true;
    });
    ended_threads_ = 0;
  }
  SimThread* thread = NewSimThread(std::move(name), false);
  thread->body = std::move(body);
  ready_.push_back(thread);
  return thread;
}

void Core::Main(SimThread& thread) {
  AwaitTurn(thread);
  while (!thread.leave) {
    try {
      thread.body();
      thread.body = Task();
    } catch (...) {
      thread.error = std::current_exception();
      thread.body = Task();
    }
    thread.ended = true;
    for (Waiter* waiter : thread.joiners) MakeReady(*waiter);
    thread.joiners.clear();
    if (!thread.of_pool_) {
      ++ended_threads_;
      GiveTurnBack(thread);
      return;
    }
    idle_pool_.push_back(&thread);
    GiveTurnBack(thread);
    AwaitTurn(thread);
  }
  GiveTurnBack(thread);
}

void Core::AwaitTurn(SimThread& thread) {
  std::unique_lock lock(thread.mutex);
  thread.changed.wait(lock, [&thread] { return thread.has_turn; });
}

void Core::GiveTurnBack(SimThread& thread) {
  {
    const std::lock_guard lock(thread.mutex);
    thread.has_turn = false;
  }
  const std::lock_guard lock(driver_mutex_);
  driver_has_turn_ = true;
  driver_wake_.notify_one();
}

// Driver only: runs `thread` until it gives the turn back.
void Core::HandTurnTo(SimThread& thread) {
  SimThread* const before = std::exchange(current_, &thread);
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

void Core::Park(Waiter& waiter, const char* what) {
  if (SimThread* const self = waiter.thread) {
    self->waits_for = what;
    GiveTurnBack(*self);
    AwaitTurn(*self);
    self->waits_for = "nothing";
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

void Core::MakeReady(Waiter& waiter) {
  if (waiter.ready) return;
  waiter.ready = true;
  if (waiter.thread != nullptr) ready_.push_back(waiter.thread);
}

void Core::MakeReadyAt(SteadyTime when, Waiter& waiter, Timer& timer) {
  timer = timers_.Add(when, [this, &waiter] { MakeReady(waiter); });
}

void Core::JoinThread(SimThread* thread) {
  if (!thread->ended) {
    Waiter waiter{current_};
    thread->joiners.push_back(&waiter);
    Park(waiter, ("the end of thread " + thread->name_).c_str());
  }
  thread->leave = true;
}

// ---- steps

bool Core::StepOnce(bool with_loop) {
  const bool loop = with_loop && !loop_queue_.empty();
  const bool pool =
      !pool_queue_.empty() && (!idle_pool_.empty() || pool_threads_ < kMaxPoolThreads);
  const std::size_t sources = ready_.size() + (loop ? 1U : 0U) + (pool ? 1U : 0U);
  if (sources == 0) return false;
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
      RunPoolTask();
      return true;
    }
    --choice;
  }
  SimThread* const thread = ready_[choice];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(choice));
  Trace(3, choice);
  HandTurnTo(*thread);
  return true;
}

void Core::RunLoopTask() {
  const std::shared_ptr<internal::TimedTask> timed = std::move(loop_queue_.front());
  loop_queue_.pop_front();
  struct Scope {
    bool& flag;
    ~Scope() { flag = false; }
  } const scope{in_loop_task_};
  in_loop_task_ = true;
  timed->Run();
}

void Core::RunPoolTask() {
  std::shared_ptr<internal::TimedTask> timed = std::move(pool_queue_.front());
  pool_queue_.pop_front();
  SimThread* thread = nullptr;
  if (idle_pool_.empty()) {
    thread = NewSimThread("pool" + std::to_string(pool_threads_++), true);
  } else {
    thread = idle_pool_.back();
    idle_pool_.pop_back();
  }
  thread->ended = false;
  thread->body = [timed = std::move(timed)] { timed->Run(); };
  HandTurnTo(*thread);
}

// Lets time jump to the next timer and fires all of that moment; false if there is none up to `limit`.
bool Core::AdvanceTo(SteadyTime limit) {
  const std::optional<SteadyTime> next = timers_.Next();
  if (!next || *next > limit) return false;
  if (*next > now_) SetNow(*next);
  while (std::optional<internal::TimerQueue::Due> due = timers_.PopDue(now_)) due->Run();
  return true;
}

bool Core::RunUntil(const std::function<bool()>& done, SteadyTime deadline) {
  while (!done()) {
    if (Step()) continue;
    if (AdvanceTo(deadline)) continue;
    if (timers_.Next()) SetNow(deadline);
    return done();
  }
  return true;
}

void Core::RunFor(Duration duration) {
  const SteadyTime deadline = now_ + duration;
  while (Step() || AdvanceTo(deadline)) {
  }
  if (deadline > now_) SetNow(deadline);
}

std::string Core::WhoWaits() const {
  std::string text;
  for (const std::unique_ptr<SimThread>& thread : threads_) {
    if (thread->ended) continue;
    if (!text.empty()) text.append(", ");
    text.append(thread->name_).append(" (for ").append(thread->waits_for).append(")");
  }
  return text.empty() ? "none" : text;
}

Core::~Core() {
  const std::string waiting = WhoWaits();
  if (waiting != "none") {
    Die("destroyed while threads still wait: " + waiting +
        ". Destroy what uses env() before the Simulation.");
  }
  loop_queue_.clear();
  pool_queue_.clear();
  timers_.Clear();
  for (SimThread* thread : idle_pool_) {
    thread->leave = true;
    HandTurnTo(*thread);
  }
  for (const std::unique_ptr<SimThread>& thread : threads_) thread->thread.join();
}

}  // namespace

struct Simulation::Impl {
  explicit Impl(SimulationOptions options) : core(std::move(options)) {}
  Core core;
};

Simulation::Simulation(SimulationOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
Simulation::~Simulation() = default;

Env& Simulation::env() { return impl_->core; }

bool Simulation::RunUntil(const std::function<bool()>& done, Duration limit) {
  return impl_->core.RunUntil(done, impl_->core.Now() + limit);
}

void Simulation::RunFor(Duration duration) { impl_->core.RunFor(duration); }

void Simulation::RunReady() {
  while (impl_->core.Step()) {
  }
}

bool Simulation::Step() { return impl_->core.Step(); }

bool Simulation::RunBlocking(Task body, Duration limit) {
  // Shared: where the limit comes first, the thread ends later or never.
  auto ended = std::make_shared<bool>(false);
  SimThread* const thread =
      impl_->core.Spawn("blocking", [ended, task = std::move(body)]() mutable {
        struct Scope {
          bool& flag;
          ~Scope() { flag = true; }
        } const scope{*ended};
        task();
      });
  const bool returned = RunUntil([&ended] { return *ended; }, limit);
  if (returned) impl_->core.JoinThread(thread);
  return returned;
}

std::uint64_t Simulation::TraceHash() const { return impl_->core.trace(); }

}  // namespace kinformer
