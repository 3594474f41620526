#include <string>
#include <vector>

#include "kinformer/client/clientcmd.h"

namespace kinformer::clientcmd {

std::vector<std::string*> GetClusterFileReferences(clientcmdapi::Cluster& cluster) {
  return {&cluster.certificate_authority};
}

std::vector<std::string*> GetAuthInfoFileReferences(clientcmdapi::AuthInfo& user) {
  std::vector<std::string*> paths = {&user.client_certificate, &user.client_key, &user.token_file};
  if (user.exec && user.exec->command.find('/') != std::string::npos) {
    paths.push_back(&user.exec->command);
  }
  return paths;
}

std::vector<std::string*> GetConfigFileReferences(clientcmdapi::Config& config) {
  std::vector<std::string*> paths;
  const auto add = [&](const std::vector<std::string*>& more) {
    paths.insert(paths.end(), more.begin(), more.end());
  };
  for (auto& [name, cluster] : config.clusters) add(GetClusterFileReferences(cluster));
  for (auto& [name, user] : config.auth_infos) add(GetAuthInfoFileReferences(user));
  return paths;
}

}  // namespace kinformer::clientcmd
