// kinformer/client/config.h
//
// Config: address of an API server, credentials, and limits. Read from a kubeconfig, from a pod's
// service account, or filled in by hand.
//
//   Config config = Config::LoadDefault().OrExit();  // what kubectl would use, or in a pod
//   Config dev = Config::FromKubeconfigFile("dev.yaml", {.context = "kind-a"}).OrExit();

#ifndef KINFORMER_CLIENT_CONFIG_H_
#define KINFORMER_CLIENT_CONFIG_H_

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/dialer.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/transport_wrapper.h"
#include "kinformer/internal/callable.h"

namespace kinformer {

// TLS settings, with the fields of rest.TLSClientConfig. Data wins over a file.
struct TlsClientConfig {
  bool insecure{false};
  std::string server_name{};
  std::string cert_file{};
  std::string key_file{};
  std::string ca_file{};
  std::string cert_data{};  // PEM, not base64
  std::string key_data{};
  std::string ca_data{};
};

// Identity that requests act as, if the server allows it. Counterpart: rest.ImpersonationConfig.
struct ImpersonationConfig {
  std::string user_name{};
  std::string uid{};
  std::vector<std::string> groups{};
  std::map<std::string, std::vector<std::string>> extra{};
};

// Choice of the credential plugins that may run: a kubeconfig from elsewhere can name any program.
// Counterpart: api.PluginPolicy, and credentialPluginPolicy of kubectl's kuberc file.
struct PluginPolicy {
  // "AllowAll" or empty; "DenyAll"; or "Allowlist": only those in `allowlist`.
  std::string policy_type{};
  // Each is a name that is searched in PATH, as a plugin's command is, or an absolute path. Links
  // are not followed: the plugin must be named by the same path.
  std::vector<std::string> allowlist{};
};

// A credential plugin (users[].user.exec). Clients of one process whose plugins are equal in every
// field share its answers.
struct ExecConfig {
  std::string command{};
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, std::string>> env{};
  std::string api_version{};  // "client.authentication.k8s.io/v1" or ".../v1beta1"
  std::string install_hint{};
  bool provide_cluster_info{false};
  std::string interactive_mode{};  // "Never", "IfAvailable", "Always"
  // Set it if the program itself reads standard input: the plugin then does not get the terminal.
  // The message says why, for a plugin that needs it.
  bool stdin_unavailable{false};
  std::string stdin_unavailable_message{};
  // Content of the cluster's extension client.authentication.k8s.io/exec, as JSON; may be empty.
  std::string cluster_config{};
  // Limit for the plugin's run, after which it is killed, unless it may ask a person.
  TimeSpan timeout{std::chrono::minutes(1)};
  // Checked before each run; never part of a kubeconfig.
  PluginPolicy plugin_policy{};
};

// How an id-token is renewed (the keys of auth-provider oidc in a kubeconfig). A user needs the
// first, the second and the refresh token for that.
struct OidcConfig {
  std::string issuer_url{};     // idp-issuer-url
  std::string client_id{};      // client-id
  std::string client_secret{};  // client-secret; empty for a public client
  std::string refresh_token{};  // refresh-token
  std::string ca_file{};        // idp-certificate-authority: whom to trust as the issuer, PEM
  std::string ca_data{};        // idp-certificate-authority-data, decoded; wins over the file
  // The kubeconfig, and the user in it, whose tokens are replaced by the renewed ones; empty: these
  // are kept in memory only. An issuer may accept a refresh token only once.
  std::string kubeconfig{};
  std::string user{};
};

// Values that override the kubeconfig's, like kubectl's flags of the same names; empty means "not
// given".
struct ConfigOverrides {
  std::string context{};
  std::string cluster{};
  std::string user{};
  std::string namespace_{};
  std::string server{};
  std::string tls_server_name{};
  std::optional<bool> insecure_skip_tls_verify{};
  std::string certificate_authority{};
  std::string client_certificate{};
  std::string client_key{};
  std::string token{};
  std::string username{};
  std::string password{};
  std::string proxy_url{};
  std::optional<bool> disable_compression{};
  std::string timeout{};  // "10" seconds or "1m30s"
  ImpersonationConfig impersonate{};
  std::string kubeconfig{};      // LoadDefault reads only this file
  PluginPolicy plugin_policy{};  // for the plugin of the kubeconfig, if it has one
};

// Everything a client needs to know about its server. A plain value; copying is cheap enough.
// Counterpart: rest.Config.
//
// The functions read files and the environment, in the calling thread. Their errors have
// Reason::kConfig and name the file, the line or field, and a remedy; for an unknown name they also
// list the known ones.
struct Config {
  std::string host{};        // "https://10.0.0.1:6443", "https://host/prefix", "host:port"
  std::string namespace_{};  // the context's, or "default"
  std::string user_agent{};
  TlsClientConfig tls{};
  std::string bearer_token{};
  // Reread when it changes; wins over bearer_token while it is readable.
  std::string bearer_token_file{};
  // An OpenID Connect id-token (auth-provider oidc): a bearer token that is used until it expires,
  // or is renewed then if `oidc` says how.
  std::string id_token{};
  std::optional<OidcConfig> oidc{};
  std::string username{};
  std::string password{};
  std::optional<ExecConfig> exec{};
  // Credentials of the program's own, such as a certificate::Manager's (certificate_manager.h), in
  // the place of the tokens, passwords and plugins above. Clients of several loops may share them
  // if they are thread-safe. Never part of a kubeconfig.
  std::shared_ptr<CredentialSource> credentials{};
  ImpersonationConfig impersonate{};
  std::string proxy_url{};
  double qps{0};  // 0: the client's default; negative: no limit
  int burst{0};
  // Limiter in place of qps and burst, which several clients may share.
  std::shared_ptr<flowcontrol::RateLimiter> rate_limiter{};
  TimeSpan timeout{};  // for each request that is not a watch; 0: none
  bool disable_compression{false};
  std::string content_type{};  // empty: protobuf for built-in kinds, else JSON
  // Opens the connections to the server, or to the proxy if there is one: DialUnixSocket,
  // DialAddress, or a function of the program (dialer.h). Each client has connections of its own,
  // so two of them share none, whatever their dial is; all connections of one client, of any kind
  // of request, are opened by its dial. Counterpart: rest.Config.Dial.
  DialFunc dial{};
  // Functions that wrap the transport of each client that is made from this: called in this order,
  // so that the last one's transport is the outermost and sees a request first; empty ones are left
  // out. If one throws or returns null, making the client fails with an error that names it.
  // Counterpart: rest.Config.WrapTransport, where the wrapped transport sees the credentials, too.
  std::vector<WrapperFunc> wrap_transport{};

  // Source of this configuration, for messages: "context kind-a of /home/u/.kube/config".
  std::string origin{};

  // Finds the configuration as kubectl does: overrides.kubeconfig, else the files of $KUBECONFIG
  // merged, else ~/.kube/config; in a pod, if these are empty or missing, InCluster.
  static Result<Config> LoadDefault(const ConfigOverrides& overrides = {});
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  static Result<Config> LoadDefault(const Text& /*path*/) {
    static_assert(internal::kNeverHolds<Text>,
                  "LoadDefault finds the files itself: FromKubeconfigFile(path) reads one, and "
                  "LoadDefault({.context = name}) chooses a context");
    return Error(Reason::kInvalidArgument, {});
  }
  static Result<Config> FromKubeconfigFile(const std::string& path,
                                           const ConfigOverrides& overrides = {});
  // Parses a kubeconfig. Relative paths in it are resolved against `base_dir`.
  static Result<Config> FromKubeconfig(std::string_view yaml, const std::string& base_dir = {},
                                       const ConfigOverrides& overrides = {});
  // Returns the configuration of the service account of this pod.
  static Result<Config> InCluster();

  // Adds `wrapper` to wrap_transport, as the outermost one.
  void Wrap(WrapperFunc wrapper) { wrap_transport.push_back(std::move(wrapper)); }

  // Returns a text for people, with every secret replaced by "--- REDACTED ---".
  [[nodiscard]] std::string ToString() const;
};

// Returns a copy without credentials, impersonation and wrappers of the transport: only the server,
// how it is trusted and reached (`dial`, too), and limits. Counterpart: rest.AnonymousClientConfig.
Config AnonymousClientConfig(const Config& config);

// Returns transport options for `config`. Checks that files exist, but does not read them; errors
// as above. A credential plugin first runs with the first request. Options have no wrappers: who
// makes a transport of them wraps it.
Result<HttpTransportOptions> TransportOptionsFor(const Config& config);

// Returns the base URL of `config`; a host without a scheme gets one by client-go's rules.
Result<std::string> ServerUrlFor(const Config& config);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CONFIG_H_
