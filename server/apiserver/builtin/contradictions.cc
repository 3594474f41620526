#include "apiserver/builtin/contradictions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/object/quantity.h"

#include "apiserver/builtin/quota_checks.h"
#include "apiserver/errors/status.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

std::int64_t Number(const json::Value& value) { return value.AsInt64().value_or(0); }

std::string At(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// ---- Numbers that may be percentages

std::optional<std::int64_t> PercentOf(const json::Value& value) {
  std::string_view text = value.StringOrEmpty();
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return internal::base::NumberIn(text);
}

// `bounded`: no more than 100 %.
void CheckShare(const json::Value& value, const std::string& at, bool bounded, Causes& causes) {
  if (value.is_null()) return;
  if (!value.is_string()) {
    if (Number(value) < 0) {
      causes.push_back(InvalidValue(at, value.Dump(), "must be greater than or equal to 0"));
    }
    return;
  }
  const auto percent = PercentOf(value);
  if (!percent) {
    causes.push_back(InvalidValue(at, value.Dump(),
                                  "a valid percent string must be a numeric string followed by an "
                                  "ending '%' (e.g. '1%',  or '93%', regex used for validation is "
                                  "'[0-9]+%')"));
  } else if (bounded && *percent > 100) {
    causes.push_back(InvalidValue(at, value.Dump(), "must not be greater than 100%"));
  }
}

bool IsZero(const json::Value& value) {
  return value.is_string() ? PercentOf(value) == 0 : !value.is_null() && Number(value) == 0;
}

// ---- Workloads

void CheckDeployment(const json::Value& spec, Causes& causes) {
  const json::Value& strategy = spec["strategy"];
  const json::Value& rolling = strategy["rollingUpdate"];
  const std::string at = "spec.strategy.rollingUpdate";
  if (strategy["type"].StringOrEmpty() == "Recreate") {
    if (rolling.is_null()) return;
    causes.push_back(ForbiddenField(at, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (!rolling.is_null()) {
    CheckShare(rolling["maxUnavailable"], at + ".maxUnavailable", true, causes);
    CheckShare(rolling["maxSurge"], at + ".maxSurge", false, causes);
    if (IsZero(rolling["maxUnavailable"]) && IsZero(rolling["maxSurge"])) {
      causes.push_back(InvalidValue(at + ".maxUnavailable", rolling["maxUnavailable"].Dump(),
                                    "may not be 0 when `maxSurge` is 0"));
    }
  }
  const json::Value& deadline = spec["progressDeadlineSeconds"];
  if (!deadline.is_null() && Number(deadline) >= 0 &&
      Number(deadline) <= Number(spec["minReadySeconds"])) {
    causes.push_back(InvalidValue("spec.progressDeadlineSeconds", deadline.Dump(),
                                  "must be greater than minReadySeconds"));
  }
}

void CheckDaemonSet(const json::Value& spec, Causes& causes) {
  const json::Value& rolling = spec.At("/updateStrategy/rollingUpdate");
  if (rolling.is_null()) return;
  const std::string at = "spec.updateStrategy.rollingUpdate";
  CheckShare(rolling["maxUnavailable"], at + ".maxUnavailable", true, causes);
  CheckShare(rolling["maxSurge"], at + ".maxSurge", true, causes);
  const bool surges = !rolling["maxSurge"].is_null() && !IsZero(rolling["maxSurge"]);
  const bool loses = !rolling["maxUnavailable"].is_null() && !IsZero(rolling["maxUnavailable"]);
  if (surges && loses) {
    causes.push_back(InvalidValue(at + ".maxSurge", rolling["maxSurge"].Dump(),
                                  "may not be set when maxUnavailable is non-zero"));
  }
}

// ---- Services, Ingresses and policies

void CheckService(const json::Value& spec, Causes& causes) {
  const std::string& type = spec["type"].StringOrEmpty();
  const bool nodes = type == "NodePort" || type == "LoadBalancer";
  std::set<std::pair<std::string_view, std::int64_t>> seen;
  const json::Array& ports = spec["ports"].items();
  for (std::size_t i = 0; i < ports.size() && !AreEnough(causes); ++i) {
    const json::Value& port = ports[i];
    const std::string at = At("spec.ports", i);
    if (!nodes && Number(port["nodePort"]) != 0) {
      causes.push_back(ForbiddenField(at + ".nodePort",
                                      "may not be used when `type` is '" +
                                          (type.empty() ? std::string("ClusterIP") : type) + "'"));
    }
    const std::string& protocol = port["protocol"].StringOrEmpty();
    const std::string_view named = protocol.empty() ? std::string_view("TCP") : protocol;
    if (seen.insert({named, Number(port["port"])}).second) continue;
    const json::Value shown = json::Value::MakeObject({{"Name", ""},
                                                       {"Protocol", named},
                                                       {"AppProtocol", nullptr},
                                                       {"Port", Number(port["port"])},
                                                       {"TargetPort", 0},
                                                       {"NodePort", 0}});
    causes.push_back({.reason = "FieldValueDuplicate",
                      .message = "Duplicate value: " + shown.Dump(),
                      .field = at});
  }
}

void CheckBackend(const json::Value& backend, const std::string& at, Causes& causes) {
  const json::Value& port = backend.At("/service/port");
  if (Number(port["number"]) == 0 || port["name"].StringOrEmpty().empty()) return;
  causes.push_back(InvalidValue(at, R"("")", "cannot set both port name & port number"));
}

void CheckIngress(const json::Value& spec, Causes& causes) {
  if (spec["rules"].size() == 0 && spec["defaultBackend"].is_null()) {
    causes.push_back(
        InvalidValue("spec", "null", "either `defaultBackend` or `rules` must be specified"));
  }
  CheckBackend(spec["defaultBackend"], "spec.defaultBackend", causes);
  const json::Array& rules = spec["rules"].items();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const json::Array& paths = rules[i].At("/http/paths").items();
    for (std::size_t k = 0; k < paths.size() && !AreEnough(causes); ++k) {
      const std::string at = At(At("spec.rules", i) + ".http.paths", k);
      const std::string& path = paths[k]["path"].StringOrEmpty();
      if (!path.empty() && path.front() != '/' &&
          paths[k]["pathType"].StringOrEmpty() != "ImplementationSpecific") {
        causes.push_back(
            InvalidValue(at + ".path", json::Value(path).Dump(), "must be an absolute path"));
      }
      CheckBackend(paths[k]["backend"], at + ".backend", causes);
    }
  }
}

void CheckPeers(const json::Value& peers, const std::string& list, Causes& causes) {
  for (std::size_t i = 0; i < peers.items().size() && !AreEnough(causes); ++i) {
    const json::Value& peer = peers.items()[i];
    if (peer["ipBlock"].is_null()) continue;
    if (peer["podSelector"].is_null() && peer["namespaceSelector"].is_null()) continue;
    causes.push_back(ForbiddenField(At(list, i), "may not specify both ipBlock and another peer"));
  }
}

void CheckNetworkPolicy(const json::Value& spec, Causes& causes) {
  for (const auto& [rules, peers] : {std::pair("ingress", "from"), std::pair("egress", "to")}) {
    const json::Array& items = spec[rules].items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      CheckPeers(items[i][peers], At(std::string("spec.") + rules, i) + "." + peers, causes);
    }
  }
}

// ---- Other kinds

void CheckClaim(const json::Value& spec, Causes& causes) {
  const json::Value& size = spec.At("/resources/requests")["storage"];
  const auto quantity = resource::Quantity::Parse(size.StringOrEmpty());
  if (!quantity || *quantity > resource::Quantity()) return;
  causes.push_back(
      InvalidValue("spec.resources[storage]", size.Dump(), "must be greater than zero"));
}

void CheckRules(const ServedResource& resource, const json::Value& rules, Causes& causes) {
  for (std::size_t i = 0; i < rules.items().size() && !AreEnough(causes); ++i) {
    const json::Value& rule = rules.items()[i];
    const json::Value& urls = rule["nonResourceURLs"];
    if (urls.size() == 0) continue;
    const std::string at = At("rules", i) + ".nonResourceURLs";
    if (resource.plural == "roles") {
      // It says nothing of groups and resources that are missing then.
      std::erase_if(causes, [&](const StatusCause& cause) {
        return cause.field.starts_with(At("rules", i) + ".") && !cause.field.ends_with(".verbs");
      });
      causes.push_back(
          InvalidValue(at, urls.Dump(), "namespaced rules cannot apply to non-resource URLs"));
    }
    if (rule["apiGroups"].size() > 0 || rule["resources"].size() > 0 ||
        rule["resourceNames"].size() > 0) {
      causes.push_back(InvalidValue(
          at, urls.Dump(), "rules cannot apply to both regular resources and non-resource URLs"));
    }
  }
}

// Returns the number of the rule that the cause is about; none: it is about something else.
std::optional<std::int64_t> RuleOf(const StatusCause& cause) {
  constexpr std::string_view kRules = "rules[";
  std::string_view field = cause.field;
  if (!field.starts_with(kRules)) return std::nullopt;
  field.remove_prefix(kRules.size());
  return internal::base::NumberIn(field.substr(0, field.find(']')));
}

// A real server looks at one rule after another, and at last at the verbs of all.
void SortByRule(Causes& causes) {
  const auto place = [](const StatusCause& cause) {
    return std::pair(cause.field.ends_with(".verbs"), RuleOf(cause).value_or(-1));
  };
  std::stable_sort(causes.begin(), causes.end(),
                   [&](const StatusCause& a, const StatusCause& b) { return place(a) < place(b); });
}

}  // namespace

void ValidateContradictions(const ServedResource& resource, const json::Value& object,
                            Causes& causes) {
  const json::Value& spec = object["spec"];
  if (resource.Is("", "services")) {
    CheckService(spec, causes);
  } else if (resource.Is("", "persistentvolumeclaims")) {
    CheckClaim(spec, causes);
  } else if (resource.Is("apps", "deployments")) {
    CheckDeployment(spec, causes);
  } else if (resource.Is("apps", "daemonsets")) {
    CheckDaemonSet(spec, causes);
  } else if (resource.Is("networking.k8s.io", "ingresses")) {
    CheckIngress(spec, causes);
  } else if (resource.Is("networking.k8s.io", "networkpolicies")) {
    CheckNetworkPolicy(spec, causes);
  } else if (resource.Is("", "resourcequotas")) {
    ValidateQuotaScopes(spec, causes);
  } else if (resource.Is("policy", "poddisruptionbudgets")) {
    CheckShare(spec["minAvailable"], "spec.minAvailable", true, causes);
    CheckShare(spec["maxUnavailable"], "spec.maxUnavailable", true, causes);
  } else if (resource.Is("rbac.authorization.k8s.io", "roles") ||
             resource.Is("rbac.authorization.k8s.io", "clusterroles")) {
    CheckRules(resource, object["rules"], causes);
    SortByRule(causes);
  }
}

}  // namespace kinformer::apiserver
