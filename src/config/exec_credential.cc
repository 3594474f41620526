#include "kinformer/client/exec_credential.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "config/exec_plugin.h"
#include "object/values/text_forms.h"

namespace kinformer {
namespace {

using json::Value;

Error Malformed(const std::string& why) { return Error(Reason::kConfig, "ExecCredential: " + why); }

bool BoolOf(const Value& object, std::string_view name) {
  return object[name].AsBool().value_or(false);
}

Value ClusterJson(const exec::Cluster& cluster) {
  Value about = Value::MakeObject({{"server", cluster.server}});
  if (!cluster.tls_server_name.empty()) about.Set("tls-server-name", cluster.tls_server_name);
  if (cluster.insecure_skip_tls_verify) about.Set("insecure-skip-tls-verify", true);
  if (!cluster.certificate_authority_data.empty()) {
    std::string encoded;
    internal::AppendBase64(cluster.certificate_authority_data, encoded);
    about.Set("certificate-authority-data", std::move(encoded));
  }
  if (!cluster.proxy_url.empty()) about.Set("proxy-url", cluster.proxy_url);
  if (cluster.disable_compression) about.Set("disable-compression", true);
  if (!cluster.config.is_null()) about.Set("config", cluster.config);
  return about;
}

Value StatusJson(const exec::ExecCredentialStatus& status) {
  Value answer = Value::MakeObject();
  if (status.expiration_timestamp) {
    std::string time;
    internal::AppendRfc3339(std::chrono::floor<std::chrono::seconds>(*status.expiration_timestamp)
                                .time_since_epoch()
                                .count(),
                            time);
    answer.Set("expirationTimestamp", std::move(time));
  }
  if (!status.token.empty()) answer.Set("token", status.token);
  if (!status.client_certificate_data.empty()) {
    answer.Set("clientCertificateData", status.client_certificate_data);
  }
  if (!status.client_key_data.empty()) answer.Set("clientKeyData", status.client_key_data);
  return answer;
}

Result<exec::Cluster> ClusterOf(const Value& about) {
  exec::Cluster cluster;
  cluster.server = about["server"].StringOrEmpty();
  cluster.tls_server_name = about["tls-server-name"].StringOrEmpty();
  cluster.insecure_skip_tls_verify = BoolOf(about, "insecure-skip-tls-verify");
  const std::string& encoded = about["certificate-authority-data"].StringOrEmpty();
  std::optional<std::string> data = internal::Base64Decode(encoded);
  if (!data) return Malformed("spec.cluster.certificate-authority-data is not base64");
  cluster.certificate_authority_data = *std::move(data);
  cluster.proxy_url = about["proxy-url"].StringOrEmpty();
  cluster.disable_compression = BoolOf(about, "disable-compression");
  cluster.config = about["config"];
  return cluster;
}

Result<exec::ExecCredentialStatus> StatusOf(const Value& answer) {
  exec::ExecCredentialStatus status;
  status.token = answer["token"].StringOrEmpty();
  status.client_certificate_data = answer["clientCertificateData"].StringOrEmpty();
  status.client_key_data = answer["clientKeyData"].StringOrEmpty();
  const std::string& expiry = answer["expirationTimestamp"].StringOrEmpty();
  if (!expiry.empty()) {
    const auto time = internal::ParseRfc3339(expiry);
    if (!time) return Malformed("status.expirationTimestamp is not a time");
    status.expiration_timestamp = internal::config::SaturatedTime(time->seconds, time->nanos);
  }
  return status;
}

}  // namespace

std::string exec::ExecCredential::ToJson() const {
  Value asked = Value::MakeObject({{"interactive", spec.interactive}});
  if (spec.cluster) asked.Set("cluster", ClusterJson(*spec.cluster));
  Value object = Value::MakeObject(
      {{"kind", "ExecCredential"}, {"apiVersion", api_version}, {"spec", std::move(asked)}});
  if (status) object.Set("status", StatusJson(*status));
  return object.Dump();
}

Result<exec::ExecCredential> exec::LoadExecCredential(std::string_view text) {
  const auto parsed = json::Parse(text);
  // It may have a token in it, so it is not in the message.
  if (!parsed || !parsed->is_object()) return Malformed("it is not a JSON object");
  ExecCredential credential;
  credential.api_version = (*parsed)["apiVersion"].StringOrEmpty();
  if (credential.api_version != "client.authentication.k8s.io/v1" &&
      credential.api_version != "client.authentication.k8s.io/v1beta1") {
    return Malformed("apiVersion \"" + credential.api_version +
                     "\" is not supported; it is client.authentication.k8s.io/v1 or /v1beta1");
  }
  const std::string& kind = (*parsed)["kind"].StringOrEmpty();
  if (kind != "ExecCredential") return Malformed("its kind is \"" + kind + "\"");
  const Value& asked = (*parsed)["spec"];
  credential.spec.interactive = BoolOf(asked, "interactive");
  if (asked["cluster"].is_object()) {
    Result<Cluster> cluster = ClusterOf(asked["cluster"]);
    if (!cluster) return std::move(cluster).error();
    credential.spec.cluster = *std::move(cluster);
  }
  if ((*parsed)["status"].is_object()) {
    Result<ExecCredentialStatus> read = StatusOf((*parsed)["status"]);
    if (!read) return std::move(read).error();
    credential.status = *std::move(read);
  }
  return credential;
}

Result<exec::ExecCredential> exec::LoadExecCredentialFromEnv() {
  const char* const text = std::getenv("KUBERNETES_EXEC_INFO");
  if (text == nullptr || *text == '\0') {
    return Error(Reason::kConfig,
                 "KUBERNETES_EXEC_INFO is unset or empty: this program is a credential plugin, and "
                 "runs where a kubeconfig names it (users[].user.exec)");
  }
  Result<ExecCredential> credential = LoadExecCredential(text);
  if (credential) return credential;
  return Error(credential.error()).WithContext("KUBERNETES_EXEC_INFO");
}

Result<Config> ExecClusterToConfig(const exec::Cluster& cluster) {
  if (cluster.server.empty()) {
    return Error(Reason::kConfig, "the cluster of the ExecCredential has no server");
  }
  Config config;
  config.host = cluster.server;
  config.namespace_ = "default";
  config.tls.server_name = cluster.tls_server_name;
  config.tls.insecure = cluster.insecure_skip_tls_verify;
  config.tls.ca_data = cluster.certificate_authority_data;
  config.proxy_url = cluster.proxy_url;
  config.disable_compression = cluster.disable_compression;
  config.origin = "the cluster of the ExecCredential";
  const Result<HttpTransportOptions> good = TransportOptionsFor(config);
  if (!good) return Error(good.error()).WithContext(config.origin);
  return config;
}

}  // namespace kinformer
