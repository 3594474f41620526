// apiserver/workloads/deployment_status.h
//
// ReportDeployment: the status of a Deployment.

#ifndef KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_STATUS_H_
#define KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_STATUS_H_

#include <string>

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Writes numbers and conditions. `newest`: the ReplicaSet of the present template; null if there is
// none yet. `created`: the name of the one that this plan makes, or empty.
void ReportDeployment(const Scene& scene, const json::Value& deployment, const Objects& sets,
                      const json::Value* newest, const std::string& created, Plan& plan);

// Returns whether all replicas are of the present template, and available.
[[nodiscard]] bool IsRolledOut(const json::Value& deployment, const json::Value& status);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_DEPLOYMENT_STATUS_H_
