#include "kinformer/base/simulation.h"

#include <utility>

#include "base/core/deadline.h"
#include "base/loop/simulation_core.h"

namespace kinformer {

using internal::base::SimulatedThread;

struct Simulation::Impl {
  explicit Impl(SimulationOptions options) : core(std::move(options)) {}
  internal::base::SimulationCore core;
};

Simulation::Simulation(SimulationOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
Simulation::~Simulation() = default;

Env& Simulation::env() { return impl_->core; }

bool Simulation::RunUntil(const std::function<bool()>& done, Duration limit) {
  return impl_->core.RunUntil(done, internal::base::After(impl_->core.Now(), limit));
}

void Simulation::RunFor(Duration duration) { impl_->core.RunFor(duration); }

void Simulation::Suspend(Duration duration) { impl_->core.Suspend(duration); }

void Simulation::RunReady() {
  while (impl_->core.Step()) {
  }
}

bool Simulation::Step() { return impl_->core.Step(); }

bool Simulation::RunBlocking(Closure body, Duration limit) {
  // Shared, because after the time limit the thread ends later or never.
  auto ended = std::make_shared<bool>(false);
  SimulatedThread* const thread =
      impl_->core.Spawn("blocking", [ended, task = std::move(body)]() mutable {
        struct Scope {
          bool& flag;
          ~Scope() { flag = true; }
        } const scope{*ended};
        task();
      });
  const bool returned = RunUntil([&ended] { return *ended; }, limit);
  if (returned) impl_->core.JoinThread(thread);
  return returned;
}

std::uint64_t Simulation::TraceHash() const { return impl_->core.trace(); }

}  // namespace kinformer
