#include "apiserver/plugins/node_restriction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apiserver/authorization/node_identity.h"
#include "apiserver/authorization/pod_references.h"
#include "apiserver/errors/status.h"
#include "apiserver/plugins/certificate_request.h"
#include "apiserver/plugins/node_tokens.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

constexpr const char* kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kLeases = "kube-node-lease";

std::string OfNode(std::string_view node) { return "node " + JsonString(node); }

const Value& Sent(const PluginRequest& request) { return request.object; }

std::string_view OperationOf(const PluginRequest& request) {
  return request.deletes ? "DELETE" : request.creates ? "CREATE" : "UPDATE";
}

// Returns the name in the path, or that of a new object.
std::string NameOf(const PluginRequest& request) {
  if (!request.name.empty()) return std::string(request.name);
  return Sent(request)["metadata"]["name"].StringOrEmpty();
}

const std::string& NodeNameOf(const Value& pod) { return pod["spec"]["nodeName"].StringOrEmpty(); }

// ---- Mirror pods

// Returns what a volume of a mirror pod must not refer to; empty: it may be there.
std::string_view ReferenceOfSource(const Value& source) {
  static constexpr auto kTexts = std::to_array<std::pair<const char*, std::string_view>>({
      {"configMap", "configmaps (via projected volumes)"},
      {"secret", "secrets (via projected volumes)"},
      {"serviceAccountToken", "serviceaccounts (via projected volumes)"},
      {"clusterTrustBundle", "clustertrustbundles"},
      {"podCertificate", "podcertificates"},
  });
  for (const auto& [member, text] : kTexts) {
    if (!source[member].is_null()) return text;
  }
  return {};
}

std::string_view ReferenceOfVolume(const Value& volume) {
  static constexpr auto kTexts = std::to_array<std::pair<const char*, std::string_view>>({
      {"configMap", "configmaps (via configmap volumes)"},
      {"secret", "secrets (via secret volumes)"},
      {"csi", "csidrivers (via CSI volumes)"},
      {"glusterfs", "endpoints (via glusterFS volumes)"},
      {"persistentVolumeClaim", "persistentvolumeclaims"},
      {"ephemeral", "persistentvolumeclaims (via ephemeral volumes)"},
      {"azureFile", "secrets (via azureFile volumes)"},
  });
  for (const auto& [member, text] : kTexts) {
    if (!volume[member].is_null()) return text;
  }
  for (const Value& source : volume["projected"]["sources"].items()) {
    if (const std::string_view text = ReferenceOfSource(source); !text.empty()) return text;
  }
  return {};
}

// Returns the API objects that a pod refers to; empty: it does not.
std::string_view ReferenceOfPod(const Value& pod) {
  const PodReferences references = PodReferences::Of(pod);
  if (!references.service_account.empty()) return "serviceaccounts";
  if (!references.secrets.empty()) return "secrets";
  if (!references.config_maps.empty()) return "configmaps";
  if (pod["spec"]["resourceClaims"].size() > 0) return "resourceclaims";
  for (const Value& volume : pod["spec"]["volumes"].items()) {
    if (const std::string_view text = ReferenceOfVolume(volume); !text.empty()) return text;
  }
  return {};
}

// Returns why a pod that the node would make is not owned by it; empty: it is, but for the uid.
std::string RefusalOfOwner(std::string_view node, const json::Array& owners) {
  if (owners.size() > 1) {
    return OfNode(node) + " can only create pods with a single owner reference set to itself";
  }
  std::string other = OfNode(node) + " can only create pods with an owner reference set to itself";
  if (owners.empty()) return other;
  const Value& owner = owners.front();
  if (owner["apiVersion"].StringOrEmpty() != "v1" || owner["kind"].StringOrEmpty() != "Node" ||
      owner["name"].StringOrEmpty() != node) {
    return other;
  }
  if (!owner["controller"].AsBool().value_or(false)) {
    return OfNode(node) + " can only create pods with a controller owner reference set to itself";
  }
  if (owner["blockOwnerDeletion"].AsBool().value_or(false)) {
    return OfNode(node) + " must not set blockOwnerDeletion on an owner reference";
  }
  return {};
}

// ---- Status

bool IsSame(const Value& a, const Value& b) {
  return a == b || (a.size() == 0 && b.size() == 0);  // absent, or empty
}

Result<void> CheckPodStatus(std::string_view node, const PluginRequest& request) {
  if (NodeNameOf(request.old) != node) {
    return request.Forbidden(OfNode(node) + " can only update pod status for pods with " +
                             "spec.nodeName set to itself");
  }
  const Value& sent = Sent(request);
  if (!IsSame(sent["metadata"]["labels"], request.old["metadata"]["labels"])) {
    return request.Forbidden(OfNode(node) + " cannot update labels through pod status");
  }
  static constexpr auto kKept = std::to_array<std::pair<const char*, std::string_view>>({
      {"resourceClaimStatuses", "resource claim statues"},
      {"extendedResourceClaimStatus", "extended resource claim status"},
      {"nodeAllocatableResourceClaimStatuses", "node allocatable resource claim statuses"},
  });
  for (const auto& [member, text] : kKept) {
    if (!IsSame(sent["status"][member], request.old["status"][member])) {
      return request.Forbidden(OfNode(node) + " cannot update " + std::string(text));
    }
  }
  return {};
}

Result<void> CheckClaimStatus(std::string_view node, const PluginRequest& request) {
  if (request.subresource != "status") return request.Forbidden("may only update PVC status");
  Value sent = request.object;
  Value old = request.old;
  for (Value* claim : {&sent, &old}) {
    claim->Erase("apiVersion");
    claim->Erase("kind");
    Value& metadata = claim->Ensure("metadata");
    metadata.Erase("resourceVersion");
    metadata.Erase("managedFields");
    Value& status = claim->Ensure("status");
    for (const char* member :
         {"capacity", "conditions", "allocatedResourceStatuses", "allocatedResources"}) {
      status.Erase(member);
    }
  }
  if (sent == old) return {};
  return request.Forbidden(
      OfNode(node) +
      " is not allowed to update fields other than status.quantity and status.conditions");
}

// ---- Nodes

std::string_view DomainOf(std::string_view label) {
  const std::size_t slash = label.find('/');
  return slash == std::string_view::npos ? std::string_view() : label.substr(0, slash);
}

bool IsWithin(std::string_view domain, std::string_view parent) {
  return domain == parent ||
         (domain.ends_with(parent) && domain[domain.size() - parent.size() - 1] == '.');
}

// Returns whether kubelets may set a label of Kubernetes on their node.
bool IsKubeletsLabel(std::string_view label) {
  static constexpr auto kLabels = std::to_array<std::string_view>({
      "kubernetes.io/hostname",
      "topology.kubernetes.io/zone",
      "topology.kubernetes.io/region",
      "failure-domain.beta.kubernetes.io/zone",
      "failure-domain.beta.kubernetes.io/region",
      "beta.kubernetes.io/instance-type",
      "node.kubernetes.io/instance-type",
      "kubernetes.io/os",
      "kubernetes.io/arch",
      "beta.kubernetes.io/os",
      "beta.kubernetes.io/arch",
  });
  const std::string_view domain = DomainOf(label);
  return std::find(kLabels.begin(), kLabels.end(), label) != kLabels.end() ||
         IsWithin(domain, "kubelet.kubernetes.io") || IsWithin(domain, "node.kubernetes.io");
}

bool IsForbiddenLabel(std::string_view label) {
  const std::string_view domain = DomainOf(label);
  if (IsWithin(domain, "node-restriction.kubernetes.io")) return true;
  return (IsWithin(domain, "kubernetes.io") || IsWithin(domain, "k8s.io")) &&
         !IsKubeletsLabel(label);
}

// Returns the labels that differ and that kubelets must not change: "a, b".
std::string ForbiddenLabels(const Value& labels, const Value& old) {
  std::set<std::string> forbidden;
  const auto add = [&](const Value& from, const Value& to) {
    for (const auto& [key, value] : from.members()) {
      if (!(to[key] == value) && IsForbiddenLabel(key)) forbidden.insert(key);
    }
  };
  add(labels, old);
  add(old, labels);
  std::string out;
  for (const std::string& label : forbidden) out += (out.empty() ? "" : ", ") + label;
  return out;
}

Result<void> CheckNode(std::string_view node, const PluginRequest& request) {
  const std::string name = NameOf(request);
  if (name != node) {
    return request.Forbidden(OfNode(node) + " is not allowed to modify " + OfNode(name));
  }
  if (request.deletes) return {};
  const Value& sent = Sent(request);
  const Value& spec = sent["spec"];
  const std::string labels =
      ForbiddenLabels(sent["metadata"]["labels"], request.old["metadata"]["labels"]);
  if (request.creates) {
    if (!spec["configSource"].is_null()) {
      return request.Forbidden(OfNode(node) +
                               " is not allowed to create pods with a non-nil configSource");
    }
    if (labels.empty()) return {};
    return request.Forbidden(OfNode(node) +
                             " is not allowed to set the following labels: " + labels);
  }
  const Value& source = spec["configSource"];
  if (!source.is_null() && !(source == request.old["spec"]["configSource"])) {
    return request.Forbidden(
        OfNode(node) + " is not allowed to update configSource to a new non-nil configSource");
  }
  if (!IsSame(spec["taints"], request.old["spec"]["taints"])) {
    return request.Forbidden(OfNode(node) + " is not allowed to modify taints");
  }
  if (!IsSame(sent["metadata"]["ownerReferences"], request.old["metadata"]["ownerReferences"])) {
    return request.Forbidden(OfNode(node) + " is not allowed to modify ownerReferences");
  }
  if (labels.empty()) return {};
  return request.Forbidden("is not allowed to modify labels: " + labels);
}

Result<void> CheckLease(std::string_view node, const PluginRequest& request) {
  if (request.namespace_ != kLeases) {
    return request.Forbidden("can only access leases in the " + JsonString(kLeases) +
                             " system namespace");
  }
  if (NameOf(request) == node) return {};
  return request.Forbidden("can only access node lease with the same name as the requesting node");
}

Result<void> CheckCsiNode(std::string_view node, const PluginRequest& request) {
  if (NameOf(request) == node) return {};
  return request.Forbidden("can only access CSINode with the same name as the requesting node");
}

Result<void> CheckResourceSlice(std::string_view node, const PluginRequest& request) {
  if (!request.creates && !request.deletes) return {};
  const Value& slice = request.creates ? Sent(request) : request.old;
  if (NodeNameOf(slice) == node) return {};
  return request.Forbidden("can only " + std::string(request.creates ? "create" : "delete") +
                           " ResourceSlice with the same NodeName as the requesting node");
}

Result<void> CheckSigningRequest(std::string_view node, const PluginRequest& request) {
  if (!request.creates) return {};
  const Value& spec = Sent(request)["spec"];
  const std::string& signer = spec["signerName"].StringOrEmpty();
  if (signer != "kubernetes.io/kubelet-serving" &&
      signer != "kubernetes.io/kube-apiserver-client-kubelet") {
    return {};
  }
  const auto pem = internal::Base64Decode(spec["request"].StringOrEmpty());
  const auto name = CommonNameOf(pem.value_or(""));
  if (!name) {
    return request.Forbidden("unable to parse csr: PEM block type must be CERTIFICATE REQUEST");
  }
  const std::string wanted = "system:node:" + std::string(node);
  if (*name == wanted) return {};
  return request.Forbidden("can only create a node CSR with CN=" + wanted);
}

Error Unexpected(const PluginRequest& request) {
  return request.Forbidden("unexpected operation " + JsonString(OperationOf(request)));
}

}  // namespace

bool NodeRestriction::Concerns(const UserInfo* user) {
  return user != nullptr && NodeOf(*user).has_value();
}

Result<void> NodeRestriction::Check(const PluginRequest& request) const {
  const std::string_view node = NodeOf(*request.user).value_or("");
  if (node.empty()) {
    return request.Forbidden("could not determine node from user " +
                             JsonString(request.user->name));
  }
  const ServedResource& resource = request.resource;
  if (resource.Is("", "pods")) return CheckPod(node, request);
  if (resource.Is("", "nodes")) return CheckNode(node, request);
  if (resource.Is("", "persistentvolumeclaims")) return CheckClaimStatus(node, request);
  if (resource.Is("", "serviceaccounts")) {
    const bool asks = request.creates && request.subresource == "token";
    return asks ? CheckNodeToken(state_, node, request) : Result<void>();
  }
  if (resource.Is("coordination.k8s.io", "leases")) return CheckLease(node, request);
  if (resource.Is("storage.k8s.io", "csinodes")) return CheckCsiNode(node, request);
  if (resource.Is("resource.k8s.io", "resourceslices")) return CheckResourceSlice(node, request);
  if (resource.Is("certificates.k8s.io", "certificatesigningrequests")) {
    return CheckSigningRequest(node, request);
  }
  if (resource.Is("certificates.k8s.io", "podcertificaterequests")) {
    if (!request.creates) {
      return request.Forbidden("unexpected operation " + std::string(OperationOf(request)));
    }
    return CheckPodCertificateRequest(state_, node, request);
  }
  return {};
}

Result<void> NodeRestriction::CheckPod(std::string_view node, const PluginRequest& request) const {
  if (request.subresource == "eviction") return CheckEviction(node, request);
  if (request.subresource == "status") {
    return !request.creates && !request.deletes ? CheckPodStatus(node, request)
                                                : Result<void>(Unexpected(request));
  }
  if (!request.subresource.empty()) {
    return request.Forbidden("unexpected pod subresource " + JsonString(request.subresource) +
                             ", only 'status' and 'eviction' are allowed");
  }
  if (request.creates) return CheckMirrorPod(node, request);
  if (request.deletes) {
    if (NodeNameOf(request.old) == node) return {};
    return request.Forbidden(OfNode(node) +
                             " can only delete pods with spec.nodeName set to itself");
  }
  return request.Forbidden("unexpected operation " + JsonString(OperationOf(request)) + ", " +
                           OfNode(node) + " can only create and delete mirror pods");
}

Result<void> NodeRestriction::CheckMirrorPod(std::string_view node,
                                             const PluginRequest& request) const {
  const Value& pod = Sent(request);
  if (!IsMirrorPod(pod)) {
    return request.Forbidden("pod does not have " + JsonString(kMirror) + " annotation, " +
                             OfNode(node) + " can only create mirror pods");
  }
  if (NodeNameOf(pod) != node) {
    return request.Forbidden(OfNode(node) +
                             " can only create pods with spec.nodeName set to itself");
  }
  const json::Array& owners = pod["metadata"]["ownerReferences"].items();
  if (const std::string why = RefusalOfOwner(node, owners); !why.empty()) {
    return request.Forbidden(why);
  }
  const auto nodes = state_.resources.FindGroupResource("", "nodes");
  const StoredObjectPtr stored = nodes->Find({}, node);
  if (stored == nullptr) return NotFoundError({.resource = "node", .name = node});
  const std::string& uid = owners.front()["uid"].StringOrEmpty();
  if (uid != stored->uid()) {
    return request.Forbidden("node " + std::string(node) + " UID mismatch: expected " + uid +
                             " got " + std::string(stored->uid()));
  }
  const std::string_view reference = ReferenceOfPod(pod);
  if (reference.empty()) return {};
  return request.Forbidden(OfNode(node) + " can not create pods that reference " +
                           std::string(reference));
}

Result<void> NodeRestriction::CheckEviction(std::string_view node,
                                            const PluginRequest& request) const {
  const std::string name = NameOf(request);
  const StoredObjectPtr pod = request.resource.Find(request.namespace_, name);
  if (pod == nullptr) return NotFoundError({.resource = "pod", .name = name});
  if (NodeNameOf(pod->Parse()) == node) return {};
  return request.Forbidden("node " + std::string(node) +
                           " can only evict pods with spec.nodeName set to itself");
}

}  // namespace kinformer::apiserver
