// Descriptions of what makes pods: Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and
// CronJobs.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/description.h"
#include "table/age.h"
#include "table/table_cells.h"

namespace kinformer::cli {
namespace {

namespace cells = internal::table::cells;

std::string Number(const json::Value& value, const char* none = "0") {
  return ScalarText(value, none);
}

void LabelsAndAnnotations(Description& out, const json::Value& object) {
  out.Labels(0, "Labels", object["metadata"]["labels"]);
  out.Annotations(0, "Annotations", object["metadata"]["annotations"]);
}

void Created(Description& out, const json::Value& object) {
  out.Field(0, "CreationTimestamp",
            TimeText(object["metadata"]["creationTimestamp"].StringOrEmpty()));
}

void Selector(Description& out, const json::Value& object) {
  out.Field(0, "Selector", cells::Selector(object["spec"]["selector"]));
}

void PodsStatus(Description& out, const std::vector<json::Value>& pods) {
  const auto count = [&](const char* phase) {
    std::size_t number = 0;
    for (const json::Value& pod : pods) number += pod["status"]["phase"].StringOrEmpty() == phase;
    return std::to_string(number);
  };
  out.Field(0, "Pods Status",
            count("Running") + " Running / " + count("Pending") + " Waiting / " +
                count("Succeeded") + " Succeeded / " + count("Failed") + " Failed");
}

void Conditions(Description& out, const json::Value& object) {
  DescribeConditions(out, object["status"]["conditions"], {"type", "status", "reason"}, 1);
}

// Returns the template without the label that the controller adds to a replica set's.
json::Value TemplateOf(const json::Value& object) {
  json::Value pod_template = object["spec"]["template"];
  if (json::Value* labels = pod_template.Ensure("metadata").Find("labels")) {
    labels->Erase("pod-template-hash");
  }
  return pod_template;
}

std::string ReplicaSetTexts(const std::vector<const json::Value*>& sets) {
  std::string text;
  for (const json::Value* set : sets) {
    text += (text.empty() ? "" : ", ") + (*set)["metadata"]["name"].StringOrEmpty() + " (" +
            Number((*set)["status"]["replicas"]) + "/" + Number((*set)["spec"]["replicas"]) +
            " replicas created)";
  }
  return OrNone(text);
}

// The new one is the oldest with the deployment's template.
void ReplicaSets(Description& out, const json::Value& object, const Related& related) {
  if (related.replica_sets.empty()) return;
  const json::Value* newest = nullptr;
  const auto created = [](const json::Value& set) {
    return set["metadata"]["creationTimestamp"].StringOrEmpty();
  };
  const json::Value wanted = TemplateOf(object);
  for (const json::Value& set : related.replica_sets) {
    if (TemplateOf(set) != wanted) continue;
    if (newest == nullptr || created(set) < created(*newest)) newest = &set;
  }
  std::vector<const json::Value*> old;
  for (const json::Value& set : related.replica_sets) {
    if (&set != newest) old.push_back(&set);
  }
  out.Field(0, "OldReplicaSets", ReplicaSetTexts(old));
  std::vector<const json::Value*> current;
  if (newest != nullptr) current.push_back(newest);
  out.Field(0, "NewReplicaSet", ReplicaSetTexts(current));
}

void Deployment(Description& out, const json::Value& object, const Related& related) {
  const json::Value& spec = object["spec"];
  const json::Value& status = object["status"];
  DescribeHead(out, object);
  Created(out, object);
  LabelsAndAnnotations(out, object);
  Selector(out, object);
  out.Field(0, "Replicas",
            Number(spec["replicas"]) + " desired | " + Number(status["updatedReplicas"]) +
                " updated | " + Number(status["replicas"]) + " total | " +
                Number(status["availableReplicas"]) + " available | " +
                Number(status["unavailableReplicas"]) + " unavailable");
  out.Field(0, "StrategyType", spec["strategy"]["type"].StringOrEmpty());
  out.Field(0, "MinReadySeconds", Number(spec["minReadySeconds"]));
  if (const json::Value& rolling = spec["strategy"]["rollingUpdate"]; rolling.is_object()) {
    out.Field(0, "RollingUpdateStrategy",
              ScalarText(rolling["maxUnavailable"]) + " max unavailable, " +
                  ScalarText(rolling["maxSurge"]) + " max surge");
  }
  DescribePodTemplate(out, spec["template"]);
  Conditions(out, object);
  ReplicaSets(out, object, related);
}

void ReplicaSet(Description& out, const json::Value& object, const Related& related) {
  DescribeHead(out, object);
  Selector(out, object);
  LabelsAndAnnotations(out, object);
  DescribeController(out, object);
  out.Field(0, "Replicas",
            Number(object["status"]["replicas"]) + " current / " +
                Number(object["spec"]["replicas"]) + " desired");
  PodsStatus(out, related.pods);
  DescribePodTemplate(out, object["spec"]["template"]);
  Conditions(out, object);
}

void StatefulSet(Description& out, const json::Value& object, const Related& related) {
  const json::Value& spec = object["spec"];
  DescribeHead(out, object);
  Created(out, object);
  Selector(out, object);
  LabelsAndAnnotations(out, object);
  out.Field(
      0, "Replicas",
      Number(spec["replicas"]) + " desired | " + Number(object["status"]["replicas"]) + " total");
  out.Field(0, "Update Strategy", spec["updateStrategy"]["type"].StringOrEmpty());
  const json::Value& rolling = spec["updateStrategy"]["rollingUpdate"];
  out.FieldIfAny(1, "Partition", ScalarText(rolling["partition"]));
  out.FieldIfAny(1, "MaxUnavailable", ScalarText(rolling["maxUnavailable"]));
  PodsStatus(out, related.pods);
  DescribePodTemplate(out, spec["template"]);
  if (spec["volumeClaimTemplates"].size() == 0) {
    out.Field(0, "Volume Claims", "<none>");
    return;
  }
  out.Title(0, "Volume Claims");
  for (const json::Value& claim : spec["volumeClaimTemplates"].items()) {
    out.Field(1, "Name", claim["metadata"]["name"].StringOrEmpty());
    out.Field(1, "StorageClass", ScalarText(claim["spec"]["storageClassName"]));
    out.Labels(1, "Labels", claim["metadata"]["labels"]);
    out.Annotations(1, "Annotations", claim["metadata"]["annotations"]);
    out.Field(1, "Capacity",
              ScalarText(claim["spec"]["resources"]["requests"]["storage"], "<default>"));
    out.Field(1, "Access Modes", InBrackets(claim["spec"]["accessModes"]));
  }
}

void DaemonSet(Description& out, const json::Value& object, const Related& related) {
  const json::Value& status = object["status"];
  DescribeHead(out, object);
  Selector(out, object);
  out.Labels(0, "Node-Selector", object["spec"]["template"]["spec"]["nodeSelector"]);
  LabelsAndAnnotations(out, object);
  struct Count {
    const char* label;
    const char* field;
  };
  for (const Count& count :
       {Count{"Desired Number of Nodes Scheduled", "desiredNumberScheduled"},
        Count{"Current Number of Nodes Scheduled", "currentNumberScheduled"},
        Count{"Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"},
        Count{"Number of Nodes Scheduled with Available Pods", "numberAvailable"},
        Count{"Number of Nodes Misscheduled", "numberMisscheduled"}}) {
    out.Text(0, std::string(count.label) + ": " + Number(status[count.field]));
  }
  PodsStatus(out, related.pods);
  DescribePodTemplate(out, object["spec"]["template"]);
  Conditions(out, object);
}

void JobTimes(Description& out, const json::Value& status) {
  const std::string& start = status["startTime"].StringOrEmpty();
  const std::string& end = status["completionTime"].StringOrEmpty();
  if (!start.empty()) out.Field(0, "Start Time", TimeText(start));
  if (end.empty()) return;
  out.Field(0, "Completed At", TimeText(end));
  const std::int64_t seconds = internal::table::ParseTime(end) - internal::table::ParseTime(start);
  out.Field(0, "Duration", internal::table::HumanDuration(std::chrono::seconds(seconds)));
}

void Job(Description& out, const json::Value& object) {
  const json::Value& spec = object["spec"];
  const json::Value& status = object["status"];
  DescribeHead(out, object);
  Selector(out, object);
  LabelsAndAnnotations(out, object);
  DescribeController(out, object);
  out.Field(0, "Parallelism", ScalarText(spec["parallelism"], "<unset>"));
  out.Field(0, "Completions", ScalarText(spec["completions"], "<unset>"));
  out.FieldIfAny(0, "Completion Mode", ScalarText(spec["completionMode"]));
  out.FieldIfAny(0, "Suspend", ScalarText(spec["suspend"]));
  out.FieldIfAny(0, "Backoff Limit", ScalarText(spec["backoffLimit"]));
  out.FieldIfAny(0, "TTL Seconds After Finished", ScalarText(spec["ttlSecondsAfterFinished"]));
  JobTimes(out, status);
  if (spec["activeDeadlineSeconds"].is_number()) {
    out.Field(0, "Active Deadline Seconds", ScalarText(spec["activeDeadlineSeconds"]) + "s");
  }
  out.Field(0, "Pods Statuses",
            Number(status["active"]) + " Active / " + Number(status["succeeded"]) +
                " Succeeded / " + Number(status["failed"]) + " Failed");
  DescribePodTemplate(out, spec["template"]);
  Conditions(out, object);
}

void CronJob(Description& out, const json::Value& object) {
  const json::Value& spec = object["spec"];
  DescribeHead(out, object);
  LabelsAndAnnotations(out, object);
  out.Field(0, "Schedule", spec["schedule"].StringOrEmpty());
  out.FieldIfAny(0, "Time Zone", ScalarText(spec["timeZone"]));
  out.Field(0, "Concurrency Policy", spec["concurrencyPolicy"].StringOrEmpty());
  out.Field(0, "Suspend", TrueFalse(spec["suspend"].AsBool().value_or(false)));
  out.Field(0, "Successful Job History Limit",
            ScalarText(spec["successfulJobsHistoryLimit"], "<unset>"));
  out.Field(0, "Failed Job History Limit", ScalarText(spec["failedJobsHistoryLimit"], "<unset>"));
  const json::Value& deadline = spec["startingDeadlineSeconds"];
  out.Field(0, "Starting Deadline Seconds",
            deadline.is_number() ? ScalarText(deadline) + "s" : "<unset>");
  const json::Value& job = spec["jobTemplate"]["spec"];
  out.Field(0, "Selector",
            job["selector"].is_object() ? cells::Selector(job["selector"]) : "<unset>");
  out.Field(0, "Parallelism", ScalarText(job["parallelism"], "<unset>"));
  out.Field(0, "Completions", ScalarText(job["completions"], "<unset>"));
  DescribePodTemplate(out, job["template"]);
  const std::string& last = object["status"]["lastScheduleTime"].StringOrEmpty();
  out.Field(0, "Last Schedule Time", last.empty() ? "<unset>" : TimeText(last));
  std::string active;
  for (const json::Value& one : object["status"]["active"].items()) {
    cells::Join(active, one["name"].StringOrEmpty());
  }
  out.Field(0, "Active Jobs", active.empty() ? "<none>" : active);
}

}  // namespace

bool DescribeWorkload(Description& out, const json::Value& object, const Related& related) {
  const std::string kind =
      object["apiVersion"].StringOrEmpty() + "/" + object["kind"].StringOrEmpty();
  if (kind == "apps/v1/Deployment") {
    Deployment(out, object, related);
  } else if (kind == "apps/v1/ReplicaSet") {
    ReplicaSet(out, object, related);
  } else if (kind == "apps/v1/StatefulSet") {
    StatefulSet(out, object, related);
  } else if (kind == "apps/v1/DaemonSet") {
    DaemonSet(out, object, related);
  } else if (kind == "batch/v1/Job") {
    Job(out, object);
  } else if (kind == "batch/v1/CronJob") {
    CronJob(out, object);
  } else {
    return false;
  }
  return true;
}

}  // namespace kinformer::cli
