// controller/manager/take_over.h
//
// TakeOver: keeps the controllers of a new leader from acting on old news.

#ifndef KINFORMER_CONTROLLER_MANAGER_TAKE_OVER_H_
#define KINFORMER_CONTROLLER_MANAGER_TAKE_OVER_H_

#include <chrono>
#include <memory>
#include <stop_token>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/controller/cluster.h"

namespace kinformer::internal {

// Thread-safe.
class TakeOver {
 public:
  explicit TakeOver(const std::shared_ptr<Cluster>& cluster);

  // This process leads from now on.
  void Elected();
  // Blocks until each running cache of the cluster has all that the server had when this process
  // was elected, or an error ends that. Logs a warning if it takes long. Caches that
  // have been waited for, for another controller, are not asked again.
  Result<void> CatchUp(const std::stop_token& stop);

 private:
  static constexpr Duration kLong = std::chrono::seconds(5);

  Result<void> Wait(Cluster& cluster, SteadyTime since, const std::stop_token& stop) const;

  Env& env_;
  const std::weak_ptr<Cluster> cluster_;
  const std::unique_ptr<Monitor> monitor_;
  SteadyTime elected_at_ = SteadyTime::min();  // under monitor_
  bool busy_ = false;                          // under monitor_: one controller waits at a time
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_TAKE_OVER_H_
