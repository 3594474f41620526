// controller/manager/manager_state.h
//
// ManagerState: collects what the page of a manager shows.

#ifndef KINFORMER_CONTROLLER_MANAGER_MANAGER_STATE_H_
#define KINFORMER_CONTROLLER_MANAGER_MANAGER_STATE_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/internal/controller_figures.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "base/core/mutex.h"
#include "controller/debug/debug_state.h"

namespace kinformer::internal {

// Outlives the manager while a reader has it. Thread-safe.
class ManagerState {
 public:
  explicit ManagerState(std::shared_ptr<Cluster> cluster);

  // Adds a Runnable of the manager, which does not live longer for it. Ignores one without figures.
  void Add(const std::shared_ptr<Runnable>& runnable) KINFORMER_EXCLUDES(mutex_);
  // Sets the Lease. Called once, before the first Read.
  void SetLease(std::string name, std::string identity,
                std::shared_ptr<const LeaderElector> elector) KINFORMER_EXCLUDES(mutex_);
  void SetElected() { elected_.store(true, std::memory_order_relaxed); }

  [[nodiscard]] debug::DebugState Read() const KINFORMER_EXCLUDES(mutex_);

 private:
  struct Reporting {
    std::weak_ptr<Runnable> owner;
    const HasControllerFigures* figures;
  };

  const std::shared_ptr<Cluster> cluster_;
  const SteadyTime begun_;
  std::atomic<bool> elected_{false};
  mutable base::Mutex mutex_;
  std::vector<Reporting> controllers_ KINFORMER_GUARDED_BY(mutex_);
  std::string lease_ KINFORMER_GUARDED_BY(mutex_);
  std::string identity_ KINFORMER_GUARDED_BY(mutex_);
  std::shared_ptr<const LeaderElector> elector_ KINFORMER_GUARDED_BY(mutex_);  // null: no election
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_MANAGER_STATE_H_
