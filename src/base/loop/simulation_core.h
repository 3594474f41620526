// base/loop/simulation_core.h
//
// SimulationCore: the Env of a Simulation: decides which thread runs next, and has the time.
//
// The thread that made the Simulation (the driver) chooses every step. It runs tasks of the loop
// itself, on its own stack; it wakes a simulated thread and then sleeps until that thread gives the
// turn back. So one thread runs at a time, and the state below needs no lock: each hand-over orders
// the memory accesses before it.
//
// If the driver itself must wait (a contended Monitor, a Join, a blocking call in a test), it runs
// steps inside the wait until it can continue; tasks of the loop only if the wait is not itself
// inside one.

#ifndef KINFORMER_BASE_LOOP_SIMULATION_CORE_H_
#define KINFORMER_BASE_LOOP_SIMULATION_CORE_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "base/core/contained_sinks.h"
#include "base/core/named_envs.h"
#include "base/core/prng.h"
#include "base/loop/has_own_work.h"
#include "base/loop/own_work.h"
#include "base/loop/timer_queue.h"

namespace boost::asio {
class io_context;
}

namespace kinformer::internal::base {

class SimulationCore;
struct SimulationWaiter;

class SimulatedThread;

// Simulated threads that take tasks from one queue, in the order posted.
class SimulatedPool final : public Executor {
 public:
  SimulatedPool(SimulationCore& core, std::string name) : core_(core), name_(std::move(name)) {}
  void Post(Closure task) override {
    queue_.push_back(std::make_shared<TimedTask>(std::move(task)));
  }
  [[nodiscard]] Timer RunAt(SteadyTime when, Closure task) override;
  [[nodiscard]] bool InThisExecutor() const override;

 private:
  friend class SimulationCore;

  [[nodiscard]] bool HasWork() const;

  SimulationCore& core_;
  const std::string name_;
  std::deque<std::shared_ptr<TimedTask>> queue_{};
  std::vector<SimulatedThread*> idle_{};
  std::size_t started_ = 0;
};

// A real thread that runs only when the driver hands it the turn.
class SimulatedThread {
 public:
  SimulatedThread(SimulationCore& core, std::string name, SimulatedPool* of_pool)
      : core_(core), name_(std::move(name)), of_pool_(of_pool) {}

  SimulationCore& core_;
  const std::string name_;
  SimulatedPool* const of_pool_;  // null: no pool
  Closure body{};                 // what it runs: a thread's body, or one pool task
  bool ended = false;             // its body has ended; a pool thread then waits for the next body
  bool leave = false;             // joined by its handle; or a pool thread that must end
  std::string waits_for{"its first turn"};
  std::vector<SimulationWaiter*> joiners{};
  std::exception_ptr error{};

  // The turn. Guarded by mutex; everything else by the turn itself.
  std::mutex mutex{};
  std::condition_variable changed{};
  bool has_turn = false;
  std::thread thread{};
};

// One wait of one thread, on that thread's stack.
struct SimulationWaiter {
  SimulatedThread* thread = nullptr;  // null: the driver
  bool ready = false;
};

// See the head of this file. Belongs to the thread that made it, the driver.
class SimulationCore final : public Env, public KeepsNamedEnvs, public HasOwnWork {
 public:
  explicit SimulationCore(SimulationOptions options)
      : tracer_(std::move(options.tracer)),
        sinks_(ContainedSinks(
            options.log != nullptr ? std::move(options.log) : NewNullLog(),
            options.metrics != nullptr ? std::move(options.metrics) : NewNullMetrics())),
        wall_start_(options.start),
        choices_(MixBits(options.seed ^ 0x6b696e666f726d65)),
        random_(MixBits(options.seed + 1)) {}

  ~SimulationCore() override;

  // ---- Env
  [[nodiscard]] SteadyTime Now() const override { return now_; }
  [[nodiscard]] BootTime BootNow() const override {
    return BootTime(now_.time_since_epoch() + suspended_);
  }
  [[nodiscard]] WallTime WallNow() const override {
    return wall_start_ + (now_ - SteadyTime(kSteadyStart)) + suspended_;
  }
  [[nodiscard]] std::uint64_t Random() override {
    const std::uint64_t value = random_.Next();
    Trace(5, value);
    return value;
  }
  [[nodiscard]] Executor& loop() override { return loop_; }
  [[nodiscard]] Executor& pool() override { return pool_; }
  [[nodiscard]] OwnWork own_work() override {
    return {*this, own_threads_, own_work_ends_.get_token()};
  }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override;
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Closure body) override;
  [[nodiscard]] std::unique_ptr<Loop> NewLoop(std::string name) override;
  [[nodiscard]] bool OnLoopThread() const override;
  [[nodiscard]] LogSink& log() override { return *sinks_.log; }
  [[nodiscard]] MetricsSink& metrics() override { return *sinks_.metrics; }
  [[nodiscard]] Tracer* tracer() override { return tracer_.get(); }

  // ---- driving
  bool Step() { return StepOnce(!in_loop_task_); }
  bool RunUntil(const std::function<bool()>& done, SteadyTime deadline);
  void Suspend(Duration duration) { suspended_ += duration; }
  void RunFor(Duration duration);
  // See io_loop.h.
  void GiveSockets(boost::asio::io_context& io) { io_ = &io; }
  [[nodiscard]] boost::asio::io_context* io() const { return io_; }
  SimulatedThread* Spawn(std::string name, Closure body);
  [[nodiscard]] std::uint64_t trace() const { return trace_; }

  // ---- waiting, for the thread that has the turn
  [[nodiscard]] SimulatedThread* current() const { return current_; }
  // Gives up the turn until `waiter` is ready.
  void Park(SimulationWaiter& waiter, const char* what);
  void MakeReady(SimulationWaiter& waiter);
  void MakeReadyAt(SteadyTime when, SimulationWaiter& waiter, Timer& timer);
  void JoinThread(SimulatedThread* thread);
  [[nodiscard]] std::uint64_t Draw(std::uint64_t n) {
    if (n <= 1) return 0;
    const std::uint64_t choice = choices_.Below(n);
    Trace(1, choice);
    return choice;
  }

 private:
  friend class SimulatedPool;

  class MainLoop final : public Executor, public HasOwnWork {
   public:
    explicit MainLoop(SimulationCore& core) : core_(core) {}
    void Post(Closure task) override {
      core_.loop_queue_.push_back(std::make_shared<TimedTask>(std::move(task)));
    }
    Timer RunAt(SteadyTime when, Closure task) override {
      return core_.timers_.Add(when, std::move(task),
                               [&core = core_](std::shared_ptr<TimedTask> timed) {
                                 core.loop_queue_.push_back(std::move(timed));
                               });
    }
    [[nodiscard]] bool InThisExecutor() const override {
      return core_.current_ == nullptr && core_.in_loop_task_;
    }
    [[nodiscard]] OwnWork own_work() override { return core_.own_work(); }

   private:
    SimulationCore& core_;
  };

  // Steady time starts here, so that it differs from wall time.
  static constexpr Duration kSteadyStart = std::chrono::hours(1);
  using Queue = std::deque<std::shared_ptr<TimedTask>>;

  void Trace(std::uint64_t kind, std::uint64_t value) {
    trace_ = MixBits(trace_ + kGoldenGamma + kind) ^ MixBits(value + kGoldenGamma);
  }
  bool StepOnce(bool with_loop);
  void RunLoopTask();
  void RunPoolTask(SimulatedPool& pool);
  bool AdvanceTo(SteadyTime limit);
  // Makes the loop poll its sockets; false if none was ready since the last step.
  bool PollSockets();
  void SetNow(SteadyTime now) {
    now_ = now;
    steps_at_now_ = 0;
    Trace(2, static_cast<std::uint64_t>(now.time_since_epoch().count()));
  }
  SimulatedThread* NewSimThread(std::string name, SimulatedPool* of_pool);
  void HandTurnTo(SimulatedThread& thread);
  void GiveTurnBack(SimulatedThread& thread);
  void AwaitTurn(SimulatedThread& thread);
  void Main(SimulatedThread& thread);
  [[nodiscard]] std::string WhoWaits() const;

  const std::shared_ptr<Tracer> tracer_;
  const Sinks sinks_;
  const WallTime wall_start_;
  SteadyTime now_{kSteadyStart};
  Duration suspended_{0};
  Prng choices_;
  Prng random_;
  std::uint64_t trace_ = 0;
  std::uint64_t steps_at_now_ = 0;
  boost::asio::io_context* io_ = nullptr;  // null: no sockets
  bool sockets_quiet_ = false;             // no socket was ready at the last check

  MainLoop loop_{*this};
  SimulatedPool pool_{*this, "pool"};
  SimulatedPool own_threads_{*this, "own"};
  std::stop_source own_work_ends_{};
  TimerQueue timers_;
  Queue loop_queue_;
  std::vector<SimulatedThread*> ready_;
  std::vector<std::unique_ptr<SimulatedThread>> threads_;
  SimulatedThread* current_ = nullptr;  // null: the driver
  bool in_loop_task_ = false;

  std::mutex driver_mutex_;
  std::condition_variable driver_wake_;
  bool driver_has_turn_ = true;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_SIMULATION_CORE_H_
