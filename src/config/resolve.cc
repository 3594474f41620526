// Makes one Config from kubeconfig entries and overrides.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/number_in.h"
#include "base/text/redacted_url.h"
#include "base/text/url.h"
#include "config/config_errors.h"
#include "config/kubeconfig.h"
#include "config/oidc_keys.h"
#include "config/path_hint.h"
#include "config/plugin_policy.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::config {

namespace {

constexpr char kExecExtension[] = "client.authentication.k8s.io/exec";

void Override(std::string& value, const std::string& by) {
  if (!by.empty()) value = by;
}

void OverrideCluster(clientcmdapi::Cluster& cluster, const ConfigOverrides& o) {
  Override(cluster.proxy_url, o.proxy_url);
  if (o.disable_compression) cluster.disable_compression = *o.disable_compression;
  if (!o.server.empty()) {
    cluster.server = o.server;
    // The configured name was for the other server.
    cluster.tls_server_name = o.tls_server_name;
  }
  Override(cluster.tls_server_name, o.tls_server_name);
  if (o.insecure_skip_tls_verify) {
    cluster.insecure_skip_tls_verify = *o.insecure_skip_tls_verify;
  }
  if (!o.certificate_authority.empty()) {
    cluster.certificate_authority = o.certificate_authority;
    cluster.certificate_authority_data.clear();
    if (!o.insecure_skip_tls_verify) cluster.insecure_skip_tls_verify = false;
  } else if (o.insecure_skip_tls_verify.value_or(false)) {
    cluster.certificate_authority.clear();
    cluster.certificate_authority_data.clear();
  }
}

void OverrideUser(clientcmdapi::AuthInfo& user, const ConfigOverrides& o) {
  if (!o.client_certificate.empty()) {
    user.client_certificate = o.client_certificate;
    user.client_certificate_data.clear();
  }
  if (!o.client_key.empty()) {
    user.client_key = o.client_key;
    user.client_key_data.clear();
  }
  if (!o.token.empty()) {
    user.token = o.token;
    user.token_file.clear();
  }
  Override(user.username, o.username);
  Override(user.password, o.password);
  Override(user.impersonate, o.impersonate.user_name);
  Override(user.impersonate_uid, o.impersonate.uid);
  if (!o.impersonate.groups.empty()) user.impersonate_groups = o.impersonate.groups;
  for (const auto& [key, values] : o.impersonate.extra) user.impersonate_user_extra[key] = values;
}

// One call of ResolveConfig, step by step.
class Resolver {
 public:
  Resolver(const clientcmdapi::Config& kubeconfig, const ConfigOverrides& overrides,
           const Surroundings& surroundings)
      : kubeconfig_(kubeconfig),
        overrides_(overrides),
        surroundings_(surroundings),
        in_(In(kubeconfig.location_of_origin)) {}

  Result<Config> Resolve() {
    for (const auto step : {&Resolver::FindContext, &Resolver::FindEntries,
                            &Resolver::ApplyOverrides, &Resolver::CheckEntries}) {
      if (Result<void> done = (this->*step)(); !done) return std::move(done).error();
    }
    Config out;
    out.host = cluster_.server;
    // It is validated with the other entries.
    base::Url server = base::SplitUrl(cluster_.server);
    if (!server.scheme.empty()) {
      server.query.clear();
      server.fragment.clear();
      out.host = server.ToString();
    }
    out.namespace_ = Namespace().empty() ? "default" : Namespace();
    out.proxy_url = cluster_.proxy_url;
    out.disable_compression = cluster_.disable_compression;
    out.impersonate = {.user_name = user_.impersonate,
                       .uid = user_.impersonate_uid,
                       .groups = user_.impersonate_groups,
                       .extra = user_.impersonate_user_extra};
    out.origin = context_name_.empty() ? kubeconfig_.location_of_origin
                                       : "context " + context_name_ + " of " + in_;
    if (!overrides_.timeout.empty()) {
      auto timeout = ParseTimeout(overrides_.timeout);
      if (!timeout) return timeout.error();
      out.timeout = *timeout;
    }
    // Credentials and certificates are used with https only, as in client-go.
    Result<void> done = server.https() ? AddCredentials(out) : CheckPlainServer(server, out.host);
    if (!done) return std::move(done).error();
    return out;
  }

 private:
  [[nodiscard]] std::string Namespace() const {
    return overrides_.namespace_.empty() ? context_.namespace_ : overrides_.namespace_;
  }

  Result<void> FindContext() {
    context_name_ = overrides_.context.empty() ? kubeconfig_.current_context : overrides_.context;
    if (context_name_.empty()) return {};
    const auto found = kubeconfig_.contexts.find(context_name_);
    if (found == kubeconfig_.contexts.end()) {
      const bool is_path = !overrides_.context.empty() && LooksLikePath(context_name_);
      const std::string advice =
          is_path ? "that is a path: {.kubeconfig = \"" + context_name_ + "\"}, or --kubeconfig"
                  : Names(kubeconfig_.contexts, "contexts");
      return Classified("ContextNotFound", "context \"" + context_name_ + "\" does not exist in " +
                                               in_ + "; " + advice);
    }
    context_ = found->second;
    return {};
  }

  // Looks up the entry named by the context or an override. An unknown name in the context is added
  // to `problems`; one in an override is an error at once.
  template <class Entry>
  Result<void> Find(const std::map<std::string, Entry>& entries, const std::string& name,
                    bool by_override, const std::string& what, Entry& out,
                    std::vector<std::string>& problems) const {
    const auto found = entries.find(name);
    if (found != entries.end()) {
      out = found->second;
    } else if (!name.empty()) {
      const std::string text =
          what + " \"" + name + "\" does not exist in " + in_ + "; " + Names(entries, what + "s");
      if (by_override) return Error(Reason::kConfig, text);
      problems.push_back("context \"" + context_name_ + "\": " + text);
    }
    return {};
  }

  Result<void> FindEntries() {
    cluster_name_ = overrides_.cluster.empty() ? context_.cluster : overrides_.cluster;
    user_name_ = overrides_.user.empty() ? context_.auth_info : overrides_.user;
    std::vector<std::string> problems;
    Result<void> found = Find(kubeconfig_.clusters, cluster_name_, !overrides_.cluster.empty(),
                              "cluster", cluster_, problems);
    if (!found) return found;
    found =
        Find(kubeconfig_.auth_infos, user_name_, !overrides_.user.empty(), "user", user_, problems);
    if (!found) return found;
    if (!context_name_.empty() && cluster_name_.empty() && overrides_.server.empty()) {
      problems.push_back("context \"" + context_name_ + "\" names no cluster");
    }
    if (!problems.empty()) return Invalid(problems);
    return {};
  }

  Result<void> ApplyOverrides() {
    OverrideCluster(cluster_, overrides_);
    OverrideUser(user_, overrides_);
    if (!cluster_name_.empty() || !cluster_.server.empty()) return {};
    cluster_.server = surroundings_.Variable("KUBERNETES_MASTER");
    if (!cluster_.server.empty()) return {};
    if (kubeconfig_.contexts.empty()) {
      return Classified("EmptyConfig",
                        "no configuration has been provided: " +
                            (kubeconfig_.location_of_origin.empty()
                                 ? ""
                                 : kubeconfig_.location_of_origin + " has no contexts; ") +
                            "set $KUBECONFIG, create ~/.kube/config, or give a server (--server)");
    }
    return Classified("EmptyConfig", in_ + " has no current-context; choose one with --context; " +
                                         Names(kubeconfig_.contexts, "contexts"));
  }

  Result<void> CheckEntries() {
    cluster_at_ = PlaceOf("cluster", cluster_name_, cluster_.location_of_origin);
    user_at_ = PlaceOf("user", user_name_, user_.location_of_origin);
    std::vector<std::string> problems = ValidateUser(user_, user_at_);
    for (std::string& problem : ValidateCluster(cluster_, cluster_at_)) {
      problems.push_back(std::move(problem));
    }
    if (const std::string name = Namespace(); !name.empty() && !IsDnsLabel(name)) {
      problems.push_back("namespace \"" + name +
                         "\" is not a valid name: lower case letters, digits and '-', at most 63");
    }
    if (!problems.empty()) return Invalid(problems);
    return {};
  }

  // A server without https gets no certificates and no credentials. If any are configured, the
  // scheme was probably forgotten.
  [[nodiscard]] Result<void> CheckPlainServer(const base::Url& server,
                                              const std::string& host) const {
    const bool any = !cluster_.certificate_authority.empty() ||
                     !cluster_.certificate_authority_data.empty() || !user_.token.empty() ||
                     !user_.token_file.empty() || !user_.client_certificate.empty() ||
                     !user_.client_certificate_data.empty() || !IdTokenOf(user_).empty() ||
                     !OidcOf(user_).refresh_token.empty();
    if (!any || !server.scheme.empty()) return {};
    return Error(Reason::kConfig, cluster_at_ + ": server \"" + base::RedactedUrl(host) +
                                      "\" has no scheme, so certificates and credentials would "
                                      "not be used; write https://" +
                                      base::RedactedUrl(host));
  }

  Result<void> AddCredentials(Config& out) const {
    out.tls = {.insecure = cluster_.insecure_skip_tls_verify,
               .server_name = cluster_.tls_server_name,
               .cert_file = user_.client_certificate,
               .key_file = user_.client_key,
               .ca_file = cluster_.certificate_authority,
               .cert_data = user_.client_certificate_data,
               .key_data = user_.client_key_data,
               .ca_data = cluster_.certificate_authority_data};
    if (out.tls.insecure && (!out.tls.ca_file.empty() || !out.tls.ca_data.empty())) {
      return Error(Reason::kConfig, cluster_at_ +
                                        ": insecure-skip-tls-verify and certificate-authority "
                                        "exclude each other: remove one");
    }
    out.bearer_token_file = user_.token_file;
    out.bearer_token = user_.token;
    if (user_.token.empty() && !user_.token_file.empty()) {
      auto token = ReadConfigFile(user_.token_file, "tokenFile");
      if (!token) return Error(token.error()).WithContext(user_at_);
      out.bearer_token = *std::move(token);
    }
    if (out.bearer_token.empty()) {
      out.username = user_.username;
      out.password = user_.password;
    }
    if (out.bearer_token.empty() && out.username.empty() && out.password.empty()) {
      out.id_token = IdTokenOf(user_);
      if (OidcConfig oidc = OidcOf(user_); !oidc.refresh_token.empty()) {
        out.oidc = std::move(oidc);
        out.oidc->kubeconfig = user_.location_of_origin;
        out.oidc->user = user_name_;
      }
    }
    out.exec = user_.exec;
    if (out.exec) {
      out.exec->plugin_policy = overrides_.plugin_policy;
      if (Result<void> done = CheckPolicy(*out.exec); !done) return done;
    }
    const auto extension = cluster_.extensions.find(kExecExtension);
    if (out.exec && extension != cluster_.extensions.end() && !extension->second.is_null()) {
      out.exec->cluster_config = extension->second.Dump();
    }
    return {};
  }

  const clientcmdapi::Config& kubeconfig_;
  const ConfigOverrides& overrides_;
  const Surroundings& surroundings_;
  const std::string in_;  // name of the kubeconfig, for messages
  std::string context_name_{};
  clientcmdapi::Context context_{};
  std::string cluster_name_{};
  clientcmdapi::Cluster cluster_{};
  std::string cluster_at_{};
  std::string user_name_{};
  clientcmdapi::AuthInfo user_{};
  std::string user_at_{};
};

}  // namespace

Result<Duration> ParseTimeout(const std::string& text) {
  const std::optional<std::int64_t> seconds = base::NumberIn(text);
  std::optional<std::int64_t> nanos;
  if (!seconds) {
    nanos = ParseGoDuration(text);
  } else if (*seconds >= 0 && *seconds < 1000000000) {
    nanos = *seconds * 1000000000;
  }
  if (!nanos || *nanos < 0) {
    return Error(Reason::kConfig,
                 "request timeout \"" + text + "\" is not a duration; examples: 0, 30, 90s, 1m30s");
  }
  return Duration(*nanos);
}

Result<Config> ResolveConfig(const clientcmdapi::Config& kubeconfig,
                             const ConfigOverrides& overrides, const Surroundings& surroundings) {
  return Resolver(kubeconfig, overrides, surroundings).Resolve();
}

Result<clientcmdapi::Config> MergeOverrides(const clientcmdapi::Config& kubeconfig,
                                            const ConfigOverrides& overrides) {
  clientcmdapi::Config out = kubeconfig;
  if (!overrides.context.empty()) out.current_context = overrides.context;
  const std::string in = In(out.location_of_origin);
  const auto context = out.contexts.find(out.current_context);
  if (context == out.contexts.end()) {
    return Classified("ContextNotFound", "context \"" + out.current_context +
                                             "\" does not exist in " + in + "; " +
                                             Names(out.contexts, "contexts"));
  }
  Override(context->second.cluster, overrides.cluster);
  Override(context->second.auth_info, overrides.user);
  Override(context->second.namespace_, overrides.namespace_);
  const auto cluster = out.clusters.find(context->second.cluster);
  if (cluster == out.clusters.end()) {
    return Error(Reason::kConfig, "cluster \"" + context->second.cluster + "\" does not exist in " +
                                      in + "; " + Names(out.clusters, "clusters"));
  }
  const auto user = out.auth_infos.find(context->second.auth_info);
  if (user == out.auth_infos.end()) {
    return Error(Reason::kConfig, "user \"" + context->second.auth_info + "\" does not exist in " +
                                      in + "; " + Names(out.auth_infos, "users"));
  }
  OverrideCluster(cluster->second, overrides);
  OverrideUser(user->second, overrides);
  return out;
}

}  // namespace kinformer::internal::config
