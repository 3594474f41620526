// kinformer/client/rest_request.h
//
// RestClient and RestRequest: requests of any kind, for what the typed clients have no method for.
// A request is put together piece by piece, and then sent; its answer comes as a whole, as an
// object, or piece by piece.
//
//   const RestClient core(client, {.version = "v1"});
//   Result<Ref<corev1::Pod>> pod =
//       core.Get().Namespace("default").Resource("pods").Name("web-0").DoInto<corev1::Pod>();
//   Result<void> copied = core.Get().Namespace("default").Resource("pods").Name("web-0")
//       .SubResource("log").Param("follow", "true")
//       .Stream([](std::string_view text) { return bool(std::cout << text); });
//   Result<RestResponse> health = RestClient(client).Get().AbsPath("/livez").Do();
//
// Everything that Client does for a request is done for these, too: rate limit, retries, a fresh
// token after a 401, warnings.

#ifndef KINFORMER_CLIENT_REST_REQUEST_H_
#define KINFORMER_CLIENT_REST_REQUEST_H_

#include <compare>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/body_stream.h"
#include "kinformer/client/client.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/request_parts.h"
#include "kinformer/object/box.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace json {
class Value;  // json.h
}  // namespace json

// An answer of the server that is no error. Counterpart: rest.Result.
struct RestResponse {
  int status{0};
  HttpHeaders headers{};
  std::string body{};

  // Returns true if an object was created: status 201.
  [[nodiscard]] bool WasCreated() const { return status == 201; }
  // Returns the body as JSON; kDecode if it is none.
  [[nodiscard]] Result<json::Value> Json() const;
  // Returns the body as an object. kDecode: it is empty, or of another kind.
  template <Resource T>
  [[nodiscard]] Result<Ref<T>> Into() const {
    Result<internal::ObjectRef> object = internal::DecodeResponse(T::kind_info(), headers, body);
    if (!object) return std::move(object).error();
    return Ref<T>(*std::move(object));
  }
};

// A request under construction. Each setter returns the request, so that calls can be chained. The
// first mistake of a setter is kept, and returned when the request is sent. Sending changes
// nothing: a request may be sent again, and copied. Thread-compatible; may be sent by several
// threads at once. Keeps what it needs of the Client. Counterpart: rest.Request.
class RestRequest {
 public:
  // ---- The path: /api/v1/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE/SUFFIX, in that order,
  // whatever the order of the calls. Each of the first four may be given once, and must not be ".",
  // "..", or contain '/' or '%'; they are escaped.

  RestRequest& Namespace(std::string_view namespace_);
  // Does nothing for a resource that is not `namespaced`.
  RestRequest& NamespaceIfScoped(std::string_view namespace_, bool namespaced) {
    return namespaced ? Namespace(namespace_) : *this;
  }
  RestRequest& Resource(std::string_view resource);  // plural; sent in lower case
  RestRequest& Name(std::string_view name);
  // Names one subresource, or its segments: SubResource("proxy", "metrics").
  template <std::convertible_to<std::string_view>... Segments>
  RestRequest& SubResource(const Segments&... segments) {
    return SubResources({std::string_view(segments)...});
  }
  // Replaces the beginning, which is the path of the group and version. A slash at the end is kept
  // if nothing follows.
  RestRequest& AbsPath(std::string_view path);
  // Adds segments after that beginning, and at the end of the path.
  RestRequest& Prefix(std::string_view path);
  RestRequest& Suffix(std::string_view path);
  // Replaces the path and the parameters that were given before, by a path and query as they are
  // sent: percent-encoded.
  RestRequest& RequestURI(std::string_view path_and_query);

  // ---- The query. Values of one name are sent in the order of the calls.

  RestRequest& Param(std::string_view name, std::string_view value);
  RestRequest& VersionedParams(const ListOptions& options);
  RestRequest& VersionedParams(const GetOptions& options);
  RestRequest& VersionedParams(const CreateOptions& options);  // UpdateOptions, too
  RestRequest& VersionedParams(const PatchOptions& options);
  // Adds the fields that are set in a struct of the API for options, such as a
  // corev1::PodLogOptions::Mutable.
  template <class M>
    requires internal::IsGenerated<M>
  RestRequest& VersionedParams(const M& options) {
    return ParamsOfStruct(M::mutable_table(), &options);
  }

  // ---- Header and body

  // Replaces the header; with several values it is sent several times. Accept is
  // "application/json, */*" without this.
  template <std::convertible_to<std::string_view>... Values>
  RestRequest& SetHeader(std::string_view name, const Values&... values) {
    return SetHeaders(name, {std::string_view(values)...});
  }
  // Sends bytes (text that is sent as it is), a json::Value, an object: T::Mutable of a kind; or a
  // BodyStream, which is read piece by piece while it is sent, on a connection of its own.
  // The type is that of Patch, or else JSON, without a header Content-Type. Objects of built-in
  // kinds are sent as protobuf if the server takes that.
  template <class B>
  RestRequest& Body(const B& body) {
    if constexpr (std::convertible_to<const B&, std::string_view>) {
      return BodyOfBytes(std::string(std::string_view(body)));
    } else if constexpr (std::same_as<B, json::Value>) {
      return BodyOfJson(body);
    } else if constexpr (std::same_as<B, BodyStream>) {
      return BodyOfStream(body);
    } else if constexpr (internal::IsGenerated<B>) {
      return BodyOfStruct(B::mutable_table(), std::make_shared<const B>(body));
    } else if constexpr (requires { body.metadata.name; }) {
      return BodyOfBytes(internal::EncodeJson(body));
    } else {
      static_assert(internal::kNeverHolds<B>,
                    "Body takes text, a json::Value, a BodyStream, or the struct of a kind "
                    "(T::Mutable); of a view, view.DeepCopy() makes one");
      return *this;
    }
  }
  // Reads the file, and sends what is in it. Blocks.
  RestRequest& BodyFile(const std::string& path);

  // ---- Limits

  // Sends the parameter `timeout`, and limits Do and DoInto, retries included. 0: none.
  RestRequest& Timeout(TimeSpan timeout);
  // Limits the retries that ClientOptions::max_retries allows; 0: none.
  RestRequest& MaxRetries(int retries);
  // Waits for `limiter` in place of the client's; null: for none.
  RestRequest& Throttle(std::shared_ptr<flowcontrol::RateLimiter> limiter);

  // ---- Sending. Blocking calls return kWouldDeadlock on the loop; the others are AsyncCalls.

  // Returns the whole answer. A status of 300 or more is an error, as for all clients.
  Result<RestResponse> Do(const CallOptions& call = {}) const;
  [[nodiscard]] AsyncCall<RestResponse> AsyncDo() const;
  // Returns the answer as an object, for which a built-in kind is read as protobuf.
  template <kinformer::Resource T>
  Result<Ref<T>> DoInto(const CallOptions& call = {}) const {
    Result<internal::ObjectRef> object = DoIntoObject(T::kind_info(), call);
    if (!object) return std::move(object).error();
    return Ref<T>(*std::move(object));
  }
  template <kinformer::Resource T>
  [[nodiscard]] AsyncCall<Ref<T>> AsyncDoInto() const {
    return {env(), [parts = parts_](CallOptions call) {
              return internal::SendForObject(parts, T::kind_info(), std::move(call));
            }};
  }
  // Calls `on_data` with each piece of the body, on the calling thread, until it returns false or
  // the answer ends. The server is read no faster than `on_data` takes: at most a megabyte waits.
  // Its exceptions end the request, and pass through. Logs, and everything that is too large for
  // memory or has no end, is read this way. There is no limit of time but the call's own.
  using OnData = std::function<bool(std::string_view data)>;
  Result<void> Stream(const OnData& on_data, const CallOptions& call = {}) const;
  // The same in a task: `on_data` must not block where that runs on the loop.
  [[nodiscard]] AsyncCall<void> AsyncStream(OnData on_data) const;

  // Returns the path and query, as they are sent to the server's base URL. Counterpart: URL().
  [[nodiscard]] Result<std::string> URL() const;
  [[nodiscard]] Env& env() const;
  // For the library.
  [[nodiscard]] const internal::RequestParts& parts() const { return parts_; }

 private:
  friend class RestClient;
  explicit RestRequest(internal::RequestParts parts) : parts_(std::move(parts)) {}
  RestRequest& SubResources(const std::vector<std::string_view>& segments);
  RestRequest& SetHeaders(std::string_view name, const std::vector<std::string_view>& values);
  RestRequest& Params(const std::vector<std::pair<std::string, std::string>>& fields);
  RestRequest& ParamsOfStruct(const internal::MutableTable& table, const void* options);
  RestRequest& BodyOfBytes(std::string bytes);
  RestRequest& BodyOfJson(const json::Value& value);
  RestRequest& BodyOfStream(const BodyStream& body);
  RestRequest& BodyOfStruct(const internal::MutableTable& table,
                            const std::shared_ptr<const void>& object);
  Result<internal::ObjectRef> DoIntoObject(const KindInfo& type, const CallOptions& call) const;

  internal::RequestParts parts_;
};

// A version of a group of the API. Counterpart: schema.GroupVersion.
struct GroupVersion {
  std::string group{};  // empty: the core group
  std::string version{};
  auto operator<=>(const GroupVersion&) const = default;
};

// Begins requests to one version of a group: /api/v1, /apis/apps/v1; without one, AbsPath or
// RequestURI says where they go. Copyable, thread-safe. Counterpart: rest.RESTClient, and
// clientset.CoreV1().RESTClient().
class RestClient {
 public:
  explicit RestClient(const Client& client, GroupVersion version = {})
      : RestClient(client.core(), std::move(version)) {}
  explicit RestClient(std::shared_ptr<internal::ClientCore> core, GroupVersion version = {})
      : core_(std::move(core)), version_(std::move(version)) {}

  [[nodiscard]] RestRequest Get() const { return Verb("GET"); }
  [[nodiscard]] RestRequest Post() const { return Verb("POST"); }
  [[nodiscard]] RestRequest Put() const { return Verb("PUT"); }
  [[nodiscard]] RestRequest Patch(PatchType type) const;
  [[nodiscard]] RestRequest Delete() const { return Verb("DELETE"); }
  // Begins a request with any HTTP method.
  [[nodiscard]] RestRequest Verb(std::string_view method) const;
  [[nodiscard]] const GroupVersion& APIVersion() const { return version_; }
  // Returns the limiter of the client, which may be given to others; null: it has no limit. If the
  // client made it, it must not be used after the client's Env.
  [[nodiscard]] std::shared_ptr<flowcontrol::RateLimiter> GetRateLimiter() const;

 private:
  std::shared_ptr<internal::ClientCore> core_;
  GroupVersion version_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_REST_REQUEST_H_
