#include "apiserver/request/atomic_fields.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kinformer::apiserver {
namespace {

// Messages with +structType=atomic. Sorted.
constexpr auto kAtomicMessages = std::to_array<std::string_view>({
    "k8s.io.api.admissionregistration.v1.MatchResources",
    "k8s.io.api.admissionregistration.v1.NamedRuleWithOperations",
    "k8s.io.api.admissionregistration.v1.ParamKind",
    "k8s.io.api.admissionregistration.v1.ParamRef",
    "k8s.io.api.autoscaling.v1.CrossVersionObjectReference",
    "k8s.io.api.core.v1.ConfigMapKeySelector",
    "k8s.io.api.core.v1.ConfigMapNodeConfigSource",
    "k8s.io.api.core.v1.EndpointAddress",
    "k8s.io.api.core.v1.EndpointPort",
    "k8s.io.api.core.v1.FileKeySelector",
    "k8s.io.api.core.v1.LocalObjectReference",
    "k8s.io.api.core.v1.NodeSelector",
    "k8s.io.api.core.v1.NodeSelectorTerm",
    "k8s.io.api.core.v1.ObjectFieldSelector",
    "k8s.io.api.core.v1.ObjectReference",
    "k8s.io.api.core.v1.ResourceFieldSelector",
    "k8s.io.api.core.v1.ScopeSelector",
    "k8s.io.api.core.v1.ScopedResourceSelectorRequirement",
    "k8s.io.api.core.v1.SecretKeySelector",
    "k8s.io.api.core.v1.SecretReference",
    "k8s.io.api.core.v1.TopologySelectorTerm",
    "k8s.io.api.core.v1.TypedLocalObjectReference",
    "k8s.io.api.discovery.v1.EndpointPort",
    "k8s.io.api.networking.v1.ServiceBackendPort",
    "k8s.io.api.rbac.v1.RoleRef",
    "k8s.io.api.rbac.v1.Subject",
    "k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector",
    "k8s.io.apimachinery.pkg.apis.meta.v1.OwnerReference",
});

}  // namespace

// Maps with +mapType=atomic.
bool IsAtomicMap(const internal::MessageDescriptor& message,
                 const internal::FieldDescriptor& field) {
  if (!field.map) return false;
  return field.json_name == "nodeSelector" ||
         (field.json_name == "selector" &&
          (message.name == "k8s.io.api.core.v1.ServiceSpec" ||
           message.name == "k8s.io.api.core.v1.ReplicationControllerSpec"));
}

bool IsAtomicMessage(const internal::MessageDescriptor& message,
                     const internal::FieldDescriptor* field) {
  // A claim's volume names its claim member by member.
  if (field != nullptr && field->json_name == "claimRef") return false;
  return std::binary_search(kAtomicMessages.begin(), kAtomicMessages.end(), message.name);
}

bool IsAtomic(const internal::MessageDescriptor& message, const internal::FieldDescriptor* field) {
  if (field == nullptr || field->repeated) return false;
  if (field->map) return IsAtomicMap(message, *field);
  return field->kind == internal::FieldKind::kMessage && field->message != nullptr &&
         IsAtomicMessage(*field->message, field);
}

}  // namespace kinformer::apiserver
