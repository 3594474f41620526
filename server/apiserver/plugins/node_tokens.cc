#include "apiserver/plugins/node_tokens.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/authorization/authorizer.h"
#include "apiserver/authorization/pod_references.h"
#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

Result<Value> Find(const ServerState& state, std::string_view group, std::string_view plural,
                   std::string_view singular, std::string_view namespace_,
                   const std::string& name) {
  const auto resource = state.resources.FindGroupResource(group, plural);
  const StoredObjectPtr stored = resource->Find(namespace_, name);
  if (stored != nullptr) return stored->Parse();
  return NotFoundError({.group = group, .resource = singular, .name = name});
}

// Finds the CSI driver of a claim's volume; empty: it has none.
Result<std::string> DriverOfClaim(const ServerState& state, std::string_view namespace_,
                                  const std::string& name) {
  const Result<Value> claim =
      Find(state, "", "persistentvolumeclaims", "persistentvolumeclaim", namespace_, name);
  if (!claim.ok()) return claim.error();
  const Result<Value> volume = Find(state, "", "persistentvolumes", "persistentvolume", {},
                                    (*claim)["spec"]["volumeName"].StringOrEmpty());
  if (!volume.ok()) return volume.error();
  return (*volume)["spec"]["csi"]["driver"].StringOrEmpty();
}

Result<std::string> DriverOf(const ServerState& state, const Value& pod, const Value& volume) {
  const std::string& namespace_ = pod["metadata"]["namespace"].StringOrEmpty();
  if (!volume["ephemeral"]["volumeClaimTemplate"].is_null()) {
    return DriverOfClaim(
        state, namespace_,
        pod["metadata"]["name"].StringOrEmpty() + "-" + volume["name"].StringOrEmpty());
  }
  if (const Value& claim = volume["persistentVolumeClaim"]; !claim.is_null()) {
    return DriverOfClaim(state, namespace_, claim["claimName"].StringOrEmpty());
  }
  return volume["csi"]["driver"].StringOrEmpty();
}

Result<bool> DriverWants(const ServerState& state, const std::string& driver,
                         const std::string& audience) {
  const Result<Value> found = Find(state, "storage.k8s.io", "csidrivers", "csidriver", {}, driver);
  if (!found.ok()) return found.error();
  const json::Array& wanted = (*found)["spec"]["tokenRequests"].items();
  return std::any_of(wanted.begin(), wanted.end(), [&](const Value& token) {
    return token["audience"].StringOrEmpty() == audience;
  });
}

// Returns whether a volume of the pod needs a token for the audience.
Result<bool> NeedsAudience(const ServerState& state, const Value& pod,
                           const std::string& audience) {
  std::vector<std::string> errors;
  for (const Value& volume : pod["spec"]["volumes"].items()) {
    for (const Value& source : volume["projected"]["sources"].items()) {
      const Value& token = source["serviceAccountToken"];
      if (!token.is_null() && token["audience"].StringOrEmpty() == audience) return true;
    }
    const Result<std::string> driver = DriverOf(state, pod, volume);
    if (!driver.ok()) errors.push_back(driver.error().message());
    if (!driver.ok() || driver->empty()) continue;
    const Result<bool> wants = DriverWants(state, *driver, audience);
    if (!wants.ok()) {
      errors.push_back(wants.error().message());
    } else if (*wants) {
      return true;
    }
  }
  if (errors.empty()) return false;
  return Error(Reason::kUnknown, AggregateText(errors));
}

// Returns whether roles give the node the right, whatever its pods need.
bool HasRight(const ServerState& state, const PluginRequest& request, std::string_view verb,
              std::string_view resource, std::string_view name) {
  if (state.authorizer == nullptr) return true;
  return state.authorizer
      ->Decide(*request.user, {.verb = verb,
                               .group = request.resource.group,
                               .resource = resource,
                               .namespace_ = request.namespace_,
                               .name = name})
      .allowed;
}

Result<void> CheckAudience(const ServerState& state, const PluginRequest& request,
                           const Value& pod) {
  const json::Array& audiences = std::as_const(request.object)["spec"]["audiences"].items();
  if (audiences.size() > 1) return request.Forbidden("node may only request 0 or 1 audiences");
  const std::string audience =
      audiences.empty() ? std::string() : audiences.front().StringOrEmpty();
  const Result<bool> needed = NeedsAudience(state, pod, audience);
  if (!needed.ok()) {
    return request.Forbidden("error validating audience " + JsonString(audience) + ": " +
                             needed.error().message());
  }
  if (*needed ||
      HasRight(state, request, "request-serviceaccounts-token-audience", audience, request.name)) {
    return {};
  }
  return request.Forbidden(request.user->name +
                           " is not authorized to request tokens for audience " +
                           JsonString(audience));
}

// The 500 for a request that contradicts what is stored.
Error Inconsistent(std::string why) {
  return Error(Reason::kUnknown, std::move(why)).WithHttpStatus(500);
}

// A claim about an object in a PodCertificateRequest.
struct NamedObject {
  std::string_view plural;
  std::string_view singular;
  std::string_view text;  // "service account"
  std::string shown;      // its name, with the namespace
  std::string name;
};

Result<Value> FindNamed(const ServerState& state, const PluginRequest& request,
                        const NamedObject& named) {
  const std::string_view namespace_ =
      named.plural == "nodes" ? std::string_view() : request.namespace_;
  Result<Value> found = Find(state, "", named.plural, named.singular, namespace_, named.name);
  if (found.ok()) return found;
  return Inconsistent("while retrieving " + std::string(named.text) + " " +
                      JsonString(named.shown) +
                      " named in the PodCertificateRequest: " + found.error().message());
}

bool HasCertificateVolume(const Value& pod, const std::string& signer) {
  for (const Value& volume : pod["spec"]["volumes"].items()) {
    for (const Value& source : volume["projected"]["sources"].items()) {
      const Value& certificate = source["podCertificate"];
      if (!certificate.is_null() && certificate["signerName"].StringOrEmpty() == signer)
        return true;
    }
  }
  return false;
}

const std::string& UidOf(const Value& object) { return object["metadata"]["uid"].StringOrEmpty(); }

Result<void> CheckNamedAccount(const ServerState& state, const PluginRequest& request,
                               const Value& pod, const std::string& shown_pod) {
  const Value& spec = std::as_const(request.object)["spec"];
  const std::string& account = spec["serviceAccountName"].StringOrEmpty();
  const std::string& of_pod = pod["spec"]["serviceAccountName"].StringOrEmpty();
  if (account != of_pod) {
    return request.Forbidden("PodCertificateRequest for pod " + shown_pod +
                             " contains serviceAccountName (" + JsonString(account) +
                             ") that differs from running pod (" + JsonString(of_pod) + ")");
  }
  const Result<Value> found = FindNamed(state, request,
                                        {.plural = "serviceaccounts",
                                         .singular = "serviceaccount",
                                         .text = "service account",
                                         .shown = std::string(request.namespace_) + "/" + account,
                                         .name = account});
  if (!found.ok()) return found.error();
  const std::string& uid = spec["serviceAccountUID"].StringOrEmpty();
  if (uid == UidOf(*found)) return {};
  return Inconsistent("PodCertificateRequest for pod " + shown_pod + " names service account UID " +
                      JsonString(uid) + ", which differs from the running service account (" +
                      JsonString(UidOf(*found)) + ")");
}

Result<void> CheckSigner(const ServerState& state, const PluginRequest& request, const Value& pod,
                         const std::string& shown_pod) {
  const Value& spec = std::as_const(request.object)["spec"];
  const std::string& signer = spec["signerName"].StringOrEmpty();
  if (HasCertificateVolume(pod, signer)) return {};
  // Roles have no resources with a slash.
  std::string resource = signer;
  std::replace(resource.begin(), resource.end(), '/', ':');
  if (HasRight(state, request, "request-serviceaccounts-podcertificate-signer", resource,
               spec["serviceAccountName"].StringOrEmpty())) {
    return {};
  }
  return request.Forbidden("pod " + shown_pod +
                           " does not mount a podCertificate projected volume for signer " +
                           JsonString(signer));
}

}  // namespace

Result<void> CheckNodeToken(const ServerState& state, std::string_view node,
                            const PluginRequest& request) {
  const Value& bound = std::as_const(request.object)["spec"]["boundObjectRef"];
  const std::string& name = bound["name"].StringOrEmpty();
  if (bound["apiVersion"].StringOrEmpty() != "v1" || bound["kind"].StringOrEmpty() != "Pod" ||
      name.empty()) {
    return request.Forbidden("node requested token not bound to a pod");
  }
  const std::string& uid = bound["uid"].StringOrEmpty();
  if (uid.empty()) {
    return request.Forbidden("node requested token with a pod binding without a uid");
  }
  const Result<Value> pod = Find(state, "", "pods", "pod", request.namespace_, name);
  if (!pod.ok()) return pod.error();
  if (uid != UidOf(*pod)) {
    return request.Forbidden("the UID in the bound object reference (" + uid +
                             ") does not match the UID in record. The object might have been "
                             "deleted and then recreated");
  }
  if ((*pod)["spec"]["nodeName"].StringOrEmpty() != node) {
    return request.Forbidden("node requested token bound to a pod scheduled on a different node");
  }
  return CheckAudience(state, request, *pod);
}

Result<void> CheckPodCertificateRequest(const ServerState& state, std::string_view node,
                                        const PluginRequest& request) {
  const Value& spec = std::as_const(request.object)["spec"];
  const std::string& node_name = spec["nodeName"].StringOrEmpty();
  if (node_name != node) {
    return request.Forbidden("PodCertificateRequest.Spec.NodeName=" + JsonString(node_name) +
                             ", which is not the requesting node " + JsonString(node));
  }
  const Result<Value> its_node = FindNamed(state, request,
                                           {.plural = "nodes",
                                            .singular = "node",
                                            .text = "node",
                                            .shown = node_name,
                                            .name = node_name});
  if (!its_node.ok()) return its_node.error();
  const std::string& pod_name = spec["podName"].StringOrEmpty();
  const std::string full_name = std::string(request.namespace_) + "/" + pod_name;
  const std::string shown_pod = JsonString(full_name);
  const std::string& node_uid = spec["nodeUID"].StringOrEmpty();
  if (node_uid != UidOf(*its_node)) {
    return Inconsistent("PodCertificateRequest for pod " + shown_pod + " names node UID " +
                        JsonString(node_uid) + ", inconsistent with the running node (" +
                        JsonString(UidOf(*its_node)) + ")");
  }
  const Result<Value> pod = FindNamed(
      state, request,
      {.plural = "pods", .singular = "pod", .text = "pod", .shown = full_name, .name = pod_name});
  if (!pod.ok()) return pod.error();
  const std::string& pod_uid = spec["podUID"].StringOrEmpty();
  if (pod_uid != UidOf(*pod)) {
    return Inconsistent("PodCertificateRequest for pod " + shown_pod + " contains pod UID (" +
                        JsonString(pod_uid) + ") which differs from running pod " +
                        JsonString(UidOf(*pod)));
  }
  if ((*pod)["spec"]["nodeName"].StringOrEmpty() != node) {
    return request.Forbidden("pod " + shown_pod + " is not running on node " + JsonString(node) +
                             " named in the PodCertificateRequest");
  }
  if (IsMirrorPod(*pod)) return request.Forbidden("pod " + shown_pod + " is a mirror pod");
  Result<void> named = CheckNamedAccount(state, request, *pod, shown_pod);
  return named.ok() ? CheckSigner(state, request, *pod, shown_pod) : named;
}

}  // namespace kinformer::apiserver
