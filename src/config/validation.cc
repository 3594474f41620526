// Validation of the entries that a context refers to.

#include <filesystem>
#include <system_error>

#include "base/text/redacted_url.h"
#include "base/text/url.h"
#include "config/kubeconfig.h"
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

std::vector<std::string> ValidateCluster(const KubeCluster& cluster, const std::string& where) {
  std::vector<std::string> problems;
  if (cluster.server.empty())
    problems.push_back(where + ": it has no server; set clusters[].cluster.server");
  if (!cluster.ca_file.empty() && !cluster.ca_data.empty()) {
    problems.push_back(
        where +
        ": certificate-authority and certificate-authority-data are both given: remove one");
  } else if (!cluster.ca_file.empty()) {
    Readable(cluster.ca_file, "certificate-authority", problems, where);
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

void ValidateClientCertificate(const KubeUser& user, const std::string& where,
                               std::vector<std::string>& problems) {
  const bool has_cert = !user.cert_file.empty() || !user.cert_data.empty();
  const bool has_key = !user.key_file.empty() || !user.key_data.empty();
  if (!has_cert && !has_key) return;
  if (!user.cert_file.empty() && !user.cert_data.empty()) {
    problems.push_back(
        where + ": client-certificate and client-certificate-data are both given: remove one");
  }
  if (!user.key_file.empty() && !user.key_data.empty()) {
    problems.push_back(where + ": client-key and client-key-data are both given: remove one");
  }
  if (!has_cert) problems.push_back(where + ": client-key is given without client-certificate");
  if (!has_key) problems.push_back(where + ": client-certificate is given without client-key");
  if (user.cert_data.empty() && !user.cert_file.empty()) {
    Readable(user.cert_file, "client-certificate", problems, where);
  }
  if (user.key_data.empty() && !user.key_file.empty()) {
    Readable(user.key_file, "client-key", problems, where);
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

void ValidateOidc(const KubeUser& user, const std::string& where,
                  std::vector<std::string>& problems) {
  const OidcConfig& oidc = user.oidc;
  if (!oidc.refresh_token.empty()) {
    if (oidc.issuer_url.empty() || oidc.client_id.empty()) {
      problems.push_back(where +
                         ": the refresh-token of auth-provider oidc needs idp-issuer-url and "
                         "client-id");
    }
  } else if (user.id_token.empty() && user.token.empty() && user.token_file.empty()) {
    problems.push_back(
        where +
        ": auth-provider oidc has neither an id-token nor a refresh-token; log in, "
        "so that the kubeconfig has them, or use an exec plugin (users[].user.exec)");
  }
}

}  // namespace

std::vector<std::string> ValidateUser(const KubeUser& user, const std::string& where) {
  std::vector<std::string> problems;
  if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
    problems.push_back(where +
                       ": more than one authentication method: token and username/password; "
                       "remove one");
  }
  ValidateClientCertificate(user, where, problems);
  if (user.exec) {
    const std::string at = where + ".exec";
    if (!user.auth_provider.empty()) {
      problems.push_back(at + ": exec and auth-provider exclude each other: remove one");
    }
    ValidateExec(*user.exec, at, problems);
  } else if (user.auth_provider == "oidc") {
    ValidateOidc(user, where, problems);
  } else if (!user.auth_provider.empty()) {
    problems.push_back(where + ": auth-provider \"" + user.auth_provider +
                       "\" is not supported; use an exec plugin (users[].user.exec) instead");
  }
  const ImpersonationConfig& as = user.impersonate;
  if (as.user_name.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
    problems.push_back(where + ": as-uid, as-groups and as-user-extra need as");
  }
  return problems;
}

}  // namespace kinformer::internal::config
