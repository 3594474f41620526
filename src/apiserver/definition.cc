#include "apiserver/definition.h"

#include <algorithm>
#include <vector>

#include "apiserver/status.h"

namespace kinformer::apiserver {
namespace {

void Default(json::Value& object, std::string_view name, json::Value value) {
  const json::Value* found = object.Find(name);
  if (found == nullptr || found->is_null() ||
      (found->is_string() && found->StringOrEmpty().empty())) {
    object.Set(name, std::move(value));
  }
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

json::Value Condition(std::string_view type, bool status, std::string_view reason,
                      std::string_view message, std::string_view now) {
  return json::Value::MakeObject({{"type", type},
                                  {"status", status ? "True" : "False"},
                                  {"lastTransitionTime", now},
                                  {"reason", reason},
                                  {"message", message}});
}

}  // namespace

bool IsDefinition(const ServedResource& resource) {
  return resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions";
}

Result<void> PrepareDefinition(const ServedResource& resource, json::Value& object) {
  if (!IsDefinition(resource)) return {};
  // Members are added first and referred to afterwards, since adding one moves the others.
  object.Erase("status");
  json::Value& spec = object["spec"];
  Default(spec, "conversion", json::Value::MakeObject({{"strategy", "None"}}));
  if (!spec["versions"].is_array()) spec["versions"] = json::Value::MakeArray();
  json::Value& names = spec["names"];
  const std::string kind = names["kind"].StringOrEmpty();
  Default(names, "singular", Lower(kind));
  Default(names, "listKind", kind + "List");

  std::vector<StatusCause> causes;
  const std::string& name = object.At("/metadata/name").StringOrEmpty();
  const std::string& plural = std::as_const(names)["plural"].StringOrEmpty();
  const std::string& group = std::as_const(spec)["group"].StringOrEmpty();
  const std::string& scope = std::as_const(spec)["scope"].StringOrEmpty();
  if (group.empty()) causes.push_back(Required("spec.group"));
  if (plural.empty()) causes.push_back(Required("spec.names.plural"));
  if (kind.empty()) causes.push_back(Required("spec.names.kind"));
  if (name != plural + "." + group) {
    causes.push_back(InvalidValue("metadata.name", JsonString(name),
                                  "must be spec.names.plural+\".\"+spec.group"));
  }
  if (scope != "Namespaced" && scope != "Cluster") {
    causes.push_back(NotSupported("spec.scope", scope, "\"Cluster\", \"Namespaced\""));
  }
  json::Array& versions = spec["versions"].EnsureArray();
  int stored = 0;
  for (const json::Value& version : versions) {
    if (version["storage"].AsBool().value_or(false)) ++stored;
  }
  if (versions.empty()) causes.push_back(Required("spec.versions"));
  if (!versions.empty() && stored != 1) {
    causes.push_back(InvalidValue("spec.versions", std::to_string(stored),
                                  "must have exactly one version marked as storage version"));
  }
  if (!causes.empty()) return InvalidError(resource.KindSubject(name), std::move(causes));

  json::Array& finalizers = object["metadata"]["finalizers"].EnsureArray();
  const json::Value cleanup(kDefinitionFinalizer);
  if (std::find(finalizers.begin(), finalizers.end(), cleanup) == finalizers.end()) {
    finalizers.push_back(cleanup);
  }
  return {};
}

void SetDefinitionStatus(json::Value& definition,
                         const std::pair<std::string, std::string>& conflict,
                         std::string_view now) {
  const json::Value names = std::as_const(definition).At("/spec/names");
  json::Value stored = json::Value::MakeArray();
  for (const json::Value& version : std::as_const(definition).At("/spec/versions").items()) {
    if (version["storage"].AsBool().value_or(false)) stored.Append(version["name"]);
  }
  json::Value& status = definition["status"];
  json::Value conditions = json::Value::MakeArray();
  if (conflict.first.empty()) {
    conditions.Append(Condition("NamesAccepted", true, "NoConflicts", "no conflicts found", now));
    conditions.Append(Condition("Established", true, "InitialNamesAccepted",
                                "the initial names have been accepted", now));
    status.Set("acceptedNames", names);
  } else {
    conditions.Append(Condition("NamesAccepted", false, conflict.first, conflict.second, now));
    conditions.Append(
        Condition("Established", false, "NotAccepted", "not all names are accepted", now));
    status.Set("acceptedNames", json::Value::MakeObject({{"plural", ""}, {"kind", ""}}));
  }
  status.Set("conditions", std::move(conditions));
  status.Set("storedVersions", std::move(stored));
}

}  // namespace kinformer::apiserver
