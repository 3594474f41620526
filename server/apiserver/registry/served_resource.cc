#include "apiserver/registry/served_resource.h"

#include <algorithm>
#include <utility>

#include "apiserver/errors/decode_error.h"
#include "object/values/field_pointer.h"

namespace kinformer::apiserver {
namespace {

bool OneOf(std::string_view value, std::initializer_list<std::string_view> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<SelectableField> BuiltinFields(std::string_view group, std::string_view plural) {
  const auto field = [&](const char* name, const char* fallback = "") {
    return SelectableField{
        .name = name, .pointer = internal::FieldPointer(group, plural, name), .fallback = fallback};
  };
  if (group.empty() && plural == "pods") {
    return {field("spec.nodeName"),
            field("spec.host"),
            field("spec.restartPolicy"),
            field("spec.schedulerName"),
            field("spec.serviceAccountName"),
            field("spec.hostNetwork", "false"),
            field("status.phase"),
            field("status.podIP"),
            field("status.podIPs"),
            field("status.nominatedNodeName")};
  }
  if (group.empty() && plural == "nodes") return {field("spec.unschedulable", "false")};
  if (group.empty() && plural == "namespaces") return {field("status.phase")};
  if (group.empty() && plural == "secrets") return {field("type")};
  if (group.empty() && plural == "services") return {field("spec.clusterIP"), field("spec.type")};
  if (group.empty() && plural == "replicationcontrollers") return {field("status.replicas", "0")};
  if (plural == "events") {
    // Events of both groups are stored in the form of the core group, and all stored objects have
    // their fields in one order.
    const bool core = group.empty();
    std::vector<SelectableField> fields;
    for (const char* part :
         {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
      fields.push_back({.name = (core ? "involvedObject." : "regarding.") + std::string(part),
                        .pointer = "/involvedObject/" + std::string(part)});
    }
    fields.push_back(field("reason"));
    fields.push_back({.name = core ? "reportingComponent" : "reportingController",
                      .pointer = "/reportingComponent"});
    fields.push_back(field("type"));
    if (core) fields.push_back(field("source"));
    return fields;
  }
  if (group == "batch" && plural == "jobs") {
    return {field("status.successful", "0")};
  }
  if (plural == "certificatesigningrequests" || plural == "clustertrustbundles") {
    return {field("spec.signerName")};
  }
  if (plural == "podcertificaterequests") {
    return {field("spec.signerName"), field("spec.podName"), field("spec.nodeName")};
  }
  if (group == "resource.k8s.io" && plural == "resourceslices") {
    return {field("spec.nodeName"), field("spec.driver")};
  }
  return {};
}

}  // namespace

Error ServedVersion::NotHandled(std::string_view why) const {
  return BadRequestError(kind + " in version \"" + version + "\" cannot be handled as a " + kind +
                         ": " + std::string(WithoutOffset(why)));
}

std::shared_ptr<const ServedVersion> ServedVersion::Make(ServedVersion version) {
  version.head = "{\"kind\":" + JsonString(version.kind) +
                 ",\"apiVersion\":" + JsonString(version.api_version) + ",";
  constexpr auto kNames = std::to_array<std::string_view>({"ADDED", "MODIFIED", "DELETED"});
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    version.frame_start[i] =
        "{\"type\":\"" + std::string(kNames[i]) + "\",\"object\":" + version.head;
    version.frame_next[i] = "}\n" + version.frame_start[i];
  }
  return std::make_shared<const ServedVersion>(std::move(version));
}

bool Subresource::HasVerb(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

bool ServedResource::HasVerb(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const Subresource* ServedResource::FindSubresource(std::string_view name,
                                                   std::string_view version) const {
  for (const Subresource& subresource : subresources) {
    if (subresource.name == name && subresource.IsIn(version)) return &subresource;
  }
  return nullptr;
}

std::shared_ptr<const ServedVersion> ServedResource::FindVersion(std::string_view version) const {
  for (const auto& candidate : versions) {
    if (candidate->version == version && candidate->served) return candidate;
  }
  return nullptr;
}

std::shared_ptr<const ServedVersion> ServedResource::StorageVersion() const {
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [](const auto& version) { return version->storage; });
  return found == versions.end() ? nullptr : *found;
}

std::uint32_t ServedResource::FormOf(std::string_view version) const {
  if (forms == nullptr) return 0;
  const auto found = std::find(forms->begin(), forms->end(), version);
  return static_cast<std::uint32_t>(found - forms->begin());
}

void ServedResource::CloseWatches() const {
  watchers->Close();
  for (const auto& [version, objects] : converted) objects->watchers->Close();
}

void ServedResource::ExpireWatches() const {
  watchers->Expire();
  for (const auto& [version, objects] : converted) objects->watchers->Expire();
}

void ServedResource::DropConverted() {
  const auto dropped = std::exchange(converted, {});
  for (const auto& [version, objects] : dropped) objects->watchers->Close();
}

MetadataRules ServedResource::metadata_rules() const {
  // Definitions are served by another component of a real server, with a laxer rule for finalizers.
  return {.name = name_rule,
          .namespaced = namespaced,
          .qualified_finalizers = !custom && group != "apiextensions.k8s.io"};
}

namespace {

GenerationRule GenerationRuleOf(const ServedResource& r) {
  // These kinds have no spec, so all members count.
  if (OneOf(r.plural, {"endpointslices", "podtemplates", "priorityclasses",
                       "validatingwebhookconfigurations", "mutatingwebhookconfigurations"})) {
    return GenerationRule::kAllButMetadata;
  }
  if (r.plural == "deployments") return GenerationRule::kSpecOrAnnotations;
  if (OneOf(r.plural, {"pods",
                       "replicasets",
                       "statefulsets",
                       "daemonsets",
                       "jobs",
                       "cronjobs",
                       "ingresses",
                       "networkpolicies",
                       "poddisruptionbudgets",
                       "customresourcedefinitions",
                       "flowschemas",
                       "prioritylevelconfigurations",
                       "replicationcontrollers",
                       "validatingadmissionpolicies",
                       "validatingadmissionpolicybindings",
                       "validatingwebhookconfigurations",
                       "mutatingwebhookconfigurations",
                       "ingressclasses",
                       "deviceclasses",
                       "devicetaintrules",
                       "evictionrequests",
                       "evictions",
                       "horizontalpodautoscalers",
                       "mutatingadmissionpolicies",
                       "mutatingadmissionpolicybindings",
                       "resourceslices"})) {
    return GenerationRule::kSpec;
  }
  return r.generation;
}

}  // namespace

void ApplyBuiltinRules(ServedResource& r) {
  r.generation = GenerationRuleOf(r);
  if (r.plural == "namespaces" || r.plural == "statefulsets" ||
      (r.group.empty() && r.plural == "services")) {
    r.name_rule = NameRule::kLabel;
  }
  if (r.group == "rbac.authorization.k8s.io" ||
      OneOf(r.plural,
            {"events", "poddisruptionbudgets", "certificatesigningrequests", "apiservices"})) {
    r.name_rule = NameRule::kPathSegment;
  }
  if (r.Is("", "replicationcontrollers") || r.Is("batch", "jobs")) {
    r.deletion = DeletionRule::kOrphan;
  } else if (r.plural == "events" || r.plural == "customresourcedefinitions") {
    r.deletion = DeletionRule::kAlone;
  }
  r.create_on_update = r.group == "rbac.authorization.k8s.io" ||
                       OneOf(r.plural, {"leases", "leasecandidates", "endpoints", "events",
                                        "limitranges", "services", "runtimeclasses"});
  r.unconditional_update = !OneOf(r.plural, {"leases",
                                             "leasecandidates",
                                             "runtimeclasses",
                                             "customresourcedefinitions",
                                             "csidrivers",
                                             "csinodes",
                                             "csistoragecapacities",
                                             "volumeattachments",
                                             "poddisruptionbudgets",
                                             "clustertrustbundles",
                                             "compositepodgroups",
                                             "devicetaintrules",
                                             "evictionrequests",
                                             "evictions",
                                             "podgroups",
                                             "podcertificaterequests",
                                             "storageversions",
                                             "storageversionmigrations",
                                             "resourcepoolstatusrequests",
                                             "workloads",
                                             "validatingwebhookconfigurations",
                                             "mutatingwebhookconfigurations",
                                             "validatingadmissionpolicies",
                                             "validatingadmissionpolicybindings",
                                             "mutatingadmissionpolicies",
                                             "mutatingadmissionpolicybindings"});
  r.delete_returns_object =
      r.group.empty() && OneOf(r.plural, {"pods", "namespaces", "services", "persistentvolumes",
                                          "persistentvolumeclaims", "serviceaccounts",
                                          "resourcequotas", "podtemplates"});
  r.fields = BuiltinFields(r.group, r.plural);
}

}  // namespace kinformer::apiserver
