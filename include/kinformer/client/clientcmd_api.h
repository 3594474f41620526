// kinformer/client/clientcmd_api.h
//
// clientcmdapi::Config: the content of one or several kubeconfig files, as a value that can be
// read and changed. clientcmd.h loads and writes it.
//
//   clientcmdapi::Config file = clientcmd::LoadFromFile("/home/u/.kube/config").OrExit();
//   for (const auto& [name, context] : file.contexts) std::cout << name << '\n';
//
// Counterpart: the package clientcmd/api.

#ifndef KINFORMER_CLIENT_CLIENTCMD_API_H_
#define KINFORMER_CLIENT_CLIENTCMD_API_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/config.h"
#include "kinformer/json/json.h"

namespace kinformer::clientcmdapi {

// In each struct: `location_of_origin` is the file that the entry was read from, and so the one
// that a change of it is written to; empty for text. `extensions` are values that only the program
// that wrote them understands, by name. Paths are absolute if they were read from a file: those in
// the file are relative to its folder.

// A server. Counterpart: api.Cluster.
struct Cluster {
  std::string server{};
  std::string tls_server_name{};
  bool insecure_skip_tls_verify{false};
  std::string certificate_authority{};       // a file
  std::string certificate_authority_data{};  // PEM, not base64
  std::string proxy_url{};
  bool disable_compression{false};
  std::map<std::string, json::Value> extensions{};
  std::string location_of_origin{};
};

// A credential plugin of old; only oidc works. Counterpart: api.AuthProviderConfig.
struct AuthProviderConfig {
  std::string name{};
  std::map<std::string, std::string> config{};  // settings that are no text are left out
};

// A user's credentials. Counterpart: api.AuthInfo.
struct AuthInfo {
  std::string client_certificate{};       // a file
  std::string client_certificate_data{};  // PEM, not base64
  std::string client_key{};               // a file
  std::string client_key_data{};
  std::string token{};
  std::string token_file{};
  std::string impersonate{};
  std::string impersonate_uid{};
  std::vector<std::string> impersonate_groups{};
  std::map<std::string, std::vector<std::string>> impersonate_user_extra{};
  std::string username{};
  std::string password{};
  std::optional<AuthProviderConfig> auth_provider{};
  std::optional<ExecConfig> exec{};
  std::map<std::string, json::Value> extensions{};
  std::string location_of_origin{};
};

// A cluster, a user of it and a namespace. Counterpart: api.Context.
struct Context {
  std::string cluster{};    // a name in Config::clusters
  std::string auth_info{};  // a name in Config::auth_infos
  std::string namespace_{};
  std::map<std::string, json::Value> extensions{};
  std::string location_of_origin{};
};

// Settings of a person, which nobody reads any more. Counterpart: api.Preferences.
struct Preferences {
  bool colors{false};
  std::map<std::string, json::Value> extensions{};
};

// The content of a kubeconfig. A plain value. Fields of the file that are not here are not lost:
// clientcmd::WriteToFile and clientcmd::ModifyConfig change the file, and leave them where they
// are. Counterpart: api.Config.
struct Config {
  Preferences preferences{};
  std::map<std::string, Cluster> clusters{};
  std::map<std::string, AuthInfo> auth_infos{};  // `users` in the file
  std::map<std::string, Context> contexts{};
  std::string current_context{};
  std::map<std::string, json::Value> extensions{};
  std::string location_of_origin{};  // one file, or several, separated by ':'
};

// Returns true if there are no entries, no current context and no extensions.
[[nodiscard]] bool IsConfigEmpty(const Config& config);

// Removes all but the current context and the entries it refers to. kConfig if there is no current
// context (IsEmptyConfig in clientcmd.h), or one of the three is missing; `config` is unchanged
// then.
Result<void> MinifyConfig(Config& config);

// Replaces the files of certificates and keys by their content, so that the kubeconfig works on
// another machine. A token file stays: its content changes. kConfig if a file cannot be read;
// `config` is unchanged then.
Result<void> FlattenConfig(Config& config);

// Shortens what is too long to look at, as `kubectl config view` does: certificates and keys become
// "DATA+OMITTED" in the written text, and tokens "REDACTED".
void ShortenConfig(Config& config);

// Replaces secrets by "REDACTED", which is how data reads in the written text: client keys and
// certificates, tokens, passwords, and what is secret by its name in the settings of a plugin; and
// the passwords in URLs. The names of files stay.
void RedactSecrets(Config& config);

}  // namespace kinformer::clientcmdapi

#endif  // KINFORMER_CLIENT_CLIENTCMD_API_H_
