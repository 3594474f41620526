#include "apiserver/plugins/admission_plugins.h"

#include <string_view>

#include "apiserver/builtin/plugin_names.h"
#include "apiserver/plugins/default_storage_class.h"
#include "apiserver/plugins/limit_ranger.h"
#include "apiserver/plugins/node_defaults.h"
#include "apiserver/plugins/pod_security.h"
#include "apiserver/plugins/service_account.h"

namespace kinformer::apiserver {

AdmissionPlugins::AdmissionPlugins(ServerState& state)
    : counted_(state.options.admission_controllers) {
  const auto on = [&](std::string_view name) { return IsPluginOn(state.options, name); };
  if (on("LimitRanger")) plugins_.push_back(std::make_unique<LimitRanger>(state));
  if (on("ServiceAccount")) plugins_.push_back(std::make_unique<ServiceAccountPlugin>(state));
  if (on("TaintNodesByCondition")) plugins_.push_back(std::make_unique<TaintNodesByCondition>());
  if (on("PodSecurity")) plugins_.push_back(std::make_unique<PodSecurity>(state));
  if (on("PodNodeSelector")) plugins_.push_back(std::make_unique<PodNodeSelector>(state));
  if (on("DefaultStorageClass")) plugins_.push_back(std::make_unique<DefaultStorageClass>(state));
  if (on("NodeRestriction")) nodes_ = std::make_unique<NodeRestriction>(state);
  if (on("ResourceQuota")) quota_ = std::make_unique<ResourceQuotaPlugin>(state);
}

Result<void> AdmissionPlugins::Mutate(PluginRequest& request) {
  for (const auto& plugin : plugins_) {
    if (Result<void> admitted = plugin->Mutate(request); !admitted) return admitted;
  }
  return {};
}

Result<void> AdmissionPlugins::Validate(const PluginRequest& request) {
  for (const auto& plugin : plugins_) {
    if (Result<void> admitted = plugin->Validate(request); !admitted) return admitted;
  }
  return {};
}

Result<std::vector<json::Value>> AdmissionPlugins::Charge(const PluginRequest& request) {
  Result<std::vector<json::Value>> charged = quota_->Charge(request);
  if (charged.ok() && (counted_ || request.dry_run)) charged->clear();
  return charged;
}

}  // namespace kinformer::apiserver
