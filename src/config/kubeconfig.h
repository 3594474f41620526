// config/kubeconfig.h
//
// Kubeconfig: the content of one or several kubeconfig files. Counterpart: clientcmd api.Config.

#ifndef KINFORMER_CONFIG_KUBECONFIG_H_
#define KINFORMER_CONFIG_KUBECONFIG_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/config.h"

namespace kinformer::internal::config {

// `origin` in each struct: the source file, for messages; empty for text.

struct KubeCluster {
  std::string server{};
  std::string tls_server_name{};
  std::optional<bool> insecure{};
  std::string ca_file{};  // absolute, or relative to the working directory
  std::string ca_data{};  // decoded
  std::string proxy_url{};
  std::optional<bool> disable_compression{};
  std::string exec_config{};  // JSON of the extension client.authentication.k8s.io/exec
  std::string origin{};
};

struct KubeUser {
  std::string cert_file{};
  std::string cert_data{};
  std::string key_file{};
  std::string key_data{};
  std::string token{};
  std::string token_file{};
  ImpersonationConfig impersonate{};
  std::string username{};
  std::string password{};
  std::string auth_provider{};  // its name
  std::string id_token{};       // for auth-provider oidc
  OidcConfig oidc{};            // likewise
  std::optional<ExecConfig> exec{};
  std::string origin{};
};

struct KubeContext {
  std::string cluster{};
  std::string user{};
  std::string namespace_{};
  std::string origin{};
};

struct Kubeconfig {
  std::map<std::string, KubeCluster> clusters{};
  std::map<std::string, KubeUser> users{};
  std::map<std::string, KubeContext> contexts{};
  std::string current_context{};
  std::string origin{};  // "/home/u/.kube/config", or several, separated by ':'

  [[nodiscard]] bool empty() const {
    return clusters.empty() && users.empty() && contexts.empty() && current_context.empty();
  }
};

// `origin` names the file in messages. Relative paths are resolved against `base_dir` unless that
// is empty. Unknown fields are ignored. Errors are kConfig and name the line or field.
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& origin,
                                   const std::string& base_dir);
Result<Kubeconfig> ReadKubeconfig(const std::string& path);

// Adds entries of `more` that `base` lacks: for each entry the first file wins.
void MergeKubeconfig(Kubeconfig& base, const Kubeconfig& more);

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
Result<Config> ResolveConfig(const Kubeconfig& kubeconfig, const ConfigOverrides& overrides,
                             const Surroundings& surroundings);

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
std::vector<std::string> ValidateCluster(const KubeCluster& cluster, const std::string& where);
std::vector<std::string> ValidateUser(const KubeUser& user, const std::string& where);

// kConfig "cannot read <what> <path>: No such file or directory".
Result<std::string> ReadConfigFile(const std::string& path, const std::string& what);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_KUBECONFIG_H_
