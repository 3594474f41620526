#include "apiserver/builtin/quota_checks.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

// Names of what all quotas can limit: other names are counts of a resource, or extended resources.
// Sorted.
constexpr auto kStandard = std::to_array<std::string_view>(
    {"configmaps", "cpu", "ephemeral-storage", "limits.cpu", "limits.ephemeral-storage",
     "limits.memory", "memory", "persistentvolumeclaims", "pods", "replicationcontrollers",
     "requests.cpu", "requests.ephemeral-storage", "requests.memory", "requests.storage",
     "resourcequotas", "secrets", "services", "services.loadbalancers", "services.nodeports"});
constexpr auto kCompute = std::to_array<std::string_view>(
    {"cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"});
constexpr auto kScopes = std::to_array<std::string_view>(
    {"BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass",
     "Terminating", "VolumeAttributesClass"});

template <class List>
bool Has(const List& list, std::string_view name) {
  return std::binary_search(list.begin(), list.end(), name);
}

bool Suits(std::string_view scope, std::string_view limited) {
  if (scope == "BestEffort") return limited == "pods";
  if (scope == "VolumeAttributesClass") return limited == "persistentvolumeclaims";
  return !Has(kScopes, scope) || limited == "pods" || Has(kCompute, limited);
}

// Appends a cause for each limited resource that the scope does not suit.
void CheckLimits(std::string_view scope, const json::Value& hard, const std::string& at,
                 const std::string& shown, Causes& causes) {
  std::set<std::string_view> limited;
  for (const auto& [name, quantity] : hard.members()) limited.insert(name);
  for (const std::string_view name : limited) {
    if (Has(kStandard, name) && !Suits(scope, name)) {
      causes.push_back(InvalidValue(at, shown, "unsupported scope applied to resource"));
    }
  }
}

void CheckPairs(const std::set<std::string_view>& scopes, const std::string& at,
                const std::string& shown, Causes& causes) {
  for (const auto& [one, other] :
       {std::pair("BestEffort", "NotBestEffort"), std::pair("Terminating", "NotTerminating")}) {
    if (scopes.contains(one) && scopes.contains(other)) {
      causes.push_back(InvalidValue(at, shown, "conflicting scopes"));
    }
  }
}

void CheckScopes(const json::Value& spec, Causes& causes) {
  const std::string at = "spec.scopes";
  const std::string shown = spec["scopes"].Dump();
  std::set<std::string_view> scopes;
  for (const json::Value& scope : spec["scopes"].items()) {
    const std::string& name = scope.StringOrEmpty();
    if (!Has(kScopes, name)) causes.push_back(InvalidValue(at, shown, "unsupported scope"));
    CheckLimits(name, spec["hard"], at, shown, causes);
    scopes.insert(name);
  }
  CheckPairs(scopes, at, shown, causes);
}

// Returns the selector as Go shows it.
std::string ShownSelector(const json::Value& selector) {
  json::Value expressions = json::Value::MakeArray();
  for (const json::Value& each : selector["matchExpressions"].items()) {
    json::Value shown = json::Value::MakeObject({{"ScopeName", each["scopeName"]},
                                                 {"Operator", each["operator"]},
                                                 {"Values", each["values"]}});
    expressions.Append(std::move(shown));
  }
  return json::Value::MakeObject({{"MatchExpressions", std::move(expressions)}}).Dump();
}

void CheckOperator(const json::Value& requirement, const std::string& at, Causes& causes) {
  const std::string& scope = requirement["scopeName"].StringOrEmpty();
  const std::string& name = requirement["operator"].StringOrEmpty();
  const json::Value& values = requirement["values"];
  const bool plain =
      Has(kScopes, scope) && scope != "PriorityClass" && scope != "VolumeAttributesClass";
  if (plain && name != "Exists") {
    causes.push_back(InvalidValue(
        at + ".operator", JsonString(name),
        "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, "
        "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
        "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"));
  }
  if (name == "In" || name == "NotIn") {
    if (values.size() == 0) {
      causes.push_back(Required(at + ".values",
                                "must be at least one value when `operator` is 'In' or 'NotIn' for "
                                "scope selector"));
    }
  } else if (name == "Exists" || name == "DoesNotExist") {
    if (values.size() > 0) {
      causes.push_back(InvalidValue(at + ".values", values.Dump(),
                                    "must be no value when `operator` is 'Exist' or 'DoesNotExist' "
                                    "for scope selector"));
    }
  } else {
    causes.push_back(
        InvalidValue(at + ".operator", JsonString(name), "not a valid selector operator"));
  }
}

void CheckSelector(const json::Value& spec, Causes& causes) {
  const std::string at = "spec.scopeSelector.matchExpressions";
  const json::Value& selector = spec["scopeSelector"];
  const std::string shown = ShownSelector(selector);
  std::set<std::string_view> scopes;
  for (const json::Value& requirement : selector["matchExpressions"].items()) {
    const std::string& scope = requirement["scopeName"].StringOrEmpty();
    if (!Has(kScopes, scope)) {
      causes.push_back(InvalidValue(at + ".scopeName", JsonString(scope), "unsupported scope"));
    }
    CheckLimits(scope, spec["hard"], at, shown, causes);
    CheckOperator(requirement, at, causes);
    scopes.insert(scope);
  }
  CheckPairs(scopes, at, spec["scopes"].Dump(), causes);
}

}  // namespace

void ValidateQuotaScopes(const json::Value& spec, Causes& causes) {
  Causes found;
  if (spec["scopes"].size() > 0) CheckScopes(spec, found);
  if (!spec["scopeSelector"].is_null()) CheckSelector(spec, found);
  for (StatusCause& cause : found) {
    const bool known = std::any_of(causes.begin(), causes.end(), [&](const StatusCause& other) {
      return other.field == cause.field && other.message == cause.message;
    });
    if (!known) causes.push_back(std::move(cause));
  }
}

}  // namespace kinformer::apiserver
