// apiserver/workloads/deployment.h
//
// SyncDeployment: the controller of Deployments.

#ifndef KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_H_
#define KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Makes a ReplicaSet for each template, and moves the replicas to the newest within the limits of
// the strategy: rolling or Recreate. Numbers the revisions, keeps as many old ReplicaSets as
// spec.revisionHistoryLimit says, and reports conditions and numbers.
void SyncDeployment(const Scene& scene, const json::Value& deployment, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_H_
