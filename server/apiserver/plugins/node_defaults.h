// apiserver/plugins/node_defaults.h
//
// TaintNodesByCondition: new nodes have the taint of nodes that are not ready. PodNodeSelector: new
// pods get the node selector that their namespace is annotated with.

#ifndef KINFORMER_APISERVER_PLUGINS_NODE_DEFAULTS_H_
#define KINFORMER_APISERVER_PLUGINS_NODE_DEFAULTS_H_

#include "apiserver/plugins/plugin.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Loop-confined.
class TaintNodesByCondition final : public AdmissionPlugin {
 public:
  Result<void> Mutate(PluginRequest& request) override;
};

// Loop-confined.
class PodNodeSelector final : public AdmissionPlugin {
 public:
  explicit PodNodeSelector(const ServerState& state) : state_(state) {}
  Result<void> Mutate(PluginRequest& request) override;

 private:
  const ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_NODE_DEFAULTS_H_
