// apiserver/plugins/node_restriction.h
//
// NodeRestriction: limits what kubelets write to their own node, its Lease and CSINode, the pods on
// it, and tokens for these.

#ifndef KINFORMER_APISERVER_PLUGINS_NODE_RESTRICTION_H_
#define KINFORMER_APISERVER_PLUGINS_NODE_RESTRICTION_H_

#include <string_view>

#include "kinformer/base/result.h"

#include "apiserver/plugins/plugin.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Not an AdmissionPlugin: it sees an update as it was sent, deletes, and creates that are not
// stored, but only those of kubelets. Loop-confined.
class NodeRestriction {
 public:
  explicit NodeRestriction(const ServerState& state) : state_(state) {}

  // Returns whether the user is a kubelet. Cheap check before the costlier call.
  [[nodiscard]] static bool Concerns(const UserInfo* user);
  // REQUIRES: Concerns(request.user).
  [[nodiscard]] Result<void> Check(const PluginRequest& request) const;

 private:
  [[nodiscard]] Result<void> CheckPod(std::string_view node, const PluginRequest& request) const;
  [[nodiscard]] Result<void> CheckMirrorPod(std::string_view node,
                                            const PluginRequest& request) const;
  [[nodiscard]] Result<void> CheckEviction(std::string_view node,
                                           const PluginRequest& request) const;

  const ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_NODE_RESTRICTION_H_
