// base/core/env_view.h
//
// EnvView: forwards to another Env, except for the loop.

#ifndef KINFORMER_BASE_CORE_ENV_VIEW_H_
#define KINFORMER_BASE_CORE_ENV_VIEW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"

#include "base/core/named_envs.h"

namespace kinformer::internal::base {

// Thread-safe. `env` and `loop` must outlive it.
class EnvView : public Env, public KeepsNamedEnvs {
 public:
  EnvView(Env& env, Executor& loop) : env_(env), loop_(loop) {}

  [[nodiscard]] SteadyTime Now() const override { return env_.Now(); }
  [[nodiscard]] BootTime BootNow() const override { return env_.BootNow(); }
  [[nodiscard]] WallTime WallNow() const override { return env_.WallNow(); }
  [[nodiscard]] std::uint64_t Random() override { return env_.Random(); }
  [[nodiscard]] Executor& loop() override { return loop_; }
  [[nodiscard]] Executor& pool() override { return env_.pool(); }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override { return env_.NewMonitor(); }
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Closure body) override {
    return env_.NewThread(std::move(name), std::move(body));
  }
  [[nodiscard]] std::unique_ptr<Loop> NewLoop(std::string name) override {
    return env_.NewLoop(std::move(name));
  }
  [[nodiscard]] bool OnLoopThread() const override { return env_.OnLoopThread(); }
  [[nodiscard]] LogSink& log() override { return env_.log(); }
  [[nodiscard]] MetricsSink& metrics() override { return env_.metrics(); }
  [[nodiscard]] Tracer* tracer() override { return env_.tracer(); }

 private:
  Env& env_;
  Executor& loop_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_ENV_VIEW_H_
