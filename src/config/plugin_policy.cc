#include "config/plugin_policy.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include "kinformer/client/clientcmd.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "config/kubeconfig.h"

namespace kinformer::internal::config {

namespace {

constexpr char kAllowAll[] = "AllowAll";
constexpr char kDenyAll[] = "DenyAll";
constexpr char kAllowlist[] = "Allowlist";

Error Refused(const ExecConfig& exec, const std::string& why) {
  return Error(Reason::kConfig, "credential plugin " + exec.command + ": " + why);
}

std::string Joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

std::string LookPath(const std::string& name, std::string_view path) {
  std::error_code code;
  const auto runs = [&](const std::filesystem::path& file) {
    return std::filesystem::is_regular_file(file, code) && access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    const std::filesystem::path file = std::filesystem::absolute(name, code).lexically_normal();
    return runs(file) ? file.string() : std::string();
  }
  while (!name.empty() && !path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::filesystem::path folder(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (folder.is_absolute() && runs(folder / name)) return (folder / name).lexically_normal();
  }
  return {};
}

Result<void> CheckPolicy(const ExecConfig& exec) {
  const auto& [type, list] = exec.plugin_policy;
  if (type != kAllowlist && !type.empty() && type != kAllowAll && type != kDenyAll) {
    return Refused(
        exec, "plugin policy \"" + type + "\" is not known; it is AllowAll, DenyAll or Allowlist");
  }
  if (type == kAllowlist && list.empty()) {
    return Refused(exec,
                   "plugin policy Allowlist has an empty list: add the names of plugins, or "
                   "write DenyAll");
  }
  if (type != kAllowlist && !list.empty()) {
    return Refused(exec, "a list of plugins is given, but the policy is " +
                             (type.empty() ? std::string(kAllowAll) : type) +
                             ": write Allowlist, or remove the list");
  }
  if (std::find(list.begin(), list.end(), "") != list.end()) {
    return Refused(exec, "an entry of the list of plugins that may run is empty");
  }
  return {};
}

Result<void> PluginAllowed(const ExecConfig& exec) {
  if (Result<void> checked = CheckPolicy(exec); !checked) return checked;
  const auto& [type, list] = exec.plugin_policy;
  if (type == kDenyAll) return Refused(exec, "is not run: the plugin policy is DenyAll");
  if (type != kAllowlist) return {};
  if (std::find(list.begin(), list.end(), exec.command) != list.end()) return {};
  const char* const variable = std::getenv("PATH");
  const std::string_view path = variable == nullptr ? "" : variable;
  const std::string program = LookPath(exec.command, path);
  const bool listed =
      !program.empty() && std::any_of(list.begin(), list.end(), [&](const auto& entry) {
        return LookPath(entry, path) == program;
      });
  if (listed) return {};
  return Refused(exec, "is not run: it is not on the list of plugins that may run (" +
                           Joined(list) + "); if you trust it, add it there");
}

}  // namespace kinformer::internal::config

namespace kinformer::clientcmd {

Result<PluginPolicy> LoadPluginPolicy(const std::string& kuberc) {
  PluginPolicy out;
  std::error_code code;
  if (!std::filesystem::exists(kuberc, code) && !code) return out;
  auto text = internal::config::ReadConfigFile(kuberc, "kuberc");
  if (!text) return text.error();
  auto parsed = yaml::Parse(*text);
  if (!parsed) return Error(Reason::kConfig, kuberc + ": " + parsed.error().message());
  const auto wrong = [&](const std::string& field, const std::string& why) {
    return Error(Reason::kConfig, kuberc + ": " + field + ": " + why);
  };
  const json::Value& type = (*parsed)["credentialPluginPolicy"];
  if (!type.is_null() && !type.is_string()) return wrong("credentialPluginPolicy", "is no text");
  out.policy_type = type.StringOrEmpty();
  const json::Value& list = (*parsed)["credentialPluginAllowlist"];
  if (!list.is_null() && !list.is_array()) return wrong("credentialPluginAllowlist", "is no list");
  for (const json::Value& entry : list.items()) {
    // Versions of the file differ in the field's name.
    const json::Value& name = entry["command"].is_null() ? entry["name"] : entry["command"];
    if (!name.is_string()) return wrong("credentialPluginAllowlist", "an entry has no name");
    out.allowlist.push_back(name.StringOrEmpty());
  }
  return out;
}

}  // namespace kinformer::clientcmd
