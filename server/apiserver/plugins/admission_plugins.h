// apiserver/plugins/admission_plugins.h
//
// AdmissionPlugins: the plug-ins that are on, in the order in which kube-apiserver runs them.

#ifndef KINFORMER_APISERVER_PLUGINS_ADMISSION_PLUGINS_H_
#define KINFORMER_APISERVER_PLUGINS_ADMISSION_PLUGINS_H_

#include <memory>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/plugins/node_restriction.h"
#include "apiserver/plugins/plugin.h"
#include "apiserver/plugins/resource_quota.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Loop-confined.
class AdmissionPlugins {
 public:
  // `state` must outlive it.
  explicit AdmissionPlugins(ServerState& state);

  // Returns whether there are any. Cheap check before the costlier calls.
  [[nodiscard]] bool Any() const { return !plugins_.empty(); }
  // Run the plug-ins until one refuses.
  Result<void> Mutate(PluginRequest& request);
  Result<void> Validate(const PluginRequest& request);

  // ---- NodeRestriction, for kubelets only: before webhooks see what was sent.
  [[nodiscard]] bool HasNodeRestriction() const { return nodes_ != nullptr; }
  // Returns whether the user's writes have to pass Restrict.
  [[nodiscard]] bool Restricts(const UserInfo* user) const {
    return nodes_ != nullptr && NodeRestriction::Concerns(user);
  }
  // REQUIRES: Restricts(request.user).
  [[nodiscard]] Result<void> Restrict(const PluginRequest& request) const {
    return nodes_->Check(request);
  }

  // ---- ResourceQuota, the last of all: it runs when nothing else can refuse the write, in the
  // turn of the loop in which the object is stored.
  [[nodiscard]] bool HasQuota() const { return quota_ != nullptr; }
  // Returns the quotas to be written with the object, if no controller counts what is used.
  // REQUIRES: HasQuota().
  Result<std::vector<json::Value>> Charge(const PluginRequest& request);

 private:
  std::vector<std::unique_ptr<AdmissionPlugin>> plugins_;
  std::unique_ptr<NodeRestriction> nodes_;      // null: off
  std::unique_ptr<ResourceQuotaPlugin> quota_;  // null: off
  const bool counted_;                          // by ResourceQuotaController
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_ADMISSION_PLUGINS_H_
