// From kubeconfig entries and overrides to one Config.

#include <algorithm>
#include <charconv>
#include <utility>

#include "config/kubeconfig.h"
#include "object/text_forms.h"

namespace kinformer::internal {

namespace {

template <class Map>
std::string Names(const Map& map, const std::string& what) {
  if (map.empty()) return "there are no " + what;
  std::string out = "known " + what + ": ";
  std::size_t shown = 0;
  for (const auto& [name, entry] : map) {
    if (shown == 20) {
      out += ", and " + std::to_string(map.size() - shown) + " more";
      break;
    }
    out += (shown++ == 0 ? "" : ", ") + name;
  }
  return out;
}

std::string In(const std::string& origin) { return origin.empty() ? "the kubeconfig" : origin; }

Error Classified(const std::string& cause, const std::string& message) {
  StatusDetails details;
  details.causes.push_back({.reason = cause, .message = message});
  return Error(Reason::kConfig, message).WithDetails(std::move(details));
}

Error Invalid(const std::vector<std::string>& problems) {
  StatusDetails details;
  std::string message = "invalid configuration: ";
  for (const auto& problem : problems) {
    if (&problem != &problems.front()) message += "; ";
    message += problem;
    details.causes.push_back({.reason = "ConfigurationInvalid", .message = problem});
  }
  return Error(Reason::kConfig, message).WithDetails(std::move(details));
}

void Override(std::string& value, const std::string& by) {
  if (!by.empty()) value = by;
}

bool IsDnsLabel(const std::string& name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return name.size() <= 63 && !name.empty() && plain(name.front()) && plain(name.back()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '-'; });
}

// "30" seconds or a Go duration.
Result<Duration> ParseTimeout(const std::string& text) {
  std::int64_t whole = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), whole);
  std::optional<std::int64_t> nanos;
  if (code == std::errc() && end == text.data() + text.size()) {
    if (whole < 1000000000) nanos = whole * 1000000000;
  } else {
    nanos = ParseGoDuration(text);
  }
  if (!nanos || *nanos < 0) {
    return Error(Reason::kConfig,
                 "request timeout \"" + text + "\" is not a duration; examples: 0, 30, 90s, 1m30s");
  }
  return Duration(*nanos);
}

void OverrideCluster(KubeCluster& cluster, const ConfigOverrides& o) {
  Override(cluster.proxy_url, o.proxy_url);
  if (o.disable_compression) cluster.disable_compression = o.disable_compression;
  if (!o.server.empty()) {
    cluster.server = o.server;
    // The name belonged to the other server.
    cluster.tls_server_name = o.tls_server_name;
  }
  Override(cluster.tls_server_name, o.tls_server_name);
  if (o.insecure_skip_tls_verify) cluster.insecure = o.insecure_skip_tls_verify;
  if (!o.certificate_authority.empty()) {
    cluster.ca_file = o.certificate_authority;
    cluster.ca_data.clear();
    if (!o.insecure_skip_tls_verify) cluster.insecure = false;
  } else if (o.insecure_skip_tls_verify.value_or(false)) {
    cluster.ca_file.clear();
    cluster.ca_data.clear();
  }
}

void OverrideUser(KubeUser& user, const ConfigOverrides& o) {
  if (!o.client_certificate.empty()) {
    user.cert_file = o.client_certificate;
    user.cert_data.clear();
  }
  if (!o.client_key.empty()) {
    user.key_file = o.client_key;
    user.key_data.clear();
  }
  if (!o.token.empty()) {
    user.token = o.token;
    user.token_file.clear();
  }
  Override(user.username, o.username);
  Override(user.password, o.password);
  Override(user.impersonate.user_name, o.impersonate.user_name);
  Override(user.impersonate.uid, o.impersonate.uid);
  if (!o.impersonate.groups.empty()) user.impersonate.groups = o.impersonate.groups;
  for (const auto& [key, values] : o.impersonate.extra) user.impersonate.extra[key] = values;
}

bool IsHttps(const std::string& server) { return server.rfind("https://", 0) == 0; }

}  // namespace

Result<Config> ResolveConfig(const Kubeconfig& kubeconfig, const ConfigOverrides& overrides,
                             const Surroundings& surroundings) {
  const std::string in = In(kubeconfig.origin);
  const std::string context_name =
      overrides.context.empty() ? kubeconfig.current_context : overrides.context;
  KubeContext context;
  if (!context_name.empty()) {
    const auto found = kubeconfig.contexts.find(context_name);
    if (found == kubeconfig.contexts.end()) {
      return Classified("ContextNotFound", "context \"" + context_name + "\" does not exist in " +
                                               in + "; " + Names(kubeconfig.contexts, "contexts"));
    }
    context = found->second;
  }
  std::vector<std::string> problems;
  const auto refer = [&](const auto& map, const std::string& name, bool by_override,
                         const std::string& what) -> Result<void> {
    if (name.empty() || map.find(name) != map.end()) return {};
    const std::string text =
        what + " \"" + name + "\" does not exist in " + in + "; " + Names(map, what + "s");
    if (by_override) return Error(Reason::kConfig, text);
    problems.push_back("context \"" + context_name + "\": " + text);
    return {};
  };
  const std::string cluster_name = overrides.cluster.empty() ? context.cluster : overrides.cluster;
  const std::string user_name = overrides.user.empty() ? context.user : overrides.user;
  auto referred = refer(kubeconfig.clusters, cluster_name, !overrides.cluster.empty(), "cluster");
  if (!referred) return referred.error();
  referred = refer(kubeconfig.users, user_name, !overrides.user.empty(), "user");
  if (!referred) return referred.error();
  if (!context_name.empty() && cluster_name.empty() && overrides.server.empty()) {
    problems.push_back("context \"" + context_name + "\" names no cluster");
  }
  if (!problems.empty()) return Invalid(problems);

  KubeCluster cluster;
  if (const auto it = kubeconfig.clusters.find(cluster_name); it != kubeconfig.clusters.end()) {
    cluster = it->second;
  }
  KubeUser user;
  if (const auto it = kubeconfig.users.find(user_name); it != kubeconfig.users.end())
    user = it->second;
  OverrideCluster(cluster, overrides);
  OverrideUser(user, overrides);
  if (cluster_name.empty() && cluster.server.empty()) {
    cluster.server = surroundings.Variable("KUBERNETES_MASTER");
  }
  if (cluster_name.empty() && cluster.server.empty()) {
    if (kubeconfig.contexts.empty()) {
      return Classified(
          "EmptyConfig",
          "no configuration has been provided: " +
              (kubeconfig.origin.empty() ? "" : kubeconfig.origin + " has no contexts; ") +
              "set $KUBECONFIG, create ~/.kube/config, or give a server (--server)");
    }
    return Classified("EmptyConfig", in + " has no current-context; choose one with --context; " +
                                         Names(kubeconfig.contexts, "contexts"));
  }

  const std::string cluster_at = cluster_name.empty()
                                     ? "cluster"
                                     : "cluster \"" + cluster_name + "\" of " + In(cluster.origin);
  const std::string user_at =
      user_name.empty() ? "user" : "user \"" + user_name + "\" of " + In(user.origin);
  problems = ValidateUser(user, user_at);
  const auto more = ValidateCluster(cluster, cluster_at);
  problems.insert(problems.end(), more.begin(), more.end());
  const std::string ns = overrides.namespace_.empty() ? context.namespace_ : overrides.namespace_;
  if (!ns.empty() && !IsDnsLabel(ns)) {
    problems.push_back("namespace \"" + ns +
                       "\" is not a valid name: lower case letters, digits and '-', at most 63");
  }
  if (!problems.empty()) return Invalid(problems);

  Config out;
  out.host = cluster.server;
  if (const auto scheme = out.host.find("://"); scheme != std::string::npos) {
    out.host = out.host.substr(0, out.host.find_first_of("?#", scheme));
  }
  out.namespace_ = ns.empty() ? "default" : ns;
  out.proxy_url = cluster.proxy_url;
  out.disable_compression = cluster.disable_compression.value_or(false);
  out.impersonate = user.impersonate;
  out.origin = context_name.empty() ? kubeconfig.origin : "context " + context_name + " of " + in;
  if (!overrides.timeout.empty()) {
    auto timeout = ParseTimeout(overrides.timeout);
    if (!timeout) return timeout.error();
    out.timeout = *timeout;
  }
  if (!IsHttps(out.host)) {
    // Credentials and trust go with https only, as in client-go; where the scheme was forgotten that is not what was meant.
    const bool any = !cluster.ca_file.empty() || !cluster.ca_data.empty() || !user.token.empty() ||
                     !user.token_file.empty() || !user.cert_file.empty() || !user.cert_data.empty();
    if (any && out.host.find("://") == std::string::npos) {
      return Error(Reason::kConfig,
                   cluster_at + ": server \"" + out.host +
                       "\" has no scheme, so certificates and credentials would not "
                       "be used; write https://" +
                       out.host);
    }
    return out;
  }
  out.tls = {.insecure = cluster.insecure.value_or(false),
             .server_name = cluster.tls_server_name,
             .cert_file = user.cert_file,
             .key_file = user.key_file,
             .ca_file = cluster.ca_file,
             .cert_data = user.cert_data,
             .key_data = user.key_data,
             .ca_data = cluster.ca_data};
  if (out.tls.insecure && (!out.tls.ca_file.empty() || !out.tls.ca_data.empty())) {
    return Error(
        Reason::kConfig,
        cluster_at +
            ": insecure-skip-tls-verify and certificate-authority exclude each other: remove one");
  }
  out.bearer_token_file = user.token_file;
  out.bearer_token = user.token;
  if (user.token.empty() && !user.token_file.empty()) {
    auto token = ReadConfigFile(user.token_file, "tokenFile");
    if (!token) return Error(token.error()).WithContext(user_at);
    out.bearer_token = *std::move(token);
  }
  if (out.bearer_token.empty()) {
    out.username = user.username;
    out.password = user.password;
  }
  out.exec = user.exec;
  if (out.exec) out.exec->cluster_config = cluster.exec_config;
  return out;
}

}  // namespace kinformer::internal
