#include "kinformer/client/scale_client.h"

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "kinformer/base/task.h"
#include "kinformer/client/async_discovery.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/json/json.h"

#include "client/client_core.h"
#include "client/patience.h"

namespace kinformer {
namespace {

using Scale = ScaleClient::Scale;

// Kinds of Scale that servers of any age have, with the form of their selectors.
struct KnownKind {
  std::string_view group;
  std::string_view version;
  // True: status.selector is a map of labels, and status.targetSelector a text. False:
  // status.selector is the text.
  bool selects_by_map;
};
constexpr auto kKnownKinds = std::to_array<KnownKind>({{"autoscaling", "v1", false},
                                                       {"apps", "v1beta1", true},
                                                       {"apps", "v1beta2", true},
                                                       {"extensions", "v1beta1", true}});

Result<KnownKind> Known(const GroupVersionKind& kind) {
  for (const KnownKind& known : kKnownKinds) {
    if (kind.kind == "Scale" && kind.group == known.group && kind.version == known.version) {
      return known;
    }
  }
  return Error(Reason::kInvalidArgument,
               "a scale of the unknown kind " + kind.kind + " of " +
                   (kind.group.empty() ? kind.version : kind.group + "/" + kind.version));
}

GroupVersionKind KindOf(const json::Value& object) {
  GroupVersionKind kind;
  const std::string& version = object["apiVersion"].StringOrEmpty();
  const std::size_t slash = version.find('/');
  if (slash != std::string::npos) kind.group = version.substr(0, slash);
  kind.version = slash == std::string::npos ? version : version.substr(slash + 1);
  kind.kind = object["kind"].StringOrEmpty();
  return kind;
}

// Returns a number of replicas; 0 if it is missing.
Result<std::int32_t> Replicas(const json::Value& part, std::string_view what) {
  const json::Value& replicas = part["replicas"];
  if (replicas.is_null()) return 0;
  const auto count = replicas.AsInt64();
  using Limits = std::numeric_limits<std::int32_t>;
  if (!count || *count < Limits::min() || *count > Limits::max()) {
    return Error(Reason::kDecode, "replicas in the " + std::string(what) +
                                      " of a Scale are no 32-bit number: " + replicas.Dump());
  }
  return static_cast<std::int32_t>(*count);
}

// Returns "a=1,b=2" for a map of labels.
std::string TextOfLabels(json::Value labels) {
  std::string text;
  labels.EnsureObject().SortByName();
  for (const auto& [name, value] : labels.members()) {
    if (!text.empty()) text += ',';
    text += name + "=" + value.StringOrEmpty();
  }
  return text;
}

Result<GroupVersionKind> ScaleKindIn(const ApiGroupVersion& version,
                                     const GroupVersionResource& resource) {
  for (const ApiResource& item : version.resources) {
    if (item.resource.resource != resource.resource) continue;
    for (const ApiSubresource& part : item.subresources) {
      if (part.name == "scale") return part.kind;
    }
  }
  return Error(Reason::kNotFound, version.groupVersion() + " " + resource.resource +
                                      " have no scale: the server names no such subresource");
}

std::string GroupVersionText(const GroupVersionResource& resource) {
  return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

// Name of a resource or a kind, in any version or in one.
using Target = std::variant<GroupResource, GroupKind, GroupVersionResource>;

}  // namespace

// Coroutines of the requests.
struct ScaleClient::Requests {
  // Place of a scale, and its kind there.
  struct Place {
    RestMapping mapping{};
    GroupVersionKind scale{};
  };
  // Parts that all requests have.
  struct Whole {
    std::shared_ptr<internal::ClientCore> core;
    std::string namespace_;
    Target target;
    CallOptions call;
  };

  static Task<Result<RestMapping>> Map(Whole whole) {
    const DiscoveryClient discovery(whole.core);
    const AsyncDeferredDiscoveryRESTMapper mapper(discovery);
    const internal::client::Patience patience(whole.core->env(), whole.call, "the scale's request");
    if (const auto* kind = std::get_if<GroupKind>(&whole.target)) {
      co_return co_await mapper.RESTMapping(*kind)
          .WithStop(whole.call.stop)
          .WithTimeout(whole.call.timeout);
    }
    GroupVersionResource resource;
    if (const auto* named = std::get_if<GroupResource>(&whole.target)) {
      resource.group = named->group;
      resource.resource = named->resource;
      Result<GroupVersionResource> found = co_await mapper.ResourceFor(resource)
                                               .WithStop(whole.call.stop)
                                               .WithTimeout(whole.call.timeout);
      if (!found) co_return std::move(found).error();
      resource = *std::move(found);
    } else {
      resource = std::get<GroupVersionResource>(whole.target);
    }
    const Result<CallOptions> left = patience.Left();
    if (!left) co_return left.error();
    const AsyncDiscoveryClient exact(discovery);
    co_return co_await exact.MappingFor(resource).WithStop(left->stop).WithTimeout(left->timeout);
  }

  static Task<Result<Place>> Find(Whole whole) {
    const internal::client::Patience patience(whole.core->env(), whole.call, "the scale's request");
    Task<Result<RestMapping>> mapping = Map(whole);
    Result<RestMapping> found = co_await mapping;
    if (!found) co_return std::move(found).error();
    const Result<CallOptions> left = patience.Left();
    if (!left) co_return left.error();
    const AsyncDiscoveryClient discovery{DiscoveryClient(whole.core)};
    const std::string group_version = GroupVersionText(found->resource);
    const Result<ApiGroupVersion> version =
        co_await discovery.ServerResourcesForGroupVersion(group_version)
            .WithStop(left->stop)
            .WithTimeout(left->timeout);
    if (!version) co_return version.error();
    Result<GroupVersionKind> kind = ScaleKindIn(*version, found->resource);
    if (!kind) co_return std::move(kind).error();
    Place place{*std::move(found), *std::move(kind)};
    co_return place;
  }

  // Sends a request that `prepare` completes with a body and parameters.
  using Prepare = std::function<Result<void>(RestRequest& request, const Place& place)>;
  static Task<Result<Scale>> Send(Whole whole, std::string method, std::string name,
                                  Prepare prepare) {
    const internal::client::Patience patience(whole.core->env(), whole.call, "the scale's request");
    Task<Result<Place>> finding = Find(whole);
    const Result<Place> place = co_await finding;
    if (!place) co_return place.error();
    const Result<CallOptions> left = patience.Left();
    if (!left) co_return left.error();
    const RestMapping& mapping = place->mapping;
    if (mapping.namespaced && whole.namespace_.empty()) {
      co_return Error(
          Reason::kInvalidArgument,
          mapping.resource.resource + " have a namespace: name it with Scales(namespace)");
    }
    RestRequest request =
        RestClient(whole.core, GroupVersion{mapping.resource.group, mapping.resource.version})
            .Verb(method);
    request.NamespaceIfScoped(whole.namespace_, mapping.namespaced)
        .Resource(mapping.resource.resource)
        .Name(name)
        .SubResource("scale");
    if (prepare) {
      if (Result<void> prepared = prepare(request, *place); !prepared) co_return prepared.error();
    }
    const Result<RestResponse> response = co_await request.AsyncDo()
                                              .WithStop(left->stop)
                                              .WithTimeout(left->timeout)
                                              .WithTrace(left->traceparent, left->tracestate);
    if (!response) co_return response.error();
    const Result<json::Value> object = response->Json();
    if (!object) co_return object.error();
    co_return FromJson(*object);
  }

  static AsyncCall<Scale> Get(const ScaleClient& client, Target target, std::string name) {
    return {client.core_->env(),
            [core = client.core_, ns = client.home_, target = std::move(target),
             name = std::move(name)](CallOptions call) {
              return Send({core, ns, target, std::move(call)}, "GET", name, {});
            }};
  }
  static AsyncCall<Scale> Update(const ScaleClient& client, Target target, Scale scale,
                                 UpdateOptions options) {
    std::string name = scale.metadata.name;
    // An empty namespace is that of the client.
    if (scale.metadata.namespace_.empty()) scale.metadata.namespace_ = client.home_;
    Prepare prepare = [scale = std::move(scale), options = std::move(options)](
                          RestRequest& request, const Place& place) -> Result<void> {
      Scale sent = scale;
      if (!place.mapping.namespaced) sent.metadata.namespace_.clear();
      const Result<json::Value> body = ToJson(sent, place.scale);
      if (!body) return body.error();
      request.VersionedParams(options).Body(*body);
      return {};
    };
    return {client.core_->env(),
            [core = client.core_, ns = client.home_, target = std::move(target),
             name = std::move(name), prepare = std::move(prepare)](CallOptions call) {
              return Send({core, ns, target, std::move(call)}, "PUT", name, prepare);
            }};
  }
  static AsyncCall<Scale> Patch(const ScaleClient& client, GroupVersionResource resource,
                                std::string name, kinformer::Patch patch, PatchOptions options) {
    Prepare prepare = [patch = std::move(patch), options = std::move(options)](
                          RestRequest& request, const Place&) -> Result<void> {
      request.VersionedParams(options)
          .SetHeader("Content-Type", PatchContentType(patch.type))
          .Body(patch.body);
      return {};
    };
    return {client.core_->env(),
            [core = client.core_, ns = client.home_, resource = std::move(resource),
             name = std::move(name), prepare = std::move(prepare)](CallOptions call) {
              return Send({core, ns, resource, std::move(call)}, "PATCH", name, prepare);
            }};
  }
  static Task<Result<GroupVersionKind>> KindOf(Whole whole) {
    Task<Result<Place>> finding = Find(std::move(whole));
    Result<Place> place = co_await finding;
    if (!place) co_return std::move(place).error();
    co_return std::move(place->scale);
  }

  // Sends the call, and waits for its answer.
  static Result<Scale> Wait(AsyncCall<Scale> sent, const CallOptions& call) {
    Env& env = sent.env();
    return BlockOn(env, std::move(sent)
                            .WithStop(call.stop)
                            .WithTimeout(call.timeout)
                            .WithTrace(call.traceparent, call.tracestate)
                            .AsTask());
  }
};

Result<Scale> ScaleClient::Get(const GroupResource& resource, std::string_view name,
                               const CallOptions& call) const {
  return Requests::Wait(Requests::Get(*this, resource, std::string(name)), call);
}
Result<Scale> ScaleClient::Get(const GroupKind& kind, std::string_view name,
                               const CallOptions& call) const {
  return Requests::Wait(Requests::Get(*this, kind, std::string(name)), call);
}
Result<Scale> ScaleClient::Update(const GroupResource& resource, const Scale& scale,
                                  const UpdateOptions& options, const CallOptions& call) const {
  return Requests::Wait(Requests::Update(*this, resource, scale, options), call);
}
Result<Scale> ScaleClient::Update(const GroupKind& kind, const Scale& scale,
                                  const UpdateOptions& options, const CallOptions& call) const {
  return Requests::Wait(Requests::Update(*this, kind, scale, options), call);
}
Result<Scale> ScaleClient::Patch(const GroupVersionResource& resource, std::string_view name,
                                 const kinformer::Patch& patch, const PatchOptions& options,
                                 const CallOptions& call) const {
  return Requests::Wait(Requests::Patch(*this, resource, std::string(name), patch, options), call);
}

AsyncCall<Scale> ScaleClient::AsyncGet(Named<GroupResource> resource, std::string name) const {
  return Requests::Get(*this, std::move(resource).Take(), std::move(name));
}
AsyncCall<Scale> ScaleClient::AsyncGet(Named<GroupKind> kind, std::string name) const {
  return Requests::Get(*this, std::move(kind).Take(), std::move(name));
}
AsyncCall<Scale> ScaleClient::AsyncUpdate(Named<GroupResource> resource, Named<Scale> scale,
                                          Named<UpdateOptions> options) const {
  return Requests::Update(*this, std::move(resource).Take(), std::move(scale).Take(),
                          std::move(options).Take());
}
AsyncCall<Scale> ScaleClient::AsyncUpdate(Named<GroupKind> kind, Named<Scale> scale,
                                          Named<UpdateOptions> options) const {
  return Requests::Update(*this, std::move(kind).Take(), std::move(scale).Take(),
                          std::move(options).Take());
}
AsyncCall<Scale> ScaleClient::AsyncPatch(Named<GroupVersionResource> resource, std::string name,
                                         Named<kinformer::Patch> patch,
                                         Named<PatchOptions> options) const {
  return Requests::Patch(*this, std::move(resource).Take(), std::move(name),
                         std::move(patch).Take(), std::move(options).Take());
}

Result<GroupVersionKind> ScaleClient::ScaleForResource(const GroupVersionResource& resource,
                                                       const CallOptions& call) const {
  return BlockOn(core_->env(), Requests::KindOf({core_, home_, resource, call}));
}

Result<Scale> ScaleClient::FromJson(const json::Value& object) {
  const Result<KnownKind> known = Known(KindOf(object));
  if (!known) return known.error();
  const Result<std::int32_t> wanted = Replicas(object["spec"], "spec");
  if (!wanted.ok()) return wanted.error();
  const Result<std::int32_t> current = Replicas(object["status"], "status");
  if (!current.ok()) return current.error();
  Scale scale;
  const json::Value& metadata = object["metadata"];
  scale.metadata.name = metadata["name"].StringOrEmpty();
  scale.metadata.namespace_ = metadata["namespace"].StringOrEmpty();
  scale.metadata.uid = metadata["uid"].StringOrEmpty();
  scale.metadata.resourceVersion = metadata["resourceVersion"].StringOrEmpty();
  scale.spec.replicas = *wanted;
  scale.status.replicas = *current;
  const json::Value& status = object["status"];
  if (!known->selects_by_map) {
    scale.status.selector = status["selector"].StringOrEmpty();
  } else if (const std::string& text = status["targetSelector"].StringOrEmpty(); !text.empty()) {
    scale.status.selector = text;
  } else {
    scale.status.selector = TextOfLabels(status["selector"]);
  }
  return scale;
}

Result<json::Value> ScaleClient::ToJson(const Scale& scale, const GroupVersionKind& kind) {
  if (const Result<KnownKind> known = Known(kind); !known) return known.error();
  json::Value metadata = json::Value::MakeObject();
  const auto set = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) metadata.Set(name, value);
  };
  set("name", scale.metadata.name);
  set("namespace", scale.metadata.namespace_);
  set("uid", scale.metadata.uid);
  set("resourceVersion", scale.metadata.resourceVersion);
  return json::Value::MakeObject(
      {{"kind", kind.kind},
       {"apiVersion", kind.group + "/" + kind.version},
       {"metadata", std::move(metadata)},
       {"spec", json::Value::MakeObject({{"replicas", scale.spec.replicas}})}});
}

}  // namespace kinformer
