// base/loop/testing/unserved_executor.h
//
// UnservedExecutor: a loop or a pool that runs nothing. EnvWithExecutors: another Env with a
// different loop and pool. LoopWithOwnWork: another loop with a different place for the library's
// own blocking work.

#ifndef KINFORMER_BASE_LOOP_TESTING_UNSERVED_EXECUTOR_H_
#define KINFORMER_BASE_LOOP_TESTING_UNSERVED_EXECUTOR_H_

#include <utility>

#include "kinformer/base/env.h"

#include "base/core/env_view.h"
#include "base/loop/own_work.h"

namespace kinformer::internal::base {

// Destroys and counts the tasks it gets, like a loop that has ended. Thread-compatible.
class UnservedExecutor final : public Executor {
 public:
  void Post(Closure /*task*/) override { ++posts; }
  [[nodiscard]] Timer RunAt(SteadyTime /*when*/, Closure /*task*/) override { return {}; }
  [[nodiscard]] bool InThisExecutor() const override { return false; }

  int posts = 0;
};

// Thread-safe. Its arguments must outlive it.
class EnvWithExecutors final : public EnvView {
 public:
  EnvWithExecutors(Env& env, Executor& loop, Executor& pool) : EnvView(env, loop), pool_(pool) {}

  [[nodiscard]] Executor& pool() override { return pool_; }

 private:
  Executor& pool_;
};

// Thread-safe. Its arguments must outlive it.
class LoopWithOwnWork final : public Executor, public HasOwnWork {
 public:
  LoopWithOwnWork(Env& env, Executor& threads) : env_(env), threads_(threads) {}

  void Post(Closure task) override { env_.loop().Post(std::move(task)); }
  [[nodiscard]] Timer RunAt(SteadyTime when, Closure task) override {
    return env_.loop().RunAt(when, std::move(task));
  }
  [[nodiscard]] bool InThisExecutor() const override { return env_.loop().InThisExecutor(); }
  [[nodiscard]] OwnWork own_work() override { return {env_, threads_, {}}; }

 private:
  Env& env_;
  Executor& threads_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_TESTING_UNSERVED_EXECUTOR_H_
