#include "config/token_writer.h"

#include "kinformer/client/clientcmd.h"

namespace kinformer::internal::config {

Result<void> WriteTokens(const std::string& kubeconfig, const std::string& user,
                         const ChangedKeys& changed) {
  Result<clientcmdapi::Config> config = clientcmd::LoadFromFile(kubeconfig);
  if (!config) return std::move(config).error();
  const auto found = config->auth_infos.find(user);
  if (found == config->auth_infos.end() || !found->second.auth_provider) {
    return Error(Reason::kConfig,
                 kubeconfig + ": the user \"" + user + "\" has no auth-provider any more");
  }
  for (const auto& [key, value] : changed) found->second.auth_provider->config[key] = value;
  return clientcmd::WriteToFile(*config, kubeconfig);
}

}  // namespace kinformer::internal::config
