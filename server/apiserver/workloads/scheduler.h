// apiserver/workloads/scheduler.h
//
// SchedulePod: binds a pod to a node, as kube-scheduler does, or says why it cannot.

#ifndef KINFORMER_APISERVER_WORKLOADS_SCHEDULER_H_
#define KINFORMER_APISERVER_WORKLOADS_SCHEDULER_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Takes the node with the fewest pods, the first in the order of names among equal ones. Checks
// that it is ready and schedulable, taints, nodeSelector, required node affinity, resource requests
// and the number of pods, and that the pod's claims are bound.
void SchedulePod(const Scene& scene, const json::Value& pod, Plan& plan);

// Returns whether the pod's nodeSelector and required node affinity allow the node.
[[nodiscard]] bool AffinityAllows(const json::Value& pod, const json::Value& node);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_SCHEDULER_H_
