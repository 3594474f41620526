// apiserver/workloads/deployment_scale.h
//
// The numbers of a rolling update: how many replicas each ReplicaSet of a Deployment gets next.

#ifndef KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_SCALE_H_
#define KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_SCALE_H_

#include <cstdint>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver::workloads {

struct RollingLimits {
  std::int64_t replicas = 0;     // wanted
  std::int64_t surge = 0;        // may be more than that
  std::int64_t unavailable = 0;  // may be missing
};

// Returns the limits of a Deployment; none are allowed to be more or missing for Recreate.
[[nodiscard]] RollingLimits LimitsOf(const json::Value& deployment);

struct SetSize {
  std::int64_t replicas = 0;  // spec.replicas
  std::int64_t available = 0;
  std::int64_t next = 0;  // what it gets
};

// Sets the next sizes in a step of the update. `old`: from the oldest to the newest.
void RollStep(const RollingLimits& limits, SetSize& newest, std::vector<SetSize>& old);

// Sets the next sizes after a change of the Deployment's replicas, in proportion to the present
// ones. `before`: the replicas that were allowed until then. `sets`: from the oldest to the newest.
void ScaleInProportion(const RollingLimits& limits, std::int64_t before,
                       std::vector<SetSize*>& sets);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_SCALE_H_
