// Finds and loads the configuration.

#include <array>
#include <filesystem>
#include <pwd.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kinformer/client/clientcmd.h"

#include "config/kubeconfig.h"
#include "config/path_hint.h"

extern char** environ;

namespace kinformer {

namespace internal::config {

namespace {

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string Trimmed(std::string text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  text.erase(last == std::string::npos ? 0 : last + 1);
  return text.substr(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
}

std::string JoinHostPort(const std::string& host, const std::string& port) {
  return (host.find(':') != std::string::npos ? "[" + host + "]" : host) + ":" + port;
}

}  // namespace

std::string Surroundings::Variable(const std::string& name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

Surroundings Surroundings::OfProcess() {
  Surroundings out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) {
      out.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  out.home = out.Variable("HOME");
  if (out.home.empty()) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> buffer;
    if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
        found != nullptr) {
      out.home = found->pw_dir;
    }
  }
  return out;
}

bool InClusterPossible(const Surroundings& surroundings) {
  return !surroundings.Variable("KUBERNETES_SERVICE_HOST").empty() &&
         !surroundings.Variable("KUBERNETES_SERVICE_PORT").empty() &&
         Exists(surroundings.service_account_dir + "/token");
}

Result<Config> InClusterConfig(const ConfigOverrides& overrides, const Surroundings& surroundings) {
  const std::string host = surroundings.Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = surroundings.Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error(
        Reason::kConfig,
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  const std::string& dir = surroundings.service_account_dir;
  Config out;
  out.host = "https://" + JoinHostPort(host, port);
  out.origin = "the pod's service account";
  out.bearer_token_file = dir + "/token";
  auto token = ReadConfigFile(out.bearer_token_file, "the service account's token");
  if (!token) return token.error();
  out.bearer_token = Trimmed(*std::move(token));
  // Without ca.crt the system's certificates are used, as in client-go.
  if (auto ca = ReadConfigFile(dir + "/ca.crt", "the service account's CA"))
    out.tls.ca_file = dir + "/ca.crt";
  out.namespace_ = surroundings.Variable("POD_NAMESPACE");
  if (out.namespace_.empty()) {
    if (auto file = ReadConfigFile(dir + "/namespace", "the service account's namespace")) {
      out.namespace_ = Trimmed(*std::move(file));
    }
  }
  if (!overrides.namespace_.empty()) out.namespace_ = overrides.namespace_;
  if (out.namespace_.empty()) out.namespace_ = "default";
  if (!overrides.server.empty()) out.host = overrides.server;
  if (!overrides.token.empty()) {
    out.bearer_token = overrides.token;
    out.bearer_token_file.clear();
  }
  if (!overrides.certificate_authority.empty()) out.tls.ca_file = overrides.certificate_authority;
  // Explicit impersonation options also apply inside a pod.
  out.impersonate = overrides.impersonate;
  const ImpersonationConfig& as = out.impersonate;
  if (as.user_name.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
    return Error(Reason::kConfig, "in a cluster: as-uid, as-groups and as-user-extra need as");
  }
  if (!overrides.timeout.empty()) {
    auto timeout = ParseTimeout(overrides.timeout);
    if (!timeout) return timeout.error();
    out.timeout = *timeout;
  }
  return out;
}

Result<Config> LoadDefaultConfig(const ConfigOverrides& overrides,
                                 const Surroundings& surroundings) {
  const std::string list = surroundings.Variable("KUBECONFIG");
  clientcmd::ClientConfigLoadingRules rules = LoadingRules(surroundings);
  rules.explicit_path = overrides.kubeconfig;
  auto loaded = rules.Load();
  if (!loaded) return loaded.error();
  const clientcmdapi::Config& merged = *loaded;
  auto resolved = ResolveConfig(merged, overrides, surroundings);
  if (resolved || !IsEmptyConfig(resolved.error())) return resolved;
  if (overrides.kubeconfig.empty() && InClusterPossible(surroundings)) {
    return InClusterConfig(overrides, surroundings);
  }
  if (!list.empty() && merged.location_of_origin.empty()) {
    return Error(resolved.error())
        .WithContext("$KUBECONFIG names no file that exists (" + list + PathListHint(list) + ")");
  }
  return resolved;
}

Result<Config> ConfigFromFlags(const std::string& master, const std::string& kubeconfig_path,
                               const Surroundings& surroundings) {
  if (master.empty() && kubeconfig_path.empty()) {
    auto in_cluster = InClusterConfig({}, surroundings);
    if (in_cluster) return in_cluster;
  }
  return LoadDefaultConfig({.server = master, .kubeconfig = kubeconfig_path}, surroundings);
}

}  // namespace internal::config

namespace {

bool HasCause(const Error& error, std::string_view reason) {
  for (const StatusCause& cause : error.details().causes) {
    if (cause.reason == reason) return true;
  }
  return false;
}

}  // namespace

bool IsEmptyConfig(internal::MaybeError error) {
  return error.get() != nullptr && HasCause(*error.get(), "EmptyConfig");
}
bool IsContextNotFound(internal::MaybeError error) {
  return error.get() != nullptr && HasCause(*error.get(), "ContextNotFound");
}
bool IsConfigurationInvalid(internal::MaybeError error) {
  return error.get() != nullptr && HasCause(*error.get(), "ConfigurationInvalid");
}

Result<Config> Config::LoadDefault(const ConfigOverrides& overrides) {
  return internal::config::LoadDefaultConfig(overrides,
                                             internal::config::Surroundings::OfProcess());
}

Result<Config> Config::FromKubeconfigFile(const std::string& path,
                                          const ConfigOverrides& overrides) {
  auto read = internal::config::ReadKubeconfig(path);
  if (!read) return read.error();
  return internal::config::ResolveConfig(*read, overrides, internal::config::Surroundings());
}

Result<Config> Config::FromKubeconfig(std::string_view yaml, const std::string& base_dir,
                                      const ConfigOverrides& overrides) {
  auto parsed = internal::config::ParseKubeconfig(yaml, "", base_dir);
  if (!parsed) return parsed.error();
  return internal::config::ResolveConfig(*parsed, overrides, internal::config::Surroundings());
}

Result<Config> Config::InCluster() {
  return internal::config::InClusterConfig({}, internal::config::Surroundings::OfProcess());
}

namespace clientcmd {

Result<Config> BuildConfigFromFlags(const std::string& master, const std::string& kubeconfig_path) {
  return internal::config::ConfigFromFlags(master, kubeconfig_path,
                                           internal::config::Surroundings::OfProcess());
}

}  // namespace clientcmd

}  // namespace kinformer
