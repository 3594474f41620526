#include "kinformer/testing/polling.h"

#include <chrono>
#include <optional>
#include <stop_token>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/wait.h"
#include "kinformer/client/client.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/environment.h"

namespace kinformer::testing {

Clock::Clock(Environment& environment) : Clock(environment.env(), true) {}
Clock::Clock(Simulation& simulation) : Clock(simulation.env(), true) {}
Clock::Clock(ApiServer& server) : Clock(server.env(), server.simulated()) {}
Clock::Clock(const Client& client) : Clock(client.env(), false) {}

PollOptions Clock::Filled(PollOptions options) const {
  if (options.within <= Duration::zero()) {
    options.within = simulated_ ? std::chrono::minutes(10) : std::chrono::seconds(10);
  }
  if (options.every <= Duration::zero()) {
    options.every = simulated_ ? std::chrono::seconds(1) : std::chrono::milliseconds(20);
  }
  return options;
}

bool Clock::Poll(const std::function<bool()>& look, PollOptions options) const {
  options = Filled(options);
  std::optional<Runtime> runtime;
  if (env_ == nullptr) runtime.emplace(RuntimeOptions{.name = "poll"});
  Env& env = env_ != nullptr ? *env_ : runtime->env();
  const Result<void> polled =
      wait::PollUntilTimeout(env, std::stop_token(), options.every, options.within,
                             [&]() -> Result<bool> { return look(); });
  // Looks once more: the last moment counts, too.
  return polled.ok() || (polled.error().reason() == Reason::kDeadlineExceeded && look());
}

}  // namespace kinformer::testing
