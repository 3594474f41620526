// cache/store/ticking_env.h
//
// TickingEnv: an Env whose clock goes on by itself, for tests of work that is done in slices.

#ifndef KINFORMER_CACHE_STORE_TICKING_ENV_H_
#define KINFORMER_CACHE_STORE_TICKING_ENV_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/env.h"

namespace kinformer::internal::cache {

// As `env`, but each look at the clock takes `tick`.
class TickingEnv final : public Env {
 public:
  TickingEnv(Env& env, Duration tick) : env_(env), tick_(tick) {}

  [[nodiscard]] SteadyTime Now() const override {
    return env_.Now() + tick_ * looks_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] WallTime WallNow() const override { return env_.WallNow(); }
  [[nodiscard]] std::uint64_t Random() override { return env_.Random(); }
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
  const Duration tick_;
  mutable std::atomic<std::int64_t> looks_{0};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_TICKING_ENV_H_
