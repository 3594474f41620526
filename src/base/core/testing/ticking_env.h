// base/core/testing/ticking_env.h
//
// TickingEnv: an Env whose clock advances by itself, for tests of work done in slices.

#ifndef KINFORMER_BASE_CORE_TESTING_TICKING_ENV_H_
#define KINFORMER_BASE_CORE_TESTING_TICKING_ENV_H_

#include <atomic>
#include <cstdint>

#include "base/core/env_view.h"

namespace kinformer::internal::base {

// Same as `env`, but each read of the clock advances it by `tick`.
class TickingEnv final : public EnvView {
 public:
  TickingEnv(Env& env, Duration tick) : EnvView(env, env.loop()), tick_(tick) {}

  [[nodiscard]] SteadyTime Now() const override {
    return EnvView::Now() + tick_ * looks_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  const Duration tick_;
  mutable std::atomic<std::int64_t> looks_{0};
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_TESTING_TICKING_ENV_H_
