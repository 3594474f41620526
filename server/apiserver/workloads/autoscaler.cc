#include "apiserver/workloads/autoscaler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "kinformer/object/quantity.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver::workloads {
namespace {

using resource::Quantity;

constexpr const char* kComponent = "horizontal-pod-autoscaler";
constexpr Duration kPeriod = std::chrono::seconds(15);
constexpr double kTolerance = 0.1;
constexpr std::int64_t kUsualWindow = 300;

// Returns the usage of a resource by the workload now, in thousandths; empty: the script does not
// say.
std::optional<std::int64_t> LoadOf(const Scene& scene, const std::string& kind,
                                   const json::Value& target, const std::string& resource) {
  for (const WorkloadLoad& load : scene.script.loads) {
    if (load.kind != kind || load.target.name != NameOf(target) ||
        load.target.namespace_ != NamespaceOf(target)) {
      continue;
    }
    std::optional<std::int64_t> usage;
    for (const LoadStep& step : load.steps) {
      if (scene.now - scene.start < step.at) break;
      const auto found = step.usage.find(resource);
      if (found == step.usage.end()) continue;
      usage = Quantity::Parse(found->second).value_or(Quantity()).MilliValue();
    }
    return usage;
  }
  return std::nullopt;
}

// Returns the request of each pod of the template for a resource, in thousandths.
std::int64_t RequestOf(const json::Value& target, const std::string& resource) {
  Quantity sum;
  for (const json::Value& container : target.At("/spec/template/spec/containers").items()) {
    const auto amount =
        Quantity::Parse(container["resources"]["requests"][resource].StringOrEmpty());
    if (amount) sum += *amount;
  }
  return sum.MilliValue();
}

struct Measured {
  std::optional<std::int64_t> replicas{};  // wanted; empty: no metric could be read
  json::Value current = json::Value::MakeArray();
  std::string why{};
};

// Judges one metric.
void Measure(const Scene& scene, const std::string& kind, const json::Value& target,
             const json::Value& metric, std::int64_t replicas, Measured& out) {
  const json::Value& resource = metric["resource"];
  const std::string& name = resource["name"].StringOrEmpty();
  if (metric["type"].StringOrEmpty() != "Resource") {
    out.why = "the metric type " + metric["type"].StringOrEmpty() + " is not simulated";
    return;
  }
  const auto load = LoadOf(scene, kind, target, name);
  const std::int64_t request = RequestOf(target, name);
  const json::Value& wanted = resource["target"];
  const auto utilization = wanted["averageUtilization"].AsInt64();
  if (!load || (utilization && request == 0) || replicas == 0) {
    out.why = !load ? "the script declares no load of " + name + " for " + KeyOf(target)
                    : "missing request for " + name;
    return;
  }
  const std::int64_t average = *load / replicas;
  json::Value current =
      json::Value::MakeObject({{"averageValue", Quantity::FromMilli(average).ToString()}});
  double ratio = 1;
  if (utilization && *utilization > 0) {
    const std::int64_t percent = average * 100 / request;
    current.Set("averageUtilization", percent);
    ratio = static_cast<double>(percent) / static_cast<double>(*utilization);
  } else if (const auto value = Quantity::Parse(wanted["averageValue"].StringOrEmpty());
             value && value->MilliValue() > 0) {
    ratio = static_cast<double>(average) / static_cast<double>(value->MilliValue());
  }
  out.current.Append(json::Value::MakeObject(
      {{"type", "Resource"},
       {"resource", json::Value::MakeObject({{"name", name}, {"current", std::move(current)}})}}));
  const std::int64_t next =
      std::abs(ratio - 1) <= kTolerance
          ? replicas
          : static_cast<std::int64_t>(std::ceil(ratio * static_cast<double>(replicas) - 1e-9));
  out.replicas = std::max(out.replicas.value_or(0), next);
}

void Set(json::Value& status, const char* type, bool holds, const char* reason,
         const std::string& message, WallTime now) {
  SetCondition(status, {.type = type, .holds = holds, .reason = reason, .message = message}, now);
}

// Tells in the status why the target was not scaled.
void ReportRefusal(const Scene& scene, const json::Value& autoscaler, Plan& plan) {
  json::Value status = autoscaler["status"];
  Set(status, "AbleToScale", false, "FailedUpdateScale",
      "the HPA controller was unable to update the target scale: " + std::string(scene.refusal),
      scene.now);
  plan.UpdateStatus(Kind::kAutoscaler, autoscaler, std::move(status));
}

// Returns the number between minReplicas and maxReplicas.
std::int64_t Limited(const Scene& scene, const json::Value& autoscaler, std::int64_t wanted,
                     json::Value& status) {
  const std::int64_t least = Number(autoscaler, "/spec/minReplicas", 1);
  const std::int64_t most = std::max(Number(autoscaler, "/spec/maxReplicas", least), least);
  const bool few = wanted < least;
  const bool limited = few || wanted > most;
  Set(status, "ScalingLimited", limited,
      !limited ? "DesiredWithinRange"
      : few    ? "TooFewReplicas"
               : "TooManyReplicas",
      limited ? "the desired replica count is outside of minReplicas and maxReplicas"
              : "the desired count is within the acceptable range",
      scene.now);
  return std::clamp(wanted, least, most);
}

}  // namespace

std::int64_t Autoscalers::Stabilized(const Scene& scene, const json::Value& autoscaler,
                                     std::int64_t replicas, std::int64_t wanted) {
  State& state = states_[UidOf(autoscaler)];
  const std::int64_t window = std::max<std::int64_t>(
      Number(autoscaler, "/spec/behavior/scaleDown/stabilizationWindowSeconds", kUsualWindow), 0);
  const WallTime oldest = scene.now - internal::base::SaturatedSeconds(window);
  state.wanted.emplace_back(scene.now, wanted);
  std::erase_if(state.wanted, [&](const auto& entry) { return entry.first < oldest; });
  if (wanted >= replicas) return wanted;
  for (const auto& [time, count] : state.wanted) wanted = std::max(wanted, count);
  return std::min(wanted, replicas);
}

void Autoscalers::Sync(const Scene& scene, const json::Value& autoscaler, Plan& plan) {
  State& state = states_[UidOf(autoscaler)];
  if (!scene.refusal.empty()) ReportRefusal(scene, autoscaler, plan);
  if (scene.now < state.next) return plan.AgainAt(state.next);
  state.next = scene.now + kPeriod;
  plan.Again(kPeriod);
  json::Value status = autoscaler["status"];
  const std::string& kind_name = Text(autoscaler, "/spec/scaleTargetRef/kind");
  const auto kind = KindNamed(kind_name);
  const json::Value* target =
      kind ? scene.cluster.Find(*kind, NamespaceOf(autoscaler),
                                Text(autoscaler, "/spec/scaleTargetRef/name"))
           : nullptr;
  if (target == nullptr) {
    Set(status, "AbleToScale", false, "FailedGetScale",
        "the HPA controller was unable to get the target's current scale", scene.now);
    plan.UpdateStatus(Kind::kAutoscaler, autoscaler, std::move(status));
    return;
  }
  const std::int64_t replicas = Number(*target, "/spec/replicas", 1);
  Measured measured;
  for (const json::Value& metric : autoscaler["spec"]["metrics"].items()) {
    Measure(scene, kind_name, *target, metric, replicas, measured);
  }
  const bool active = measured.replicas.has_value();
  Set(status, "ScalingActive", active, active ? "ValidMetricFound" : "FailedGetResourceMetric",
      active ? "the HPA was able to successfully calculate a replica count from the metrics"
             : "the HPA was unable to compute the replica count: " + measured.why,
      scene.now);
  std::int64_t wanted = replicas;
  bool stabilized = false;
  if (active) {
    wanted = Stabilized(scene, autoscaler, replicas, *measured.replicas);
    stabilized = wanted != *measured.replicas;
    wanted = std::min(wanted, std::max(replicas * 2, replicas + 4));
  }
  Set(status, "AbleToScale", true, stabilized ? "ScaleDownStabilized" : "ReadyForNewScale",
      stabilized ? "recent recommendations were higher than current one, applying the highest "
                   "recent recommendation"
                 : "recommended size matches current size",
      scene.now);
  // A workload without replicas is not scaled.
  if (replicas > 0) wanted = Limited(scene, autoscaler, wanted, status);
  status.Set("observedGeneration", Number(autoscaler, "/metadata/generation"));
  status.Set("currentReplicas", replicas);
  status.Set("desiredReplicas", wanted);
  status.Set("currentMetrics", std::move(measured.current));
  if (wanted != replicas) {
    status.Set("lastScaleTime", FormatTime(scene.now));
    json::Value scaled = *target;
    scaled.Ensure("spec").Set("replicas", wanted);
    plan.UpdateScale(*kind, std::move(scaled));
    plan.Remember();
    const std::string text = "New size: " + std::to_string(wanted) + "; reason: resource metrics";
    plan.Event(Kind::kAutoscaler, autoscaler, kComponent, "SuccessfulRescale", text);
    plan.IfRefused("FailedRescale", text + "; error: ");
  }
  const bool writes = plan.UpdateStatus(Kind::kAutoscaler, autoscaler, std::move(status));
  if (writes && wanted != replicas) plan.UnlessRefused();
}

}  // namespace kinformer::apiserver::workloads
