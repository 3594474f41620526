#include "apiserver/authorization/pod_references.h"

#include <array>
#include <functional>

namespace kinformer::apiserver {
namespace {

using json::Value;

void AddName(const Value& name, NameSet& to) {
  if (const std::string& text = name.StringOrEmpty(); !text.empty()) to.insert(text);
}

void AddVariables(const Value& container, PodReferences& out) {
  for (const Value& source : container["envFrom"].items()) {
    AddName(source["secretRef"]["name"], out.secrets);
    AddName(source["configMapRef"]["name"], out.config_maps);
  }
  for (const Value& variable : container["env"].items()) {
    const Value& from = variable["valueFrom"];
    AddName(from["secretKeyRef"]["name"], out.secrets);
    AddName(from["configMapKeyRef"]["name"], out.config_maps);
  }
}

void AddVolume(const Value& volume, const std::string& pod_name, PodReferences& out) {
  // Kinds of volumes whose `secretRef` is a secret in the pod's namespace.
  static constexpr std::array<const char*, 7> kWithSecret = {
      "cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"};
  for (const char* kind : kWithSecret) AddName(volume[kind]["secretRef"]["name"], out.secrets);
  AddName(volume["azureFile"]["secretName"], out.secrets);
  AddName(volume["secret"]["secretName"], out.secrets);
  AddName(volume["csi"]["nodePublishSecretRef"]["name"], out.secrets);
  AddName(volume["configMap"]["name"], out.config_maps);
  for (const Value& source : volume["projected"]["sources"].items()) {
    AddName(source["secret"]["name"], out.secrets);
    AddName(source["configMap"]["name"], out.config_maps);
  }
  AddName(volume["persistentVolumeClaim"]["claimName"], out.claims);
  if (!volume["ephemeral"].is_null()) {
    out.claims.insert(pod_name + "-" + volume["name"].StringOrEmpty());
  }
}

// A claim of a template has its name in the pod's status, once it is made.
void AddResourceClaim(const Value& wanted, const Value& status, PodReferences& out) {
  AddName(wanted["resourceClaimName"], out.resource_claims);
  if (wanted["resourceClaimTemplateName"].is_null()) return;
  for (const Value& made : status["resourceClaimStatuses"].items()) {
    if (made["name"] == wanted["name"]) AddName(made["resourceClaimName"], out.resource_claims);
  }
}

}  // namespace

PodReferences PodReferences::Of(const Value& pod) {
  PodReferences out;
  const Value& spec = pod["spec"];
  const Value& status = pod["status"];
  out.service_account = spec["serviceAccountName"].StringOrEmpty();
  for (const Value& secret : spec["imagePullSecrets"].items()) AddName(secret["name"], out.secrets);
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    for (const Value& container : spec[list].items()) AddVariables(container, out);
  }
  const std::string& name = pod["metadata"]["name"].StringOrEmpty();
  for (const Value& volume : spec["volumes"].items()) AddVolume(volume, name, out);
  for (const Value& claim : spec["resourceClaims"].items()) AddResourceClaim(claim, status, out);
  AddName(status["extendedResourceClaimStatus"]["resourceClaimName"], out.resource_claims);
  return out;
}

bool IsMirrorPod(const Value& pod) {
  return pod["metadata"]["annotations"].contains("kubernetes.io/config.mirror");
}

}  // namespace kinformer::apiserver
