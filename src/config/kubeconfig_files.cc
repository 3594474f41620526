// The files of a kubeconfig: which there are, and what they say together.

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "kinformer/client/clientcmd.h"
#include "kinformer/json/yaml.h"

#include "config/file_change.h"
#include "config/kubeconfig.h"
#include "config/kubeconfig_value.h"
#include "config/path_hint.h"

namespace kinformer {

namespace internal::config {

namespace {

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Whether there is no such file; false if that cannot be found out.
bool IsMissing(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  return status.type() == std::filesystem::file_type::not_found &&
         (!code || code == std::errc::no_such_file_or_directory);
}

std::string FirstExisting(const std::vector<std::string>& paths, const std::string& otherwise) {
  for (const std::string& path : paths) {
    if (Exists(path)) return path;
  }
  return otherwise;
}

std::string GlobalFile(const Surroundings& surroundings) {
  return surroundings.home.empty() ? std::string() : surroundings.home + "/.kube/config";
}

}  // namespace

clientcmd::ClientConfigLoadingRules LoadingRules(const Surroundings& surroundings) {
  clientcmd::ClientConfigLoadingRules out;
  const std::string list = surroundings.Variable("KUBECONFIG");
  if (!list.empty()) {
    out.precedence = SplitPathList(list);
  } else if (const std::string home = GlobalFile(surroundings); !home.empty()) {
    out.precedence = {home};
  }
  return out;
}

clientcmd::PathOptions PathOptionsOf(const Surroundings& surroundings) {
  clientcmd::PathOptions out;
  out.global_file = GlobalFile(surroundings);
  out.env_var_files = SplitPathList(surroundings.Variable("KUBECONFIG"));
  return out;
}

Result<clientcmdapi::Config> LoadFiles(const std::vector<std::string>& paths) {
  clientcmdapi::Config out;
  for (const std::string& path : paths) {
    if (IsMissing(path)) continue;
    auto read = ReadKubeconfig(path);
    if (!read) return read.error();
    MergeKubeconfig(out, *read);
  }
  return out;
}

}  // namespace internal::config

namespace clientcmd {

using internal::config::Exists;
using internal::config::Surroundings;

Result<clientcmdapi::Config> ClientConfigLoadingRules::Load() const {
  if (Result<void> done = Migrate(); !done) return done.error();
  if (!explicit_path.empty()) return internal::config::ReadKubeconfig(explicit_path);
  return internal::config::LoadFiles(precedence);
}

Result<void> ClientConfigLoadingRules::Migrate() const {
  for (const auto& [to, from] : migration_rules) {
    if (!internal::config::IsMissing(to) || !Exists(from)) continue;
    auto text = internal::config::ReadConfigFile(from, "kubeconfig");
    if (!text) return text.error();
    auto lock = internal::config::FileLock::Acquire(to);
    if (!lock) return lock.error();
    if (Result<void> done = internal::config::ReplaceFile(to, *text); !done) return done;
  }
  return {};
}

std::vector<std::string> ClientConfigLoadingRules::GetLoadingPrecedence() const {
  return explicit_path.empty() ? precedence : std::vector<std::string>{explicit_path};
}

std::string ClientConfigLoadingRules::GetDefaultFilename() const {
  if (!explicit_path.empty()) return explicit_path;
  return internal::config::FirstExisting(precedence,
                                         precedence.empty() ? std::string() : precedence.front());
}

ClientConfigLoadingRules NewDefaultClientConfigLoadingRules() {
  return internal::config::LoadingRules(Surroundings::OfProcess());
}

std::vector<std::string> PathOptions::GetLoadingPrecedence() const {
  if (!explicit_path.empty()) return {explicit_path};
  if (!env_var_files.empty()) return env_var_files;
  return global_file.empty() ? std::vector<std::string>() : std::vector<std::string>{global_file};
}

Result<clientcmdapi::Config> PathOptions::GetStartingConfig() const {
  return internal::config::LoadFiles(GetLoadingPrecedence());
}

std::string PathOptions::GetDefaultFilename() const {
  if (!explicit_path.empty()) return explicit_path;
  if (env_var_files.empty()) return global_file;
  return internal::config::FirstExisting(env_var_files, env_var_files.back());
}

PathOptions NewDefaultPathOptions() {
  return internal::config::PathOptionsOf(Surroundings::OfProcess());
}

Result<clientcmdapi::Config> Load(std::string_view text) {
  return internal::config::ParseKubeconfig(text, "", "");
}

Result<clientcmdapi::Config> LoadFromFile(const std::string& path) {
  return internal::config::ReadKubeconfig(path);
}

std::string Write(const clientcmdapi::Config& config) {
  return yaml::Dump(internal::config::KubeconfigValue(config));
}

Result<Config> ClientConfig(const clientcmdapi::Config& config, const ConfigOverrides& overrides) {
  return internal::config::ResolveConfig(config, overrides, Surroundings());
}

Result<clientcmdapi::Config> MergedRawConfig(const clientcmdapi::Config& config,
                                             const ConfigOverrides& overrides) {
  return internal::config::MergeOverrides(config, overrides);
}

}  // namespace clientcmd

}  // namespace kinformer
