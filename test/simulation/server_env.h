// test/simulation/server_env.h
//
// ServerEnv: the Env of one of two servers that must generate the same uids and times.

#ifndef KINFORMER_TEST_SIMULATION_SERVER_ENV_H_
#define KINFORMER_TEST_SIMULATION_SERVER_ENV_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/env.h"

#include "simulation/dice.h"

namespace kinformer::testing {

// Wraps an Env. During a change, random numbers depend on the change's number, and the wall clock
// stands still. For simulations. `env` must outlive it.
class ServerEnv final : public Env {
 public:
  explicit ServerEnv(Env& env) : env_(env) {}

  void BeginChange(std::uint64_t number, WallTime when) {
    dice_.emplace(number, 11);
    when_ = when;
  }
  void EndChange() { dice_.reset(); }

  [[nodiscard]] SteadyTime Now() const override { return env_.Now(); }
  [[nodiscard]] BootTime BootNow() const override { return env_.BootNow(); }
  [[nodiscard]] WallTime WallNow() const override { return dice_ ? when_ : env_.WallNow(); }
  [[nodiscard]] std::uint64_t Random() override { return dice_ ? dice_->Next() : env_.Random(); }
  [[nodiscard]] Executor& loop() override { return env_.loop(); }
  [[nodiscard]] Executor& pool() override { return env_.pool(); }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override { return env_.NewMonitor(); }
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Task body) override {
    return env_.NewThread(std::move(name), std::move(body));
  }
  [[nodiscard]] std::unique_ptr<Loop> NewLoop(std::string name) override {
    return env_.NewLoop(std::move(name));
  }
  [[nodiscard]] bool OnLoopThread() const override { return env_.OnLoopThread(); }
  [[nodiscard]] LogSink& log() override { return env_.log(); }
  [[nodiscard]] MetricsSink& metrics() override { return env_.metrics(); }

 private:
  Env& env_;
  std::optional<Dice> dice_;
  WallTime when_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SERVER_ENV_H_
