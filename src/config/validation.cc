// Validation of the entries that a context refers to.

#include <algorithm>
#include <utility>

#include "kinformer/client/clientcmd.h"

#include "base/text/redacted_url.h"
#include "base/text/url.h"
#include "config/config_errors.h"
#include "config/kubeconfig.h"
#include "config/oidc_keys.h"
#include "config/server_text.h"

namespace kinformer::internal::config {

namespace {

bool Readable(const std::string& path, const std::string& what, std::vector<std::string>& problems,
              const std::string& where) {
  auto text = ReadConfigFile(path, what);
  if (!text) problems.push_back(where + ": " + text.error().message());
  return text.ok();
}

}  // namespace

std::vector<std::string> ValidateCluster(const clientcmdapi::Cluster& cluster,
                                         const std::string& where) {
  std::vector<std::string> problems;
  if (cluster.server.empty())
    problems.push_back(where + ": it has no server; set clusters[].cluster.server");
  if (!cluster.certificate_authority.empty() && !cluster.certificate_authority_data.empty()) {
    problems.push_back(
        where +
        ": certificate-authority and certificate-authority-data are both given: remove one");
  } else if (!cluster.certificate_authority.empty()) {
    Readable(cluster.certificate_authority, "certificate-authority", problems, where);
  }
  if (!cluster.server.empty()) {
    if (const auto misspelled = CheckSpelling(cluster.server, "server")) {
      problems.push_back(where + ": " + misspelled->message());
    } else if (const auto url = base::ParseUrl(cluster.server, "server"); !url) {
      problems.push_back(where + ": " + url.error().message());
    }
  }
  if (!cluster.proxy_url.empty()) {
    const auto url = base::ParseUrl(cluster.proxy_url, "proxy-url");
    if (!url) {
      problems.push_back(where + ": " + url.error().message());
    } else if (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5") {
      problems.push_back(where + ": proxy-url \"" + base::RedactedUrl(cluster.proxy_url) +
                         "\" must begin with http://, https:// or socks5://");
    }
  }
  return problems;
}

namespace {

void ValidateClientCertificate(const clientcmdapi::AuthInfo& user, const std::string& where,
                               std::vector<std::string>& problems) {
  const bool has_cert = !user.client_certificate.empty() || !user.client_certificate_data.empty();
  const bool has_key = !user.client_key.empty() || !user.client_key_data.empty();
  if (!has_cert && !has_key) return;
  if (!user.client_certificate.empty() && !user.client_certificate_data.empty()) {
    problems.push_back(
        where + ": client-certificate and client-certificate-data are both given: remove one");
  }
  if (!user.client_key.empty() && !user.client_key_data.empty()) {
    problems.push_back(where + ": client-key and client-key-data are both given: remove one");
  }
  if (!has_cert) problems.push_back(where + ": client-key is given without client-certificate");
  if (!has_key) problems.push_back(where + ": client-certificate is given without client-key");
  if (user.client_certificate_data.empty() && !user.client_certificate.empty()) {
    Readable(user.client_certificate, "client-certificate", problems, where);
  }
  if (user.client_key_data.empty() && !user.client_key.empty()) {
    Readable(user.client_key, "client-key", problems, where);
  }
}

void ValidateExec(const ExecConfig& exec, const std::string& at,
                  std::vector<std::string>& problems) {
  if (exec.command.empty()) problems.push_back(at + ": command is missing");
  if (exec.api_version.empty()) {
    problems.push_back(
        at + ": apiVersion is missing; it is client.authentication.k8s.io/v1 or /v1beta1");
  }
  for (const auto& variable : exec.env) {
    if (variable.first.empty()) problems.push_back(at + ": an entry of env has no name");
  }
  if (exec.interactive_mode.empty()) {
    problems.push_back(at + ": interactiveMode is missing; it is Never, IfAvailable or Always");
  } else if (exec.interactive_mode != "Never" && exec.interactive_mode != "IfAvailable" &&
             exec.interactive_mode != "Always") {
    problems.push_back(at + ": interactiveMode \"" + exec.interactive_mode +
                       "\" is not known; it is Never, IfAvailable or Always");
  }
}

void ValidateOidc(const clientcmdapi::AuthInfo& user, const std::string& where,
                  std::vector<std::string>& problems) {
  const OidcConfig oidc = OidcOf(user);
  if (!oidc.refresh_token.empty()) {
    if (oidc.issuer_url.empty() || oidc.client_id.empty()) {
      problems.push_back(where +
                         ": the refresh-token of auth-provider oidc needs idp-issuer-url and "
                         "client-id");
    }
  } else if (IdTokenOf(user).empty() && user.token.empty() && user.token_file.empty()) {
    problems.push_back(
        where +
        ": auth-provider oidc has neither an id-token nor a refresh-token; log in, "
        "so that the kubeconfig has them, or use an exec plugin (users[].user.exec)");
  }
}

}  // namespace

std::vector<std::string> ValidateUser(const clientcmdapi::AuthInfo& user,
                                      const std::string& where) {
  std::vector<std::string> problems;
  if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
    problems.push_back(where +
                       ": more than one authentication method: token and username/password; "
                       "remove one");
  }
  ValidateClientCertificate(user, where, problems);
  if (user.exec) {
    const std::string at = where + ".exec";
    if (user.auth_provider) {
      problems.push_back(at + ": exec and auth-provider exclude each other: remove one");
    }
    ValidateExec(*user.exec, at, problems);
  } else if (user.auth_provider && user.auth_provider->name == "oidc") {
    ValidateOidc(user, where, problems);
  } else if (user.auth_provider) {
    const std::string& name = user.auth_provider->name;
    problems.push_back(where + ": auth-provider \"" + (name.empty() ? "(unnamed)" : name) +
                       "\" is not supported; use an exec plugin (users[].user.exec) instead");
  }
  const bool more = !user.impersonate_uid.empty() || !user.impersonate_groups.empty() ||
                    !user.impersonate_user_extra.empty();
  if (user.impersonate.empty() && more) {
    problems.push_back(where + ": as-uid, as-groups and as-user-extra need as");
  }
  return problems;
}

namespace {

void Move(std::vector<std::string>& to, std::vector<std::string> from) {
  for (std::string& problem : from) to.push_back(std::move(problem));
}

// Checks what a context itself says.
void ValidateContext(const clientcmdapi::Config& config, const std::string& name,
                     const clientcmdapi::Context& context, std::vector<std::string>& problems) {
  const std::string where = "context \"" + name + "\" of " + In(context.location_of_origin);
  if (name.empty()) problems.push_back(where + ": it has no name, so that nobody can choose it");
  if (context.cluster.empty()) {
    problems.push_back(where + ": it names no cluster");
  } else if (!config.clusters.contains(context.cluster)) {
    problems.push_back(where + ": cluster \"" + context.cluster + "\" does not exist; " +
                       Names(config.clusters, "clusters"));
  }
  if (context.auth_info.empty()) {
    problems.push_back(where + ": it names no user");
  } else if (!config.auth_infos.contains(context.auth_info)) {
    problems.push_back(where + ": user \"" + context.auth_info + "\" does not exist; " +
                       Names(config.auth_infos, "users"));
  }
  if (const std::string& space = context.namespace_; !space.empty() && !IsDnsLabel(space)) {
    problems.push_back(where + ": namespace \"" + space +
                       "\" is not a valid name: lower case letters, digits and '-', at most 63");
  }
}

Error NoContext(const clientcmdapi::Config& config, const std::string& name) {
  return Classified("ContextNotFound", "context \"" + name + "\" does not exist in " +
                                           In(config.location_of_origin) + "; " +
                                           Names(config.contexts, "contexts"));
}

Error NothingThere() {
  return Classified("EmptyConfig", "no configuration has been provided: the kubeconfig is empty");
}

}  // namespace

bool IsDnsLabel(const std::string& name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 63 && plain(name.front()) && plain(name.back()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '-'; });
}

}  // namespace kinformer::internal::config

namespace kinformer::clientcmd {

using namespace internal::config;  // NOLINT(google-build-using-namespace): its functions' checks

Result<void> Validate(const clientcmdapi::Config& config) {
  if (clientcmdapi::IsConfigEmpty(config)) return NothingThere();
  std::vector<std::string> problems;
  for (const auto& [name, context] : config.contexts) {
    ValidateContext(config, name, context, problems);
  }
  for (const auto& [name, user] : config.auth_infos) {
    Move(problems, ValidateUser(user, PlaceOf("user", name, user.location_of_origin)));
  }
  for (const auto& [name, cluster] : config.clusters) {
    Move(problems, ValidateCluster(cluster, PlaceOf("cluster", name, cluster.location_of_origin)));
  }
  const std::string& current = config.current_context;
  const bool lost = !current.empty() && !config.contexts.contains(current);
  if (lost && problems.empty()) return NoContext(config, current);
  if (lost) problems.insert(problems.begin(), NoContext(config, current).message());
  if (problems.empty()) return {};
  Error error = Invalid(problems);
  if (!lost) return error;
  StatusDetails details = error.details();
  details.causes.push_back({.reason = "ContextNotFound", .message = problems.front()});
  return std::move(error).WithDetails(std::move(details));
}

Result<void> ConfirmUsable(const clientcmdapi::Config& config, const std::string& context) {
  if (clientcmdapi::IsConfigEmpty(config)) return NothingThere();
  const std::string& name = context.empty() ? config.current_context : context;
  const auto found = config.contexts.find(name);
  if (found == config.contexts.end()) return NoContext(config, name);
  std::vector<std::string> problems;
  ValidateContext(config, name, found->second, problems);
  const auto user = config.auth_infos.find(found->second.auth_info);
  if (user != config.auth_infos.end()) {
    const std::string where = PlaceOf("user", user->first, user->second.location_of_origin);
    Move(problems, ValidateUser(user->second, where));
  }
  const auto cluster = config.clusters.find(found->second.cluster);
  if (cluster != config.clusters.end()) {
    const std::string where =
        PlaceOf("cluster", cluster->first, cluster->second.location_of_origin);
    Move(problems, ValidateCluster(cluster->second, where));
  }
  if (!problems.empty()) return Invalid(problems);
  return {};
}

}  // namespace kinformer::clientcmd
