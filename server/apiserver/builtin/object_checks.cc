#include "apiserver/builtin/object_checks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/object/label_selector.h"

#include "apiserver/builtin/data_keys.h"
#include "apiserver/builtin/policy_checks.h"
#include "apiserver/builtin/webhook_checks.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

std::int64_t Number(const json::Value& value) { return value.AsInt64().value_or(0); }

// ---- Workloads: the selector must match the pods of the template.

// Returns whether the selector's expressions have the values they need.
bool IsComplete(const json::Value& selector) {
  for (const json::Value& expression : selector["matchExpressions"].items()) {
    const std::string& relation = expression["operator"].StringOrEmpty();
    if ((relation == "In" || relation == "NotIn") && expression["values"].size() == 0) return false;
  }
  return true;
}

void CheckSelector(const ServedResource& resource, const json::Value& spec, Causes& causes) {
  const json::Value& selector = spec["selector"];
  if (spec["template"].is_null() || !IsComplete(selector)) return;
  const json::Value& labels = spec.At("/template/metadata/labels");
  if (selector.size() == 0) {
    // A Job's selector is generated on create, and required in updates.
    if (!resource.Is("batch", "jobs")) return;
    causes.push_back(Required("spec.selector"));
  } else {
    const auto parsed = LabelSelector::Parse(SelectorText(selector));
    if (!parsed || MatchesLabels(*parsed, labels)) return;
  }
  causes.push_back(InvalidValue("spec.template.metadata.labels", labels.Dump(),
                                "`selector` does not match template `labels`"));
}

// ---- Single kinds

void CheckDisruptionBudget(const json::Value& spec, Causes& causes) {
  if (spec["minAvailable"].is_null() || spec["maxUnavailable"].is_null()) return;
  const json::Value shown =
      json::Value::MakeObject({{"MinAvailable", spec["minAvailable"]},
                               {"Selector", spec["selector"]},
                               {"MaxUnavailable", spec["maxUnavailable"]},
                               {"UnhealthyPodEvictionPolicy", spec["unhealthyPodEvictionPolicy"]}});
  causes.push_back(
      InvalidValue("spec", shown.Dump(), "minAvailable and maxUnavailable cannot be both set"));
}

void CheckAutoscaler(const json::Value& spec, Causes& causes) {
  const std::int64_t most = Number(spec["maxReplicas"]);
  if (most == 0 || spec["minReplicas"].is_null() || most >= Number(spec["minReplicas"])) return;
  causes.push_back(InvalidValue("spec.maxReplicas", std::to_string(most),
                                "must be greater than or equal to `minReplicas`"));
}

// The names of its Jobs are eleven characters longer.
void CheckCronJobName(const std::string& name, Causes& causes) {
  constexpr std::size_t kLongest = 52;
  if (name.size() <= kLongest) return;
  causes.push_back(InvalidValue("metadata.name", json::Value(name).Dump(),
                                "must be no more than 52 characters"));
}

// A valid schedule has five fields, or is a named one.
void CheckSchedule(const json::Value& spec, Causes& causes) {
  const std::string& schedule = spec["schedule"].StringOrEmpty();
  if (schedule.empty() || schedule.front() == '@') return;
  std::istringstream words(schedule);
  std::string list;
  int count = 0;
  for (std::string word; words >> word; ++count) list += (count == 0 ? "" : " ") + word;
  if (count == 5) return;
  causes.push_back(InvalidValue(
      "spec.schedule", json::Value(schedule).Dump(),
      "expected exactly 5 fields, found " + std::to_string(count) + ": [" + list + "]"));
}

// ---- Statuses that count replicas

struct Counts {
  std::string_view group;
  std::string_view plural;
  // None of these may exceed status.replicas.
  std::array<std::string_view, 4> parts;
};

constexpr auto kCounts = std::to_array<Counts>({
    {"", "replicationcontrollers", {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}},
    {"apps", "replicasets", {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}},
    {"apps", "deployments", {"updatedReplicas", "readyReplicas", "availableReplicas"}},
    {"apps",
     "statefulsets",
     {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"}},
});

void CheckCounts(const Counts& counts, const json::Value& status, Causes& causes) {
  const auto above = [&](std::string_view part, std::string_view what) {
    causes.push_back(InvalidValue("status." + std::string(part),
                                  std::to_string(Number(status[part])),
                                  "cannot be greater than " + std::string(what)));
  };
  for (const std::string_view part : counts.parts) {
    if (!part.empty() && Number(status[part]) > Number(status["replicas"])) {
      above(part, "status.replicas");
    }
  }
  if (Number(status["availableReplicas"]) > Number(status["readyReplicas"])) {
    above("availableReplicas",
          counts.plural == "statefulsets" ? "status.readyReplicas" : "readyReplicas");
  }
}

}  // namespace

Causes ValidateObject(const ServedResource& resource, const json::Value& object) {
  Causes causes;
  const json::Value& spec = object["spec"];
  ValidateData(resource, object, causes);
  if (resource.Is("apps", "deployments") || resource.Is("apps", "replicasets") ||
      resource.Is("apps", "statefulsets") || resource.Is("apps", "daemonsets") ||
      resource.Is("", "replicationcontrollers") || resource.Is("batch", "jobs")) {
    CheckSelector(resource, spec, causes);
  } else if (resource.Is("policy", "poddisruptionbudgets")) {
    CheckDisruptionBudget(spec, causes);
  } else if (resource.Is("autoscaling", "horizontalpodautoscalers")) {
    CheckAutoscaler(spec, causes);
  } else if (resource.Is("batch", "cronjobs")) {
    CheckCronJobName(object.At("/metadata/name").StringOrEmpty(), causes);
    CheckSchedule(spec, causes);
  } else if (resource.Is("admissionregistration.k8s.io", "validatingwebhookconfigurations") ||
             resource.Is("admissionregistration.k8s.io", "mutatingwebhookconfigurations")) {
    causes = ValidateWebhooks(object);
  } else if (resource.Is("admissionregistration.k8s.io", "validatingadmissionpolicies")) {
    causes = ValidateValidatingPolicy(object);
  } else if (resource.Is("admissionregistration.k8s.io", "validatingadmissionpolicybindings")) {
    causes = ValidateValidatingBinding(object);
  } else if (resource.Is("admissionregistration.k8s.io", "mutatingadmissionpolicies")) {
    causes = ValidateMutatingPolicy(object);
  } else if (resource.Is("admissionregistration.k8s.io", "mutatingadmissionpolicybindings")) {
    causes = ValidateMutatingBinding(object);
  }
  return causes;
}

Causes ValidateStatus(const ServedResource& resource, const json::Value& object) {
  Causes causes;
  const json::Value& status = object["status"];
  for (const Counts& counts : kCounts) {
    if (resource.Is(counts.group, counts.plural)) CheckCounts(counts, status, causes);
  }
  if (resource.Is("", "services") && status.At("/loadBalancer/ingress").size() > 0 &&
      object.At("/spec/type").StringOrEmpty() != "LoadBalancer") {
    causes.push_back(ForbiddenField("status.loadBalancer.ingress",
                                    "may only be used when `spec.type` is 'LoadBalancer'"));
  }
  if (resource.Is("", "namespaces")) {
    const bool terminating = !object.At("/metadata/deletionTimestamp").is_null();
    const std::string_view due = terminating ? "Terminating" : "Active";
    const std::string& sent = status["phase"].StringOrEmpty();
    const std::string phase = sent.empty() ? "Active" : sent;
    if (phase != due) {
      causes.push_back(InvalidValue("status.Phase", json::Value(phase).Dump(),
                                    "may only be '" + std::string(due) +
                                        "' if `deletionTimestamp` is " +
                                        (terminating ? "not empty" : "empty")));
    }
  }
  return causes;
}

}  // namespace kinformer::apiserver
