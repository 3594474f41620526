// kinformer/apiserver/api_server.h
//
// ApiServer: a Kubernetes API server inside this process, without sockets: a Handler (transport.h).
// Tests and simulations talk to it through an InMemoryTransport; HttpServer (http_server.h) puts it
// on a port for everybody else.
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
#include "kinformer/env.h"
#include "kinformer/json.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

// Where servers begin that follow each other at one address: microseconds of the clock, anew every
// 25 hours, so that it and what is written after it stay below kVersionsOfServers. A client that
// knows a version of an earlier server is told 410 and lists again, be it below this server's first
// version or above its last: a watch from above is taken for one of the future, and waits, only
// from kVersionsOfServers on (or where the server begins at 1, and so follows no other).
[[nodiscard]] std::int64_t FirstResourceVersionAt(WallTime now);

// How the in-process calls differ from requests.
struct WriteOptions {
  // Take the status that comes with the object, which requests to the main resource cannot set.
  bool keep_status{true};
};

// A snapshot of what the server holds, and counts since its start.
struct ApiServerStats {
  std::size_t objects = 0;
  std::size_t watches = 0;
  std::uint64_t requests = 0;
  std::uint64_t events = 0;  // writes that changed something
  std::size_t stored_bytes = 0;
};

// Guarantees: one resourceVersion sequence over all resources; a write is visible to every read and
// watch that begins after it; a watch from a resourceVersion yields every later change of its scope
// once and in order, or says 410; no write costs more for there being many objects.
//
// Loop-confined, constructor and destructor included (in a test: the thread that drives the
// Simulation). Never blocks. Response streams must be destroyed before the server.
// Errors are the API's own: NotFound, AlreadyExists, Conflict, Invalid and so on, with its
// messages.
// Counterpart: kube-apiserver with etcd; envtest.
class ApiServer : public Handler {
 public:
  explicit ApiServer(Env& env, ApiServerOptions options = {});
  ~ApiServer() override;
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;
  // Those that it gave out itself, by TokenRequest.
  [[nodiscard]] bool Accepts(const std::string& bearer_token) const override;

  // ---- The same without HTTP. `resource` says where; the object's own namespace and name say
  // which. They give the stored object with kind and apiVersion.
  Result<json::Value> Create(const GroupVersionResource& resource, json::Value object,
                             WriteOptions options = {});
  Result<json::Value> Update(const GroupVersionResource& resource, json::Value object,
                             WriteOptions options = {});
  // Replaces the status only, and no metadata, which some kinds take with their status.
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
  // Creates (or updates, where it is there already) each document of a YAML or JSON text;
  // namespaced objects without a namespace go to "default". Stops at the first error, which names
  // the document. Gives the number of documents. `warnings`, if not null, receives what a client
  // would be warned of: keys that occur twice, of which the last counts, and fields that a
  // document's kind lacks, which are left out.
  Result<std::size_t> Load(std::string_view manifests, WriteOptions options = {},
                           std::vector<std::string>* warnings = nullptr);

  // ---- What a test asks.
  // The resourceVersion of the last write.
  [[nodiscard]] std::int64_t current_resource_version() const;
  // "namespace/name" (or "name") and the resourceVersion of every object: what a cache must equal.
  // Empty for unknown resources.
  [[nodiscard]] std::map<std::string, std::string> DumpState(
      const GroupVersionResource& resource) const;
  [[nodiscard]] std::size_t ObjectCount(const GroupVersionResource& resource) const;
  [[nodiscard]] ApiServerStats Stats() const;

  // ---- What a test does to it.
  // Forgets history up to that resourceVersion (of current_resource_version() and older): later
  // reads of it get 410.
  void Compact(std::int64_t resource_version);
  // Puts every object back to what it was at that resourceVersion, and the sequence of
  // resourceVersions with it, as when etcd is restored from a backup: clients have seen versions
  // that are yet to come. Ends all watches and forgets history. Which custom resources are served
  // stays as it is, and so does what garbage collection knows of owners.
  // Errors: kInvalidArgument for a version that is yet to come; kExpired where history does not
  // reach back so far.
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
