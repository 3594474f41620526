// config/kubeconfig.h
//
// Kubeconfig: what one or several kubeconfig files say, as clientcmd's api.Config has it.

#ifndef KINFORMER_CONFIG_KUBECONFIG_H_
#define KINFORMER_CONFIG_KUBECONFIG_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/config.h"
#include "kinformer/result.h"

namespace kinformer::internal::config {

// `origin` of each: the file it came from, for messages; empty for text.

struct KubeCluster {
  std::string server{};
  std::string tls_server_name{};
  std::optional<bool> insecure{};
  std::string ca_file{};  // paths are absolute, or relative to the working directory
  std::string ca_data{};  // decoded
  std::string proxy_url{};
  std::optional<bool> disable_compression{};
  std::string exec_config{};  // JSON of the extension client.authentication.k8s.io/exec
  std::string origin{};
  [[nodiscard]] bool empty() const;
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
  std::string id_token{};       // of auth-provider oidc
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
  std::string origin{};  // "/home/u/.kube/config", or several with ':' between

  [[nodiscard]] bool empty() const {
    return clusters.empty() && users.empty() && contexts.empty() && current_context.empty();
  }
};

// `origin` is the file's name for messages; relative paths are resolved against `base_dir` (not
// where that is empty). Unknown fields are ignored. kConfig, naming line or field.
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& origin,
                                   const std::string& base_dir);
Result<Kubeconfig> ReadKubeconfig(const std::string& path);

// Adds what `more` has and `base` lacks: the first file wins, entry by entry.
void MergeKubeconfig(Kubeconfig& base, const Kubeconfig& more);

// The files of a $KUBECONFIG: separated by ':', without empty ones and repetitions, in order.
std::vector<std::string> SplitPathList(std::string_view list);

// What is read from around the process; replaced in tests.
struct Surroundings {
  std::map<std::string, std::string> environment{};
  std::string home{};
  std::string service_account_dir{"/var/run/secrets/kubernetes.io/serviceaccount"};

  [[nodiscard]] std::string Variable(const std::string& name) const;
  static Surroundings OfProcess();
};

// The one selected by overrides, or current, with everything it refers to checked. Counterpart:
// DirectClientConfig.ClientConfig.
Result<Config> ResolveConfig(const Kubeconfig& kubeconfig, const ConfigOverrides& overrides,
                             const Surroundings& surroundings);

Result<Config> LoadDefaultConfig(const ConfigOverrides& overrides,
                                 const Surroundings& surroundings);
Result<Config> InClusterConfig(const ConfigOverrides& overrides, const Surroundings& surroundings);
// Are we in a pod with a service account?
bool InClusterPossible(const Surroundings& surroundings);

// --request-timeout: "30" seconds, or a Go duration.
Result<Duration> ParseTimeout(const std::string& text);

// Problems of one entry, each a sentence; none where it is usable. `where` begins each.
std::vector<std::string> ValidateCluster(const KubeCluster& cluster, const std::string& where);
std::vector<std::string> ValidateUser(const KubeUser& user, const std::string& where);

// kConfig "cannot read <what> <path>: No such file or directory".
Result<std::string> ReadConfigFile(const std::string& path, const std::string& what);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_KUBECONFIG_H_
