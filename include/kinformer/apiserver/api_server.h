// kinformer/apiserver/api_server.h
//
// ApiServer: a Kubernetes API server inside this process, without sockets: a Handler (transport.h).
// Tests and simulations call it through an InMemoryTransport; HttpServer (http_server.h) serves it
// on a port for other clients.
//
//   apiserver::ApiServer server(env);
//   server.Load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").OrExit();
//   auto transport = NewInMemoryTransport(env, server);

#ifndef KINFORMER_APISERVER_API_SERVER_H_
#define KINFORMER_APISERVER_API_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/apiserver/faults.h"
#include "kinformer/apiserver/state_snapshot.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/head_judge.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"

namespace kinformer::apiserver {

// Returns the first resourceVersion of a server that replaces another at one address: microseconds
// of the clock, from 0 again every 25 hours, so that it and later writes stay below
// kVersionsOfServers. A client that sends a version of the old server gets 410 and lists again,
// even for a version above this server's last one: only versions from kVersionsOfServers on count
// as future ones, for which watches wait (on a server that begins at 1, all above its last).
[[nodiscard]] std::int64_t FirstResourceVersionAt(WallTime now);

// Options of the in-process writes, which HTTP requests do not have.
struct WriteOptions {
  // Stores the object's status too, which requests to the main resource cannot set.
  bool keep_status{true};
};

// Current sizes, and counts since the server's start.
struct ApiServerStats {
  std::size_t objects = 0;
  std::size_t watches = 0;
  std::uint64_t requests = 0;
  std::uint64_t events = 0;  // writes that changed something
  std::size_t stored_bytes = 0;
};

// Guarantees: one resourceVersion sequence over all resources; a write is visible to every read and
// watch that begins after it; a watch from a resourceVersion delivers every later change of its
// scope once and in order, or fails with 410; write costs are independent of the number of objects.
//
// Loop-confined, constructor and destructor included (in a test: the thread that drives the
// Simulation). Never blocks. Response streams must be destroyed before the server.
// Errors are the API's own: NotFound, AlreadyExists, Conflict, Invalid and so on, with its
// messages.
// Counterpart: kube-apiserver with etcd; envtest.
class ApiServer : public Handler, public kinformer::internal::transport::HeadJudge {
 public:
  explicit ApiServer(Env& env, ApiServerOptions options = {});
  ~ApiServer() override;
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;
  // Refuses a request without a right to it (ApiServerOptions::authorization), before its body.
  [[nodiscard]] std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override;
  // Returns true for tokens that this server issued by TokenRequest, and for those of its options.
  [[nodiscard]] bool Accepts(const std::string& bearer_token) const override;

  // ---- In-process calls. `resource` names the collection; the object's own namespace and name
  // identify the object. They return the stored object with kind and apiVersion.
  Result<json::Value> Create(const GroupVersionResource& resource, json::Value object,
                             WriteOptions options = {});
  Result<json::Value> Update(const GroupVersionResource& resource, json::Value object,
                             WriteOptions options = {});
  // Replaces the status, and no metadata (some kinds do take metadata in a status update).
  Result<json::Value> UpdateStatus(const GroupVersionResource& resource, json::Value object);
  // Applies a JSON merge patch.
  Result<json::Value> Patch(const GroupVersionResource& resource, const ObjectName& name,
                            const json::Value& patch, WriteOptions options = {});
  Result<void> Delete(const GroupVersionResource& resource, const ObjectName& name);
  [[nodiscard]] Result<json::Value> Get(const GroupVersionResource& resource,
                                        const ObjectName& name) const;
  // Returns all objects, or those of one namespace, in the order of their keys.
  [[nodiscard]] Result<std::vector<json::Value>> List(const GroupVersionResource& resource,
                                                      std::string_view namespace_ = {}) const;
  // Creates each document of a YAML or JSON text, or updates it if it exists. Namespaced objects
  // without a namespace are stored in "default". Stops at the first error, which names the
  // document. Returns the number of documents. `warnings`, if not null, receives the warnings that
  // a client would get: for duplicate keys, of which the last counts, and for fields unknown to the
  // document's kind, which are dropped.
  Result<std::size_t> Load(std::string_view manifests, WriteOptions options = {},
                           std::vector<std::string>* warnings = nullptr);

  // ---- State, for assertions in tests.
  // Returns the resourceVersion of the last write.
  [[nodiscard]] std::int64_t current_resource_version() const;
  // Returns "namespace/name" (or "name") and the resourceVersion of every object, which a synced
  // cache must equal. Empty for unknown resources.
  [[nodiscard]] std::map<std::string, std::string> DumpState(
      const GroupVersionResource& resource) const;
  [[nodiscard]] std::size_t ObjectCount(const GroupVersionResource& resource) const;
  [[nodiscard]] ApiServerStats Stats() const;

  // ---- Actions of a test on the server.
  // Discards history up to `resource_version` (current_resource_version() or older): later reads of
  // such versions get 410.
  void Compact(std::int64_t resource_version);
  // Restores every object to its state at `resource_version`, and the sequence of resourceVersions
  // with it, as after a restore of etcd from a backup: clients then know versions that the server
  // has yet to issue. Ends all watches and discards history. The set of served custom resources
  // does not change, nor does the garbage collector's knowledge of owners. Errors:
  // kInvalidArgument for a version not issued yet; kExpired if history does not reach back that
  // far.
  Result<void> Restore(std::int64_t resource_version);
  // Returns all that is stored. Costs about half a microsecond for each object, and a copy of it.
  [[nodiscard]] StateSnapshot Snapshot() const;
  // Replaces all that is stored by the snapshot, of this server or another: objects keep their uids
  // and resourceVersions. The sequence continues above the versions of both, all watches end with
  // 410, and history begins here, so clients list again. Custom resources of the snapshot are
  // served, and no others. A microsecond or two for each object, and parsing for each definition
  // that is not stored now. Errors, which change nothing: kInvalidArgument for objects that this
  // server would not serve.
  Result<void> Restore(const StateSnapshot& snapshot);
  // Ends all watches cleanly, as during a shutdown of the server.
  void CloseWatches();
  [[nodiscard]] FaultPlan& faults();

 private:
  struct Impl;
  kinformer::internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_API_SERVER_H_
