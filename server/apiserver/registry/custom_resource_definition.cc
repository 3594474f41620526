#include "apiserver/registry/custom_resource_definition.h"

#include <algorithm>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/custom_resource_definition_check.h"
#include "apiserver/registry/definition_facts.h"
#include "apiserver/schema/name_rules.h"
#include "apiserver/schema/schema_check.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

void Default(Value& object, std::string_view name, Value value) {
  const Value* found = object.Find(name);
  if (found == nullptr || found->is_null() ||
      (found->is_string() && found->StringOrEmpty().empty())) {
    object.Set(name, std::move(value));
  }
}

struct Condition {
  std::string_view type;
  bool status;
  std::string reason;
  std::string message;
};

// Replaces the condition of that type. Its time is that of the last change of its status.
void SetCondition(Value& definition, const Condition& condition, std::string_view now) {
  const std::string_view status = condition.status ? "True" : "False";
  Value value = Value::MakeObject({{"type", condition.type},
                                   {"status", status},
                                   {"lastTransitionTime", now},
                                   {"reason", condition.reason},
                                   {"message", condition.message}});
  for (Value& there : definition.Ensure("status", "conditions").EnsureArray()) {
    if (std::as_const(there)["type"].StringOrEmpty() != condition.type) continue;
    if (std::as_const(there)["status"].StringOrEmpty() == status) {
      value.Set("lastTransitionTime", std::as_const(there)["lastTransitionTime"]);
    }
    there = std::move(value);
    return;
  }
  definition.Ensure("status", "conditions").Append(std::move(value));
}

// Adds the storage version to status.storedVersions.
void RememberStorageVersion(Value& object) {
  for (const Value& version : std::as_const(object).At("/spec/versions").items()) {
    if (!version["storage"].AsBool().value_or(false)) continue;
    const Value name(version["name"].StringOrEmpty());
    json::Array& stored = object.Ensure("status", "storedVersions").EnsureArray();
    if (std::find(stored.begin(), stored.end(), name) == stored.end()) stored.push_back(name);
    return;
  }
}

// Accepts the requested names that no other definition or resource uses. The condition reports the
// last one that is taken.
class Naming {
 public:
  Naming(const Value& requested, Value& accepted, const TakenNames& taken)
      : requested_(requested), accepted_(accepted), taken_(taken) {}

  Condition Run() {
    Take("plural", "PluralConflict", taken_.resources);
    Take("singular", "SingularConflict", taken_.resources);
    TakeShortNames();
    Take("kind", "KindConflict", taken_.kinds);
    Take("listKind", "ListKindConflict", taken_.kinds);
    if (const Value& categories = requested_["categories"]; categories.size() > 0) {
      accepted_.Set("categories", categories);
    } else {
      accepted_.Erase("categories");
    }
    return std::move(condition_);
  }

 private:
  void Conflict(std::string_view reason, std::string message) {
    condition_ = {"NamesAccepted", false, std::string(reason), std::move(message)};
  }

  void Take(std::string_view member, std::string_view reason, const std::set<std::string>& others) {
    const std::string& name = requested_[member].StringOrEmpty();
    if (name == std::as_const(accepted_)[member].StringOrEmpty()) return;
    if (others.contains(name)) {
      Conflict(reason, GoQuoted(name) + " is already in use");
    } else {
      accepted_.Set(member, name);
    }
  }

  void TakeShortNames() {
    const Value& names = requested_["shortNames"];
    const json::Array had = std::as_const(accepted_)["shortNames"].items();
    std::vector<std::string> problems;
    for (const Value& name : names.items()) {
      if (std::find(had.begin(), had.end(), name) != had.end()) continue;
      if (taken_.resources.contains(name.StringOrEmpty())) {
        problems.push_back(GoQuoted(name.StringOrEmpty()) + " is already in use");
      }
    }
    if (problems.empty()) {
      if (names.size() > 0) {
        accepted_.Set("shortNames", names);
      } else {
        accepted_.Erase("shortNames");
      }
      return;
    }
    std::string message;
    for (const std::string& problem : problems) message += (message.empty() ? "" : ", ") + problem;
    Conflict("ShortNamesConflict", problems.size() > 1 ? "[" + message + "]" : message);
  }

  const Value& requested_;
  Value& accepted_;
  const TakenNames& taken_;
  Condition condition_{"NamesAccepted", true, "NoConflicts", "no conflicts found"};
};

// Sets the defaults of spec.conversion.
void DefaultWebhook(Value& conversion) {
  Value* const webhook = conversion.Find("webhook");
  if (webhook == nullptr) return;
  if (std::as_const(*webhook)["clientConfig"].is_null() &&
      std::as_const(*webhook)["conversionReviewVersions"].is_null()) {
    conversion.Erase("webhook");
    return;
  }
  if (!std::as_const(*webhook)["clientConfig"]["service"].is_object()) return;
  Value& service = webhook->Ensure("clientConfig", "service");
  if (std::as_const(service)["port"].is_null()) service.Set("port", 443);
}

// Returns the names in the order of a real server.
Value InOrder(Value names) {
  Value ordered = Value::MakeObject();
  for (const char* name : {"plural", "singular", "shortNames", "kind", "listKind", "categories"}) {
    if (Value* value = names.Find(name)) ordered.Set(name, std::move(*value));
  }
  return ordered;
}

void SetApproval(Value& definition, std::string_view now) {
  const std::string approval =
      std::as_const(definition)["metadata"]["annotations"]["api-approved.kubernetes.io"]
          .StringOrEmpty();
  if (!IsProtectedGroup(std::as_const(definition).At("/spec/group").StringOrEmpty()) ||
      approval.empty()) {
    return;
  }
  constexpr std::string_view kType = "KubernetesAPIApprovalPolicyConformant";
  if (approval.starts_with("unapproved")) {
    SetCondition(definition,
                 {kType, false, "UnapprovedAnnotation", "not approved: " + GoQuoted(approval)},
                 now);
  } else {
    SetCondition(definition, {kType, true, "ApprovedAnnotation", "approved in " + approval}, now);
  }
}

}  // namespace

bool IsDefinition(const ServedResource& resource) {
  return resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions";
}

Result<void> PrepareDefinition(const ServedResource& resource, Value& object, const Value* old) {
  if (!IsDefinition(resource)) return {};
  // Adds all members first, since adding one invalidates references to the others.
  Value& spec = object.Ensure("spec");
  Default(spec, "conversion", Value::MakeObject({{"strategy", "None"}}));
  DefaultWebhook(spec.Ensure("conversion"));
  Value& names = spec.Ensure("names");
  const std::string kind = std::as_const(names)["kind"].StringOrEmpty();
  if (!kind.empty()) {
    Default(names, "singular", LowerCase(kind));
    Default(names, "listKind", kind + "List");
  }
  if (old == nullptr) {
    object.Set(
        "status",
        Value::MakeObject({{"conditions", nullptr},
                           {"acceptedNames", Value::MakeObject({{"plural", ""}, {"kind", ""}})}}));
  } else if (!object.contains("status")) {
    object.Set("status", (*old)["status"]);
  }
  RememberStorageVersion(object);
  auto causes = CheckDefinition(object, old);
  if (causes.empty()) return {};
  const std::string& name = std::as_const(object).At("/metadata/name").StringOrEmpty();
  return InvalidError(resource.KindSubject(name), std::move(causes));
}

std::vector<std::string> DefinitionWarnings(const Value& definition) {
  std::set<std::string> warnings;
  for (const Value& version : definition["spec"]["versions"].items()) {
    for (std::string& warning : SchemaWarnings(version["schema"]["openAPIV3Schema"])) {
      warnings.insert(std::move(warning));
    }
  }
  return {warnings.begin(), warnings.end()};
}

void TakenNames::Add(const Value& accepted) {
  const auto add = [](std::set<std::string>& to, const Value& name) {
    if (!name.StringOrEmpty().empty()) to.insert(name.StringOrEmpty());
  };
  add(resources, accepted["plural"]);
  add(resources, accepted["singular"]);
  for (const Value& name : accepted["shortNames"].items()) add(resources, name);
  add(kinds, accepted["kind"]);
  add(kinds, accepted["listKind"]);
}

void SetDefinitionStatus(Value& definition, const TakenNames& taken, std::string_view now) {
  const Value requested = std::as_const(definition).At("/spec/names");
  Value accepted = std::as_const(definition).At("/status/acceptedNames");
  const Condition named = Naming(requested, accepted, taken).Run();
  const bool established = HasCondition(definition, "Established");
  definition.Ensure("status").Set("acceptedNames", InOrder(std::move(accepted)));
  SetCondition(definition, named, now);
  // Established remains true once it was.
  if (named.status) {
    SetCondition(
        definition,
        {"Established", true, "InitialNamesAccepted", "the initial names have been accepted"}, now);
  } else if (!established) {
    SetCondition(definition, {"Established", false, "NotAccepted", "not all names are accepted"},
                 now);
  }
  SetApproval(definition, now);
}

void SetTerminating(Value& definition, DeletionStep step, std::string_view now) {
  switch (step) {
    case DeletionStep::kPending:
      SetCondition(definition,
                   {"Terminating", true, "InstanceDeletionPending",
                    "CustomResourceDefinition marked for deletion; CustomResource deletion will "
                    "begin soon"},
                   now);
      break;
    case DeletionStep::kInProgress:
      SetCondition(definition,
                   {"Terminating", true, "InstanceDeletionInProgress",
                    "CustomResource deletion is in progress"},
                   now);
      break;
    case DeletionStep::kCompleted:
      SetCondition(definition,
                   {"Terminating", false, "InstanceDeletionCompleted", "removed all instances"},
                   now);
      break;
  }
}

void PrepareDeletion(Value& definition, std::string_view now) {
  json::Array& finalizers = definition.Ensure("metadata", "finalizers").EnsureArray();
  const Value cleanup(kDefinitionFinalizer);
  if (std::find(finalizers.begin(), finalizers.end(), cleanup) == finalizers.end()) {
    finalizers.push_back(cleanup);
  }
  SetTerminating(definition, DeletionStep::kPending, now);
}

}  // namespace kinformer::apiserver
