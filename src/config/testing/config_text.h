// config/testing/config_text.h
//
// Described: all fields of a Config in one line, to compare with.

#ifndef KINFORMER_CONFIG_TESTING_CONFIG_TEXT_H_
#define KINFORMER_CONFIG_TESTING_CONFIG_TEXT_H_

#include <chrono>
#include <string>

#include "kinformer/client/config.h"

namespace kinformer {

// Returns "host=https://s token=t": each field that is not empty, separated by blanks.
inline std::string Described(const Config& config) {
  std::string out;
  const auto add = [&out](const std::string& name, const std::string& value) {
    if (!value.empty()) out += (out.empty() ? "" : " ") + name + "=" + value;
  };
  add("host", config.host);
  add("namespace", config.namespace_);
  add("agent", config.user_agent);
  add("insecure", config.tls.insecure ? "yes" : "");
  add("server-name", config.tls.server_name);
  add("cert-file", config.tls.cert_file);
  add("key-file", config.tls.key_file);
  add("ca-file", config.tls.ca_file);
  add("cert", config.tls.cert_data);
  add("key", config.tls.key_data);
  add("ca", config.tls.ca_data);
  add("token", config.bearer_token);
  add("token-file", config.bearer_token_file);
  add("id-token", config.id_token);
  if (config.oidc) {
    add("issuer", config.oidc->issuer_url);
    add("client-id", config.oidc->client_id);
    add("client-secret", config.oidc->client_secret);
    add("refresh-token", config.oidc->refresh_token);
    add("issuer-ca-file", config.oidc->ca_file);
    add("issuer-ca", config.oidc->ca_data);
  }
  add("username", config.username);
  add("password", config.password);
  add("exec", config.exec ? config.exec->command : "");
  add("credentials", config.credentials == nullptr ? "" : "of the program");
  add("as", config.impersonate.user_name);
  add("uid", config.impersonate.uid);
  for (const std::string& group : config.impersonate.groups) add("group", group);
  for (const auto& [key, values] : config.impersonate.extra) {
    for (const std::string& value : values) add("extra-" + key, value);
  }
  add("proxy", config.proxy_url);
  const Duration timeout = config.timeout;
  if (timeout != Duration()) {
    add("timeout-ms", std::to_string(timeout / std::chrono::milliseconds(1)));
  }
  add("compression", config.disable_compression ? "no" : "");
  add("origin", config.origin);
  return out;
}

}  // namespace kinformer

#endif  // KINFORMER_CONFIG_TESTING_CONFIG_TEXT_H_
