// apiserver/authorization/pod_references.h
//
// PodReferences: the objects in its namespace that a pod needs on its node.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_POD_REFERENCES_H_
#define KINFORMER_APISERVER_AUTHORIZATION_POD_REFERENCES_H_

#include <set>
#include <string>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

using NameSet = std::set<std::string, std::less<>>;

// Names of objects; without those that are empty.
struct PodReferences {
  // Reads pull secrets, variables, volumes and claims.
  [[nodiscard]] static PodReferences Of(const json::Value& pod);

  NameSet secrets{};
  NameSet config_maps{};
  NameSet claims{};           // PersistentVolumeClaims, those of ephemeral volumes among them
  NameSet resource_claims{};  // as far as they have been made
  std::string service_account{};
};

[[nodiscard]] bool IsMirrorPod(const json::Value& pod);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_POD_REFERENCES_H_
