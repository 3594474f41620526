// Formats a Config as text, for people and as a kubeconfig.

#include "kinformer/client/config.h"

#include "kinformer/client/clientcmd.h"
#include "kinformer/json/yaml.h"

#include "base/text/redacted_url.h"
#include "config/kubeconfig_value.h"
#include "config/oidc_keys.h"

namespace kinformer {

namespace {

constexpr char kRedacted[] = "--- REDACTED ---";

}  // namespace

std::string Config::ToString() const {
  std::string out;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += (out.empty() ? "" : ", ") + std::string(name) + ": " + value;
  };
  const auto secret = [&](const char* name, const std::string& value) {
    add(name, value.empty() ? "" : kRedacted);
  };
  const auto data = [&](const char* name, const std::string& value) {
    add(name, value.empty() ? "" : "--- TRUNCATED ---");
  };
  add("host", internal::base::RedactedUrl(host));
  add("namespace", namespace_);
  add("origin", origin);
  add("user agent", user_agent);
  add("insecure", tls.insecure ? "true" : "");
  add("tls server name", tls.server_name);
  add("certificate-authority", tls.ca_file);
  data("certificate-authority-data", tls.ca_data);
  add("client-certificate", tls.cert_file);
  data("client-certificate-data", tls.cert_data);
  add("client-key", tls.key_file);
  secret("client-key-data", tls.key_data);
  secret("token", bearer_token);
  secret("id-token", id_token);
  if (oidc) {
    add("idp-issuer-url", internal::base::RedactedUrl(oidc->issuer_url));
    add("client-id", oidc->client_id);
    secret("client-secret", oidc->client_secret);
    secret("refresh-token", oidc->refresh_token);
  }
  add("tokenFile", bearer_token_file);
  add("username", username);
  secret("password", password);
  secret("exec", exec ? exec->command : "");
  add("credentials", credentials == nullptr ? "" : "of the program");
  add("as", impersonate.user_name);
  add("proxy-url", internal::base::RedactedUrl(proxy_url));
  add("dial", dial ? "a function" : "");
  add("transport wrappers", wrap_transport.empty() ? "" : std::to_string(wrap_transport.size()));
  return out;
}

std::string KubeconfigYaml(const Config& config, const std::string& name) {
  clientcmdapi::Config out;
  out.current_context = name;
  clientcmdapi::Cluster& cluster = out.clusters[name];
  cluster.server = config.host;
  cluster.tls_server_name = config.tls.server_name;
  cluster.insecure_skip_tls_verify = config.tls.insecure;
  cluster.certificate_authority_data = config.tls.ca_data;
  if (config.tls.ca_data.empty()) cluster.certificate_authority = config.tls.ca_file;
  cluster.proxy_url = config.proxy_url;
  cluster.disable_compression = config.disable_compression;

  clientcmdapi::AuthInfo& user = out.auth_infos[name];
  user.client_certificate_data = config.tls.cert_data;
  if (config.tls.cert_data.empty()) user.client_certificate = config.tls.cert_file;
  user.client_key_data = config.tls.key_data;
  if (config.tls.key_data.empty()) user.client_key = config.tls.key_file;
  user.token_file = config.bearer_token_file;
  if (config.bearer_token_file.empty()) user.token = config.bearer_token;
  if (const auto keys = internal::config::OidcKeys(config); !keys.empty()) {
    user.auth_provider = {.name = "oidc", .config = keys};
  }
  user.username = config.username;
  user.password = config.password;
  user.impersonate = config.impersonate.user_name;
  user.impersonate_uid = config.impersonate.uid;
  user.impersonate_groups = config.impersonate.groups;
  user.impersonate_user_extra = config.impersonate.extra;
  user.exec = config.exec;

  out.contexts[name] = {.cluster = name, .auth_info = name, .namespace_ = config.namespace_};
  return yaml::Dump(internal::config::KubeconfigValue(out));
}

}  // namespace kinformer
