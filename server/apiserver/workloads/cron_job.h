// apiserver/workloads/cron_job.h
//
// SyncCronJob: the controller of CronJobs.

#ifndef KINFORMER_APISERVER_WORKLOADS_CRON_JOB_H_
#define KINFORMER_APISERVER_WORKLOADS_CRON_JOB_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Makes a Job at each time of the schedule, unless spec.suspend or concurrencyPolicy is against it,
// and deletes finished Jobs beyond the history limits. Of several missed times only the last one
// counts. The time zone must be UTC.
void SyncCronJob(const Scene& scene, const json::Value& cron_job, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_CRON_JOB_H_
