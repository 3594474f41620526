// kinformer/apiserver/api_server.h
//
// ApiServer: a Kubernetes API server inside this process, without sockets: a Handler (transport.h). Tests and simulations talk to
// it through an InMemoryTransport; HttpServer (http_server.h) puts it on a port for everybody else.
//
//   apiserver::ApiServer server(env);
//   server.Load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n").OrExit();
//   auto transport = NewInMemoryTransport(env, server);

#ifndef KINFORMER_APISERVER_API_SERVER_H_
#define KINFORMER_APISERVER_API_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/faults.h"
#include "kinformer/env.h"
#include "kinformer/json.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

struct ApiServerOptions {
  std::string git_version{"v1.36.0"};  // what /version says

  // ---- Versions and history. What is older cannot be watched from or listed exactly: 410.
  // The resourceVersion that the server begins with; nothing before it is known. 1 makes for readable tests. A server that takes
  // the place of an earlier one, at the same address, needs a greater one than that ever had: FirstResourceVersionAt. Unset: 1;
  // of testing::ApiServer outside simulated time: from the clock.
  std::optional<std::int64_t> first_resource_version{};
  std::size_t history_events{100'000};  // per resource
  Duration history_age{std::chrono::minutes(5)};

  // ---- Watches.
  Duration bookmark_interval{std::chrono::seconds(60)};  // with up to a quarter of jitter
  Duration min_watch_timeout{
      std::chrono::minutes(30)};  // of watches without timeoutSeconds: this to twice as much
  bool watch_list{
      true};  // serve sendInitialEvents; if not, it is refused as by servers that do not know it
  // How long a read waits for a resourceVersion that is not there yet.
  Duration future_version_wait{std::chrono::seconds(3)};

  // ---- Objects.
  bool namespace_must_exist{true};
  // Scheduled pods pass through their grace period before they go; if not, they go at once.
  bool pod_grace{false};
  // Dependents go after the last of their owners, or are orphaned, or hold it back, as its delete asks for. If not, propagation
  // policies are ignored.
  bool garbage_collection{true};
  // How long after their last write Events stay; 0: for ever.
  Duration event_ttl{std::chrono::hours(1)};
  // Field types of built-in kinds are checked against the schema.
  bool check_types{true};
  // Objects of built-in kinds get the defaults that a real server fills in, and its form: see docs/apiserver.md. Without,
  // they are stored as they were sent.
  bool defaulting{true};
  // Where Services get their cluster addresses from: an IPv4 range. Empty: they get none.
  std::string service_cluster_ip_range{"10.96.0.0/12"};
  std::size_t max_body_bytes{std::size_t{3} << 20};

  // ---- Control by requests.
  // Serve /debug/faults and its like (docs/apiserver.md) to whoever is let in.
  bool debug_endpoints{false};
};

// One that is greater than any of a server that began so earlier, whatever it wrote since: microseconds since 1970. A client that
// knows a version of that server is told 410 and lists again; otherwise it would wait for a version that is long to come.
[[nodiscard]] std::int64_t FirstResourceVersionAt(WallTime now);

// How the in-process calls differ from requests.
struct WriteOptions {
  // Take the status that comes with the object, which requests to the main resource cannot set.
  bool keep_status{true};
};

struct ApiServerStats {
  std::size_t objects = 0;
  std::size_t watches = 0;
  std::uint64_t requests = 0;
  std::uint64_t events = 0;  // writes that changed something
  std::size_t stored_bytes = 0;
};

// Guarantees: one resourceVersion sequence over all resources; a write is visible to every read and watch that begins after it;
// a watch from a resourceVersion yields every later change of its scope once and in order, or says 410; no write costs more for
// there being many objects.
//
// Loop-confined, constructor and destructor included (in a test: the thread that drives the Simulation). Never blocks. Response
// streams must be destroyed before the server.
// Errors are the API's own: NotFound, AlreadyExists, Conflict, Invalid and so on, with its messages.
// Counterpart: kube-apiserver with etcd; envtest.
class ApiServer : public Handler {
 public:
  explicit ApiServer(Env& env, ApiServerOptions options = {});
  ~ApiServer() override;
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

  // ---- The same without HTTP. `resource` says where; the object's own namespace and name say which. They give the stored object
  // with kind and apiVersion.
  Result<json::Value> Create(const GroupVersionResource& resource, json::Value object,
                             WriteOptions options = {});
  Result<json::Value> Update(const GroupVersionResource& resource, json::Value object,
                             WriteOptions options = {});
  // Replaces the status only.
  Result<json::Value> UpdateStatus(const GroupVersionResource& resource, json::Value object);
  // A JSON merge patch.
  Result<json::Value> Patch(const GroupVersionResource& resource, const ObjectName& name,
                            const json::Value& patch, WriteOptions options = {});
  Result<void> Delete(const GroupVersionResource& resource, const ObjectName& name);
  [[nodiscard]] Result<json::Value> Get(const GroupVersionResource& resource,
                                        const ObjectName& name) const;
  // All, or those of one namespace, in the order of their keys.
  [[nodiscard]] Result<std::vector<json::Value>> List(const GroupVersionResource& resource,
                                                      std::string_view namespace_ = {}) const;
  // Creates (or updates, where it is there already) each document of a YAML or JSON text; namespaced objects without a namespace go
  // to "default". Stops at the first error, which names the document. Gives the number of documents.
  Result<std::size_t> Load(std::string_view manifests, WriteOptions options = {});

  // ---- What a test asks.
  // The resourceVersion of the last write.
  [[nodiscard]] std::int64_t current_resource_version() const;
  // "namespace/name" (or "name") and the resourceVersion of every object: what a cache must equal. Empty for unknown resources.
  [[nodiscard]] std::map<std::string, std::string> DumpState(
      const GroupVersionResource& resource) const;
  [[nodiscard]] std::size_t ObjectCount(const GroupVersionResource& resource) const;
  [[nodiscard]] ApiServerStats Stats() const;

  // ---- What a test does to it.
  // Forgets history up to that resourceVersion (of current_resource_version() and older): later reads of it get 410.
  void Compact(std::int64_t resource_version);
  // Puts every object back to what it was at that resourceVersion, and the sequence of resourceVersions with it, as when etcd is
  // restored from a backup: clients have seen versions that are yet to come. Ends all watches and forgets history. Which custom
  // resources are served stays as it is, and so does what garbage collection knows of owners.
  // Errors: kInvalidArgument for a version that is yet to come; kExpired where history does not reach back so far.
  Result<void> Restore(std::int64_t resource_version);
  // Ends all watches cleanly, as a server that shuts down does.
  void CloseWatches();
  [[nodiscard]] FaultPlan& faults();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_API_SERVER_H_
