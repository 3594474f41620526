// apiserver/workloads/daemon_set.h
//
// SyncDaemonSet: the controller of DaemonSets.

#ifndef KINFORMER_APISERVER_WORKLOADS_DAEMON_SET_H_
#define KINFORMER_APISERVER_WORKLOADS_DAEMON_SET_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Keeps one pod on each node that the template's node selector, affinity and tolerations allow, and
// replaces pods of an earlier template within maxUnavailable.
void SyncDaemonSet(const Scene& scene, const json::Value& daemon_set, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_DAEMON_SET_H_
