// test/operator/counting_env.h
//
// CountingEnv: wraps an Env and counts threads and loops that have not ended.

#ifndef KINFORMER_TEST_OPERATOR_COUNTING_ENV_H_
#define KINFORMER_TEST_OPERATOR_COUNTING_ENV_H_

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kinformer/env.h"

namespace kinformer::testing {

// For simulations, where one thread runs at a time. `env` must outlive it.
class CountingEnv final : public Env {
 public:
  explicit CountingEnv(Env& env) : env_(env) {}

  // Names of threads and loops that have not ended.
  [[nodiscard]] const std::multiset<std::string>& running() const { return running_; }
  [[nodiscard]] int made() const { return made_; }

  [[nodiscard]] SteadyTime Now() const override { return env_.Now(); }
  [[nodiscard]] BootTime BootNow() const override { return env_.BootNow(); }
  [[nodiscard]] WallTime WallNow() const override { return env_.WallNow(); }
  [[nodiscard]] std::uint64_t Random() override { return env_.Random(); }
  [[nodiscard]] Executor& loop() override { return env_.loop(); }
  [[nodiscard]] Executor& pool() override { return env_.pool(); }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override { return env_.NewMonitor(); }
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Task body) override {
    ++made_;
    running_.insert(name);
    return env_.NewThread(name, [this, name, body = std::move(body)]() mutable {
      body();
      // Destroys the body's captures before the thread ends.
      body = Task();
      running_.erase(running_.find(name));
    });
  }
  [[nodiscard]] std::unique_ptr<Loop> NewLoop(std::string name) override {
    return env_.NewLoop(std::move(name));
  }
  [[nodiscard]] bool OnLoopThread() const override { return env_.OnLoopThread(); }
  [[nodiscard]] LogSink& log() override { return env_.log(); }
  [[nodiscard]] MetricsSink& metrics() override { return env_.metrics(); }

 private:
  Env& env_;
  std::multiset<std::string> running_;
  int made_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_COUNTING_ENV_H_
