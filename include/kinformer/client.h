// kinformer/client.h
//
// Client: one API server, as seen by a program: where it is, who we are, how fast we may ask.
// Everything else starts from it.
//
//   // $KUBECONFIG, ~/.kube/config, or the service account in a pod
//   Client client = Client::FromEnvironment().OrExit();
//   auto pod = client.For<corev1::Pod>("default").Get("web-0");   // resource_client.h
//   SharedInformerFactory factory(client);                        // shared_informer_factory.h
//
// What it does to every request, as client-go does:
//   - waits for the client-side rate limiter, with a warning where that takes more than a second.
//     Watches, informers' lists and Leases do not count;
//   - repeats what the server answers with 429 or 5xx and a Retry-After header (of which two
//     minutes count at most), up to 10 times, and reads whose connection soon broke before an
//     answer came;
//   - sends a fresh token once more after a 401;
//   - speaks protobuf with built-in kinds and falls back to JSON where the server wants it,
//     remembered per resource;
//   - logs each distinct Warning header once;
//   - keeps at most 128 MiB of an answer that is not a list or watch: kOverLimit.

#ifndef KINFORMER_CLIENT_H_
#define KINFORMER_CLIENT_H_

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "kinformer/env.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/list_options.h"
#include "kinformer/list_watch.h"
#include "kinformer/object_name.h"
#include "kinformer/request_options.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer {

struct Config;          // config.h
struct RestMapping;     // discovery.h
class DiscoveryClient;  // discovery.h
class Unstructured;     // unstructured.h
template <class T>
class ResourceClient;  // kinformer/resource_client.h

// The header kinformer/resource_client.h has been included.
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
}  // namespace internal

// How a client behaves towards its server. What is left as it is comes from the Config or is
// client-go's. Counterpart: the corresponding fields of rest.Config.
struct ClientOptions {
  // Requests per second and how many at once. 0: what the Config says, or else client-go's 5 and
  // 10. Negative qps: no limit.
  double qps{0};
  int burst{0};
  // Of each request that is not a watch, repetitions included; past it the request ends with
  // kDeadlineExceeded. 0: what the Config says, or else no limit. A call's own timeout wins.
  internal::TimeSpan timeout{};
  int max_retries{10};  // of one request
  // Informers that fetch their first list at the same time; the others wait their turn.
  std::size_t max_initial_lists{8};
  bool prefer_json{false};  // JSON for built-in kinds too
  // Ask for compressed answers: fewer bytes, but on most networks more CPU time on both sides than
  // they are worth.
  bool accept_gzip{false};
  // Empty: the Config's, or else "<program>/<version> (linux/amd64) kinformer".
  std::string user_agent{};
  // The server's name in a program that talks to several: the label `cluster` of all metrics and
  // the field `cluster` of all log lines that come from this client and from what runs on its
  // env(): informers, factories, queues. Without one, what is counted of servers is counted
  // together. Empty: no label and no field, as client-go has it.
  std::string cluster_name{};
  // Called on the loop for each distinct warning that the server sends, instead of logging it. Must
  // be quick. What it throws is logged and counted.
  internal::Callable<void(std::string_view text), internal::WarningWords> warning_handler{};
  // Called on the loop when the server answers 401; true if there may be a new credential, so that
  // trying again makes sense. To throw is to say false, and is logged and counted.
  // Empty: as the Config's credentials say.
  internal::Callable<bool(), internal::RefreshWords> refresh_credentials{};
};

// Copies share one state: connections, rate limit, what was learned about the server. Thread-safe;
// nothing here blocks except where it says so. A Client that made its own Runtime keeps it alive;
// destroy the last copy outside handlers. Counterpart: kubernetes.Clientset with rest.RESTClient
// under it.
class Client {
 public:
  // A client for the server that kubectl would use, with threads of its own. Reads files; may run a
  // credential plugin.
  static Result<Client> FromEnvironment(const ClientOptions& options = {});
  // A client for `config`, with threads of its own, or on those of `env`, which must outlive it.
  static Result<Client> NewForConfig(const Config& config, const ClientOptions& options = {});
  static Result<Client> NewForConfig(Env& env, const Config& config,
                                     const ClientOptions& options = {});
  // A client over any transport: in memory, in simulated time. Both outlive it.
  static Client ForTransport(Env& env, std::shared_ptr<Transport> transport,
                             const ClientOptions& options = {});

  // The requests of one kind; `namespace_` "" means cluster scope or all namespaces. Needs
  // resource_client.h.
  template <Resource T>
    requires ResourceClientHeaderIncluded<T>
  [[nodiscard]] ResourceClient<T> For(std::string namespace_ = "") const;
  template <Resource T>
    requires(!ResourceClientHeaderIncluded<T>)
  [[nodiscard]] auto For(std::string_view /*namespace_*/ = "") const {
    static_assert(internal::kNeverHolds<T>,
                  "client.For needs the header of what it gives: "
                  "#include \"kinformer/resource_client.h\"");
  }

  // Objects of any kind as JSON. Needs resource_client.h and unstructured.h. The mapping comes from
  // Discovery().
  [[nodiscard]] ResourceClient<Unstructured> Dynamic(const RestMapping& mapping,
                                                     std::string namespace_ = "") const;
  // A resource by its name alone.
  template <std::same_as<GroupVersionResource> Resource, class... Rest>
  [[nodiscard]] auto Dynamic(const Resource& /*resource*/, const Rest&... /*rest*/) const {
    static_assert(
        internal::kNeverHolds<Resource>,
        "Dynamic takes the RestMapping of a resource, which says its kind and scope, too: "
        "Dynamic(client.Discovery().MappingFor(resource).OrExit(), \"default\")");
    using Mapping = std::conditional_t<internal::kNeverHolds<Resource>, Resource, RestMapping>;
    return Dynamic(internal::Never<const Mapping&>());
  }

  // What the server serves. Answers are kept and shared by all copies of this client. Needs
  // discovery.h.
  [[nodiscard]] DiscoveryClient Discovery() const;

  // GET of any path, such as "/version" or "/readyz": the body as text. Blocks.
  Result<std::string> GetRaw(std::string_view path_and_query, const CallOptions& call = {}) const;

  // The Env that it was made with or has made, which says ClientOptions::cluster_name in log and
  // metrics.
  [[nodiscard]] Env& env() const;
  [[nodiscard]] std::string Describe() const;  // "https://127.0.0.1:6443"
  // What this client's transport has cost so far. Blocks for a moment, off the loop.
  [[nodiscard]] TransportStats Stats() const;

  [[nodiscard]] const std::shared_ptr<internal::ClientCore>& core() const { return core_; }

 private:
  explicit Client(std::shared_ptr<internal::ClientCore> core) : core_(std::move(core)) {}
  [[nodiscard]] internal::ResourceCore CoreFor(const internal::TypeInfo& type,
                                               std::string namespace_) const;

  std::shared_ptr<internal::ClientCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_H_
