// test/operator/counting_env.h
//
// CountingEnv: wraps an Env and counts threads and loops that have not ended.

#ifndef KINFORMER_TEST_OPERATOR_COUNTING_ENV_H_
#define KINFORMER_TEST_OPERATOR_COUNTING_ENV_H_

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kinformer/base/env.h"

#include "base/core/env_view.h"

namespace kinformer::testing {

// For simulations, where one thread runs at a time. `env` must outlive it.
class CountingEnv final : public internal::base::EnvView {
 public:
  explicit CountingEnv(Env& env) : EnvView(env, env.loop()) {}

  // Names of threads and loops that have not ended.
  [[nodiscard]] const std::multiset<std::string>& running() const { return running_; }
  [[nodiscard]] int made() const { return made_; }

  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Closure body) override {
    ++made_;
    running_.insert(name);
    return EnvView::NewThread(name, [this, name, body = std::move(body)]() mutable {
      body();
      // Destroys the body's captures before the thread ends.
      body = Closure();
      running_.erase(running_.find(name));
    });
  }

 private:
  std::multiset<std::string> running_;
  int made_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_COUNTING_ENV_H_
