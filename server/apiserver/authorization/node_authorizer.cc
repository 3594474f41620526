#include "apiserver/authorization/node_authorizer.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "apiserver/authorization/bootstrap_policy.h"
#include "apiserver/authorization/node_identity.h"
#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using Answer = NodeAuthorizer::Answer;

constexpr std::string_view kLeases = "kube-node-lease";

Answer Allowed() { return {.allowed = true}; }
Answer Refused(std::string why = {}) { return {.why = std::move(why)}; }

bool IsOneOf(std::string_view verb, std::initializer_list<std::string_view> verbs) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// For objects that have the name of their node. Those that are created have theirs in the body,
// which NodeRestriction checks.
bool IsItsOwn(std::string_view node, const AccessAttributes& asked) {
  return asked.verb == "create" || asked.name == node;
}

Answer Lease(std::string_view node, const AccessAttributes& asked) {
  if (!IsOneOf(asked.verb, {"get", "create", "update", "patch", "delete"})) {
    return Refused("can only get, create, update, patch, or delete a node lease");
  }
  if (asked.namespace_ != kLeases) {
    return Refused("can only access leases in the " + JsonString(kLeases) + " system namespace");
  }
  if (IsItsOwn(node, asked)) return Allowed();
  return Refused("can only access node lease with the same name as the requesting node");
}

Answer CsiNode(std::string_view node, const AccessAttributes& asked) {
  if (asked.subresource == "status") {
    return Refused("CSINode status access requires CSIVolumeHealth feature");
  }
  if (!asked.subresource.empty()) return Refused("cannot authorize CSINode subresources");
  if (!IsOneOf(asked.verb, {"get", "create", "update", "patch", "delete"})) {
    return Refused("can only get, create, update, patch, or delete a CSINode");
  }
  if (IsItsOwn(node, asked)) return Allowed();
  return Refused("can only access CSINode with the same name as the requesting node");
}

// NodeRestriction limits writes to the node's own object.
Answer Node(std::string_view node, const AccessAttributes& asked) {
  const bool itself = asked.subresource.empty();
  if (itself && IsOneOf(asked.verb, {"create", "update", "patch"})) return Allowed();
  if (asked.subresource == "status" && IsOneOf(asked.verb, {"update", "patch"})) return Allowed();
  if (!itself || !IsOneOf(asked.verb, {"get", "list", "watch"})) return Refused();
  if (asked.name == node) return Allowed();
  if (asked.name.empty()) {
    return Refused("node " + Quoted(node) + " cannot read all nodes, only its own Node object");
  }
  return Refused("node " + Quoted(node) + " cannot read " + Quoted(asked.name) +
                 ", only its own Node object");
}

}  // namespace

NodeAuthorizer::NodeAuthorizer() {
  for (const PolicyObject& made : BootstrapPolicy()) {
    if (made.resource != "clusterroles") continue;
    if (made.object["metadata"]["name"].StringOrEmpty() == "system:node") {
      rules_ = RulesOf(made.object);
    }
  }
}

Answer NodeAuthorizer::Decide(const UserInfo& user, const AccessAttributes& attributes) const {
  const std::optional<std::string_view> node = NodeOf(user);
  if (!node) return Refused();
  if (node->empty()) return Refused("unknown node for user " + JsonString(user.name));
  if (attributes.is_resource) return DecideResource(*node, attributes);
  return {.allowed = std::any_of(rules_.begin(), rules_.end(),
                                 [&](const PolicyRule& rule) { return rule.Allows(attributes); })};
}

Answer NodeAuthorizer::DecideResource(std::string_view node, const AccessAttributes& asked) const {
  const auto is = [&](std::string_view group, std::string_view resource) {
    return asked.group == group && asked.resource == resource;
  };
  if (is("", "secrets")) return Read(node, NodeNeed::kSecret, asked);
  if (is("", "configmaps")) return Read(node, NodeNeed::kConfigMap, asked);
  if (is("", "persistentvolumeclaims")) return VolumeClaim(node, asked);
  if (is("", "persistentvolumes")) return Get(node, NodeNeed::kVolume, asked);
  if (is("resource.k8s.io", "resourceclaims")) return Get(node, NodeNeed::kResourceClaim, asked);
  if (is("storage.k8s.io", "volumeattachments")) {
    return Get(node, NodeNeed::kVolumeAttachment, asked);
  }
  if (is("", "serviceaccounts")) return ServiceAccount(node, asked);
  if (is("coordination.k8s.io", "leases")) return Lease(node, asked);
  if (is("storage.k8s.io", "csinodes")) return CsiNode(node, asked);
  if (is("resource.k8s.io", "resourceslices")) return ResourceSlice(node, asked);
  if (is("", "nodes")) return Node(node, asked);
  if (is("", "pods")) return Pod(node, asked);
  if (is("certificates.k8s.io", "podcertificaterequests")) {
    return PodCertificateRequest(node, asked);
  }
  return {.allowed = std::any_of(rules_.begin(), rules_.end(),
                                 [&](const PolicyRule& rule) { return rule.Allows(asked); })};
}

Answer NodeAuthorizer::Related(std::string_view node, NodeNeed need,
                               const AccessAttributes& asked) const {
  if (asked.name.empty()) return Refused("No Object name found");
  if (relations_.Relates(node, need, asked.namespace_, asked.name)) return Allowed();
  return Refused("no relationship found between node " + Quoted(node) + " and this object");
}

Answer NodeAuthorizer::Get(std::string_view node, NodeNeed need,
                           const AccessAttributes& asked) const {
  if (asked.verb != "get") return Refused("can only get individual resources of this type");
  if (!asked.subresource.empty()) return Refused("cannot get subresource");
  return Related(node, need, asked);
}

Answer NodeAuthorizer::Read(std::string_view node, NodeNeed need,
                            const AccessAttributes& asked) const {
  if (!IsOneOf(asked.verb, {"get", "list", "watch"})) {
    return Refused("can only read resources of this type");
  }
  if (!asked.subresource.empty()) return Refused("cannot read subresource");
  if (asked.namespace_.empty()) return Refused("can only read namespaced object of this type");
  return Related(node, need, asked);
}

Answer NodeAuthorizer::VolumeClaim(std::string_view node, const AccessAttributes& asked) const {
  if (asked.subresource != "status") return Get(node, NodeNeed::kVolumeClaim, asked);
  if (!IsOneOf(asked.verb, {"update", "patch"})) {
    return Refused("can only get/update/patch this type");
  }
  return Related(node, NodeNeed::kVolumeClaim, asked);
}

Answer NodeAuthorizer::ServiceAccount(std::string_view node, const AccessAttributes& asked) const {
  if (asked.verb == "get" && asked.subresource.empty()) {
    return Read(node, NodeNeed::kServiceAccount, asked);
  }
  if (asked.verb != "create" || asked.name.empty()) {
    return Refused("can only create tokens for individual service accounts");
  }
  if (asked.subresource != "token") {
    return Refused("can only create token subresource of serviceaccount");
  }
  return Related(node, NodeNeed::kServiceAccount, asked);
}

// NodeRestriction limits writes to pods of the node.
Answer NodeAuthorizer::Pod(std::string_view node, const AccessAttributes& asked) const {
  if (asked.subresource == "status" && IsOneOf(asked.verb, {"update", "patch"})) return Allowed();
  if (asked.subresource == "eviction" && asked.verb == "create") return Allowed();
  if (!asked.subresource.empty()) return Refused();
  if (IsOneOf(asked.verb, {"create", "delete"})) return Allowed();
  if (asked.verb == "get") return Related(node, NodeNeed::kPod, asked);
  if (!IsOneOf(asked.verb, {"list", "watch"})) return Refused();
  if (asked.selected_node == node) return Allowed();
  if (!asked.name.empty()) return Related(node, NodeNeed::kPod, asked);
  return Refused("can only list/watch pods with spec.nodeName field selector");
}

Answer NodeAuthorizer::ResourceSlice(std::string_view node, const AccessAttributes& asked) const {
  if (!asked.subresource.empty()) return Refused("cannot authorize ResourceSlice subresources");
  if (asked.verb == "create") return Allowed();
  if (IsOneOf(asked.verb, {"get", "update", "patch", "delete"})) {
    return Related(node, NodeNeed::kResourceSlice, asked);
  }
  if (!IsOneOf(asked.verb, {"watch", "list", "deletecollection"})) {
    return Refused(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, "
        "update, patch, delete, deletecollection");
  }
  if (asked.selected_node == node) return Allowed();
  return Refused(
      "can only list/watch/deletecollection resourceslices with nodeName field selector");
}

Answer NodeAuthorizer::PodCertificateRequest(std::string_view node,
                                             const AccessAttributes& asked) const {
  if (!asked.subresource.empty()) {
    return Refused("nodes may not access the status subresource of PodCertificateRequests");
  }
  if (asked.verb == "create") return Allowed();
  if (asked.verb == "get") return Related(node, NodeNeed::kPodCertificateRequest, asked);
  if (!IsOneOf(asked.verb, {"list", "watch"})) {
    return Refused("nodes may not " + std::string(asked.verb) + " podcertificaterequests");
  }
  if (asked.selected_node == node) return Allowed();
  return Refused("can only list/watch podcertificaterequests with nodeName field selector");
}

}  // namespace kinformer::apiserver
