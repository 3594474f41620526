// apiserver/plugins/service_account.h
//
// ServiceAccountPlugin: gives new pods a ServiceAccount, a volume with a token of it, and its pull
// secrets, and refuses pods whose ServiceAccount does not exist.

#ifndef KINFORMER_APISERVER_PLUGINS_SERVICE_ACCOUNT_H_
#define KINFORMER_APISERVER_PLUGINS_SERVICE_ACCOUNT_H_

#include "kinformer/json/json.h"

#include "apiserver/plugins/plugin.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Loop-confined.
class ServiceAccountPlugin final : public AdmissionPlugin {
 public:
  explicit ServiceAccountPlugin(ServerState& state) : state_(state) {}
  Result<void> Mutate(PluginRequest& request) override;
  Result<void> Validate(const PluginRequest& request) override;

 private:
  // Returns the account that the pod names.
  [[nodiscard]] Result<json::Value> AccountOf(const PluginRequest& request) const;
  void MountToken(json::Value& spec) const;

  ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_SERVICE_ACCOUNT_H_
