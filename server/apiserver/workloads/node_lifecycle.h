// apiserver/workloads/node_lifecycle.h
//
// SyncNode: the controllers of kube-controller-manager that watch over nodes: they notice that a
// node does not answer, taint it, and evict its pods.

#ifndef KINFORMER_APISERVER_WORKLOADS_NODE_LIFECYCLE_H_
#define KINFORMER_APISERVER_WORKLOADS_NODE_LIFECYCLE_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// A node without a Lease is taken for well.
void SyncNode(const Scene& scene, const json::Value& node, Plan& plan);

// Returns whether the pod's tolerations include the taint.
[[nodiscard]] bool ToleratesTaint(const json::Value& pod, const json::Value& taint);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_NODE_LIFECYCLE_H_
