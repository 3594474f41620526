#include "controller/manager/manager_state.h"

#include <utility>

#include "kinformer/cache/shared_informer_factory.h"

namespace kinformer::internal {

using base::MutexLock;

ManagerState::ManagerState(std::shared_ptr<Cluster> cluster)
    : cluster_(std::move(cluster)), begun_(cluster_->env().Now()) {}

void ManagerState::Add(const std::shared_ptr<Runnable>& runnable) {
  const auto* const figures = dynamic_cast<const HasControllerFigures*>(runnable.get());
  if (figures == nullptr) return;
  const MutexLock lock(mutex_);
  std::erase_if(controllers_, [](const Reporting& one) { return one.owner.expired(); });
  controllers_.push_back({runnable, figures});
}

void ManagerState::SetLease(std::string name, std::string identity,
                            std::shared_ptr<const LeaderElector> elector) {
  const MutexLock lock(mutex_);
  lease_ = std::move(name);
  identity_ = std::move(identity);
  elector_ = std::move(elector);
}

debug::DebugState ManagerState::Read() const {
  debug::DebugState state;
  std::vector<Reporting> controllers;
  std::shared_ptr<const LeaderElector> elector;
  {
    const MutexLock lock(mutex_);
    controllers = controllers_;
    elector = elector_;
    if (elector != nullptr) state.lease = {.name = lease_, .identity = identity_};
  }
  Env& env = cluster_->env();
  state.now = env.WallNow();
  state.uptime = env.Now() - begun_;
  state.elected = elected_.load(std::memory_order_relaxed);
  state.process = debug::ThisProcess();
  if (elector != nullptr) {
    state.lease->leader = elector->GetLeader();
    state.lease->leads = elector->IsLeader();
  }
  state.informers = cluster_->GetCache().Stats();
  for (const Reporting& one : controllers) {
    // Kept alive during the call.
    if (const std::shared_ptr<Runnable> owner = one.owner.lock()) {
      state.controllers.push_back(one.figures->Figures());
    }
  }
  return state;
}

}  // namespace kinformer::internal
