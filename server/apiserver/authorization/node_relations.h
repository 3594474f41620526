// apiserver/authorization/node_relations.h
//
// NodeRelations: which objects a node needs, because a pod on it refers to them, directly or by a
// volume, or because they are about the node.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_NODE_RELATIONS_H_
#define KINFORMER_APISERVER_AUTHORIZATION_NODE_RELATIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "kinformer/json/json.h"

#include "apiserver/authorization/pod_references.h"

namespace kinformer::apiserver {

// Kinds of objects that nodes may be related to.
enum class NodeNeed : std::uint8_t {
  kPod,
  kSecret,
  kConfigMap,
  kServiceAccount,
  kVolumeClaim,
  kVolume,
  kResourceClaim,
  kVolumeAttachment,
  kResourceSlice,
  kPodCertificateRequest,
};

// Loop-confined. The cost of a question is that of the pods on the node in one namespace, and of
// the volumes with the secret that is asked about.
// Counterpart: the graph of the node authorizer.
class NodeRelations {
 public:
  // Returns whether objects of the resource make relations.
  [[nodiscard]] static bool Reads(std::string_view group, std::string_view plural);
  // An object of such a resource was stored or removed.
  void Put(std::string_view plural, const json::Value& object);
  void Remove(std::string_view plural, std::string_view namespace_, std::string_view name);
  void Clear();

  [[nodiscard]] bool Relates(std::string_view node, NodeNeed need, std::string_view namespace_,
                             std::string_view name) const;

 private:
  // Namespace and name.
  using Place = std::pair<std::string, std::string>;
  struct Pod {
    std::string node{};
    PodReferences references{};
  };
  struct Volume {
    Place claim{};
    std::set<Place> secrets{};
  };
  // Pods of a node; those of one namespace stand together.
  using Pods = std::map<Place, std::shared_ptr<const Pod>>;

  void PutPod(const Place& place, const json::Value& pod);
  void RemovePod(const Place& place);
  void PutVolume(const std::string& name, const json::Value& volume);
  void RemoveVolume(const std::string& name);
  [[nodiscard]] bool HasPodWith(std::string_view node, NodeNeed need, std::string_view namespace_,
                                std::string_view name) const;
  [[nodiscard]] bool HasVolume(std::string_view node, std::string_view name) const;

  std::unordered_map<std::string, Pods> pods_;  // by node
  std::map<Place, std::string> node_of_pod_;
  std::map<std::string, Volume, std::less<>> volumes_;  // those with a claim
  std::map<Place, std::set<std::string>> volumes_of_secret_;
  // The nodes of objects about one node.
  std::map<std::pair<NodeNeed, Place>, std::string> node_of_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_NODE_RELATIONS_H_
