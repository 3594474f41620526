// apiserver/workloads/autoscaler.h
//
// SyncAutoscaler: the controller of HorizontalPodAutoscalers.

#ifndef KINFORMER_APISERVER_WORKLOADS_AUTOSCALER_H_
#define KINFORMER_APISERVER_WORKLOADS_AUTOSCALER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Sets, every 15 seconds, the replicas of a Deployment, ReplicaSet or StatefulSet by the load that
// the script declares for it: metrics of the type Resource, as utilization or average value. Grows
// by at most four pods or to the double; shrinks to the most that was wanted within the window of
// spec.behavior.scaleDown (five minutes).
class Autoscalers {
 public:
  void Sync(const Scene& scene, const json::Value& autoscaler, Plan& plan);
  // The autoscaler is gone.
  void Forget(const std::string& uid) { states_.erase(uid); }

 private:
  struct State {
    WallTime next{};
    std::vector<std::pair<WallTime, std::int64_t>> wanted{};  // recently
  };
  // Notes the number that is wanted now. Returns the largest one that was wanted recently, if the
  // workload would shrink.
  std::int64_t Stabilized(const Scene& scene, const json::Value& autoscaler, std::int64_t replicas,
                          std::int64_t wanted);

  std::map<std::string, State> states_;  // by uid
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_AUTOSCALER_H_
