#include "apiserver/builtin/builtin_strategy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/builtin/bootstrap_objects.h"
#include "apiserver/builtin/certificate_signing.h"
#include "apiserver/builtin/pod_subresources.h"
#include "apiserver/builtin/runtime_class.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/object_rules.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {
namespace {

bool IsCore(const ServedResource& resource, std::string_view plural) {
  return resource.group.empty() && resource.plural == plural;
}

// Seconds that a pod stays on a failed node, unless its own tolerations say otherwise.
constexpr int kTolerationSeconds = 300;
constexpr auto kNotWell = std::to_array<std::string_view>(
    {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"});

bool Tolerates(const json::Value& toleration, std::string_view key) {
  const std::string& its_key = toleration["key"].StringOrEmpty();
  const std::string& effect = toleration["effect"].StringOrEmpty();
  return (its_key == key || its_key.empty()) && (effect == "NoExecute" || effect.empty());
}

json::Value Toleration(std::string_view key) {
  return json::Value::MakeObject({{"key", key},
                                  {"operator", "Exists"},
                                  {"effect", "NoExecute"},
                                  {"tolerationSeconds", kTolerationSeconds}});
}

void TolerateForAWhile(json::Value& spec) {
  static const std::array<json::Value, kNotWell.size()> kTolerations = {Toleration(kNotWell[0]),
                                                                        Toleration(kNotWell[1])};
  std::array<bool, kNotWell.size()> missing{};
  for (std::size_t i = 0; i < kNotWell.size(); ++i) {
    missing[i] = true;
    for (const json::Value& toleration : std::as_const(spec)["tolerations"].items()) {
      if (Tolerates(toleration, kNotWell[i])) missing[i] = false;
    }
  }
  for (std::size_t i = 0; i < kNotWell.size(); ++i) {
    if (missing[i]) spec.Ensure("tolerations").Append(kTolerations[i]);
  }
}

struct Priority {
  std::int64_t value = 0;
  std::string preemption{"PreemptLowerPriority"};
  std::string name{};
};

Priority PriorityOf(const json::Value& priority_class) {
  Priority out{.value = priority_class["value"].AsInt64().value_or(0),
               .name = priority_class.At("/metadata/name").StringOrEmpty()};
  const std::string& policy = priority_class["preemptionPolicy"].StringOrEmpty();
  if (!policy.empty()) out.preemption = policy;
  return out;
}

std::optional<Priority> FindPriority(const ServerState& state, const std::string& name) {
  // These exist without being created here.
  if (const auto system = SystemPriority(name)) return Priority{.value = *system, .name = name};
  const auto classes = state.resources.FindGroupResource("scheduling.k8s.io", "priorityclasses");
  if (classes == nullptr) return name.empty() ? std::optional<Priority>(Priority()) : std::nullopt;
  if (!name.empty()) {
    const StoredObjectPtr stored = classes->Find({}, name);
    return stored == nullptr ? std::nullopt : std::optional<Priority>(PriorityOf(stored->Parse()));
  }
  // The global default; if there are several, the lowest.
  std::optional<Priority> found;
  classes->store->Walk({}, {}, state.resource_version, [&](const StoredObjectPtr& stored) {
    const json::Value object = stored->Parse();
    if (object["globalDefault"].AsBool().value_or(false)) {
      Priority priority = PriorityOf(object);
      if (!found || priority.value < found->value) found = std::move(priority);
    }
    return true;
  });
  return found ? found : Priority();
}

// Sets the labels and the selector by which a Job finds its pods, unless it brings its own.
void SelectPods(json::Value& job) {
  if (std::as_const(job).At("/spec/manualSelector").AsBool().value_or(false)) return;
  const std::string uid = std::as_const(job).At("/metadata/uid").StringOrEmpty();
  const std::string name = std::as_const(job).At("/metadata/name").StringOrEmpty();
  json::Value& labels = job.Ensure("spec", "template", "metadata", "labels");
  for (const std::string prefix : {"batch.kubernetes.io/", ""}) {
    labels.Set(prefix + "controller-uid", uid);
    labels.Set(prefix + "job-name", name);
  }
  if (json::Object* members = labels.IfObject()) members->SortByName();
  job.Ensure("spec", "selector", "matchLabels").Set("batch.kubernetes.io/controller-uid", uid);
}

// Annotation for what is a field of the internal DaemonSet in a real server: the number of changes
// of its template. Values from clients are ignored in updates.
constexpr const char* kTemplateGeneration = "deprecated.daemonset.template.generation";

void SetTemplateGeneration(json::Value& object, std::string generation) {
  json::Value& annotations = object.Ensure("metadata", "annotations");
  annotations.Set(kTemplateGeneration, std::move(generation));
  if (json::Object* members = annotations.IfObject()) members->SortByName();
}

std::int64_t TemplateGeneration(const json::Value& object) {
  return internal::base::NumberIn(
             object.At("/metadata/annotations")[kTemplateGeneration].StringOrEmpty())
      .value_or(0);
}

// Returns whether replacing `old` by `object` completes its deletion.
bool Ends(const json::Value& old, const json::Value& object) {
  return !old.At("/metadata/deletionTimestamp").is_null() &&
         object.At("/metadata/finalizers").size() == 0;
}

// Copies the labels of a Job's pods to the Job, if it has none and its name is not generated.
void LabelLikeItsPods(json::Value& job) {
  const json::Value& metadata = std::as_const(job)["metadata"];
  if (metadata["labels"].size() > 0 || !metadata["generateName"].StringOrEmpty().empty()) return;
  const json::Value labels = std::as_const(job).At("/spec/template/metadata/labels");
  if (labels.size() > 0) job.Ensure("metadata").Set("labels", labels);
}

// Sets the time of a volume's last phase change. `old`: previous status, null for a new volume.
void SetPhaseTime(const json::Value& old, std::string_view now, json::Value& status) {
  constexpr const char* kTime = "lastPhaseTransitionTime";
  const json::Value& given = status;
  if (!(given["phase"] == old["phase"])) {
    if (given[kTime].is_null() || given[kTime] == old[kTime]) status.Set(kTime, now);
  } else if (given[kTime].is_null() && !old[kTime].is_null()) {
    status.Set(kTime, old[kTime]);
  }
}

void FinalizeNamespace(json::Value& object) {
  const json::Value own("kubernetes");
  json::Array& finalizers = object.Ensure("spec", "finalizers").EnsureArray();
  if (std::find(finalizers.begin(), finalizers.end(), own) == finalizers.end()) {
    finalizers.push_back(own);
  }
}

// Keeps generated values that an update omits.
void Keep(json::Value& spec, const json::Value& old, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::as_const(spec)[name].is_null() && !old[name].is_null()) {
      spec.Set(name, json::Value(old[name]));
    }
  }
}

// Removes all but the names from the secrets of a ServiceAccount.
void NameSecrets(json::Value& account) {
  json::Value* const list = account.Find("secrets");
  json::Array* const secrets = list == nullptr ? nullptr : list->IfArray();
  if (secrets == nullptr) return;
  for (json::Value& secret : *secrets) {
    json::Object* const members = secret.IfObject();
    if (members == nullptr) continue;
    members->EraseIf([](const json::Object::Member& member) { return member.first != "name"; });
  }
}

}  // namespace

Result<void> BuiltinStrategy::SetPriority(const ServedResource& resource, json::Value& pod) const {
  json::Value& spec = pod.Ensure("spec");
  const std::string name = std::as_const(spec)["priorityClassName"].StringOrEmpty();
  const auto priority = FindPriority(state_, name);
  const auto refuse = [&](const std::string& why) {
    return ForbiddenError(resource.Subject(std::as_const(pod).At("/metadata/name").StringOrEmpty()),
                          why);
  };
  if (!priority) return refuse("no PriorityClass with name " + name + " was found");
  if (const auto given = std::as_const(spec)["priority"].AsInt64();
      given && *given != priority->value) {
    return refuse("the integer value of priority (" + std::to_string(*given) +
                  ") must not be provided in pod spec; priority admission controller computed " +
                  std::to_string(priority->value) + " from the given PriorityClass name");
  }
  if (const std::string& given = std::as_const(spec)["preemptionPolicy"].StringOrEmpty();
      !given.empty() && given != priority->preemption) {
    return refuse("the string value of PreemptionPolicy (" + given +
                  ") must not be provided in pod spec; priority admission controller computed " +
                  priority->preemption + " from the given PriorityClass name");
  }
  if (!priority->name.empty()) spec.Set("priorityClassName", priority->name);
  spec.Set("priority", priority->value);
  spec.Set("preemptionPolicy", priority->preemption);
  return {};
}

Result<void> BuiltinStrategy::CreatePod(const ServedResource& resource, const UserInfo* user,
                                        json::Value& pod) {
  if (priority_) {
    if (Result<void> set = SetPriority(resource, pod); !set) return set;
  }
  json::Value& spec = pod.Ensure("spec");
  if (tolerations_) TolerateForAWhile(spec);
  if (runtime_class_ && user != nullptr) {
    const std::string why = ApplyRuntimeClass(state_, spec);
    if (!why.empty()) {
      return ForbiddenError(
          resource.Subject(std::as_const(pod).At("/metadata/name").StringOrEmpty()), why);
    }
  }
  return {};
}

Result<void> BuiltinStrategy::Create(const ServedResource& resource, const UserInfo* user,
                                     json::Value& object) {
  if (IsCore(resource, "pods")) {
    if (user != nullptr && std::as_const(object).At("/spec/ephemeralContainers").size() > 0) {
      return InvalidError(
          resource.KindSubject(std::as_const(object).At("/metadata/name").StringOrEmpty()),
          {ForbiddenField("spec.ephemeralContainers", "cannot be set on create")});
    }
    return CreatePod(resource, user, object);
  }
  if (IsCore(resource, "services")) {
    if (auto causes = addresses_.Assign({}, object); !causes.empty()) {
      return InvalidError(
          resource.KindSubject(std::as_const(object).At("/metadata/name").StringOrEmpty()),
          std::move(causes));
    }
  } else if (resource.plural == "certificatesigningrequests" && user != nullptr) {
    SetRequester(*user, object);
  } else if (priority_ && user != nullptr && resource.plural == "priorityclasses" &&
             std::as_const(object)["globalDefault"].AsBool().value_or(false)) {
    // An empty name asks for the default.
    const auto there = FindPriority(state_, {});
    if (there && !there->name.empty()) {
      return ForbiddenError(
          resource.Subject(std::as_const(object).At("/metadata/name").StringOrEmpty()),
          "PriorityClass " + there->name +
              " is already marked as default. Only one default can exist");
    }
  }
  return {};
}

std::string BuiltinStrategy::RefusalOfValid(const ServedResource& resource, const UserInfo* user,
                                            const json::Value& object) const {
  const bool stray = runtime_class_ && user != nullptr && IsCore(resource, "pods") &&
                     HasStrayOverhead(state_, object["spec"]);
  return stray
             ? "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
             : "";
}

void BuiltinStrategy::Created(const ServedResource& resource, WallTime now, json::Value& object) {
  if (IsCore(resource, "pods")) {
    json::Value& status = object.Ensure("status");
    if (std::as_const(status)["phase"].is_null()) status.Set("phase", "Pending");
    if (std::as_const(status)["qosClass"].is_null()) {
      status.Set("qosClass", QosClassOf(std::as_const(object)["spec"]));
    }
  } else if (IsCore(resource, "serviceaccounts")) {
    NameSecrets(object);
  } else if (IsCore(resource, "namespaces")) {
    SetNamespaceLabel(object);
    FinalizeNamespace(object);
  } else if (resource.Is("batch", "jobs")) {
    SelectPods(object);
    LabelLikeItsPods(object);
  } else if (resource.Is("apps", "daemonsets")) {
    SetTemplateGeneration(object,
                          std::to_string(std::max<std::int64_t>(1, TemplateGeneration(object))));
  } else if (IsCore(resource, "persistentvolumes")) {
    json::Value& status = object.Ensure("status");
    if (std::as_const(status)["phase"].is_null()) status.Set("phase", "Pending");
    SetPhaseTime({}, FormatTime(now), status);
  }
}

std::vector<StatusCause> BuiltinStrategy::Assign(const ServedResource& resource,
                                                 const json::Value& old, json::Value& object) {
  if (!IsCore(resource, "services")) return {};
  return addresses_.Assign(old, object);
}

void BuiltinStrategy::Update(const ServedResource& resource, const json::Value& old,
                             json::Value& object) const {
  if (IsCore(resource, "pods")) {
    if (tolerations_) TolerateForAWhile(object.Ensure("spec"));
    if (priority_) Keep(object.Ensure("spec"), old["spec"], {"priority", "preemptionPolicy"});
  } else if (IsCore(resource, "serviceaccounts")) {
    NameSecrets(object);
  }
}

void BuiltinStrategy::Merged(const ServedResource& resource, std::string_view subresource,
                             WallTime now, const json::Value& old, json::Value& object) {
  if (IsCore(resource, "services")) return MergedService(subresource, object);
  if (resource.Is("apps", "daemonsets")) {
    const bool changed = !(old.At("/spec/template") == std::as_const(object).At("/spec/template"));
    SetTemplateGeneration(object, std::to_string(TemplateGeneration(old) + (changed ? 1 : 0)));
  } else if (resource.Is("batch", "jobs") && !Ends(old, object)) {
    LabelLikeItsPods(object);
  }
  if (resource.plural == "certificatesigningrequests") {
    if (subresource == "status" || subresource == "approval") {
      MergeSigningStatus(subresource, old, FormatTime(now), object);
    }
  } else if (subresource == "status" && IsCore(resource, "persistentvolumes")) {
    SetPhaseTime(old["status"], FormatTime(now), object.Ensure("status"));
  } else if (subresource == "status" && IsCore(resource, "pods")) {
    // The spec determines the class.
    Keep(object.Ensure("status"), old["status"], {"qosClass"});
  }
}

void BuiltinStrategy::MergedService(std::string_view subresource, json::Value& object) {
  const json::Value& given = object;
  // Writes of the status are validated separately.
  if (subresource == "status") return;
  if (given.At("/status/loadBalancer/ingress").size() == 0 ||
      given.At("/spec/type").StringOrEmpty() == "LoadBalancer") {
    return;
  }
  object.Ensure("status", "loadBalancer").Erase("ingress");
}

void BuiltinStrategy::Stored(const ServedResource& resource, const StoredObject& stored,
                             const json::Value& object) {
  if (IsCore(resource, "services")) addresses_.Take(stored.key(), object);
}

void BuiltinStrategy::Removed(const ServedResource& resource, const StoredObject& old) {
  if (IsCore(resource, "services")) addresses_.Release(old.key());
}

void BuiltinStrategy::StateReplaced() {
  addresses_ = ServiceAddresses(state_.options.service_cluster_ip_range);
  const auto services = state_.resources.FindGroupResource("", "services");
  services->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
    addresses_.Take(stored->key(), stored->Parse());
    return true;
  });
}

}  // namespace kinformer::apiserver
