#include "apiserver/builtin/match_checks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>

#include "apiserver/errors/status.h"
#include "apiserver/schema/name_rules.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

std::string Item(const std::string& field, std::size_t index) {
  return field + "[" + std::to_string(index) + "]";
}

bool HasWildcard(const json::Value& list) {
  return std::ranges::any_of(list.items(),
                             [](const json::Value& item) { return item.StringOrEmpty() == "*"; });
}

// A wildcard stands alone.
void CheckWildcard(const json::Value& list, const std::string& field, std::string_view what,
                   Causes& causes) {
  if (list.size() <= 1 || !HasWildcard(list)) return;
  causes.push_back(InvalidValue(field, list.Dump(),
                                "if '*' is present, must not specify other " + std::string(what)));
}

void CheckOperations(const json::Value& operations, const std::string& field, Causes& causes) {
  constexpr std::array<std::string_view, 5> kKnown = {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
  CheckWildcard(operations, field, "operations", causes);
  std::size_t index = 0;
  for (const json::Value& operation : operations.items()) {
    const std::string at = Item(field, index++);
    const std::string& name = operation.StringOrEmpty();
    if (AreEnough(causes)) return;
    if (std::ranges::find(kKnown, name) != kKnown.end()) continue;
    causes.push_back(NotSupported(at, name, R"("*", "CONNECT", "CREATE", "DELETE", "UPDATE")"));
  }
}

void CheckResources(const json::Value& resources, const std::string& field, Causes& causes) {
  std::set<std::string, std::less<>> with_all_subresources;
  std::set<std::string, std::less<>> of_all_resources;
  bool everything = false;
  bool all_resources = false;
  bool plain = false;
  std::size_t index = 0;
  for (const json::Value& resource : resources.items()) {
    if (AreEnough(causes)) return;
    const std::string at = Item(field, index++);
    const std::string& text = resource.StringOrEmpty();
    if (text.empty()) {
      causes.push_back(Required(at));
      continue;
    }
    everything = everything || text == "*/*";
    all_resources = all_resources || text == "*";
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) {
      plain = text != "*";
      continue;
    }
    const std::string name = text.substr(0, slash);
    const std::string sub = text.substr(slash + 1);
    if (with_all_subresources.contains(name)) {
      causes.push_back(InvalidValue(at, GoQuoted(text),
                                    "if '" + name + "/*' is present, must not specify " + text));
    }
    if (of_all_resources.contains(sub)) {
      causes.push_back(InvalidValue(at, GoQuoted(text),
                                    "if '*/" + sub + "' is present, must not specify " + text));
    }
    if (sub == "*") with_all_subresources.insert(name);
    if (name == "*") of_all_resources.insert(sub);
  }
  if (resources.size() > 1 && everything) {
    causes.push_back(InvalidValue(field, resources.Dump(),
                                  "if '*/*' is present, must not specify other resources"));
  }
  if (all_resources && plain) {
    causes.push_back(InvalidValue(field, resources.Dump(),
                                  "if '*' is present, must not specify other resources without "
                                  "subresources"));
  }
}

void CheckNames(const json::Value& names, const std::string& field, Causes& causes) {
  std::set<std::string> known;
  std::size_t index = 0;
  for (const json::Value& item : names.items()) {
    if (AreEnough(causes)) return;
    const std::string at = Item(field, index++);
    const std::string& name = item.StringOrEmpty();
    if (const std::string broken = BrokenRule(NameRule::kPathSegment, name); !broken.empty()) {
      causes.push_back(InvalidValue(at, GoQuoted(name), broken));
    }
    if (known.insert(name).second) continue;
    causes.push_back({.reason = "FieldValueDuplicate",
                      .message = "Duplicate value: " + GoQuoted(name),
                      .field = at});
  }
}

void CheckLabel(std::string_view value, const std::string& field, Causes& causes) {
  if (value.empty() || (value.size() <= kMaxLabel && IsQualifiedPart(value))) return;
  causes.push_back(InvalidValue(field, GoQuoted(value), kLabelValueText));
}

void CheckRequirement(const json::Value& requirement, const std::string& field, Causes& causes) {
  const std::string& relation = requirement["operator"].StringOrEmpty();
  const json::Value& values = requirement["values"];
  if (relation == "In" || relation == "NotIn") {
    if (values.size() == 0) {
      causes.push_back(
          Required(field + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (relation == "Exists" || relation == "DoesNotExist") {
    if (values.size() > 0) {
      causes.push_back(ForbiddenField(
          field + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    causes.push_back(
        InvalidValue(field + ".operator", GoQuoted(relation), "not a valid selector operator"));
  }
  if (const std::string& key = requirement["key"].StringOrEmpty(); !IsQualifiedName(key)) {
    causes.push_back(InvalidValue(field + ".key", GoQuoted(key), kQualifiedNameText));
  }
  std::size_t index = 0;
  for (const json::Value& value : values.items()) {
    if (AreEnough(causes)) return;
    CheckLabel(value.StringOrEmpty(), Item(field + ".values", index++), causes);
  }
}

}  // namespace

void CheckRule(const json::Value& rule, const std::string& field, Causes& causes) {
  CheckOperations(rule["operations"], field + ".operations", causes);
  CheckWildcard(rule["apiGroups"], field + ".apiGroups", "API groups", causes);
  CheckWildcard(rule["apiVersions"], field + ".apiVersions", "API versions", causes);
  std::size_t index = 0;
  for (const json::Value& version : rule["apiVersions"].items()) {
    if (AreEnough(causes)) return;
    const std::string at = Item(field + ".apiVersions", index++);
    if (version.StringOrEmpty().empty()) causes.push_back(Required(at));
  }
  CheckResources(rule["resources"], field + ".resources", causes);
  const std::string& scope = rule["scope"].StringOrEmpty();
  if (!scope.empty() && scope != "*" && scope != "Cluster" && scope != "Namespaced") {
    causes.push_back(NotSupported(field + ".scope", scope, R"("*", "Cluster", "Namespaced")"));
  }
}

void CheckLabelSelector(const json::Value& selector, const std::string& field, Causes& causes) {
  for (const auto& [key, value] : selector["matchLabels"].members()) {
    if (AreEnough(causes)) return;
    if (!IsQualifiedName(key)) {
      causes.push_back(InvalidValue(field + ".matchLabels", GoQuoted(key), kQualifiedNameText));
    }
    CheckLabel(value.StringOrEmpty(), field + ".matchLabels", causes);
  }
  std::size_t index = 0;
  for (const json::Value& requirement : selector["matchExpressions"].items()) {
    if (AreEnough(causes)) return;
    CheckRequirement(requirement, Item(field + ".matchExpressions", index++), causes);
  }
}

void CheckMatchResources(const json::Value& resources, const std::string& field, Causes& causes) {
  const std::string& policy = resources["matchPolicy"].StringOrEmpty();
  if (!policy.empty() && policy != "Exact" && policy != "Equivalent") {
    causes.push_back(NotSupported(field + ".matchPolicy", policy, R"("Equivalent", "Exact")"));
  }
  CheckLabelSelector(resources["namespaceSelector"], field + ".namespaceSelector", causes);
  CheckLabelSelector(resources["objectSelector"], field + ".objectSelector", causes);
  for (const char* list : {"resourceRules", "excludeResourceRules"}) {
    std::size_t index = 0;
    for (const json::Value& rule : resources[list].items()) {
      if (AreEnough(causes)) return;
      const std::string at = Item(field + "." + list, index++);
      CheckNames(rule["resourceNames"], at + ".resourceNames", causes);
      CheckRule(rule, at, causes);
    }
  }
}

}  // namespace kinformer::apiserver
