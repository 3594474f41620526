#include "apiserver/workloads/cron_job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/cron_schedule.h"
#include "apiserver/workloads/object_parts.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kComponent = "cronjob-controller";
constexpr const char* kScheduled = "batch.kubernetes.io/cronjob-scheduled-timestamp";
constexpr int kMostMissed = 10'000;  // looked at

bool IsFinished(const json::Value& job) { return IsTrue(job, "Complete") || IsTrue(job, "Failed"); }

json::Value ReferenceTo(const json::Value& job) {
  return json::Value::MakeObject({{"apiVersion", "batch/v1"},
                                  {"kind", "Job"},
                                  {"namespace", NamespaceOf(job)},
                                  {"name", NameOf(job)},
                                  {"uid", UidOf(job)}});
}

// Returns false if such a delete was refused lately.
bool DeleteJob(const json::Value& cron_job, const json::Value& job, Plan& plan) {
  const bool deletes = plan.DeleteFor(Kind::kCronJob, cron_job, kComponent, Kind::kJob, job,
                                      "Deleted job " + NameOf(job));
  if (deletes) plan.IfRefused("FailedDelete", "Deleted job: ");
  return deletes;
}

// Deletes the oldest finished Jobs beyond the limits.
void ForgetJobs(const json::Value& cron_job, const Objects& jobs, Plan& plan) {
  const auto forget = [&](const char* condition, std::int64_t limit) {
    Objects finished;
    for (const json::Value* job : jobs) {
      if (IsTrue(*job, condition) && !IsTerminating(*job)) finished.push_back(job);
    }
    std::stable_sort(
        finished.begin(), finished.end(),
        [](const json::Value* a, const json::Value* b) { return CreatedAt(*a) < CreatedAt(*b); });
    const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(limit, 0));
    for (std::size_t i = 0; i + kept < finished.size(); ++i) {
      DeleteJob(cron_job, *finished[i], plan);
    }
  };
  forget("Complete", Number(cron_job, "/spec/successfulJobsHistoryLimit", 3));
  forget("Failed", Number(cron_job, "/spec/failedJobsHistoryLimit", 1));
}

// Notes which Jobs run, and when the last one succeeded.
void NoteJobs(const json::Value& cron_job, const Objects& jobs, json::Value& status, Plan& plan) {
  json::Value active = json::Value::MakeArray();
  for (const json::Value* job : jobs) {
    if (!IsFinished(*job)) active.Append(ReferenceTo(*job));
    const auto done = TimeAt(*job, "/status/completionTime");
    const auto known = TimeAt(status, "/lastSuccessfulTime");
    if (IsTrue(*job, "Complete") && done && (!known || *done > *known)) {
      status.Set("lastSuccessfulTime", FormatTime(*done));
    }
  }
  for (const json::Value& before : cron_job["status"]["active"].items()) {
    const auto same = [&](const json::Value* job) {
      return UidOf(*job) == before["uid"].StringOrEmpty();
    };
    const auto job = std::find_if(jobs.begin(), jobs.end(), same);
    if (job == jobs.end() || !IsFinished(**job)) continue;
    plan.Event(Kind::kCronJob, cron_job, kComponent, "SawCompletedJob",
               "Saw completed job: " + NameOf(**job) +
                   ", condition: " + (IsTrue(**job, "Complete") ? "Complete" : "Failed"));
  }
  if (active.size() == 0) {
    status.Erase("active");
  } else {
    status.Set("active", std::move(active));
  }
}

// Returns the last time of the schedule that is over and has no Job yet.
std::optional<WallTime> DueTime(const Scene& scene, const json::Value& cron_job,
                                const CronSchedule& schedule) {
  WallTime earliest = TimeAt(cron_job, "/status/lastScheduleTime").value_or(CreatedAt(cron_job));
  if (const auto seconds = cron_job["spec"]["startingDeadlineSeconds"].AsInt64()) {
    earliest =
        std::max(earliest,
                 scene.now - internal::base::SaturatedSeconds(std::max<std::int64_t>(*seconds, 0)));
  }
  std::optional<WallTime> due;
  auto next = schedule.Next(earliest);
  for (int i = 0; i < kMostMissed && next && *next <= scene.now; ++i) {
    due = next;
    next = schedule.Next(*next);
  }
  return due;
}

json::Value JobAt(const json::Value& cron_job, WallTime time) {
  const json::Value& job_template = cron_job["spec"]["jobTemplate"];
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(time.time_since_epoch());
  json::Value job = json::Value::MakeObject();
  json::Value& metadata = job.Ensure("metadata");
  metadata.Set("name", NameOf(cron_job) + "-" + std::to_string(minutes.count()));
  metadata.Set("namespace", NamespaceOf(cron_job));
  for (const char* member : {"labels", "annotations"}) {
    const json::Value& value = job_template["metadata"][member];
    if (!value.is_null()) metadata.Set(member, value);
  }
  metadata.Ensure("annotations").Set(kScheduled, FormatTime(time));
  metadata.Set("ownerReferences", OwnersOf(Kind::kCronJob, cron_job));
  job.Set("spec", job_template["spec"]);
  return job;
}

bool IsUtc(const std::string& zone) {
  return zone.empty() || zone == "UTC" || zone == "Etc/UTC" || zone == "GMT" || zone == "Etc/GMT";
}

// Makes the Job that is due, if nothing is against it, and no other one has to go before. Returns
// whether it does.
bool Fire(const json::Value& cron_job, const Objects& jobs, WallTime time, json::Value& status,
          Plan& plan) {
  const std::string& policy = Text(cron_job, "/spec/concurrencyPolicy");
  const bool busy = std::any_of(jobs.begin(), jobs.end(),
                                [](const json::Value* job) { return !IsFinished(*job); });
  if (busy && policy == "Forbid") {
    plan.Event(Kind::kCronJob, cron_job, kComponent, "JobAlreadyActive",
               "Not starting job because prior execution is running and concurrency policy is "
               "Forbid");
    return false;
  }
  if (policy == "Replace") {
    bool replaces = false;
    for (const json::Value* job : jobs) {
      if (IsFinished(*job) || IsTerminating(*job)) continue;
      DeleteJob(cron_job, *job, plan);
      replaces = true;
    }
    if (replaces) return false;
  }
  json::Value job = JobAt(cron_job, time);
  const std::string text = "Created job " + NameOf(job);
  if (!plan.CreateFor(Kind::kCronJob, cron_job, kComponent, Kind::kJob, std::move(job), text)) {
    return false;
  }
  plan.IfRefused("FailedCreate", "Error creating job: ");
  status.Set("lastScheduleTime", FormatTime(time));
  return true;
}

}  // namespace

void SyncCronJob(const Scene& scene, const json::Value& cron_job, Plan& plan) {
  if (IsTerminating(cron_job)) return;
  const Objects jobs = scene.cluster.OwnedBy(Kind::kJob, UidOf(cron_job));
  ForgetJobs(cron_job, jobs, plan);
  json::Value status = cron_job["status"];
  if (status.is_null()) status = json::Value::MakeObject();
  NoteJobs(cron_job, jobs, status, plan);
  const auto schedule = CronSchedule::Parse(Text(cron_job, "/spec/schedule"));
  bool fires = false;
  const bool utc = IsUtc(Text(cron_job, "/spec/timeZone"));
  if (schedule && utc && !Flag(cron_job, "/spec/suspend")) {
    if (const auto due = DueTime(scene, cron_job, *schedule)) {
      fires = Fire(cron_job, jobs, *due, status, plan);
    }
    if (const auto next = schedule->Next(scene.now)) plan.AgainAt(*next);
  }
  if (plan.UpdateStatus(Kind::kCronJob, cron_job, std::move(status)) && fires) plan.UnlessRefused();
}

}  // namespace kinformer::apiserver::workloads
