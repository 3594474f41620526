// apiserver/workloads/stateful_set.h
//
// SyncStatefulSet: the controller of StatefulSets.

#ifndef KINFORMER_APISERVER_WORKLOADS_STATEFUL_SET_H_
#define KINFORMER_APISERVER_WORKLOADS_STATEFUL_SET_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Makes the pods NAME-0, NAME-1 and so on and their claims, each when those before it are ready, or
// all at once (podManagementPolicy). Removes pods, and replaces them after a change of the
// template, from the last to the first, down to the partition.
void SyncStatefulSet(const Scene& scene, const json::Value& stateful_set, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_STATEFUL_SET_H_
