// kinformer/apiserver/api_server_options.h
//
// ApiServerOptions: settings of an embedded API server (api_server.h).

#ifndef KINFORMER_APISERVER_API_SERVER_OPTIONS_H_
#define KINFORMER_APISERVER_API_SERVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"
#include "kinformer/object/object_name.h"

namespace kinformer {
class Transport;  // transport.h
}  // namespace kinformer

namespace kinformer::apiserver {

class AuditLog;            // audit_log.h
struct AuditPolicy;        // audit_log.h
class Kubelet;             // kubelet.h
class ServiceAccountKeys;  // service_account_keys.h
class SharedStorage;       // etcd.h
class Storage;             // data_directory.h
struct WorkloadScript;     // workload_script.h

// Address of a webhook, as its configuration gives it.
struct WebhookAddress {
  // "https://hooks.example.com:8443", without a path; for a service
  // "https://hooks.default.svc:443".
  std::string base_url{};
  ObjectName service{};     // empty: the configuration gives a URL
  std::string ca_bundle{};  // base64 of PEM, as the configuration has it
};

// Rule by which requests are allowed.
enum class AuthorizationMode : std::uint8_t {
  kAlwaysAllow,  // everybody may do everything, and impersonate anybody
  // By roles and bindings, as a real server with --authorization-mode=RBAC: 403 without a right.
  // Members of the group system:masters may do everything, and all calls in this process.
  kRbac,
  // The same, and kubelets may read and write what concerns their node, as with Node,RBAC: users
  // system:node:NAME in the group system:nodes. The admission plug-in NodeRestriction limits what
  // they write.
  kNodeAndRbac,
};

// A user who is known by a bearer token.
struct TokenUser {
  std::string token{};
  std::string name{};
  std::string uid{};
  std::vector<std::string> groups{};
};

// Upper bound of the versions of servers that start with the clock: see FirstResourceVersionAt.
constexpr std::int64_t kVersionsOfServers = 99'000'000'000;

// Settings of the server. The defaults match a real server with its usual settings.
struct ApiServerOptions {
  // Keeps what is stored beyond the life of the server (OpenDataDirectory): a server begins with
  // what an earlier one left, and versions go on from there. For one server. Null: all is gone when
  // the server ends.
  std::shared_ptr<Storage> storage{};
  // Where several servers keep the same objects (OpenEtcd): versions are etcd's revisions, the same
  // on all servers. first_resource_version must be unset, and `storage` null. Null: this server is
  // the only one.
  std::shared_ptr<SharedStorage> shared_storage{};

  // ---- Versions and history. Older versions cannot be watched from or listed exactly: 410.
  // First resourceVersion of the server; it knows nothing before that. 1 makes tests readable. A
  // server that replaces another at the same address begins at FirstResourceVersionAt, so that no
  // version of the old server is taken for one of the new. Unset: 1; for testing::ApiServer outside
  // simulated time, a version made from the clock.
  std::optional<std::int64_t> first_resource_version{};
  std::size_t history_events{100'000};  // per resource
  TimeSpan history_age{std::chrono::minutes(5)};

  // ---- Watches.
  TimeSpan bookmark_interval{std::chrono::seconds(60)};  // with up to a quarter of jitter
  // For watches without timeoutSeconds: they last this long to twice as long.
  TimeSpan min_watch_timeout{std::chrono::minutes(30)};
  // Serves sendInitialEvents. False: refuses it, as servers do that do not know it.
  bool watch_list{true};
  // Selects by shardSelector, as servers with the feature gate ShardedListAndWatch do. False: the
  // parameter is ignored, as by servers with default settings.
  bool sharded_list_and_watch{false};
  // Longest wait of a read for a resourceVersion that has not been written yet.
  TimeSpan future_version_wait{std::chrono::seconds(3)};

  // ---- Objects.
  // Keeps deleted pods that are scheduled for their grace period. False: removes them at once.
  bool pod_grace{false};
  // Deletes dependents after the last of their owners, orphans them, or lets them block the owner,
  // as the delete request asks. False: deletes only set the finalizers for it (foregroundDeletion,
  // orphan), and a kube-controller-manager has to do the rest.
  bool garbage_collection{true};
  // Delay between the deletion of an owner and of its dependents. A controller that replaces lost
  // dependents needs it to see that the owner is gone. 0: deleted in the next turn of the loop.
  TimeSpan garbage_collection_delay{};
  // Empties deleted namespaces and removes them. False: they stay Terminating until a client, such
  // as a kube-controller-manager, writes to their subresource `finalize`.
  bool namespace_finalization{true};
  // Lifetime of Events after their last write; 0: no limit.
  TimeSpan event_ttl{std::chrono::hours(1)};
  // Refuses objects of built-in kinds that a real server refuses (422): without required fields,
  // such as a pod's containers or a binding's roleRef, or with values that a field cannot have,
  // such as port 99999 or an unknown policy. False: accepts them, so that tests can use small
  // objects.
  bool validation{true};
  // Fills in the defaults of built-in kinds and normalizes objects, as a real server does: see
  // docs/server/apiserver.md. False: stores objects as they were sent.
  bool defaulting{true};
  // Tracks which client owns which field (metadata.managedFields), so that server-side applies
  // conflict, and remove fields that are no longer applied, as on a real server. False: the server
  // stores managedFields as clients send them, and an apply is a merge (docs/decisions/0029).
  bool field_owners{false};
  // IPv4 range of the cluster addresses of Services. Empty: Services get none.
  std::string service_cluster_ip_range{"10.96.0.0/12"};
  // Creates the objects that a real server creates itself (docs/server/apiserver.md): the Service
  // default/kubernetes with its endpoints, flow schemas, priority classes, the server's lease and
  // so on. False: creates the four namespaces only.
  bool bootstrap_objects{true};
  // Keeps what a cluster keeps beside, which tests of operators seldom ask for: an APIService for
  // each version of a group, an IPAddress for each address of a Service, and the headers that name
  // a request's flow schema and priority level. False: none of them.
  bool cluster_details{false};
  // Address in the endpoints of default/kubernetes. The default is an address that no host has.
  std::string advertise_address{"192.0.2.1"};
  std::uint16_t advertise_port{6443};
  std::size_t max_body_bytes{std::size_t{3} << 20};
  // Limit for one stored object, as in etcd. 0: none.
  std::size_t max_object_bytes{std::size_t{3} << 19};

  // ---- Access. docs/server/envtest.md has what kRbac means.
  AuthorizationMode authorization{AuthorizationMode::kAlwaysAllow};
  // Beside the tokens of service accounts. Counterpart: --token-auth-file.
  std::vector<TokenUser> token_users{};
  // Signs the tokens of service accounts, which are JSON Web Tokens then, and serves the documents
  // by which others verify them: /openid/v1/jwks and /.well-known/openid-configuration. Null: the
  // tokens are random texts that only this server knows, until it ends.
  std::shared_ptr<const ServiceAccountKeys> service_account_keys{};
  // The issuer in such tokens, and their audience if a request names none.
  std::string service_account_issuer{"https://kubernetes.default.svc"};
  // Where the documents say that the keys are; empty: at advertise_address.
  std::string service_account_jwks_uri{};

  // ---- Audit. Where events about requests go (docs/server/audit.md). Null: nowhere.
  std::shared_ptr<AuditLog> audit_log{};
  // Chooses requests, and how much of them is written. Null: the metadata of all.
  std::shared_ptr<const AuditPolicy> audit_policy{};

  // ---- Admission plug-ins of kube-apiserver, by their names there: docs/server/apiserver.md lists
  // those that this server has, and which are on. They see the requests of clients, but no calls in
  // process. Names of others are logged and have no effect.
  std::vector<std::string> enable_admission_plugins{};
  std::vector<std::string> disable_admission_plugins{};  // wins over the other one
  // Does what these plug-ins need of controllers: with ResourceQuota, counts what is used; with
  // ServiceAccount, makes the account `default` of each namespace. False: a kube-controller-manager
  // has to do it.
  bool admission_controllers{true};

  // ---- Webhooks, of admission and of conversion. Returns the transport to a webhook. If it is
  // null, or this option is empty, the webhook is unreachable: failurePolicy decides for an
  // admission webhook, and a request that needs a conversion fails with 500. Called on the loop,
  // once per question; the transport must belong to that loop and outlive the server. In memory:
  // NewInMemoryTransport of a WebhookServer (docs/guide/webhooks.md).
  std::function<std::shared_ptr<Transport>(const WebhookAddress& address)> webhook_transport{};

  // ---- Running pods. Serves the subresources log, exec, attach and portforward of pods. Null:
  // these requests fail, as with a node that cannot be reached.
  std::shared_ptr<Kubelet> kubelet{};

  // ---- Living workloads. Simulates nodes, a scheduler and the usual controllers by this script:
  // Deployments, Jobs and so on get pods that start, become ready and end
  // (docs/server/workloads.md). Deleted pods that have a node have their grace period. Null: none.
  std::shared_ptr<const WorkloadScript> simulate_workloads{};

  // ---- Control by requests.
  // Serves /debug/faults and the like (docs/server/apiserver.md) to all clients that are let in.
  bool debug_endpoints{false};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_API_SERVER_OPTIONS_H_
