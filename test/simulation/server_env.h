// test/simulation/server_env.h
//
// ServerEnv: the Env of one of two servers that must generate the same uids and times.

#ifndef KINFORMER_TEST_SIMULATION_SERVER_ENV_H_
#define KINFORMER_TEST_SIMULATION_SERVER_ENV_H_

#include <cstdint>
#include <optional>

#include "kinformer/base/env.h"

#include "base/core/env_view.h"
#include "simulation/dice.h"

namespace kinformer::testing {

// Wraps an Env. During a change, random numbers depend on the change's number, and the wall clock
// stands still. For simulations. `env` must outlive it.
class ServerEnv final : public internal::base::EnvView {
 public:
  explicit ServerEnv(Env& env) : EnvView(env, env.loop()) {}

  void BeginChange(std::uint64_t number, WallTime when) {
    dice_.emplace(number, 11);
    when_ = when;
  }
  void EndChange() { dice_.reset(); }

  [[nodiscard]] WallTime WallNow() const override { return dice_ ? when_ : EnvView::WallNow(); }
  [[nodiscard]] std::uint64_t Random() override {
    return dice_ ? dice_->Next() : EnvView::Random();
  }

 private:
  std::optional<Dice> dice_;
  WallTime when_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SERVER_ENV_H_
