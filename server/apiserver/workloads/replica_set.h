// apiserver/workloads/replica_set.h
//
// SyncReplicaSet: the controller of ReplicaSets.

#ifndef KINFORMER_APISERVER_WORKLOADS_REPLICA_SET_H_
#define KINFORMER_APISERVER_WORKLOADS_REPLICA_SET_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Makes or deletes pods until there are as many as wanted, and reports their numbers. Of too many
// pods those go first that are not yet on a node, pending, not ready, cheap by
// controller.kubernetes.io/pod-deletion-cost, on a node with more of them, ready for less time,
// restarted more often, or newer: in this order.
void SyncReplicaSet(const Scene& scene, const json::Value& replica_set, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_REPLICA_SET_H_
