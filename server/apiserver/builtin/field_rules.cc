#include "apiserver/builtin/field_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "kinformer/object/quantity.h"

#include "apiserver/builtin/certificate_signing.h"
#include "apiserver/builtin/pod_subresources.h"
#include "apiserver/errors/status.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kPodSpecRule =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set "
    "to 1 if it was previously negative)";

constexpr const char* kImmutable = "field is immutable";

// Returns the reference as Go shows it.
std::string ShownRoleRef(const json::Value& role) {
  return json::Value::MakeObject({{"APIGroup", role["apiGroup"].StringOrEmpty()},
                                  {"Kind", role["kind"].StringOrEmpty()},
                                  {"Name", role["name"].StringOrEmpty()}})
      .Dump();
}

bool Is(const ServedResource& resource, std::string_view group, std::string_view plural) {
  return resource.group == group && resource.plural == plural;
}

// Returns "/spec/selector" in the form used in causes.
std::string Dotted(std::string_view pointer) {
  std::string out(pointer.substr(1));
  std::replace(out.begin(), out.end(), '/', '.');
  return out;
}

void Immutable(std::string_view pointer, const json::Value& old, const json::Value& object,
               std::vector<StatusCause>& causes) {
  const json::Value& after = object.At(pointer);
  if (old.At(pointer) == after) return;
  causes.push_back(InvalidValue(Dotted(pointer), after.Dump(), kImmutable));
}

// Checks ConfigMaps and Secrets with `immutable` set.
void ValidateSealed(const json::Value& old, const json::Value& object,
                    std::vector<StatusCause>& causes) {
  if (!old["immutable"].AsBool().value_or(false)) return;
  constexpr std::string_view kWhy = "field is immutable when `immutable` is set";
  if (!object["immutable"].AsBool().value_or(false)) {
    causes.push_back(ForbiddenField("immutable", kWhy));
  }
  for (const char* field : {"data", "binaryData"}) {
    const json::Value& before = old[field];
    const json::Value& after = object[field];
    if (!(before == after) && before.size() + after.size() > 0) {
      causes.push_back(ForbiddenField(field, kWhy));
    }
  }
}

void EqualizeImages(const json::Value& old, json::Value& spec, std::string_view list) {
  json::Value* containers = spec.Find(list);
  const json::Array& before = old[list].items();
  if (containers == nullptr || containers->size() != before.size()) return;
  json::Array& after = containers->EnsureArray();
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (before[i].contains("image")) {
      after[i].Set("image", before[i]["image"]);
    } else {
      after[i].Erase("image");
    }
  }
}

// Returns the values in a list as texts, for lookups.
std::unordered_set<std::string> TextsOf(const json::Value& list) {
  std::unordered_set<std::string> texts;
  for (const json::Value& item : list.items()) texts.insert(item.Dump({.sort_keys = true}));
  return texts;
}

void Take(const json::Value& old, json::Value& spec, std::string_view field) {
  if (const json::Value* value = old.Find(field)) {
    spec.Set(field, *value);
  } else {
    spec.Erase(field);
  }
}

void ValidatePod(const json::Value& old, const json::Value& object,
                 std::vector<StatusCause>& causes) {
  const json::Value& before = old["spec"];
  const json::Value& after = object["spec"];
  if (before == after) return;
  const auto deadline = before["activeDeadlineSeconds"].AsInt64();
  const auto new_deadline = after["activeDeadlineSeconds"].AsInt64();
  constexpr std::string_view kDeadline = "spec.activeDeadlineSeconds";
  if (deadline && !new_deadline) {
    causes.push_back(InvalidValue(std::string(kDeadline), "null",
                                  "must not update from a positive integer to nil value"));
  } else if (deadline && *new_deadline > *deadline) {
    causes.push_back(InvalidValue(std::string(kDeadline), std::to_string(*new_deadline),
                                  "must be less than or equal to previous value"));
  }
  const auto tolerations = TextsOf(after["tolerations"]);
  for (const json::Value& toleration : before["tolerations"].items()) {
    if (!tolerations.contains(toleration.Dump({.sort_keys = true}))) {
      causes.push_back(
          ForbiddenField("spec.tolerations",
                         "existing toleration can not be modified except its tolerationSeconds"));
    }
  }
  json::Value rest = after;
  for (const char* list : {"containers", "initContainers"}) EqualizeImages(before, rest, list);
  for (const char* field : {"activeDeadlineSeconds", "tolerations"}) Take(before, rest, field);
  // Gates may be removed, but not added.
  const auto gates = TextsOf(before["schedulingGates"]);
  const json::Array& new_gates = after["schedulingGates"].items();
  const bool fewer = std::all_of(new_gates.begin(), new_gates.end(), [&](const json::Value& gate) {
    return gates.contains(gate.Dump({.sort_keys = true}));
  });
  if (fewer) Take(before, rest, "schedulingGates");
  // While a pod is gated, its placement can be narrowed.
  if (!gates.empty()) {
    for (const char* field : {"nodeSelector", "affinity"}) Take(before, rest, field);
  }
  if (before["terminationGracePeriodSeconds"].AsInt64().value_or(0) < 0 &&
      after["terminationGracePeriodSeconds"].AsInt64() == 1) {
    Take(before, rest, "terminationGracePeriodSeconds");
  }
  // Ephemeral containers are changed through their subresource.
  if (!(rest == before)) causes.push_back(ForbiddenField("spec", kPodSpecRule));
}

void ValidateStatefulSet(const json::Value& old, const json::Value& object,
                         std::vector<StatusCause>& causes) {
  json::Value rest = object["spec"];
  for (const char* field :
       {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    Take(old["spec"], rest, field);
  }
  for (const char* field :
       {"selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"}) {
    const json::Value& after = object["spec"][field];
    if (!(old["spec"][field] == after)) {
      causes.push_back(InvalidValue(std::string("spec.") + field,
                                    after.is_null() ? R"("")" : after.Dump(),
                                    "field is immutable"));
    }
    Take(old["spec"], rest, field);
  }
  if (rest == old["spec"]) return;
  causes.push_back(ForbiddenField(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
      "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
      "'minReadySeconds' are forbidden"));
}

// A suspended Job may still change its placement and resources.
void ValidateWaitingPod(const json::Value& old, const json::Value& object,
                        std::vector<StatusCause>& causes) {
  const json::Value& before = old.At("/spec/template/spec");
  json::Value rest = object.At("/spec/template/spec");
  for (const char* field : {"nodeSelector", "affinity", "tolerations", "schedulingGates"}) {
    Take(before, rest, field);
  }
  for (const char* list : {"containers", "initContainers"}) {
    json::Value* const containers = rest.Find(list);
    const json::Array& were = before[list].items();
    if (containers == nullptr || containers->size() != were.size()) continue;
    for (std::size_t i = 0; i < were.size(); ++i) {
      Take(were[i], containers->EnsureArray()[i], "resources");
    }
  }
  if (rest == before) return;
  causes.push_back(InvalidValue("spec.template.spec", object.At("/spec/template/spec").Dump(),
                                "field is immutable"));
}

void ValidateJob(const json::Value& old, const json::Value& object,
                 std::vector<StatusCause>& causes) {
  const json::Value& spec = object["spec"];
  if (spec["completionMode"].StringOrEmpty() != "Indexed") {
    Immutable("/spec/completions", old, object, causes);
  } else if (!(spec["completions"] == old.At("/spec/completions")) &&
             !(spec["completions"] == spec["parallelism"])) {
    causes.push_back(InvalidValue("spec.completions", spec["completions"].Dump(),
                                  "can only be modified in tandem with spec.parallelism"));
  }
  Immutable("/spec/selector", old, object, causes);
  const bool runs = old.At("/status/active").AsInt64().value_or(0) > 0;
  if (old.At("/spec/suspend").AsBool().value_or(false) && !runs) {
    ValidateWaitingPod(old, object, causes);
  } else {
    Immutable("/spec/template", old, object, causes);
  }
  for (const char* pointer :
       {"/spec/completionMode", "/spec/podFailurePolicy", "/spec/backoffLimitPerIndex",
        "/spec/managedBy", "/spec/successPolicy"}) {
    Immutable(pointer, old, object, causes);
  }
}

// A claim's spec is immutable, except for its volume, and for size and attributes of a volume that
// is already bound.
void ValidateClaim(const json::Value& old, const json::Value& object,
                   std::vector<StatusCause>& causes) {
  const json::Value& before = old["spec"];
  json::Value rest = object["spec"];
  if (before["volumeName"].StringOrEmpty().empty()) Take(before, rest, "volumeName");
  if (object.At("/status/phase").StringOrEmpty() == "Bound") {
    if (!std::as_const(rest).At("/resources/requests").is_null()) {
      Take(before.At("/resources/requests"), rest.Ensure("resources", "requests"), "storage");
    }
    Take(before, rest, "volumeAttributesClassName");
  }
  if (!(rest == before)) {
    causes.push_back(ForbiddenField("spec",
                                    "spec is immutable after creation except resources.requests "
                                    "and volumeAttributesClassName for bound claims"));
  }
  const auto size = [](const json::Value& claim) {
    const auto parsed =
        resource::Quantity::Parse(claim.At("/spec/resources/requests/storage").StringOrEmpty());
    return parsed ? *parsed : resource::Quantity();
  };
  const auto capacity =
      resource::Quantity::Parse(old.At("/status/capacity/storage").StringOrEmpty());
  if (size(object) < size(old) && !((capacity ? *capacity : resource::Quantity()) < size(object))) {
    causes.push_back(ForbiddenField("spec.resources.requests.storage",
                                    "field can not be less than status.capacity"));
  }
}

// A namespace's phase must only reflect whether it is being deleted.
std::vector<StatusCause> ValidatePhase(const json::Value& object) {
  const json::Value& phase = object.At("/status/phase");
  const bool ending = !object.At("/metadata/deletionTimestamp").is_null();
  if (phase.StringOrEmpty() == (ending ? "Terminating" : "Active")) return {};
  return {InvalidValue("status.Phase", JsonString(phase.StringOrEmpty()),
                       ending ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                              : "may only be 'Active' if `deletionTimestamp` is empty")};
}

}  // namespace

std::vector<StatusCause> ValidateChange(const ServedResource& resource,
                                        std::string_view subresource, const json::Value& old,
                                        const json::Value& object) {
  std::vector<StatusCause> causes;
  if (resource.custom) return causes;
  if (subresource == "ephemeralcontainers") return ValidateEphemeralContainers(old, object);
  if (subresource == "resize") return ValidateResize(old, object);
  if (subresource == "status" && Is(resource, "", "namespaces")) return ValidatePhase(object);
  if (!subresource.empty() && resource.plural == "certificatesigningrequests") {
    return ValidateSigningStatus(subresource, old, object);
  }
  if (Is(resource, "", "configmaps")) {
    ValidateSealed(old, object, causes);
  } else if (Is(resource, "", "secrets")) {
    Immutable("/type", old, object, causes);
    ValidateSealed(old, object, causes);
  } else if (Is(resource, "", "pods")) {
    ValidatePod(old, object, causes);
  } else if (Is(resource, "apps", "deployments") || Is(resource, "apps", "replicasets") ||
             Is(resource, "apps", "daemonsets")) {
    Immutable("/spec/selector", old, object, causes);
  } else if (Is(resource, "apps", "statefulsets")) {
    ValidateStatefulSet(old, object, causes);
  } else if (Is(resource, "batch", "jobs")) {
    ValidateJob(old, object, causes);
  } else if (Is(resource, "", "persistentvolumeclaims")) {
    ValidateClaim(old, object, causes);
  } else if (resource.group == "rbac.authorization.k8s.io" &&
             resource.plural.ends_with("bindings")) {
    if (!(old["roleRef"] == object["roleRef"])) {
      causes.push_back(InvalidValue("roleRef", ShownRoleRef(object["roleRef"]), kImmutable));
    }
  } else if (Is(resource, "storage.k8s.io", "storageclasses")) {
    for (const char* pointer : {"/provisioner", "/reclaimPolicy", "/volumeBindingMode"}) {
      Immutable(pointer, old, object, causes);
    }
  } else if (Is(resource, "scheduling.k8s.io", "priorityclasses")) {
    if (!(old["value"] == object["value"])) {
      causes.push_back(ForbiddenField("value", "may not be changed in an update."));
    }
  } else if (Is(resource, "networking.k8s.io", "ingressclasses")) {
    Immutable("/spec/controller", old, object, causes);
  } else if (Is(resource, "discovery.k8s.io", "endpointslices")) {
    Immutable("/addressType", old, object, causes);
  }
  return causes;
}

void FoldFields(const ServedResource& resource, json::Value& object) {
  if (!Is(resource, "", "secrets") && !Is(resource, "", "configmaps")) return;
  for (const char* field : {"data", "binaryData"}) {
    const json::Value* value = object.Find(field);
    if (value != nullptr && value->size() == 0 && !value->is_string()) object.Erase(field);
  }
  if (!Is(resource, "", "secrets")) return;
  const json::Value* texts = object.Find("stringData");
  if (texts == nullptr) return;
  const json::Value given = *texts;
  object.Erase("stringData");
  for (const auto& [key, text] : given.members()) {
    std::string encoded;
    internal::AppendBase64(text.StringOrEmpty(), encoded);
    object.Ensure("data").Set(key, encoded);
  }
}

}  // namespace kinformer::apiserver
