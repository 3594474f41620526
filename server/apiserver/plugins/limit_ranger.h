// apiserver/plugins/limit_ranger.h
//
// LimitRanger: gives the containers of new pods the default requests and limits of the LimitRanges
// in their namespace, and refuses pods and PersistentVolumeClaims outside their bounds.

#ifndef KINFORMER_APISERVER_PLUGINS_LIMIT_RANGER_H_
#define KINFORMER_APISERVER_PLUGINS_LIMIT_RANGER_H_

#include "apiserver/plugins/plugin.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Loop-confined.
class LimitRanger final : public AdmissionPlugin {
 public:
  explicit LimitRanger(const ServerState& state) : state_(state) {}
  Result<void> Mutate(PluginRequest& request) override;
  Result<void> Validate(const PluginRequest& request) override;

 private:
  const ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_LIMIT_RANGER_H_
