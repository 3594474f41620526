#include "config/token_writer.h"

#include "kinformer/client/clientcmd_api.h"

#include "config/kubeconfig.h"

namespace kinformer::internal::config {

Result<void> WriteTokens(const std::string& kubeconfig, const std::string& user,
                         const ChangedKeys& changed) {
  // A file that cannot be read is not locked.
  if (auto read = ReadKubeconfig(kubeconfig); !read) return std::move(read).error();
  return EditKubeconfig(kubeconfig, [&](clientcmdapi::Config& config) -> Result<void> {
    const auto found = config.auth_infos.find(user);
    if (found == config.auth_infos.end() || !found->second.auth_provider) {
      return Error(Reason::kConfig,
                   kubeconfig + ": the user \"" + user + "\" has no auth-provider any more");
    }
    for (const auto& [key, value] : changed) found->second.auth_provider->config[key] = value;
    return {};
  });
}

}  // namespace kinformer::internal::config
