// base/loop/simulated_loop.h
//
// SimulatedLoop: the event loop that Env::NewLoop makes in a Simulation: a simulated thread that
// runs tasks one by one when it is chosen.

#ifndef KINFORMER_BASE_LOOP_SIMULATED_LOOP_H_
#define KINFORMER_BASE_LOOP_SIMULATED_LOOP_H_

#include <deque>
#include <memory>
#include <string>

#include "kinformer/base/env.h"

#include "base/core/env_view.h"
#include "base/loop/own_work.h"
#include "base/loop/timer_queue.h"

namespace kinformer::internal::base {

// Built only from a thread and a monitor of `env`, so the Simulation does not need to know it.
class SimulatedLoop final : public Loop {
 public:
  SimulatedLoop(Env& env, std::string name);
  // Waits for the running task and destroys pending ones. Not on the loop itself.
  ~SimulatedLoop() override;
  SimulatedLoop(const SimulatedLoop&) = delete;
  SimulatedLoop& operator=(const SimulatedLoop&) = delete;

  [[nodiscard]] Env& env() override { return view_; }

  // Whether the calling thread runs such a loop.
  [[nodiscard]] static bool OnOne();

 private:
  class Tasks final : public Executor, public HasOwnWork {
   public:
    explicit Tasks(SimulatedLoop& loop) : loop_(loop) {}
    void Post(Closure task) override;
    Timer RunAt(SteadyTime when, Closure task) override;
    [[nodiscard]] bool InThisExecutor() const override;
    [[nodiscard]] OwnWork own_work() override { return OwnWorkOf(loop_.env_); }

   private:
    SimulatedLoop& loop_;
  };

  void Run();

  Env& env_;
  const std::string name_;
  Tasks tasks_{*this};
  EnvView view_;
  const std::unique_ptr<Monitor> monitor_;
  TimerQueue timers_{};
  // Guarded by monitor_.
  std::deque<std::shared_ptr<TimedTask>> queue_{};
  bool stopped_ = false;

  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_SIMULATED_LOOP_H_
