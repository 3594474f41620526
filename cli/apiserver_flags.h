// cli/apiserver_flags.h
//
// Options of `kinformer apiserver`, and their conversion to server and HTTP options.

#ifndef KINFORMER_CLI_APISERVER_FLAGS_H_
#define KINFORMER_CLI_APISERVER_FLAGS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/apiserver/service_account_keys.h"
#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/result.h"

#include "cli/audit_flags.h"
#include "cli/command_line.h"
#include "cli/etcd_flags.h"

namespace kinformer::cli {

struct ApiServerFlags {
  std::string listen{"127.0.0.1:0"};
  std::string kubeconfig_out{};
  std::vector<std::string> load{};
  std::string save{};
  std::string data{};
  EtcdFlags etcd{};
  AuditFlags audit{};
  bool stop_with_stdin = false;
  bool tls = false;
  std::string cert_dir{};
  std::string tls_cert_file{};
  std::string tls_private_key_file{};
  std::optional<std::string> token{};
  std::string token_file{};
  std::vector<std::string> host_names{};
  std::string client_ca_file{};
  std::string authorization_mode{"AlwaysAllow"};
  std::string token_auth_file{};
  bool cluster_details = false;
  std::string service_account_signing_key_file{};
  std::vector<std::string> service_account_key_files{};
  std::string service_account_issuer{};
  std::string service_account_jwks_uri{};
  bool require_client_certificate = false;
  std::string max_streams{"100"};
  bool no_http2 = false;
  bool debug_endpoints = false;
  bool fake_kubelet = false;
  bool field_owners = false;
  bool pod_grace = false;
  // Empty: off; "true": the usual ones; else a file.
  std::string simulate_workloads{};
  bool sharded_list_and_watch = false;
  bool no_watch_list = false;
  bool no_garbage_collection = false;
  bool no_namespace_finalization = false;
  bool no_bootstrap_objects = false;
  bool no_validation = false;
  std::string enable_admission_plugins{};  // separated by commas
  std::string disable_admission_plugins{};
  bool no_admission_controllers = false;
  double event_ttl = 3600;  // seconds
  std::string history_events{"100000"};
  double history_age = 300;  // seconds
  std::string service_cluster_ip_range{"10.96.0.0/12"};
  std::string advertise_address{};
  std::string record{};
  std::string upstream{};
  bool record_secrets = false;
  bool record_writes = false;
  bool record_overwrite = false;
  std::string replay{};
  std::string speed{"1"};
};

// Adds the options to the command. `flags` must outlive the command line.
void AddApiServerFlags(Command& command, ApiServerFlags& flags);

// Checks that the options are valid and compatible. Errors are kInvalidArgument and describe the
// correct form.
Result<void> CheckApiServerFlags(const ApiServerFlags& flags);

// Reads the users of --token-auth-file. Errors are kConfig and name the file and its line.
Result<std::vector<apiserver::TokenUser>> TokenUsersOf(const ApiServerFlags& flags);
// Reads --service-account-signing-key-file and its neighbours; null: they are not given. Blocks.
Result<std::shared_ptr<const apiserver::ServiceAccountKeys>> ServiceAccountKeysOf(
    const ApiServerFlags& flags);

// Reads the script of --simulate-workloads; null if the option is not given. Errors are kConfig and
// name the file and the place in it.
Result<std::shared_ptr<const apiserver::WorkloadScript>> WorkloadScriptOf(
    const ApiServerFlags& flags);

// Returns the server options, without token_users and simulate_workloads. REQUIRES: the flags have
// been checked.
apiserver::ApiServerOptions ServerOptionsOf(const ApiServerFlags& flags, WallTime now);
// Reads the named files. Errors are kConfig and name the option and the file.
Result<apiserver::HttpServerOptions> HttpOptionsOf(const ApiServerFlags& flags);

// Parses the speed of a replay; 0 for "max".
std::optional<double> ParseSpeed(const std::string& text);

// Errors are kConfig and name `option` and the file.
Result<std::string> ReadFile(const std::string& option, const std::string& path);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_APISERVER_FLAGS_H_
