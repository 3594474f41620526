// kinformer/client/client.h
//
// Client: a handle on one API server: its address, the program's credentials, the rate limit. All
// other classes that need a server are made from it.
//
//   // $KUBECONFIG, ~/.kube/config, or the service account in a pod
//   Client client = Client::FromEnvironment().OrExit();
//   auto pod = client.For<corev1::Pod>("default").Get("web-0");   // resource_client.h
//   SharedInformerFactory factory(client);                        // shared_informer_factory.h
//
// Done for every request, as in client-go:
//   - waits for the client-side rate limiter, with a warning if that takes more than a second.
//     Watches, informers' lists and Leases are not limited;
//   - retries answers of 429 or 5xx with a Retry-After header (of which at most two minutes
//     count), up to 10 times, and reads whose connection broke early, before an answer
//     arrived;
//   - sends the request once more with a fresh token after a 401;
//   - uses protobuf for built-in kinds and falls back to JSON if the server requires it,
//     remembered per resource;
//   - logs each distinct Warning header once;
//   - limits an answer that is not a list or watch to 128 MiB: kOverLimit.

#ifndef KINFORMER_CLIENT_CLIENT_H_
#define KINFORMER_CLIENT_CLIENT_H_

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "kinformer/base/env.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/request_record.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"

namespace kinformer {

struct Config;          // config.h
struct RestMapping;     // rest_mapping.h
class DiscoveryClient;  // discovery.h
class Unstructured;     // unstructured.h
namespace metav1 {
class PartialObjectMetadata;  // partial_object_metadata.h
}  // namespace metav1
template <class T>
class ResourceClient;  // kinformer/client/resource_client.h

// Matches if the header kinformer/client/resource_client.h has been included.
template <class T>
concept ResourceClientHeaderIncluded = requires { sizeof(ResourceClient<T>); };

namespace internal {
class ClientCore;
class ResourceCore;
}  // namespace internal

namespace internal {
struct WarningWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "warning_handler is called with the warning's text: [](std::string_view text) { ... }");
  }
};
struct RefreshWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "refresh_credentials is called with nothing, and says whether there may be a new "
                  "credential: [] { return true; }");
  }
};
struct ObserverWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "request_observer is called with the record of a request: "
                  "[](const RequestRecord& record) { ... }");
  }
};
}  // namespace internal

// Options of a client. Unset members come from the Config, or else have client-go's values.
// Counterpart: the corresponding fields of rest.Config.
struct ClientOptions {
  // Requests per second, and the burst on top of that. 0: the Config's value, or else client-go's 5
  // and 10. Negative qps: no limit.
  double qps{0};
  int burst{0};
  // Limiter in place of qps and burst, which several clients may share. Null: the Config's, unless
  // qps or burst are given.
  std::shared_ptr<flowcontrol::RateLimiter> rate_limiter{};
  // Limit for each request that is not a watch, retries included; after it the request fails with
  // kDeadlineExceeded. 0: the Config's value, or else no limit. A call's own timeout wins.
  TimeSpan timeout{};
  int max_retries{10};  // per request
  // Limit of informers that fetch their first list at the same time; others wait.
  std::size_t max_initial_lists{8};
  bool prefer_json{false};  // JSON for built-in kinds too
  // Asks for compressed answers: fewer bytes, but on most networks this costs more CPU time on both
  // sides than it saves.
  bool accept_gzip{false};
  // Empty: the Config's, or else "<program>/<version> (linux/amd64) kinformer".
  std::string user_agent{};
  // Name of this server, for programs that talk to several: label `cluster` of all metrics and
  // field `cluster` of all log lines of this client and of the informers, factories and queues on
  // its env(). Without names, the metrics of all servers are added together. Empty: no label and no
  // field, as in client-go.
  std::string cluster_name{};
  // Called on the loop for each distinct warning of the server, which is then not logged. Must be
  // quick. Exceptions are logged and counted. NewWarningWriter (warning_writer.h) makes one that
  // writes them.
  internal::Callable<void(std::string_view text), internal::WarningWords> warning_handler{};
  // Called on the loop after a 401 answer. Returns true if there may be a new credential, and the
  // request should be repeated. Exceptions count as false, and are logged and counted. Empty:
  // decided by the Config's credentials.
  internal::Callable<bool(), internal::RefreshWords> refresh_credentials{};
  // Called on the loop at the end of each request, once for all its attempts, and before the caller
  // gets the result. Must be quick. Exceptions are logged and counted.
  internal::Callable<void(const RequestRecord&), internal::ObserverWords> request_observer{};
  // Logs each attempt of each request, at LogLevel::kInfo, as kubectl does with -v. 6: method, URL,
  // status and milliseconds; 7: the request's headers, too; 8: the answer's headers and both
  // bodies, at most 1024 bytes of each; 9: 10240 bytes, and the request as a command of curl; 10:
  // all bytes. Less: nothing. Credentials in headers are masked; the header that the Config's
  // credentials add does not appear. Never logged are bodies that may hold Secrets or tokens, by
  // their path or by a kind that they name, those in protobuf (see prefer_json), and the events of
  // watches.
  int verbosity{0};
};

// A handle on one server. Copies share connections, rate limit, and knowledge about the server.
// Thread-safe; methods block only where they say so. A Client that made its own Runtime keeps it
// alive; destroy the last copy outside handlers. Clientset (clientset.h) has client-go's names for
// its resources. Counterpart: what a kubernetes.Clientset and its RESTClients share.
class Client {
 public:
  // Creates a client for the server that kubectl would use, with threads of its own. Reads files;
  // may run a credential plugin.
  static Result<Client> FromEnvironment(const ClientOptions& options = {});
  // Creates a client for `config`, with threads of its own or on those of `env`, which outlives it.
  static Result<Client> NewForConfig(const Config& config, const ClientOptions& options = {});
  static Result<Client> NewForConfig(Env& env, const Config& config,
                                     const ClientOptions& options = {});
  // Creates a client over any transport, for example in simulated time. Both arguments outlive it.
  static Client ForTransport(Env& env, std::shared_ptr<Transport> transport,
                             const ClientOptions& options = {});

  // Returns a client for objects of kind T; `namespace_` "" means cluster scope or all namespaces.
  // Needs resource_client.h.
  template <Resource T>
    requires ResourceClientHeaderIncluded<T>
  [[nodiscard]] ResourceClient<T> For(std::string namespace_ = "") const;
  template <Resource T>
    requires(!ResourceClientHeaderIncluded<T>)
  [[nodiscard]] auto For(std::string_view /*namespace_*/ = "") const {
    static_assert(internal::kNeverHolds<T>,
                  "client.For needs the header of what it gives: "
                  "#include \"kinformer/client/resource_client.h\"");
  }

  // Returns a client for objects of any kind, as JSON. Needs resource_client.h and unstructured.h.
  // `mapping` comes from Discovery().
  [[nodiscard]] ResourceClient<Unstructured> Dynamic(const RestMapping& mapping,
                                                     std::string namespace_ = "") const;
  // Explains at compile time why a resource's name alone is not enough.
  template <std::same_as<GroupVersionResource> Resource, class... Rest>
  [[nodiscard]] auto Dynamic(const Resource& /*resource*/, const Rest&... /*rest*/) const {
    static_assert(
        internal::kNeverHolds<Resource>,
        "Dynamic takes the RestMapping of a resource, which says its kind and scope, too: "
        "Dynamic(client.Discovery().MappingFor(resource).OrExit(), \"default\")");
    using Mapping = std::conditional_t<internal::kNeverHolds<Resource>, Resource, RestMapping>;
    return Dynamic(internal::Never<const Mapping&>());
  }

  // Returns a client that gets the metadata of objects of any kind, and nothing else of them. Needs
  // dynamic_client.h.
  [[nodiscard]] ResourceClient<metav1::PartialObjectMetadata> Metadata(
      const RestMapping& mapping, std::string namespace_ = "") const;

  // Returns a view of the resources that the server has. All copies of this client share the cached
  // answers. Needs discovery.h.
  [[nodiscard]] DiscoveryClient Discovery() const;

  // Gets any path, such as "/version" or "/readyz", and returns the body as text. Blocks.
  Result<std::string> GetRaw(std::string_view path_and_query, const CallOptions& call = {}) const;

  // Returns the Env given to or made by this client; with ClientOptions::cluster_name, an Env that
  // adds the name to log lines and metrics.
  [[nodiscard]] Env& env() const;
  [[nodiscard]] std::string Describe() const;  // "https://127.0.0.1:6443"
  // Returns figures of this client's transport so far. Blocks for a moment, off the loop.
  [[nodiscard]] TransportStats Stats() const;

  [[nodiscard]] const std::shared_ptr<internal::ClientCore>& core() const { return core_; }

 private:
  explicit Client(std::shared_ptr<internal::ClientCore> core) : core_(std::move(core)) {}
  [[nodiscard]] internal::ResourceCore CoreFor(const KindInfo& type, std::string namespace_) const;

  std::shared_ptr<internal::ClientCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CLIENT_H_
