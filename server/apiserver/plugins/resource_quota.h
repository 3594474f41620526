// apiserver/plugins/resource_quota.h
//
// ResourceQuotaPlugin: refuses what would exceed a ResourceQuota of the namespace.

#ifndef KINFORMER_APISERVER_PLUGINS_RESOURCE_QUOTA_H_
#define KINFORMER_APISERVER_PLUGINS_RESOURCE_QUOTA_H_

#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/plugins/plugin.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Not an AdmissionPlugin: it is asked last, in the turn of the loop in which the object is stored,
// so that what two requests use is never more than there is. Loop-confined.
class ResourceQuotaPlugin {
 public:
  explicit ResourceQuotaPlugin(const ServerState& state) : state_(state) {}
  // Returns the quotas whose status.used grows by this write, with their new status.
  [[nodiscard]] Result<std::vector<json::Value>> Charge(const PluginRequest& request) const;

 private:
  const ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_RESOURCE_QUOTA_H_
