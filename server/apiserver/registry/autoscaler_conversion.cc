// HorizontalPodAutoscalers of autoscaling/v1, which are stored as autoscaling/v2. The CPU target is
// a field of v1; everything else that v1 has no field for is kept in annotations, as JSON in the
// forms of the v2 betas.

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/registry/built_in_conversion.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";

using Names = std::initializer_list<std::string_view>;

// Copies those of the named members that exist.
void Copy(const json::Value& from, Names names, json::Value& to) {
  for (const std::string_view name : names) {
    const json::Value* value = from.Find(name);
    if (value != nullptr && !value->is_null()) to.Set(name, *value);
  }
}

void Set(std::string_view name, const json::Value& value, json::Value& to) {
  if (!value.is_null()) to.Set(name, value);
}

// Returns a quantity, which the old form always has.
json::Value QuantityOf(const json::Value& value) { return value.is_null() ? "0" : value; }

// Returns the CPU utilization in `part` ("target" or "current") of a metric; null if it is another
// metric.
const json::Value& CpuUtilization(const json::Value& metric, std::string_view part) {
  static const json::Value kNone;
  const json::Value& resource = metric["resource"];
  return resource["name"].StringOrEmpty() == "cpu" ? resource[part]["averageUtilization"] : kNone;
}

// ---- metrics: the old form keeps target or current values beside the metric's name, in members
// with a prefix.

// `part` is "target" or "current", which is also the prefix of the old member names.
json::Value OldMetric(const json::Value& metric, std::string_view part) {
  const bool wanted = part == "target";
  const std::string prefix(part);
  json::Value out = json::Value::MakeObject();
  Copy(metric, {"type"}, out);
  for (const std::string_view kind : {"resource", "containerResource"}) {
    const json::Value& source = metric[kind];
    if (source.is_null()) continue;
    json::Value& old = out.Ensure(kind);
    Copy(source, {"name"}, old);
    Set(prefix + "AverageUtilization", source[part]["averageUtilization"], old);
    const json::Value& average = source[part]["averageValue"];
    Set(prefix + "AverageValue", wanted ? average : QuantityOf(average), old);
    Copy(source, {"container"}, old);
  }
  if (const json::Value& pods = metric["pods"]; !pods.is_null()) {
    json::Value& old = out.Ensure("pods");
    Set("metricName", pods["metric"]["name"], old);
    Set(prefix + "AverageValue", QuantityOf(pods[part]["averageValue"]), old);
    Set("selector", pods["metric"]["selector"], old);
  }
  if (const json::Value& object = metric["object"]; !object.is_null()) {
    json::Value& old = out.Ensure("object");
    Set("target", object["describedObject"], old);
    Set("metricName", object["metric"]["name"], old);
    Set(prefix + "Value", QuantityOf(object[part]["value"]), old);
    Set("selector", object["metric"]["selector"], old);
    Set("averageValue", object[part]["averageValue"], old);
  }
  if (const json::Value& external = metric["external"]; !external.is_null()) {
    json::Value& old = out.Ensure("external");
    Set("metricName", external["metric"]["name"], old);
    Set("metricSelector", external["metric"]["selector"], old);
    const json::Value& value = external[part]["value"];
    Set(prefix + "Value", wanted ? value : QuantityOf(value), old);
    Set(prefix + "AverageValue", external[part]["averageValue"], old);
  }
  return out;
}

// Target or current value of a metric.
json::Value Amount(bool wanted, const json::Value& utilization, const json::Value& average,
                   const json::Value& value) {
  json::Value out = json::Value::MakeObject();
  if (wanted) {
    const char* type = !average.is_null() ? "AverageValue" : "Value";
    out.Set("type", !utilization.is_null() ? "Utilization" : type);
  }
  // With an average, the value, required in the old form, has no meaning.
  if (!wanted || average.is_null()) Set("value", value, out);
  Set("averageValue", average, out);
  Set("averageUtilization", utilization, out);
  return out;
}

json::Value NewMetric(const json::Value& metric, std::string_view part) {
  const bool wanted = part == "target";
  const std::string prefix(part);
  const json::Value none;
  const auto identifier = [&](const json::Value& old, std::string_view selector) {
    json::Value out = json::Value::MakeObject({{"name", old["metricName"].StringOrEmpty()}});
    Set("selector", old[selector], out);
    return out;
  };
  json::Value out = json::Value::MakeObject();
  Copy(metric, {"type"}, out);
  for (const std::string_view kind : {"resource", "containerResource"}) {
    const json::Value& old = metric[kind];
    if (old.is_null()) continue;
    Copy(old, {"name", "container"}, out.Ensure(kind));
    out.Ensure(kind).Set(part, Amount(wanted, old[prefix + "AverageUtilization"],
                                      old[prefix + "AverageValue"], none));
  }
  if (const json::Value& old = metric["pods"]; !old.is_null()) {
    out.Ensure("pods").Set("metric", identifier(old, "selector"));
    out.Ensure("pods").Set(part, Amount(wanted, none, old[prefix + "AverageValue"], none));
  }
  if (const json::Value& old = metric["object"]; !old.is_null()) {
    out.Ensure("object").Set("describedObject", old["target"]);
    out.Ensure("object").Set("metric", identifier(old, "selector"));
    out.Ensure("object").Set(part,
                             Amount(wanted, none, old["averageValue"], old[prefix + "Value"]));
  }
  if (const json::Value& old = metric["external"]; !old.is_null()) {
    out.Ensure("external").Set("metric", identifier(old, "metricSelector"));
    out.Ensure("external")
        .Set(part, Amount(wanted, none, old[prefix + "AverageValue"], old[prefix + "Value"]));
  }
  return out;
}

// ---- behavior: Go's JSON of a struct without field tags.

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRules = {
    {{"StabilizationWindowSeconds", "stabilizationWindowSeconds"},
     {"SelectPolicy", "selectPolicy"},
     {"Policies", "policies"},
     {"Tolerance", "tolerance"}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPolicy = {
    {{"Type", "type"}, {"Value", "value"}, {"PeriodSeconds", "periodSeconds"}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kDirections = {
    {{"ScaleUp", "scaleUp"}, {"ScaleDown", "scaleDown"}}};

// `go`: from JSON names to Go names, with nulls for absent members; else back, without nulls.
template <std::size_t N>
json::Value Renamed(const std::array<std::pair<std::string_view, std::string_view>, N>& names,
                    const json::Value& from, bool go) {
  json::Value out = json::Value::MakeObject();
  for (const auto& [go_name, json_name] : names) {
    const json::Value& value = from[go ? json_name : go_name];
    if (go || !value.is_null()) out.Set(go ? go_name : json_name, value);
  }
  return out;
}

json::Value RenamedBehavior(const json::Value& behavior, bool go) {
  json::Value out = Renamed(kDirections, behavior, go);
  for (const auto& [go_name, json_name] : kDirections) {
    json::Value* rules = out.Find(go ? go_name : json_name);
    if (rules == nullptr || rules->is_null()) continue;
    *rules = Renamed(kRules, *rules, go);
    json::Value* policies = rules->Find(go ? "Policies" : "policies");
    if (policies == nullptr || policies->is_null()) continue;
    for (json::Value& policy : policies->EnsureArray()) policy = Renamed(kPolicy, policy, go);
  }
  return out;
}

// ---- whole objects

json::Value FromStored(const json::Value& stored) {
  json::Value metadata = stored["metadata"];
  for (const std::string_view name : {kMetrics, kCurrentMetrics, kConditions, kBehavior}) {
    if (std::as_const(metadata)["annotations"].contains(name))
      metadata.Ensure("annotations").Erase(name);
  }
  const auto annotate = [&](std::string_view name, const json::Value& value) {
    if (value.size() > 0) metadata.Ensure("annotations").Set(name, value.Dump());
  };

  json::Value spec = json::Value::MakeObject();
  Copy(stored["spec"], {"scaleTargetRef", "minReplicas", "maxReplicas"}, spec);
  json::Value others = json::Value::MakeArray();
  for (const json::Value& metric : stored["spec"]["metrics"].items()) {
    const json::Value& cpu = CpuUtilization(metric, "target");
    if (cpu.is_null()) {
      others.Append(OldMetric(metric, "target"));
    } else if (!spec.contains("targetCPUUtilizationPercentage")) {
      spec.Set("targetCPUUtilizationPercentage", cpu);
    }
  }
  annotate(kMetrics, others);
  if (const json::Value& behavior = stored["spec"]["behavior"]; !behavior.is_null()) {
    annotate(kBehavior, RenamedBehavior(behavior, /*go=*/true));
  }

  const json::Value& now = stored["status"];
  json::Value status = json::Value::MakeObject();
  Copy(now, {"observedGeneration", "lastScaleTime"}, status);
  status.Set("currentReplicas", now["currentReplicas"].AsInt64().value_or(0));
  status.Set("desiredReplicas", now["desiredReplicas"].AsInt64().value_or(0));
  json::Value current = json::Value::MakeArray();
  for (const json::Value& metric : now["currentMetrics"].items()) {
    current.Append(OldMetric(metric, "current"));
    Set("currentCPUUtilizationPercentage", CpuUtilization(metric, "current"), status);
  }
  annotate(kCurrentMetrics, current);
  annotate(kConditions, now["conditions"]);
  return json::Value::MakeObject({{"metadata", std::move(metadata)},
                                  {"spec", std::move(spec)},
                                  {"status", std::move(status)}});
}

json::Value ToStored(const json::Value& object) {
  json::Value metadata = object["metadata"];
  // Removes and returns the annotation's value. Null if there is none that can be parsed.
  const auto take = [&](std::string_view name) {
    const json::Value* text = std::as_const(metadata)["annotations"].Find(name);
    if (text == nullptr) return json::Value();
    json::Value value = json::Parse(text->StringOrEmpty()).value_or(json::Value());
    metadata.Ensure("annotations").Erase(name);
    if (metadata["annotations"].size() == 0) metadata.Erase("annotations");
    return value;
  };
  const auto metrics = [](const json::Value& old, std::string_view part) {
    json::Value out = json::Value::MakeArray();
    for (const json::Value& metric : old.items()) out.Append(NewMetric(metric, part));
    return out;
  };
  const auto cpu = [](std::string_view part, const json::Value& utilization) {
    json::Value resource = json::Value::MakeObject({{"name", "cpu"}});
    resource.Set(part, Amount(part == "target", utilization, {}, {}));
    return json::Value::MakeObject({{"type", "Resource"}, {"resource", std::move(resource)}});
  };

  json::Value spec = json::Value::MakeObject();
  Copy(object["spec"], {"scaleTargetRef", "minReplicas", "maxReplicas"}, spec);
  json::Value wanted = metrics(take(kMetrics), "target");
  const json::Value& target = object["spec"]["targetCPUUtilizationPercentage"];
  if (!target.is_null()) wanted.Append(cpu("target", target));
  if (wanted.size() > 0) spec.Set("metrics", std::move(wanted));
  if (const json::Value behavior = take(kBehavior); behavior.is_object()) {
    spec.Set("behavior", RenamedBehavior(behavior, /*go=*/false));
  }

  const json::Value& now = object["status"];
  json::Value status = json::Value::MakeObject();
  Copy(now, {"observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"}, status);
  json::Value current = metrics(take(kCurrentMetrics), "current");
  const json::Value& measured = now["currentCPUUtilizationPercentage"];
  if (current.size() == 0 && !measured.is_null()) current.Append(cpu("current", measured));
  if (current.size() > 0) status.Set("currentMetrics", std::move(current));
  if (json::Value conditions = take(kConditions); conditions.is_array()) {
    status.Set("conditions", std::move(conditions));
  }
  json::Value stored = json::Value::MakeObject({{"spec", std::move(spec)}});
  if (status.size() > 0) stored.Set("status", std::move(status));
  stored.Set("metadata", std::move(metadata));
  return stored;
}

}  // namespace

const Conversion kAutoscalerConversion = {.group = "autoscaling",
                                          .version = "v1",
                                          .plural = "horizontalpodautoscalers",
                                          .stored_group = "autoscaling",
                                          .stored_version = "v2",
                                          .from_stored = FromStored,
                                          .to_stored = ToStored,
                                          .validate_change = nullptr};

}  // namespace kinformer::apiserver
