// config/kubeconfig.h
//
// Reads kubeconfig files (clientcmd_api.h) and makes a Config of them.

#ifndef KINFORMER_CONFIG_KUBECONFIG_H_
#define KINFORMER_CONFIG_KUBECONFIG_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/clientcmd.h"
#include "kinformer/client/clientcmd_api.h"
#include "kinformer/client/config.h"

namespace kinformer::internal::config {

// `origin` names the file in messages. Relative paths are resolved against `base_dir` unless that
// is empty. Unknown fields are ignored. Errors are kConfig and name the line or field.
Result<clientcmdapi::Config> ParseKubeconfig(std::string_view text, const std::string& origin,
                                             const std::string& base_dir);
Result<clientcmdapi::Config> ReadKubeconfig(const std::string& path);

// Changes one file: lets `edit` change what the file says now, under the file's lock, and writes
// the difference, as clientcmd::WriteToFile does. The configuration is empty if there is no file.
// An error of `edit` is returned, and nothing is written then.
Result<void> EditKubeconfig(const std::string& path,
                            const std::function<Result<void>(clientcmdapi::Config& config)>& edit);

// Adds entries of `more` that `base` lacks: for each entry the first file wins.
void MergeKubeconfig(clientcmdapi::Config& base, const clientcmdapi::Config& more);

// Inputs from the environment of the process; replaced in tests.
struct Surroundings {
  std::map<std::string, std::string> environment{};
  std::string home{};
  std::string service_account_dir{"/var/run/secrets/kubernetes.io/serviceaccount"};

  [[nodiscard]] std::string Variable(const std::string& name) const;
  static Surroundings OfProcess();
};

// Returns the context selected by overrides, or the current one, with all its entries checked.
// Counterpart: DirectClientConfig.ClientConfig.
Result<Config> ResolveConfig(const clientcmdapi::Config& kubeconfig,
                             const ConfigOverrides& overrides, const Surroundings& surroundings);

// Returns `kubeconfig` with the overrides written into the entries of the chosen context.
Result<clientcmdapi::Config> MergeOverrides(const clientcmdapi::Config& kubeconfig,
                                            const ConfigOverrides& overrides);

// The files that this process reads, and those that a command of it changes.
clientcmd::ClientConfigLoadingRules LoadingRules(const Surroundings& surroundings);
clientcmd::PathOptions PathOptionsOf(const Surroundings& surroundings);
// Reads and merges files; leaves out those that do not exist.
Result<clientcmdapi::Config> LoadFiles(const std::vector<std::string>& paths);

Result<Config> LoadDefaultConfig(const ConfigOverrides& overrides,
                                 const Surroundings& surroundings);
Result<Config> InClusterConfig(const ConfigOverrides& overrides, const Surroundings& surroundings);
// Prefers the service account to files if neither a server nor a path is given. Counterpart:
// clientcmd.BuildConfigFromFlags.
Result<Config> ConfigFromFlags(const std::string& master, const std::string& kubeconfig_path,
                               const Surroundings& surroundings);
// Whether this process runs in a pod with a service account.
bool InClusterPossible(const Surroundings& surroundings);

// Parses --request-timeout: "30" seconds, or a Go duration.
Result<Duration> ParseTimeout(const std::string& text);

// Returns problems of one entry as sentences that begin with `where`; empty if it is usable.
std::vector<std::string> ValidateCluster(const clientcmdapi::Cluster& cluster,
                                         const std::string& where);
std::vector<std::string> ValidateUser(const clientcmdapi::AuthInfo& user, const std::string& where);

// Whether the text can be the name of a namespace.
bool IsDnsLabel(const std::string& name);

// kConfig "cannot read <what> <path>: No such file or directory".
Result<std::string> ReadConfigFile(const std::string& path, const std::string& what);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_KUBECONFIG_H_
