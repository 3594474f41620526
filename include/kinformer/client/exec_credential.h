// kinformer/client/exec_credential.h
//
// exec: for programs that are credential plugins (users[].user.exec of a kubeconfig): what they are
// asked, and what they answer. Clients run plugins by themselves: Config::exec (config.h).
//
//   exec::ExecCredential credential = exec::LoadExecCredentialFromEnv().OrExit();
//   credential.status = exec::ExecCredentialStatus{.token = token};
//   std::cout << credential.ToJson() << '\n';
//
// Counterparts: the packages tools/auth/exec and pkg/apis/clientauthentication.

#ifndef KINFORMER_CLIENT_EXEC_CREDENTIAL_H_
#define KINFORMER_CLIENT_EXEC_CREDENTIAL_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/config.h"
#include "kinformer/json/json.h"

namespace kinformer {
namespace exec {

// The cluster that a credential is for. Plugins are told if the kubeconfig says provideClusterInfo.
struct Cluster {
  std::string server{};           // "https://10.0.0.1:6443"
  std::string tls_server_name{};  // empty: the server's host
  bool insecure_skip_tls_verify{false};
  std::string certificate_authority_data{};  // PEM
  std::string proxy_url{};
  bool disable_compression{false};
  json::Value
      config{};  // of the cluster's extension client.authentication.k8s.io/exec; may be null
};

// Question to a plugin.
struct ExecCredentialSpec {
  std::optional<Cluster> cluster{};
  bool interactive{false};  // standard input is a terminal that the plugin may use
};

// Answer of a plugin: a token, a certificate with its key, or both.
struct ExecCredentialStatus {
  std::optional<WallTime> expiration_timestamp{};  // none: good for the life of the client
  std::string token{};
  std::string client_certificate_data{};  // PEM, with its chain
  std::string client_key_data{};          // PEM
};

// Both, of client.authentication.k8s.io/v1 or v1beta1. A value.
struct ExecCredential {
  std::string api_version{"client.authentication.k8s.io/v1"};  // an answer has that of the question
  ExecCredentialSpec spec{};
  std::optional<ExecCredentialStatus> status{};

  // Returns the text that a plugin prints: it has secrets in it.
  [[nodiscard]] std::string ToJson() const;
};

// Reads a question, or an answer that a plugin has kept in a file, of JSON. kConfig: another
// version or kind, a malformed time, base64 or URL. The message has nothing of a status in it. A
// question without a cluster is no error, as it is in client-go: spec.cluster is empty.
Result<ExecCredential> LoadExecCredential(std::string_view text);
// Reads the question in the variable KUBERNETES_EXEC_INFO. kConfig: it is unset or empty.
Result<ExecCredential> LoadExecCredentialFromEnv();

}  // namespace exec

// Returns a configuration, without credentials, for the cluster that a plugin was told about.
// kConfig: it has no server, or options that exclude each other. Its extension is left out.
Result<Config> ExecClusterToConfig(const exec::Cluster& cluster);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_EXEC_CREDENTIAL_H_
