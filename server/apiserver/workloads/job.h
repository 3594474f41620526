// apiserver/workloads/job.h
//
// SyncJob: the controller of Jobs, and the one that removes finished Jobs.

#ifndef KINFORMER_APISERVER_WORKLOADS_JOB_H_
#define KINFORMER_APISERVER_WORKLOADS_JOB_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Runs pods until as many as wanted have succeeded: `parallelism` at a time, each index once for
// completionMode Indexed, after a delay that doubles with each failure. Ends the Job by its
// backoffLimit and activeDeadlineSeconds, and deletes it after ttlSecondsAfterFinished. A pod keeps
// the finalizer batch.kubernetes.io/job-tracking until it has been counted.
void SyncJob(const Scene& scene, const json::Value& job, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_JOB_H_
