// base/loop/simulated_monitor.h
//
// SimulatedMonitor: the Monitor of a Simulation. A waiting thread gives up its turn; the next
// thread to run is chosen at random.

#ifndef KINFORMER_BASE_LOOP_SIMULATED_MONITOR_H_
#define KINFORMER_BASE_LOOP_SIMULATED_MONITOR_H_

#include <vector>

#include "kinformer/base/env.h"

#include "base/loop/simulation_core.h"

namespace kinformer::internal::base {

// For threads of the simulation and its driver. `core` must outlive it.
class SimulatedMonitor final : public Monitor {
 public:
  explicit SimulatedMonitor(SimulationCore& core) : core_(core) {}

  void Lock() override;
  void Unlock() override;
  void Wait() override;
  bool WaitUntil(SteadyTime deadline) override;
  void NotifyOne() override;
  void NotifyAll() override;

 private:
  SimulationCore& core_;
  bool locked_ = false;
  std::vector<SimulationWaiter*> lockers_;
  std::vector<SimulationWaiter*> waiters_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_SIMULATED_MONITOR_H_
