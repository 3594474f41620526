// Reduced forms of a kubeconfig: the current context alone, without files, without secrets.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kinformer/client/clientcmd_api.h"

#include "base/text/redacted_url.h"
#include "config/config_errors.h"
#include "config/kubeconfig.h"
#include "object/values/text_forms.h"

namespace kinformer::clientcmdapi {

namespace {

constexpr char kRedacted[] = "REDACTED";

// Returns the bytes whose base64 is `text`, so that the file says `text`.
std::string Reading(std::string_view text) {
  return internal::Base64Decode(text).value_or(std::string(text));
}

void Replace(std::string& value, const std::string& by) {
  if (!value.empty()) value = by;
}

// Whether a setting, a variable or an option holds a secret, by its name.
bool IsSecretName(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  static constexpr std::array<std::string_view, 6> kEnds{"secret", "token",     "password",
                                                         "passwd", "accesskey", "apikey"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return plain.ends_with(end); });
}

void RedactExec(ExecConfig& exec) {
  for (auto& [name, value] : exec.env) {
    if (IsSecretName(name)) Replace(value, kRedacted);
  }
  bool next = false;  // the argument is the value of the option before it
  for (std::string& argument : exec.args) {
    const bool option = argument.starts_with('-');
    if (next && !option) argument = kRedacted;
    const std::size_t equals = argument.find('=');
    const bool secret = option && IsSecretName(std::string_view(argument).substr(0, equals));
    if (secret && equals != std::string::npos)
      argument.replace(equals + 1, std::string::npos, kRedacted);
    next = secret && equals == std::string::npos;
  }
}

Result<void> Inline(std::string& file, std::string& data, const std::string& what) {
  if (file.empty()) return {};
  if (data.empty()) {
    auto read = internal::config::ReadConfigFile(file, what);
    if (!read) return read.error();
    data = *std::move(read);
  }
  file.clear();
  return {};
}

}  // namespace

bool IsConfigEmpty(const Config& config) {
  return config.clusters.empty() && config.auth_infos.empty() && config.contexts.empty() &&
         config.current_context.empty() && config.extensions.empty() &&
         config.preferences.extensions.empty() && !config.preferences.colors;
}

Result<void> MinifyConfig(Config& config) {
  using internal::config::Classified;
  using internal::config::In;
  using internal::config::Names;
  const std::string in = In(config.location_of_origin);
  const std::string& current = config.current_context;
  if (current.empty()) {
    return Classified("EmptyConfig",
                      in + " has no current-context; " + Names(config.contexts, "contexts"));
  }
  auto context = config.contexts.extract(current);
  if (context.empty()) {
    return Classified("ContextNotFound", "context \"" + current + "\" does not exist in " + in +
                                             "; " + Names(config.contexts, "contexts"));
  }
  const std::string cluster = context.mapped().cluster;
  const std::string user = context.mapped().auth_info;
  const auto missing = [&](const std::string& what, const std::string& known) {
    const std::string name = context.key();
    config.contexts.insert(std::move(context));
    return Error(Reason::kConfig,
                 "context \"" + name + "\": " + what + " does not exist in " + in + "; " + known);
  };
  if (!cluster.empty() && !config.clusters.contains(cluster)) {
    return missing("cluster \"" + cluster + "\"", Names(config.clusters, "clusters"));
  }
  if (!user.empty() && !config.auth_infos.contains(user)) {
    return missing("user \"" + user + "\"", Names(config.auth_infos, "users"));
  }
  config.contexts.clear();
  config.contexts.insert(std::move(context));
  std::erase_if(config.clusters, [&](const auto& entry) { return entry.first != cluster; });
  std::erase_if(config.auth_infos, [&](const auto& entry) { return entry.first != user; });
  return {};
}

Result<void> FlattenConfig(Config& config) {
  Config flat = config;
  for (auto& [name, user] : flat.auth_infos) {
    for (const Result<void>& done :
         {Inline(user.client_certificate, user.client_certificate_data, "client-certificate"),
          Inline(user.client_key, user.client_key_data, "client-key")}) {
      if (!done) return Error(done.error()).WithContext("user \"" + name + "\"");
    }
  }
  for (auto& [name, cluster] : flat.clusters) {
    const Result<void> done = Inline(cluster.certificate_authority,
                                     cluster.certificate_authority_data, "certificate-authority");
    if (!done) return Error(done.error()).WithContext("cluster \"" + name + "\"");
  }
  config = std::move(flat);
  return {};
}

void ShortenConfig(Config& config) {
  const std::string omitted = Reading("DATA+OMITTED");
  for (auto& [name, user] : config.auth_infos) {
    Replace(user.client_certificate_data, omitted);
    Replace(user.client_key_data, omitted);
    Replace(user.token, kRedacted);
  }
  for (auto& [name, cluster] : config.clusters) {
    Replace(cluster.certificate_authority_data, omitted);
  }
}

void RedactSecrets(Config& config) {
  for (auto& [name, user] : config.auth_infos) {
    Replace(user.client_certificate_data, Reading(kRedacted));
    Replace(user.client_key_data, Reading(kRedacted));
    Replace(user.token, kRedacted);
    Replace(user.password, kRedacted);
    if (user.auth_provider) {
      for (auto& [key, value] : user.auth_provider->config) {
        if (IsSecretName(key)) Replace(value, kRedacted);
      }
    }
    if (user.exec) RedactExec(*user.exec);
  }
  for (auto& [name, cluster] : config.clusters) {
    cluster.server = internal::base::RedactedUrl(cluster.server);
    cluster.proxy_url = internal::base::RedactedUrl(cluster.proxy_url);
  }
}

}  // namespace kinformer::clientcmdapi
