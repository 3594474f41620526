#include "cli/apiserver_flags.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "apiserver/builtin/plugin_names.h"
#include "apiserver/builtin/service_addresses.h"
#include "base/text/number_in.h"

namespace kinformer::cli {
namespace {

std::string TokenOfEnvironment() {
  const char* const token = std::getenv("KINFORMER_APISERVER_TOKEN");
  return token == nullptr ? std::string() : std::string(token);
}

Error Wrong(std::string text) { return {Reason::kInvalidArgument, std::move(text)}; }

// Parses "127.0.0.1:6443", "[::1]:6443", ":6443".
Result<void> ParseListen(const std::string& text, apiserver::HttpServerOptions& options) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto number = internal::base::NumberIn<std::uint16_t>(port);
  if (!number) {
    return Error(Reason::kInvalidArgument, "--listen \"" + text +
                                               "\" is not ADDRESS:PORT, such as 127.0.0.1:6443; "
                                               "port 0 takes any that is free");
  }
  std::string address = text.substr(0, colon);
  if (address.size() > 1 && address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  }
  if (address == "localhost") address = "127.0.0.1";
  if (!address.empty()) options.address = address;
  options.port = *number;
  return {};
}

std::optional<unsigned> ParseCount(const std::string& text) {
  const auto count = internal::base::NumberIn<unsigned>(text);
  return count == 0 ? std::nullopt : count;
}

// Whether the text is valid in an Authorization header.
bool IsToken(std::string_view text) {
  const auto printable = [](char c) { return c > ' ' && c < 0x7f; };
  return !text.empty() && std::all_of(text.begin(), text.end(), printable);
}

// Returns the fields of a line of comma-separated values, which may be in quotes.
std::vector<std::string> CsvFields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && line.substr(i + 1).starts_with('"')) {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// Splits "LimitRanger,PodSecurity".
std::vector<std::string> PluginsIn(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream parts(text);
  for (std::string name; std::getline(parts, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

Result<void> CheckPlugins(const std::string& option, const std::string& text, bool enables) {
  for (const std::string& name : PluginsIn(text)) {
    const apiserver::PluginKind kind = apiserver::KindOfPlugin(name);
    if (kind == apiserver::PluginKind::kUnknown) {
      return Wrong(option + ": there is no admission plug-in \"" + name + "\"");
    }
    if (kind == apiserver::PluginKind::kMissing && enables) {
      return Wrong(option + ": this server does not have the admission plug-in " + name);
    }
    if (kind == apiserver::PluginKind::kFixed && !enables) {
      return Wrong(option + ": this server cannot do without the admission plug-in " + name);
    }
  }
  return {};
}

Result<void> CheckSecurity(const ApiServerFlags& flags) {
  if (flags.tls_cert_file.empty() != flags.tls_private_key_file.empty()) {
    return Wrong("--tls-cert-file and --tls-private-key-file go together");
  }
  const bool tls = flags.tls || !flags.tls_cert_file.empty();
  if (!flags.cert_dir.empty() && (!tls || !flags.tls_cert_file.empty())) {
    return Wrong("--cert-dir keeps what --tls makes: it needs --tls, without --tls-cert-file");
  }
  if (!tls && (!flags.client_ca_file.empty() || flags.require_client_certificate)) {
    return Wrong("--client-ca-file and --require-client-certificate need --tls");
  }
  if (flags.token && !flags.token_file.empty()) {
    return Wrong("--token and --token-file do not go together");
  }
  if (flags.service_account_signing_key_file.empty() &&
      (!flags.service_account_key_files.empty() || !flags.service_account_issuer.empty() ||
       !flags.service_account_jwks_uri.empty())) {
    return Wrong(
        "--service-account-key-file, --service-account-issuer and --service-account-jwks-uri need "
        "--service-account-signing-key-file");
  }
  if (flags.token && !IsToken(*flags.token)) {
    return Wrong(
        "--token must be one word that is not empty: with \"\" nobody could get in, or everybody");
  }
  return {};
}

// Returns the token, without the line break behind it.
Result<std::string> TokenOf(const ApiServerFlags& flags) {
  if (flags.token) return *flags.token;
  if (flags.token_file.empty()) return TokenOfEnvironment();
  Result<std::string> text = ReadFile("--token-file", flags.token_file);
  if (!text) return text;
  const std::size_t end = text->find_last_not_of(" \t\r\n");
  text->resize(end == std::string::npos ? 0 : end + 1);
  if (!IsToken(*text)) {
    return Error(Reason::kConfig, "--token-file " + flags.token_file +
                                      ": holds no token, which is one word on one line");
  }
  return text;
}

// Whether an option is set that only an embedded server has.
bool WantsServer(const ApiServerFlags& flags) {
  const ApiServerFlags usual;
  return !flags.load.empty() || !flags.save.empty() || !flags.data.empty() ||
         !flags.etcd.servers.empty() || !flags.audit.log_path.empty() || flags.debug_endpoints ||
         flags.fake_kubelet || flags.field_owners || flags.pod_grace ||
         !flags.simulate_workloads.empty() || flags.sharded_list_and_watch ||
         flags.no_garbage_collection || flags.no_namespace_finalization ||
         flags.history_events != usual.history_events || flags.history_age != usual.history_age ||
         flags.no_bootstrap_objects || flags.cluster_details || flags.no_validation ||
         flags.event_ttl != usual.event_ttl ||
         flags.service_cluster_ip_range != usual.service_cluster_ip_range ||
         flags.authorization_mode != usual.authorization_mode || !flags.token_auth_file.empty() ||
         !flags.service_account_signing_key_file.empty() || flags.no_watch_list ||
         !flags.advertise_address.empty() || !flags.enable_admission_plugins.empty() ||
         !flags.disable_admission_plugins.empty() || flags.no_admission_controllers;
}

// Adds the options for where the server listens, and whom it lets in.
void AddAccessFlags(Command& command, ApiServerFlags& flags) {
  command.Option("--listen", flags.listen, "ADDRESS:PORT",
                 "where to listen (127.0.0.1:0); port 0: any free one");
  command.Option("--kubeconfig-out", flags.kubeconfig_out, "FILE",
                 "write a kubeconfig for this server, once it is ready");
  command.Options("--load", flags.load, "FILE",
                  "create the objects in these YAML or JSON files, in the files of a folder, or "
                  "on standard input (-); definitions of custom resources first; a file of --save "
                  "is restored as it was");
  command.Option("--save", flags.save, "FILE",
                 "write all that is stored to this file at the end, and on SIGUSR1; --load takes "
                 "it");
  command.Option("--data", flags.data, "FOLDER",
                 "keep all that is stored in this folder, on the disk: a write is answered when it "
                 "is there, and a server that is started again goes on from it");
  AddEtcdFlags(command, flags.etcd);
  AddAuditFlags(command, flags.audit);
  command.Flag("--stop-with-stdin", flags.stop_with_stdin,
               "stop when standard input ends: with a pipe from the program that starts the "
               "server, the server ends with that program, however it ends");
  command.Flag("--tls", flags.tls, "serve HTTPS with a certificate made for this run");
  command.Option(
      "--cert-dir", flags.cert_dir, "FOLDER",
      "with --tls: keep the authority, ca.crt and ca.key, in this folder, and take it up "
      "again the next time");
  command.Option("--tls-cert-file", flags.tls_cert_file, "FILE",
                 "serve HTTPS with this certificate, PEM, its chain after it");
  command.Option("--tls-private-key-file", flags.tls_private_key_file, "FILE", "and its key, PEM");
  command.Flag("--no-http2", flags.no_http2, "with --tls: HTTP/1.1 only");
  command.Option("--max-streams", flags.max_streams, "N",
                 "how many requests an HTTP/2 connection may carry at once (100)");
  command.Option("--token-file", flags.token_file, "FILE",
                 "let in only requests with the bearer token in this file, or in the variable "
                 "KINFORMER_APISERVER_TOKEN; clients send those of kubeconfigs over https, so with "
                 "--tls");
  command.Option("--token", flags.token, "TOKEN",
                 "the same, where all users of the machine see it");
  command.Options("--host-name", flags.host_names, "NAME",
                  "a further name by which clients reach the server");
  command.Option("--client-ca-file", flags.client_ca_file, "FILE",
                 "who may sign client certificates, PEM; a certificate's common name is the user");
  command.Flag("--require-client-certificate", flags.require_client_certificate,
               "let in nobody without a client certificate; without --client-ca-file it is the one "
               "in --kubeconfig-out");
  command.Choice("--authorization-mode", flags.authorization_mode,
                 {"AlwaysAllow", "RBAC", "Node,RBAC"},
                 "who may do what: everybody everything, or by roles and bindings, which the "
                 "server then has from the start; system:masters may do everything. With Node, "
                 "kubelets may read and write what concerns their node (AlwaysAllow)",
                 nullptr);
  command.Option("--token-auth-file", flags.token_auth_file, "FILE",
                 "users with bearer tokens, a line each: TOKEN,USER,UID,\"GROUP,GROUP\"");
  command.Option("--service-account-signing-key-file", flags.service_account_signing_key_file,
                 "FILE",
                 "sign tokens of service accounts with this private key, PEM: they are JSON web "
                 "tokens then, and /openid/v1/jwks has the key");
  command.Options("--service-account-key-file", flags.service_account_key_files, "FILE",
                  "a further key, or a certificate, whose tokens are accepted, PEM");
  command.Option("--service-account-issuer", flags.service_account_issuer, "URL",
                 "the issuer in these tokens, and their usual audience "
                 "(https://kubernetes.default.svc)");
  command.Option("--service-account-jwks-uri", flags.service_account_jwks_uri, "URL",
                 "where /.well-known/openid-configuration says that the keys are");
  command.Flag("--debug-endpoints", flags.debug_endpoints,
               "serve /debug/faults, /debug/snapshot and the like to whoever is let in");
}

// Adds the options for what it does with objects.
void AddObjectFlags(Command& command, ApiServerFlags& flags) {
  command.Flag(
      "--fake-kubelet", flags.fake_kubelet,
      "serve logs, exec, attach and port-forward of all pods: commands and ports echo what "
      "they are sent");
  command.Flag("--field-owners", flags.field_owners,
               "track who owns which field (managedFields), so that kubectl apply --server-side "
               "finds conflicts");
  command.Flag(
      "--pod-grace", flags.pod_grace,
      "let deleted pods that have a node pass through their grace period, as a kubelet would");
  command.FlagOrValue(
      "--simulate-workloads", flags.simulate_workloads,
      "bring Deployments, Jobs, Services and so on to life, on three simulated nodes where pods "
      "start in a second or two; --simulate-workloads=FILE: nodes, pods and loads as this script "
      "says");
  command.Flag("--sharded-list-and-watch", flags.sharded_list_and_watch,
               "select by shardSelector, as servers with the feature gate ShardedListAndWatch do");
  command.Flag("--no-watch-list", flags.no_watch_list,
               "refuse sendInitialEvents, as servers without the feature gate WatchList do");
  command.Flag("--no-garbage-collection", flags.no_garbage_collection,
               "leave dependents to a kube-controller-manager when their owners go");
  command.Flag("--no-namespace-finalization", flags.no_namespace_finalization,
               "leave it to a kube-controller-manager to empty deleted namespaces and let them go");
  command.Flag("--no-bootstrap-objects", flags.no_bootstrap_objects,
               "leave out what a real server makes itself: the Service default/kubernetes, flow "
               "schemas, priority classes and so on");
  command.Flag("--cluster-details", flags.cluster_details,
               "keep APIServices and the IPAddresses of Services, and name the flow schema and the "
               "priority level in answers, as a cluster does");
  command.Flag("--no-validation", flags.no_validation,
               "take objects that a real server refuses: pods without containers, port 99999");
  command.Seconds("--event-ttl", flags.event_ttl,
                  "how long Events stay after their last change (1h); 0s: for ever");
  command.Option("--history-events", flags.history_events, "N",
                 "how many changes of a resource can be watched again (100000)");
  command.Seconds("--history-age", flags.history_age,
                  "and for how long; pages of lists expire by it, too (5m)");
  command.Option("--service-cluster-ip-range", flags.service_cluster_ip_range, "CIDR",
                 "where Services get their addresses from (10.96.0.0/12)");
  command.Option("--advertise-address", flags.advertise_address, "ADDRESS",
                 "the address in the endpoints of default/kubernetes (192.0.2.1)");
  command.Option("--enable-admission-plugins", flags.enable_admission_plugins, "NAME,...",
                 "run these admission plug-ins, too: LimitRanger, ResourceQuota, PodSecurity, "
                 "ServiceAccount and others");
  command.Option("--disable-admission-plugins", flags.disable_admission_plugins, "NAME,...",
                 "do not run these, such as Priority, DefaultTolerationSeconds, RuntimeClass");
  command.Flag("--no-admission-controllers", flags.no_admission_controllers,
               "leave it to a kube-controller-manager to count what ResourceQuotas limit, and to "
               "make the service account of each namespace");
}

void AddRecordingFlags(Command& command, ApiServerFlags& flags) {
  command.Option("--record", flags.record, "FILE",
                 "pass requests to the cluster of --upstream and write down what it answers");
  command.Option("--upstream", flags.upstream, "KUBECONFIG", "the cluster to record");
  command.Flag("--record-secrets", flags.record_secrets, "record what is read of Secrets, too");
  command.Flag("--record-writes", flags.record_writes,
               "pass on also what changes something in the cluster; it is not recorded");
  command.Flag("--record-overwrite", flags.record_overwrite,
               "let --record take the place of a file that is there already");
  command.Option("--replay", flags.replay, "FILE", "serve a recording in place of objects");
  command.Option("--speed", flags.speed, "FACTOR",
                 "of a replay: 1 as recorded, 10 ten times as fast, max at once (1)");
}

}  // namespace

void AddApiServerFlags(Command& command, ApiServerFlags& flags) {
  AddAccessFlags(command, flags);
  AddObjectFlags(command, flags);
  AddRecordingFlags(command, flags);
}

Result<std::shared_ptr<const apiserver::ServiceAccountKeys>> ServiceAccountKeysOf(
    const ApiServerFlags& flags) {
  const std::string& signing_file = flags.service_account_signing_key_file;
  if (signing_file.empty()) return std::shared_ptr<const apiserver::ServiceAccountKeys>();
  const Result<std::string> signing = ReadFile("--service-account-signing-key-file", signing_file);
  if (!signing) return signing.error();
  std::string verifying;
  for (const std::string& file : flags.service_account_key_files) {
    const Result<std::string> pem = ReadFile("--service-account-key-file", file);
    if (!pem) return pem.error();
    verifying += *pem + "\n";
  }
  auto keys = apiserver::ReadServiceAccountKeys(*signing, verifying);
  if (!keys) {
    return Error(keys.error()).WithContext("--service-account-signing-key-file " + signing_file);
  }
  return keys;
}

Result<std::vector<apiserver::TokenUser>> TokenUsersOf(const ApiServerFlags& flags) {
  std::vector<apiserver::TokenUser> users;
  if (flags.token_auth_file.empty()) return users;
  const Result<std::string> text = ReadFile("--token-auth-file", flags.token_auth_file);
  if (!text) return text.error();
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = CsvFields(line);
    if (fields.size() < 3 || !IsToken(fields[0]) || fields[1].empty()) {
      return Error(Reason::kConfig,
                   "--token-auth-file " + flags.token_auth_file + ", line " +
                       std::to_string(number) +
                       R"(: is not TOKEN,USER,UID or TOKEN,USER,UID,"GROUP,GROUP")");
    }
    users.push_back({.token = fields[0], .name = fields[1], .uid = fields[2]});
    if (fields.size() > 3) users.back().groups = CsvFields(fields[3]);
  }
  return users;
}

Result<std::shared_ptr<const apiserver::WorkloadScript>> WorkloadScriptOf(
    const ApiServerFlags& flags) {
  const std::string& file = flags.simulate_workloads;
  if (file.empty()) return std::shared_ptr<const apiserver::WorkloadScript>();
  if (file == "true") return std::make_shared<const apiserver::WorkloadScript>();
  const Result<std::string> text = ReadFile("--simulate-workloads", file);
  if (!text) return text.error();
  Result<apiserver::WorkloadScript> script = apiserver::ParseWorkloadScript(*text, file);
  if (!script) return Error(script.error()).WithContext("--simulate-workloads");
  return std::make_shared<const apiserver::WorkloadScript>(*std::move(script));
}

std::optional<double> ParseSpeed(const std::string& text) {
  if (text == "max") return 0;
  const auto speed = internal::base::NumberIn<double>(text);
  return speed && *speed > 0 ? speed : std::nullopt;
}

Result<void> CheckApiServerFlags(const ApiServerFlags& flags) {
  apiserver::HttpServerOptions listen;
  if (Result<void> parsed = ParseListen(flags.listen, listen); !parsed) return parsed;
  if (Result<void> checked = CheckSecurity(flags); !checked) return checked;
  if (!ParseCount(flags.max_streams)) {
    return Wrong("--max-streams \"" + flags.max_streams + "\" is not a number from 1 on");
  }
  if (!ParseCount(flags.history_events)) {
    return Wrong("--history-events \"" + flags.history_events + "\" is not a number from 1 on");
  }
  if (!(flags.history_age > 0)) return Wrong("--history-age must be above 0, such as 5m");
  if (const std::string& range = flags.service_cluster_ip_range;
      !range.empty() && !apiserver::ServiceAddresses::IsRange(range)) {
    return Wrong("--service-cluster-ip-range \"" + range +
                 "\" is not a range of IPv4 addresses, such as 10.96.0.0/12");
  }
  if (Result<void> known = CheckPlugins("--enable-admission-plugins",
                                        flags.enable_admission_plugins, /*enables=*/true);
      !known) {
    return known;
  }
  if (Result<void> known = CheckPlugins("--disable-admission-plugins",
                                        flags.disable_admission_plugins, /*enables=*/false);
      !known) {
    return known;
  }
  if (Result<void> checked = CheckEtcdFlags(flags.etcd); !checked) return checked;
  if (Result<void> checked = CheckAuditFlags(flags.audit); !checked) return checked;
  if (!flags.etcd.servers.empty() && !flags.data.empty()) {
    return Wrong("--etcd-servers and --data do not go together: the objects are in etcd");
  }
  if (flags.record.empty() != flags.upstream.empty()) {
    return Wrong(
        "--record FILE and --upstream KUBECONFIG go together: what to write, and whom to record");
  }
  if (!flags.record.empty() && !flags.token && flags.token_file.empty() &&
      TokenOfEnvironment().empty() && !flags.require_client_certificate) {
    return Wrong(
        "--record passes requests on with your credentials for the cluster: say who may send them, "
        "by --token-file FILE, KINFORMER_APISERVER_TOKEN or --require-client-certificate");
  }
  if (!flags.record.empty() && !flags.record_overwrite && std::filesystem::exists(flags.record)) {
    return Wrong("--record " + flags.record +
                 ": is there already; take another name, or --record-overwrite");
  }
  if (!flags.record.empty() && !flags.replay.empty()) {
    return Wrong("--record and --replay do not go together");
  }
  if ((!flags.record.empty() || !flags.replay.empty()) && WantsServer(flags)) {
    return Wrong(
        "--load, --save, --data, --etcd-servers, --debug-endpoints and the options of objects are "
        "for the embedded server, not with --record or --replay");
  }
  if (flags.stop_with_stdin && std::ranges::find(flags.load, "-") != flags.load.end()) {
    return Wrong("--load - and --stop-with-stdin both read standard input: load a file");
  }
  if (!ParseSpeed(flags.speed)) {
    return Wrong("--speed \"" + flags.speed +
                 "\" is neither a number above 0, such as 2.5, nor max");
  }
  return {};
}

apiserver::ApiServerOptions ServerOptionsOf(const ApiServerFlags& flags, WallTime now) {
  apiserver::ApiServerOptions options;
  // With this delay, controllers create replacements for objects before their owner is deleted.
  options.garbage_collection_delay = std::chrono::milliseconds(200);
  options.namespace_finalization = !flags.no_namespace_finalization;
  // With etcd, versions are its revisions.
  if (flags.etcd.servers.empty()) {
    options.first_resource_version = apiserver::FirstResourceVersionAt(now);
  }
  options.pod_grace = flags.pod_grace;
  options.sharded_list_and_watch = flags.sharded_list_and_watch;
  options.watch_list = !flags.no_watch_list;
  options.authorization =
      flags.authorization_mode == "AlwaysAllow" ? apiserver::AuthorizationMode::kAlwaysAllow
      : flags.authorization_mode == "RBAC"      ? apiserver::AuthorizationMode::kRbac
                                                : apiserver::AuthorizationMode::kNodeAndRbac;
  if (!flags.advertise_address.empty()) {
    options.advertise_address = flags.advertise_address;
    apiserver::HttpServerOptions listen;
    if (ParseListen(flags.listen, listen) && listen.port != 0) options.advertise_port = listen.port;
  }
  options.garbage_collection = !flags.no_garbage_collection;
  options.event_ttl =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(flags.event_ttl));
  options.service_cluster_ip_range = flags.service_cluster_ip_range;
  options.bootstrap_objects = !flags.no_bootstrap_objects;
  options.cluster_details = flags.cluster_details;
  options.validation = !flags.no_validation;
  options.field_owners = flags.field_owners;
  options.enable_admission_plugins = PluginsIn(flags.enable_admission_plugins);
  options.disable_admission_plugins = PluginsIn(flags.disable_admission_plugins);
  options.admission_controllers = !flags.no_admission_controllers;
  options.debug_endpoints = flags.debug_endpoints;
  if (!flags.service_account_issuer.empty()) {
    options.service_account_issuer = flags.service_account_issuer;
  }
  options.service_account_jwks_uri = flags.service_account_jwks_uri;
  options.history_events = ParseCount(flags.history_events).value_or(options.history_events);
  options.history_age =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(flags.history_age));
  return options;
}

Result<std::string> ReadFile(const std::string& option, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in && in.peek() == std::ifstream::traits_type::eof() && !in.bad()) return std::string();
  if (!in || !(text << in.rdbuf())) {
    return Error(Reason::kConfig,
                 option + " " + path + ": cannot be read; is it there, and a file?");
  }
  return text.str();
}

Result<apiserver::HttpServerOptions> HttpOptionsOf(const ApiServerFlags& flags) {
  apiserver::HttpServerOptions options;
  if (Result<void> parsed = ParseListen(flags.listen, options); !parsed) return parsed.error();
  options.cert_dir = flags.cert_dir;
  options.tls = flags.tls || !flags.tls_cert_file.empty();
  Result<std::string> token = TokenOf(flags);
  if (!token) return token.error();
  options.bearer_token = *std::move(token);
  options.host_names = flags.host_names;
  options.require_client_certificate = flags.require_client_certificate;
  options.handler_authorizes = flags.authorization_mode != "AlwaysAllow";
  options.http2 = !flags.no_http2;
  // /debug/snapshot takes all that is stored; the server itself limits all other bodies.
  if (flags.debug_endpoints) options.max_body_bytes = std::size_t{256} << 20;
  options.http2_max_streams = ParseCount(flags.max_streams).value_or(options.http2_max_streams);
  for (const auto& [option, path, text] :
       {std::tuple("--tls-cert-file", &flags.tls_cert_file, &options.cert_pem),
        std::tuple("--tls-private-key-file", &flags.tls_private_key_file, &options.key_pem),
        std::tuple("--client-ca-file", &flags.client_ca_file, &options.client_ca_pem)}) {
    if (path->empty()) continue;
    Result<std::string> read = ReadFile(option, *path);
    if (!read) return read.error();
    *text = *std::move(read);
  }
  return options;
}

}  // namespace kinformer::cli
