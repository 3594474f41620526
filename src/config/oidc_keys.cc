#include "config/oidc_keys.h"

#include <filesystem>

#include "object/values/text_forms.h"

namespace kinformer::internal::config {

std::string IdTokenOf(const clientcmdapi::AuthInfo& user) {
  if (!user.auth_provider || user.auth_provider->name != "oidc") return {};
  const auto found = user.auth_provider->config.find("id-token");
  return found == user.auth_provider->config.end() ? std::string() : found->second;
}

OidcConfig OidcOf(const clientcmdapi::AuthInfo& user) {
  OidcConfig out;
  if (!user.auth_provider || user.auth_provider->name != "oidc") return out;
  const auto& keys = user.auth_provider->config;
  const auto take = [&keys](const char* key, std::string& value) {
    if (const auto found = keys.find(key); found != keys.end()) value = found->second;
  };
  take("idp-issuer-url", out.issuer_url);
  take("client-id", out.client_id);
  take("client-secret", out.client_secret);
  take("refresh-token", out.refresh_token);
  take("idp-certificate-authority", out.ca_file);
  take("idp-certificate-authority-data", out.ca_data);
  out.ca_data = Base64Decode(out.ca_data).value_or("");  // checked where it is read
  if (!out.ca_file.empty() && !user.location_of_origin.empty()) {
    const std::filesystem::path folder =
        std::filesystem::path(user.location_of_origin).parent_path();
    out.ca_file = (folder / out.ca_file).lexically_normal().string();
  }
  return out;
}

std::map<std::string, std::string> OidcKeys(const Config& config) {
  std::map<std::string, std::string> keys;
  const auto set = [&keys](const char* key, const std::string& value) {
    if (!value.empty()) keys[key] = value;
  };
  set("id-token", config.id_token);
  if (!config.oidc) return keys;
  set("idp-issuer-url", config.oidc->issuer_url);
  set("client-id", config.oidc->client_id);
  set("client-secret", config.oidc->client_secret);
  set("refresh-token", config.oidc->refresh_token);
  if (config.oidc->ca_data.empty()) {
    set("idp-certificate-authority", config.oidc->ca_file);
  } else {
    AppendBase64(config.oidc->ca_data, keys["idp-certificate-authority-data"]);
  }
  return keys;
}

}  // namespace kinformer::internal::config
