// kinformer/apiserver/api_server_options.h
//
// ApiServerOptions: how an embedded API server (api_server.h) is to behave.

#ifndef KINFORMER_APISERVER_API_SERVER_OPTIONS_H_
#define KINFORMER_APISERVER_API_SERVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/env.h"
#include "kinformer/object_name.h"

namespace kinformer {
class Transport;  // transport.h
}  // namespace kinformer

namespace kinformer::apiserver {

// Where a webhook's configuration says that it is.
struct WebhookAddress {
  // "https://hooks.example.com:8443", without a path; of a service
  // "https://hooks.default.svc:443".
  std::string base_url{};
  ObjectName service{};     // empty: the configuration gives a URL
  std::string ca_bundle{};  // base64 of PEM, as the configuration has it
};

// No server that began with the clock issues versions from here on: see FirstResourceVersionAt.
constexpr std::int64_t kVersionsOfServers = 99'000'000'000;

// What the server is like. By default it behaves as a real one with the usual settings.
struct ApiServerOptions {
  // ---- Versions and history. What is older cannot be watched from or listed exactly: 410.
  // The resourceVersion that the server begins with; nothing before it is known. 1 makes for
  // readable tests. A server that takes the place of an earlier one, at the same address, begins at
  // FirstResourceVersionAt, so that no version of that one is taken for its own. Unset: 1; of
  // testing::ApiServer outside simulated time: from the clock.
  std::optional<std::int64_t> first_resource_version{};
  std::size_t history_events{100'000};  // per resource
  Duration history_age{std::chrono::minutes(5)};

  // ---- Watches.
  Duration bookmark_interval{std::chrono::seconds(60)};  // with up to a quarter of jitter
  // Of watches without timeoutSeconds: this to twice as much.
  Duration min_watch_timeout{std::chrono::minutes(30)};
  // Serve sendInitialEvents; if not, it is refused as by servers that do not know it.
  bool watch_list{true};
  // How long a read waits for a resourceVersion that is not there yet.
  Duration future_version_wait{std::chrono::seconds(3)};

  // ---- Objects.
  // Scheduled pods pass through their grace period before they go; if not, they go at once.
  bool pod_grace{false};
  // Dependents go after the last of their owners, or are orphaned, or hold it back, as its delete
  // asks for. If not, deletes set the finalizers for it (foregroundDeletion, orphan), and a
  // kube-controller-manager has to do the rest.
  bool garbage_collection{true};
  // How long after an owner its dependents go. A controller that replaces what its objects lose has
  // to have heard by then that the owner is no more. 0: in the next turn of the loop.
  Duration garbage_collection_delay{0};
  // Namespaces that are deleted are emptied and go. If not, they are Terminating until a
  // kube-controller-manager, or whoever, writes to their subresource `finalize`.
  bool namespace_finalization{true};
  // How long after their last write Events stay; 0: for ever.
  Duration event_ttl{std::chrono::hours(1)};
  // Requests that lack what a real server insists on, such as a pod's containers or a binding's
  // roleRef, are refused: 422. Without, small objects will do.
  bool required_fields{true};
  // Objects of built-in kinds get the defaults that a real server fills in, and its form: see
  // docs/apiserver.md. Without, they are stored as they were sent.
  bool defaulting{true};
  // Where Services get their cluster addresses from: an IPv4 range. Empty: they get none.
  std::string service_cluster_ip_range{"10.96.0.0/12"};
  // The objects that a real server makes itself are there (docs/apiserver.md): the Service
  // default/kubernetes with its endpoints, flow schemas, priority classes, the server's lease and
  // so on. Without: the four namespaces and nothing else.
  bool bootstrap_objects{true};
  // Where the endpoints of default/kubernetes say that the server is. No host has this address.
  std::string advertise_address{"192.0.2.1"};
  std::uint16_t advertise_port{6443};
  std::size_t max_body_bytes{std::size_t{3} << 20};
  // Of one object as it is stored: etcd's limit. 0: none.
  std::size_t max_object_bytes{std::size_t{3} << 19};

  // ---- Webhooks, of admission and of conversion. By what transport one is reached; null, as
  // without this option, is one that cannot be reached: of an admission webhook its failurePolicy
  // decides then, and what would have to be converted is a 500. Called on the loop, for each
  // question; the transport must belong to that loop and not be destroyed while the server lives.
  // In memory, NewInMemoryTransport of a WebhookServer (docs/webhooks.md).
  std::function<std::shared_ptr<Transport>(const WebhookAddress& address)> webhook_transport{};

  // ---- Control by requests.
  // Serve /debug/faults and its like (docs/apiserver.md) to whoever is let in.
  bool debug_endpoints{false};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_API_SERVER_OPTIONS_H_
