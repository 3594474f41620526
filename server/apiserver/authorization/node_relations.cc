#include "apiserver/authorization/node_relations.h"

#include <algorithm>
#include <array>

namespace kinformer::apiserver {
namespace {

using json::Value;

struct Source {
  std::string_view group;
  std::string_view plural;
  NodeNeed need;
};
constexpr std::array<Source, 5> kSources = {{
    {"", "pods", NodeNeed::kPod},
    {"", "persistentvolumes", NodeNeed::kVolume},
    {"storage.k8s.io", "volumeattachments", NodeNeed::kVolumeAttachment},
    {"resource.k8s.io", "resourceslices", NodeNeed::kResourceSlice},
    {"certificates.k8s.io", "podcertificaterequests", NodeNeed::kPodCertificateRequest},
}};

NodeNeed NeedOf(std::string_view plural) {
  return std::find_if(kSources.begin(), kSources.end(),
                      [&](const Source& source) { return source.plural == plural; })
      ->need;
}

// Returns whether a pod needs an object that pods refer to by name.
bool Uses(const PodReferences& references, NodeNeed need, std::string_view name) {
  switch (need) {
    case NodeNeed::kSecret:
      return references.secrets.contains(name);
    case NodeNeed::kConfigMap:
      return references.config_maps.contains(name);
    case NodeNeed::kServiceAccount:
      return references.service_account == name;
    case NodeNeed::kVolumeClaim:
      return references.claims.contains(name);
    case NodeNeed::kResourceClaim:
      return references.resource_claims.contains(name);
    default:
      return false;
  }
}

// Returns the secrets of a volume that its node has to read.
std::set<std::pair<std::string, std::string>> SecretsOf(const Value& spec) {
  std::set<std::pair<std::string, std::string>> out;
  const std::string& usual = spec["claimRef"]["namespace"].StringOrEmpty();
  const auto add = [&](const Value& namespace_, const Value& name) {
    if (name.StringOrEmpty().empty()) return;
    const std::string& given = namespace_.StringOrEmpty();
    out.emplace(given.empty() ? usual : given, name.StringOrEmpty());
  };
  const Value& azure = spec["azureFile"];
  add(azure["secretNamespace"], azure["secretName"]);
  for (const char* kind :
       {"cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"}) {
    const Value& secret = spec[kind]["secretRef"];
    add(secret["namespace"], secret["name"]);
  }
  for (const char* use : {"nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"}) {
    const Value& secret = spec["csi"][use];
    add(secret["namespace"], secret["name"]);
  }
  return out;
}

}  // namespace

bool NodeRelations::Reads(std::string_view group, std::string_view plural) {
  return std::any_of(kSources.begin(), kSources.end(), [&](const Source& source) {
    return source.group == group && source.plural == plural;
  });
}

void NodeRelations::Put(std::string_view plural, const Value& object) {
  const Value& metadata = object["metadata"];
  const Place place(metadata["namespace"].StringOrEmpty(), metadata["name"].StringOrEmpty());
  const NodeNeed need = NeedOf(plural);
  if (need == NodeNeed::kPod) return PutPod(place, object);
  if (need == NodeNeed::kVolume) return PutVolume(place.second, object);
  const std::string& node = object["spec"]["nodeName"].StringOrEmpty();
  if (node.empty()) {
    node_of_.erase({need, place});
  } else {
    node_of_.insert_or_assign({need, place}, node);
  }
}

void NodeRelations::Remove(std::string_view plural, std::string_view namespace_,
                           std::string_view name) {
  const Place place(namespace_, name);
  const NodeNeed need = NeedOf(plural);
  if (need == NodeNeed::kPod) return RemovePod(place);
  if (need == NodeNeed::kVolume) return RemoveVolume(place.second);
  node_of_.erase({need, place});
}

void NodeRelations::Clear() { *this = NodeRelations(); }

void NodeRelations::PutPod(const Place& place, const Value& pod) {
  RemovePod(place);
  const std::string& node = pod["spec"]["nodeName"].StringOrEmpty();
  if (node.empty()) return;
  auto on_node = std::make_shared<Pod>(Pod{.node = node});
  // A kubelet may make mirror pods, which must not give it rights.
  if (!IsMirrorPod(pod)) on_node->references = PodReferences::Of(pod);
  pods_[node].emplace(place, std::move(on_node));
  node_of_pod_.emplace(place, node);
}

void NodeRelations::RemovePod(const Place& place) {
  const auto found = node_of_pod_.find(place);
  if (found == node_of_pod_.end()) return;
  const auto pods = pods_.find(found->second);
  pods->second.erase(place);
  if (pods->second.empty()) pods_.erase(pods);
  node_of_pod_.erase(found);
}

void NodeRelations::PutVolume(const std::string& name, const Value& volume) {
  RemoveVolume(name);
  const Value& claim = volume["spec"]["claimRef"];
  if (claim.is_null()) return;
  Volume kept{.claim = {claim["namespace"].StringOrEmpty(), claim["name"].StringOrEmpty()},
              .secrets = SecretsOf(volume["spec"])};
  for (const Place& secret : kept.secrets) volumes_of_secret_[secret].insert(name);
  volumes_.emplace(name, std::move(kept));
}

void NodeRelations::RemoveVolume(const std::string& name) {
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return;
  for (const Place& secret : found->second.secrets) {
    const auto volumes = volumes_of_secret_.find(secret);
    volumes->second.erase(name);
    if (volumes->second.empty()) volumes_of_secret_.erase(volumes);
  }
  volumes_.erase(found);
}

bool NodeRelations::HasPodWith(std::string_view node, NodeNeed need, std::string_view namespace_,
                               std::string_view name) const {
  const auto pods = pods_.find(std::string(node));
  if (pods == pods_.end()) return false;
  for (auto it = pods->second.lower_bound(Place(namespace_, ""));
       it != pods->second.end() && it->first.first == namespace_; ++it) {
    if (Uses(it->second->references, need, name)) return true;
  }
  return false;
}

bool NodeRelations::HasVolume(std::string_view node, std::string_view name) const {
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return false;
  const Place& claim = found->second.claim;
  return HasPodWith(node, NodeNeed::kVolumeClaim, claim.first, claim.second);
}

bool NodeRelations::Relates(std::string_view node, NodeNeed need, std::string_view namespace_,
                            std::string_view name) const {
  const Place place(namespace_, name);
  switch (need) {
    case NodeNeed::kPod: {
      const auto found = node_of_pod_.find(place);
      return found != node_of_pod_.end() && found->second == node;
    }
    case NodeNeed::kVolume:
      return HasVolume(node, name);
    case NodeNeed::kVolumeAttachment:
    case NodeNeed::kResourceSlice:
    case NodeNeed::kPodCertificateRequest: {
      const auto found = node_of_.find({need, place});
      return found != node_of_.end() && found->second == node;
    }
    default:
      break;
  }
  if (HasPodWith(node, need, namespace_, name)) return true;
  const auto volumes =
      need == NodeNeed::kSecret ? volumes_of_secret_.find(place) : volumes_of_secret_.end();
  return volumes != volumes_of_secret_.end() &&
         std::any_of(volumes->second.begin(), volumes->second.end(),
                     [&](const std::string& volume) { return HasVolume(node, volume); });
}

}  // namespace kinformer::apiserver
