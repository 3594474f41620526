// Formats a Config as text, for people and as a kubeconfig.

#include "kinformer/client/config.h"

#include "kinformer/client/clientcmd.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "base/text/redacted_url.h"
#include "config/kubeconfig.h"
#include "object/values/text_forms.h"

namespace kinformer {

namespace {

using json::Value;

constexpr char kRedacted[] = "--- REDACTED ---";

std::string Base64(const std::string& bytes) {
  std::string out;
  internal::AppendBase64(bytes, out);
  return out;
}

void SetText(Value& map, const char* name, const std::string& value) {
  if (!value.empty()) map.Set(name, value);
}

Value Strings(const std::vector<std::string>& list) {
  Value out = Value::MakeArray();
  for (const auto& item : list) out.Append(item);
  return out;
}

Value Named(const std::string& name, const char* kind, Value body) {
  return Value::MakeObject({{"name", name}, {kind, std::move(body)}});
}

// Returns the keys of auth-provider oidc.
Value OidcKeys(const Config& config) {
  Value out = Value::MakeObject();
  SetText(out, "id-token", config.id_token);
  if (!config.oidc) return out;
  SetText(out, "idp-issuer-url", config.oidc->issuer_url);
  SetText(out, "client-id", config.oidc->client_id);
  SetText(out, "client-secret", config.oidc->client_secret);
  SetText(out, "refresh-token", config.oidc->refresh_token);
  if (!config.oidc->ca_data.empty()) {
    SetText(out, "idp-certificate-authority-data", Base64(config.oidc->ca_data));
  } else {
    SetText(out, "idp-certificate-authority", config.oidc->ca_file);
  }
  return out;
}

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
  add("as", impersonate.user_name);
  add("proxy-url", internal::base::RedactedUrl(proxy_url));
  add("transport wrappers", wrap_transport.empty() ? "" : std::to_string(wrap_transport.size()));
  return out;
}

std::string KubeconfigYaml(const Config& config, const std::string& name) {
  Value cluster = Value::MakeObject();
  SetText(cluster, "server", config.host);
  SetText(cluster, "tls-server-name", config.tls.server_name);
  if (config.tls.insecure) cluster.Set("insecure-skip-tls-verify", true);
  if (!config.tls.ca_data.empty()) {
    cluster.Set("certificate-authority-data", Base64(config.tls.ca_data));
  } else {
    SetText(cluster, "certificate-authority", config.tls.ca_file);
  }
  SetText(cluster, "proxy-url", config.proxy_url);
  if (config.disable_compression) cluster.Set("disable-compression", true);

  Value user = Value::MakeObject();
  if (!config.tls.cert_data.empty()) {
    user.Set("client-certificate-data", Base64(config.tls.cert_data));
  } else {
    SetText(user, "client-certificate", config.tls.cert_file);
  }
  if (!config.tls.key_data.empty()) {
    user.Set("client-key-data", Base64(config.tls.key_data));
  } else {
    SetText(user, "client-key", config.tls.key_file);
  }
  SetText(user, "tokenFile", config.bearer_token_file);
  if (config.bearer_token_file.empty()) SetText(user, "token", config.bearer_token);
  if (Value provider = OidcKeys(config); provider.size() > 0) {
    user.Set("auth-provider",
             Value::MakeObject({{"name", "oidc"}, {"config", std::move(provider)}}));
  }
  SetText(user, "username", config.username);
  SetText(user, "password", config.password);
  SetText(user, "as", config.impersonate.user_name);
  SetText(user, "as-uid", config.impersonate.uid);
  if (!config.impersonate.groups.empty()) user.Set("as-groups", Strings(config.impersonate.groups));
  if (!config.impersonate.extra.empty()) {
    Value extra = Value::MakeObject();
    for (const auto& [key, values] : config.impersonate.extra) extra.Set(key, Strings(values));
    user.Set("as-user-extra", std::move(extra));
  }
  if (config.exec) {
    Value exec = Value::MakeObject({{"apiVersion", config.exec->api_version},
                                    {"command", config.exec->command},
                                    {"interactiveMode", config.exec->interactive_mode},
                                    {"provideClusterInfo", config.exec->provide_cluster_info}});
    if (!config.exec->args.empty()) exec.Set("args", Strings(config.exec->args));
    if (!config.exec->env.empty()) {
      Value env = Value::MakeArray();
      for (const auto& [key, value] : config.exec->env) {
        env.Append(Value::MakeObject({{"name", key}, {"value", value}}));
      }
      exec.Set("env", std::move(env));
    }
    SetText(exec, "installHint", config.exec->install_hint);
    user.Set("exec", std::move(exec));
  }

  Value context = Value::MakeObject({{"cluster", name}, {"user", name}});
  SetText(context, "namespace", config.namespace_);
  return yaml::Dump(Value::MakeObject(
      {{"apiVersion", "v1"},
       {"kind", "Config"},
       {"clusters", Value::MakeArray({Named(name, "cluster", std::move(cluster))})},
       {"users", Value::MakeArray({Named(name, "user", std::move(user))})},
       {"contexts", Value::MakeArray({Named(name, "context", std::move(context))})},
       {"current-context", name}}));
}

}  // namespace kinformer
