#include "apiserver/workloads/job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/job_indexes.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "base/core/seconds.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

using internal::base::SaturatedAfter;
using internal::base::SaturatedSeconds;

constexpr const char* kComponent = "job-controller";
constexpr const char* kFinalizer = "batch.kubernetes.io/job-tracking";
constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";
// Most pods made in one step.
constexpr std::int64_t kBurst = 500;
constexpr Duration kFirstDelay = std::chrono::seconds(10);
constexpr Duration kLongestDelay = std::chrono::minutes(10);

bool IsTracked(const json::Value& pod) {
  const auto& finalizers = pod["metadata"]["finalizers"].items();
  return std::find(finalizers.begin(), finalizers.end(), json::Value(kFinalizer)) !=
         finalizers.end();
}

WallTime FinishOf(const json::Value& pod) {
  std::optional<WallTime> latest;
  for (const json::Value& status : pod["status"]["containerStatuses"].items()) {
    const auto time = TimeAt(status, "/state/terminated/finishedAt");
    if (time && (!latest || *time > *latest)) latest = time;
  }
  return latest.value_or(CreatedAt(pod));
}

class JobRound {
 public:
  JobRound(const Scene& scene, const json::Value& job, Plan& plan)
      : scene_(scene), job_(job), plan_(plan), status_(job["status"]) {
    indexed_ = Text(job, "/spec/completionMode") == "Indexed";
    completions_ = job["spec"]["completions"].AsInt64();
    parallelism_ = std::max<std::int64_t>(Number(job, "/spec/parallelism", 1), 0);
    if (indexed_) {
      done_ = ParseIndexes(Text(job, "/status/completedIndexes"), completions_.value_or(0));
    }
    succeeded_ = Number(job, "/status/succeeded");
    failed_ = Number(job, "/status/failed");
  }

  void Run() {
    if (IsTrue(job_, "Complete") || IsTrue(job_, "Failed")) return Forget();
    Count();
    if (IsTerminating(job_)) return;
    if (Flag(job_, "/spec/suspend")) {
      Suspend();
    } else {
      Resume();
      const auto [reason, message] = FailureOf();
      if (IsTrue(job_, "FailureTarget") || !reason.empty()) {
        Fail(reason, message);
      } else if (IsComplete()) {
        Complete();
      } else {
        Manage();
      }
    }
    Report();
  }

 private:
  // Counts finished pods, and lets go of them.
  void Count() {
    for (const json::Value* pod : scene_.cluster.OwnedBy(Kind::kPod, UidOf(job_))) {
      const bool finished = IsPodFinished(*pod);
      if (IsTerminating(*pod) && !finished) ++terminating_;
      if (IsPodActive(*pod)) active_.push_back(pod);
      const bool failed = Text(*pod, "/status/phase") == "Failed";
      if (failed) last_failure_ = std::max(last_failure_, FinishOf(*pod));
      if (!IsTracked(*pod) || (!finished && !IsTerminating(*pod))) continue;
      if (finished && !failed) {
        Succeed(*pod);
      } else {
        ++failed_;
      }
      Release(*pod);
    }
  }

  void Release(const json::Value& pod) {
    json::Value released = pod;
    std::erase(released.Ensure("metadata", "finalizers").EnsureArray(), json::Value(kFinalizer));
    plan_.Update(Kind::kPod, std::move(released));
  }

  void Succeed(const json::Value& pod) {
    if (!indexed_) {
      ++succeeded_;
      return;
    }
    const auto index = internal::base::NumberIn(Annotation(pod, kIndex));
    if (index && *index >= 0 && *index < completions_.value_or(0)) done_.insert(*index);
    succeeded_ = static_cast<std::int64_t>(done_.size());
  }

  // Returns why the Job has failed; empty if it has not.
  [[nodiscard]] std::pair<std::string, std::string> FailureOf() {
    if (const auto seconds = job_["spec"]["activeDeadlineSeconds"].AsInt64()) {
      const WallTime start = TimeAt(status_, "/startTime").value_or(scene_.now);
      const WallTime end = SaturatedAfter(start, SaturatedSeconds(*seconds));
      if (scene_.now >= end) {
        return {"DeadlineExceeded", "Job was active longer than specified deadline"};
      }
      plan_.AgainAt(end);
    }
    std::int64_t failures = failed_;
    if (Text(job_, "/spec/template/spec/restartPolicy") == "OnFailure") {
      for (const json::Value* pod : active_) {
        for (const json::Value& status : (*pod)["status"]["containerStatuses"].items()) {
          failures += Number(status, "/restartCount");
        }
      }
    }
    if (failures > Number(job_, "/spec/backoffLimit", 6)) {
      return {"BackoffLimitExceeded", "Job has reached the specified backoff limit"};
    }
    return {};
  }

  [[nodiscard]] bool IsComplete() const {
    if (completions_) return succeeded_ >= *completions_;
    return succeeded_ > 0 && active_.empty();
  }

  // Such pods are not counted.
  void DeleteActive(std::size_t kept) {
    if (!scene_.delete_refusal.empty()) return;
    for (; active_.size() > kept; active_.pop_back()) {
      Release(*active_.back());
      plan_.DeleteFor(Kind::kJob, job_, kComponent, Kind::kPod, *active_.back(),
                      "Deleted pod: " + NameOf(*active_.back()));
      ++terminating_;
    }
  }

  void Set(const char* type, std::string_view reason, std::string_view message) {
    SetCondition(status_, {.type = type, .holds = true, .reason = reason, .message = message},
                 scene_.now);
    for (json::Value& condition : status_.Ensure("conditions").EnsureArray()) {
      if (condition["type"].StringOrEmpty() == type && condition["lastProbeTime"].is_null()) {
        condition.Set("lastProbeTime", FormatTime(scene_.now));
      }
    }
  }

  void Fail(std::string reason, std::string message) {
    if (const json::Value& target = ConditionOf(job_, "FailureTarget"); !target.is_null()) {
      reason = target["reason"].StringOrEmpty();
      message = target["message"].StringOrEmpty();
    }
    Set("FailureTarget", reason, message);
    DeleteActive(0);
    if (terminating_ > 0) return;
    Set("Failed", reason, message);
    plan_.Event(Kind::kJob, job_, kComponent, reason, message, /*warning=*/true);
  }

  void Complete() {
    Set("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods");
    DeleteActive(0);
    if (terminating_ > 0) return;
    Set("Complete", "CompletionsReached", "Reached expected number of succeeded pods");
    status_.Set("completionTime", FormatTime(scene_.now));
    plan_.Event(Kind::kJob, job_, kComponent, "Completed", "Job completed");
  }

  void Suspend() {
    DeleteActive(0);
    status_.Erase("startTime");
    if (IsTrue(job_, "Suspended")) return;
    Set("Suspended", "JobSuspended", "Job suspended");
    plan_.Event(Kind::kJob, job_, kComponent, "Suspended", "Job suspended");
  }

  void Resume() {
    if (IsTrue(job_, "Suspended")) {
      SetCondition(status_, {.type = "Suspended", .reason = "JobResumed", .message = "Job resumed"},
                   scene_.now);
      plan_.Event(Kind::kJob, job_, kComponent, "Resumed", "Job resumed");
    }
    if (status_["startTime"].is_null()) status_.Set("startTime", FormatTime(scene_.now));
  }

  // Makes or deletes pods until the right number runs.
  void Manage() {
    std::int64_t wanted = parallelism_;
    if (completions_) {
      wanted = std::min(wanted, *completions_ - succeeded_);
    } else if (succeeded_ > 0) {
      wanted = std::min(wanted, static_cast<std::int64_t>(active_.size()));
    }
    DeleteActive(static_cast<std::size_t>(std::max<std::int64_t>(wanted, 0)));
    // A pod that is being deleted counts as failed, and is replaced at once.
    const auto missing = wanted - static_cast<std::int64_t>(active_.size());
    if (missing <= 0) return;
    if (const Duration wait = Delay(); wait > Duration::zero()) return plan_.Again(wait);
    std::set<std::int64_t> busy = done_;
    for (const json::Value* pod : active_) {
      busy.insert(internal::base::NumberIn(Annotation(*pod, kIndex)).value_or(-1));
    }
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < std::min(missing, kBurst); ++i) {
      while (indexed_ && busy.count(next) > 0) ++next;
      Create(next++);
    }
  }

  // Returns the time until new pods may be made, after failures.
  [[nodiscard]] Duration Delay() const {
    if (failed_ == 0 || last_failure_ == WallTime()) return Duration::zero();
    Duration delay = kFirstDelay;
    for (std::int64_t i = 1; i < failed_ && delay < kLongestDelay; ++i) delay *= 2;
    return last_failure_ + std::min(delay, kLongestDelay) - scene_.now;
  }

  void Create(std::int64_t index) {
    json::Value pod = PodOf(job_["spec"]["template"], Kind::kJob, job_);
    json::Value& metadata = pod.Ensure("metadata");
    std::string prefix = NameOf(job_) + "-";
    if (indexed_) {
      const std::string text = std::to_string(index);
      metadata.Ensure("annotations").Set(kIndex, text);
      metadata.Ensure("labels").Set(kIndex, text);
      pod.Ensure("spec").Set("hostname", prefix + text);
      for (json::Value& container : pod.Ensure("spec", "containers").EnsureArray()) {
        container.Ensure("env").Append(
            json::Value::MakeObject({{"name", "JOB_COMPLETION_INDEX"}, {"value", text}}));
      }
      prefix += text + "-";
    }
    metadata.Set("generateName", prefix);
    metadata.Set("name", prefix + scene_.dice.Letters());
    metadata.Ensure("finalizers").Append(kFinalizer);
    std::string text = "Created pod: " + NameOf(pod);
    made_ +=
        plan_.CreateFor(Kind::kJob, job_, kComponent, Kind::kPod, std::move(pod), std::move(text));
  }

  void Put(const char* name, std::int64_t number) {
    if (number == 0) {
      status_.Erase(name);
    } else {
      status_.Set(name, number);
    }
  }

  void Report() {
    std::int64_t ready = 0;
    for (const json::Value* pod : active_) ready += IsPodReady(*pod);
    Put("active", static_cast<std::int64_t>(active_.size()) + made_);
    status_.Set("ready", ready);
    status_.Set("terminating", terminating_);
    Put("succeeded", succeeded_);
    Put("failed", failed_);
    if (indexed_ && !done_.empty()) status_.Set("completedIndexes", IndexesText(done_));
    status_.Set("uncountedTerminatedPods", json::Value::MakeObject());
    plan_.UpdateStatus(Kind::kJob, job_, std::move(status_));
  }

  // Deletes a finished Job when its time has come.
  void Forget() {
    const auto seconds = job_["spec"]["ttlSecondsAfterFinished"].AsInt64();
    if (!seconds || IsTerminating(job_)) return;
    const json::Value& failed = ConditionOf(job_, "Failed");
    const json::Value& last = failed.is_null() ? ConditionOf(job_, "Complete") : failed;
    const WallTime end = SaturatedAfter(TimeAt(last, "/lastTransitionTime").value_or(scene_.now),
                                        SaturatedSeconds(*seconds));
    if (scene_.now < end) return plan_.AgainAt(end);
    plan_.Delete(Kind::kJob, job_, {}, "Foreground");
  }

  const Scene& scene_;
  const json::Value& job_;
  Plan& plan_;
  json::Value status_;
  bool indexed_ = false;
  std::optional<std::int64_t> completions_;
  std::int64_t parallelism_ = 1;
  std::set<std::int64_t> done_;  // indexes
  std::int64_t succeeded_ = 0;
  std::int64_t failed_ = 0;
  Objects active_;
  std::int64_t terminating_ = 0;
  std::int64_t made_ = 0;
  WallTime last_failure_{};
};

}  // namespace

void SyncJob(const Scene& scene, const json::Value& job, Plan& plan) {
  JobRound(scene, job, plan).Run();
}

}  // namespace kinformer::apiserver::workloads
