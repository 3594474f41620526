// Converts a Config to the options of the transport.

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/client/config.h"

#include "base/core/seconds.h"
#include "base/text/number_in.h"
#include "base/text/redacted_url.h"
#include "base/text/url.h"
#include "config/bearer.h"
#include "config/credentials.h"
#include "config/kubeconfig.h"
#include "config/oidc.h"
#include "config/plugin_policy.h"
#include "config/server_text.h"
#include "object/values/text_forms.h"
#include "transport/header_key.h"

namespace kinformer {

namespace {

std::optional<long> SecondsFrom(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::optional<long> seconds = internal::base::NumberIn<long>(text);
  return seconds && *seconds >= 0 ? seconds : std::nullopt;
}

Result<std::shared_ptr<CredentialSource>> CredentialsFor(const Config& config,
                                                         const std::string& url) {
  if (config.credentials != nullptr) return config.credentials;
  if (!config.bearer_token_file.empty()) {
    if (config.bearer_token.empty()) {
      auto readable = internal::config::ReadConfigFile(config.bearer_token_file, "token file");
      if (!readable) return readable.error();
    }
    return internal::config::NewTokenFileCredentials(config.bearer_token_file, config.bearer_token);
  }
  if (!config.bearer_token.empty()) {
    Result<std::string> bearer = internal::config::BearerOf(
        config.bearer_token, config.origin.empty() ? "Config::bearer_token" : config.origin);
    if (!bearer) return bearer.error();
    return internal::config::NewStaticCredentials(*std::move(bearer));
  }
  if (!config.username.empty() || !config.password.empty()) {
    std::string authorization = "Basic ";
    internal::AppendBase64(config.username + ":" + config.password, authorization);
    return internal::config::NewStaticCredentials(std::move(authorization));
  }
  const bool has_cert = !config.tls.cert_data.empty() || !config.tls.cert_file.empty();
  if (config.oidc && !config.oidc->refresh_token.empty()) {
    return internal::config::NewOidcCredentials(
        internal::config::SharedIdToken::For(config.id_token, *config.oidc), config.origin);
  }
  if (!config.id_token.empty()) {
    return internal::config::NewIdTokenCredentials(config.id_token, config.origin);
  }
  if (!config.exec || has_cert) return std::shared_ptr<CredentialSource>();
  const ExecConfig& exec = *config.exec;
  if (exec.api_version != "client.authentication.k8s.io/v1" &&
      exec.api_version != "client.authentication.k8s.io/v1beta1") {
    return Error(Reason::kConfig, "credential plugin " + exec.command + ": apiVersion \"" +
                                      exec.api_version +
                                      "\" is not supported; use client.authentication.k8s.io/v1 or "
                                      "/v1beta1");
  }
  if (Result<void> done = internal::config::CheckPolicy(exec); !done) return done.error();
  internal::config::ExecCluster cluster{.server = url,
                                        .tls_server_name = config.tls.server_name,
                                        .insecure = config.tls.insecure,
                                        .ca_data = config.tls.ca_data,
                                        .proxy_url = config.proxy_url,
                                        .disable_compression = config.disable_compression,
                                        .config = exec.cluster_config};
  if (exec.provide_cluster_info && cluster.ca_data.empty() && !config.tls.ca_file.empty()) {
    auto ca = internal::config::ReadConfigFile(config.tls.ca_file, "certificate-authority");
    if (!ca) return ca.error();
    cluster.ca_data = *std::move(ca);
  }
  return internal::config::NewExecCredentials(exec, cluster);
}

}  // namespace

Result<std::string> ServerUrlFor(const Config& config) {
  const std::string host = config.host.empty() ? "localhost" : config.host;
  if (std::optional<Error> wrong = internal::config::CheckSpelling(host, "host")) {
    return *std::move(wrong);
  }
  Result<internal::base::Url> parsed = internal::base::ParseUrl(host, "host");
  if (!parsed) return parsed.error();
  internal::base::Url url = *std::move(parsed);
  if (url.scheme.empty()) {
    if (!url.path.empty()) {
      return Error(Reason::kConfig, "host \"" + internal::base::RedactedUrl(host) +
                                        "\" must be a URL or a host:port pair; write https://" +
                                        internal::base::RedactedUrl(host));
    }
    const TlsClientConfig& tls = config.tls;
    const bool secure = tls.insecure || !tls.ca_data.empty() || !tls.ca_file.empty() ||
                        !tls.cert_data.empty() || !tls.cert_file.empty();
    url.scheme = secure ? "https" : "http";
  }
  url.query.clear();
  url.fragment.clear();
  while (url.path.ends_with('/')) url.path.pop_back();
  return url.ToString();
}

Result<HttpTransportOptions> TransportOptionsFor(const Config& config) {
  auto url = ServerUrlFor(config);
  if (!url) return url.error();
  HttpTransportOptions out;
  out.base_url = *url;
  out.user_agent = config.user_agent;
  out.proxy_url = config.proxy_url;
  out.dial = config.dial;
  const bool has_token = !config.bearer_token.empty() || !config.bearer_token_file.empty();
  if (has_token && (!config.username.empty() || !config.password.empty())) {
    return Error(Reason::kConfig,
                 "a bearer token and username/password are both given: remove one");
  }
  if (internal::base::SplitUrl(*url).https()) {
    const TlsClientConfig& tls = config.tls;
    if (tls.insecure && (!tls.ca_data.empty() || !tls.ca_file.empty())) {
      return Error(
          Reason::kConfig,
          "certificate-authority and insecure-skip-tls-verify exclude each other: remove one");
    }
    out.tls = {.insecure_skip_verify = tls.insecure,
               .server_name = tls.server_name,
               .ca_pem = tls.ca_data,
               .ca_file = tls.ca_file,
               .cert_pem = tls.cert_data,
               .cert_file = tls.cert_file,
               .key_pem = tls.key_data,
               .key_file = tls.key_file};
  }
  auto credentials = CredentialsFor(config, *url);
  if (!credentials) return credentials.error();
  out.credentials = *std::move(credentials);

  const ImpersonationConfig& as = config.impersonate;
  if (as.user_name.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
    return Error(Reason::kConfig,
                 "impersonating a uid, groups or extra fields needs a user name, too");
  }
  if (!as.user_name.empty()) {
    out.headers.Add("Impersonate-User", as.user_name);
    if (!as.uid.empty()) out.headers.Add("Impersonate-Uid", as.uid);
    for (const auto& group : as.groups) out.headers.Add("Impersonate-Group", group);
    for (const auto& [key, values] : as.extra) {
      for (const auto& value : values)
        out.headers.Add("Impersonate-Extra-" + internal::transport::EscapedHeaderKey(key), value);
    }
  }

  // The same environment variables as in client-go.
  const char* disable = std::getenv("DISABLE_HTTP2");
  out.disable_http2 = disable != nullptr && *disable != '\0';
  if (const auto idle = SecondsFrom("HTTP2_READ_IDLE_TIMEOUT_SECONDS")) {
    out.read_idle_timeout = internal::base::SaturatedSeconds(*idle);
  }
  if (const auto ping = SecondsFrom("HTTP2_PING_TIMEOUT_SECONDS"); ping && *ping > 0) {
    out.ping_timeout = internal::base::SaturatedSeconds(*ping);
  }
  return out;
}

}  // namespace kinformer
