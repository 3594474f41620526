#include "kinformer/client/discovery.h"

#include <functional>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/async_discovery.h"
#include "kinformer/client/rest_mapper.h"

#include "base/core/printable.h"
#include "client/client_core.h"
#include "client/discovery_tasks.h"

namespace kinformer {
namespace {

using internal::client::Discovery;
using internal::client::KnownGroups;
using Groups = std::vector<ApiGroupVersion>;

// Neither core group nor others: the server or the path is not a Kubernetes API.
Error NoApiServer(const internal::ClientCore& core, std::string_view typed) {
  return Error(Reason::kNotFound,
               "the server doesn't have a resource type \"" + std::string(typed) +
                   "\": " + core.engine()->Describe() +
                   " has nothing under /api and /apis. Is this the address of a Kubernetes API "
                   "server, path included?");
}

void Forget(const Discovery& discovery) { discovery.cache->Invalidate(); }

// Returns whether a newer picture may have what was not found.
bool MayBeElsewhere(const Error& error) {
  return error.reason() == Reason::kNotFound || error.reason() == Reason::kServiceUnavailable;
}

// Finds something in a picture; kNotFound: it is not there.
template <class T>
using Find = std::function<Result<T>(const RestMapper& mapper)>;

// Searches the cached groups and, if that fails, once in newly fetched ones.
template <class T>
Task<Result<T>> Search(Discovery discovery, CallOptions call, std::string typed, Find<T> find) {
  while (true) {
    const Result<KnownGroups> known =
        co_await internal::client::FindGroups(discovery, call, /*whole=*/false);
    if (!known) co_return known.error();
    if (known->fetched && known->groups->empty()) co_return NoApiServer(*discovery.core, typed);
    const RestMapper mapper(known->groups);
    Result<T> found = find(mapper);
    if (found || known->fetched || !MayBeElsewhere(found.error())) co_return found;
    Forget(discovery);
  }
}

template <class T>
AsyncCall<T> Searching(const Discovery& discovery, std::string typed, Find<T> find) {
  return {discovery.core->env(),
          [discovery, typed = std::move(typed), find = std::move(find)](CallOptions call) {
            return Search<T>(discovery, std::move(call), typed, find);
          }};
}

using ReadGroups = Groups (*)(const Groups& groups);

Task<Result<Groups>> AllGroups(Discovery discovery, CallOptions call, ReadGroups read) {
  const Result<KnownGroups> known =
      co_await internal::client::FindGroups(std::move(discovery), std::move(call), /*whole=*/true);
  if (!known) co_return known.error();
  co_return read(*known->groups);
}

AsyncCall<Groups> ReadingGroups(const Discovery& discovery, ReadGroups read) {
  return {discovery.core->env(), [discovery, read](CallOptions call) {
            return AllGroups(discovery, std::move(call), read);
          }};
}

Groups PreferredNamespaced(const Groups& groups) {
  Groups out = internal::client::PreferredOf(groups);
  for (ApiGroupVersion& version : out) {
    std::erase_if(version.resources,
                  [](const ApiResource& resource) { return !resource.namespaced; });
  }
  std::erase_if(out, [](const ApiGroupVersion& version) {
    return version.resources.empty() && version.error.empty();
  });
  return out;
}

Task<Result<std::vector<ApiGroup>>> GroupsOnly(Discovery discovery, CallOptions call) {
  const Result<KnownGroups> known =
      co_await internal::client::FindGroups(std::move(discovery), std::move(call), /*whole=*/false);
  if (!known) co_return known.error();
  co_return internal::client::GroupsOf(*known->groups);
}

Task<Result<ApiGroupVersion>> OneVersion(Discovery discovery, CallOptions call, std::string name) {
  Find<ApiGroupVersion> find = [name](const RestMapper& mapper) -> Result<ApiGroupVersion> {
    for (const ApiGroupVersion& version : mapper.groups()) {
      if (version.groupVersion() == name) return version;
    }
    return Error(Reason::kNotFound, "the server doesn't have the group version \"" +
                                        internal::base::Printable(name) + "\"");
  };
  Result<ApiGroupVersion> found = co_await Search<ApiGroupVersion>(discovery, call, name, find);
  if (found && internal::client::MayPass(*found)) {
    const Result<KnownGroups> known = co_await internal::client::FindGroups(
        std::move(discovery), std::move(call), /*whole=*/true);
    if (!known) co_return known.error();
    const RestMapper mapper(known->groups);
    found = find(mapper);
  }
  if (found && !found->error.empty()) co_return Error(found->reason, name + ": " + found->error);
  co_return found;
}

Task<Result<RestMapper>> Picture(Discovery discovery, CallOptions call) {
  const Result<KnownGroups> known =
      co_await internal::client::FindGroups(std::move(discovery), std::move(call), /*whole=*/true);
  if (!known) co_return known.error();
  co_return RestMapper(known->groups);
}

Task<Result<std::string>> VersionOfServer(Discovery discovery, CallOptions call) {
  const std::string target = "/version";
  const std::string accept(internal::client::kJsonMediaType);
  const std::string none;
  const Result<internal::client::Fetched> version =
      co_await internal::client::GetJson(discovery.core, target, accept, none, std::move(call));
  if (!version) co_return version.error();
  co_return version->document["gitVersion"].StringOrEmpty();
}

template <class T>
Result<T> Blocked(AsyncCall<T> call, const CallOptions& options) {
  Env& env = call.env();
  return BlockOn(env, std::move(call)
                          .WithStop(options.stop)
                          .WithTimeout(options.timeout)
                          .WithTrace(options.traceparent, options.tracestate)
                          .AsTask());
}

}  // namespace

const KindInfo& RestMapping::dynamic_type() const {
  return *internal::DynamicKindInfo(resource.group, resource.version, kind.kind, resource.resource,
                                    namespaced);
}

const KindInfo& RestMapping::metadata_type() const {
  return *internal::MetadataKindInfo(resource.group, resource.version, kind.kind, resource.resource,
                                     namespaced);
}

Discovery AsyncDiscoveryClient::PartsOf(const DiscoveryClient& discovery) {
  return {discovery.core_, discovery.cache_};
}

AsyncCall<Groups> AsyncDiscoveryClient::ServerGroupsAndResources() const {
  return ReadingGroups(PartsOf(discovery_), [](const Groups& groups) { return groups; });
}

AsyncCall<Groups> AsyncDiscoveryClient::ServerPreferredResources() const {
  return ReadingGroups(PartsOf(discovery_), internal::client::PreferredOf);
}

AsyncCall<Groups> AsyncDiscoveryClient::ServerPreferredNamespacedResources() const {
  return ReadingGroups(PartsOf(discovery_), PreferredNamespaced);
}

AsyncCall<std::vector<ApiGroup>> AsyncDiscoveryClient::ServerGroups() const {
  const Discovery discovery = PartsOf(discovery_);
  return {discovery.core->env(),
          [discovery](CallOptions call) { return GroupsOnly(discovery, std::move(call)); }};
}

AsyncCall<ApiGroupVersion> AsyncDiscoveryClient::ServerResourcesForGroupVersion(
    std::string group_version) const {
  const Discovery discovery = PartsOf(discovery_);
  return {discovery.core->env(), [discovery, name = std::move(group_version)](CallOptions call) {
            return OneVersion(discovery, std::move(call), name);
          }};
}

AsyncCall<RestMapping> AsyncDiscoveryClient::MappingFor(std::string name) const {
  auto find = [name](const RestMapper& mapper) { return mapper.MappingFor(name); };
  return Searching<RestMapping>(PartsOf(discovery_), std::move(name), std::move(find));
}

AsyncCall<RestMapping> AsyncDiscoveryClient::MappingFor(
    const GroupVersionResource& resource) const {
  return Searching<RestMapping>(
      PartsOf(discovery_), resource.resource,
      [resource](const RestMapper& mapper) { return mapper.MappingFor(resource); });
}

AsyncCall<RestMapping> AsyncDiscoveryClient::MappingFor(const GroupVersionKind& kind) const {
  return Searching<RestMapping>(PartsOf(discovery_), kind.kind, [kind](const RestMapper& mapper) {
    return mapper.MappingFor(kind);
  });
}

AsyncCall<RestMapping> AsyncDiscoveryClient::FirstServed(
    const std::vector<GroupVersionResource>& resources) const {
  return Searching<RestMapping>(
      PartsOf(discovery_), resources.empty() ? std::string() : resources.front().resource,
      [resources](const RestMapper& mapper) { return mapper.FirstServed(resources); });
}

AsyncCall<RestMapper> AsyncDiscoveryClient::Mapper() const {
  const Discovery discovery = PartsOf(discovery_);
  return {discovery.core->env(),
          [discovery](CallOptions call) { return Picture(discovery, std::move(call)); }};
}

AsyncCall<std::string> AsyncDiscoveryClient::ServerVersion() const {
  const Discovery discovery = PartsOf(discovery_);
  return {discovery.core->env(),
          [discovery](CallOptions call) { return VersionOfServer(discovery, std::move(call)); }};
}

AsyncCall<std::map<std::string, OpenApiV3Path>> AsyncDiscoveryClient::OpenAPIV3() const {
  const Discovery discovery = PartsOf(discovery_);
  return {discovery.core->env(), [discovery](CallOptions call) {
            return internal::client::FindOpenApiPaths(discovery, std::move(call));
          }};
}

AsyncCall<std::shared_ptr<const std::string>> AsyncDiscoveryClient::OpenAPIV3Schema(
    std::string path) const {
  const Discovery discovery = PartsOf(discovery_);
  return {discovery.core->env(), [discovery, path = std::move(path)](CallOptions call) {
            return internal::client::FindOpenApiSchema(discovery, path, std::move(call));
          }};
}

DiscoveryClient::DiscoveryClient(std::shared_ptr<internal::ClientCore> core)
    : core_(std::move(core)), cache_(core_->discovery_cache()) {}

DiscoveryClient::DiscoveryClient(std::shared_ptr<internal::ClientCore> core,
                                 std::shared_ptr<internal::DiscoveryCache> cache)
    : core_(std::move(core)), cache_(std::move(cache)) {}

Result<DiscoveryClient> NewCachedDiscoveryClient(const Client& client,
                                                 const DiscoveryDiskCacheOptions& options) {
  if (options.directory.empty()) {
    return Error(Reason::kInvalidArgument,
                 "NewCachedDiscoveryClient needs a directory for its files");
  }
  auto cache = std::make_shared<internal::DiscoveryCache>();
  cache->files = std::make_unique<const internal::client::DiscoveryFiles>(
      options.directory, client.Describe(), options.ttl);
  return DiscoveryClient(client.core(), std::move(cache));
}

Result<Groups> DiscoveryClient::ServerGroupsAndResources(const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).ServerGroupsAndResources(), call);
}

Result<std::vector<ApiGroup>> DiscoveryClient::ServerGroups(const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).ServerGroups(), call);
}

Result<ApiGroupVersion> DiscoveryClient::ServerResourcesForGroupVersion(
    std::string_view group_version, const CallOptions& call) const {
  return Blocked(
      AsyncDiscoveryClient(*this).ServerResourcesForGroupVersion(std::string(group_version)), call);
}

Result<Groups> DiscoveryClient::ServerPreferredResources(const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).ServerPreferredResources(), call);
}

Result<Groups> DiscoveryClient::ServerPreferredNamespacedResources(const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).ServerPreferredNamespacedResources(), call);
}

Result<RestMapping> DiscoveryClient::MappingFor(std::string_view name,
                                                const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).MappingFor(std::string(name)), call);
}

Result<RestMapping> DiscoveryClient::MappingFor(const GroupVersionResource& resource,
                                                const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).MappingFor(resource), call);
}

Result<RestMapping> DiscoveryClient::MappingFor(const GroupVersionKind& kind,
                                                const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).MappingFor(kind), call);
}

Result<RestMapping> DiscoveryClient::FirstServed(const std::vector<GroupVersionResource>& resources,
                                                 const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).FirstServed(resources), call);
}

Result<RestMapper> DiscoveryClient::Mapper(const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).Mapper(), call);
}

Result<std::string> DiscoveryClient::ServerVersion(const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).ServerVersion(), call);
}

Result<void> MatchesServerVersion(const DiscoveryClient& discovery, std::string_view client_version,
                                  const CallOptions& call) {
  const Result<std::string> server_version = discovery.ServerVersion(call);
  if (!server_version) return server_version.error();
  if (*server_version == client_version) return {};
  return Error(Reason::kInvalidArgument, "server version (" + *server_version +
                                             ") differs from client version (" +
                                             std::string(client_version) + ")");
}

Result<std::map<std::string, OpenApiV3Path>> DiscoveryClient::OpenAPIV3(
    const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).OpenAPIV3(), call);
}

Result<std::shared_ptr<const std::string>> DiscoveryClient::OpenAPIV3Schema(
    std::string_view path, const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(*this).OpenAPIV3Schema(std::string(path)), call);
}

bool DiscoveryClient::Fresh() const {
  const std::lock_guard<std::mutex> lock(cache_->mutex);
  return cache_->fresh;
}

void DiscoveryClient::Invalidate() const { cache_->Invalidate(); }

// ---- The mapper that asks when it must

AsyncCall<GroupVersionKind> AsyncDeferredDiscoveryRESTMapper::KindFor(
    internal::NamedVariable<GroupVersionResource> resource) const {
  GroupVersionResource part = std::move(resource).Take();
  return Searching<GroupVersionKind>(
      AsyncDiscoveryClient::PartsOf(discovery_), part.resource,
      [part](const RestMapper& mapper) { return mapper.KindFor(part); });
}

AsyncCall<std::vector<GroupVersionKind>> AsyncDeferredDiscoveryRESTMapper::KindsFor(
    internal::NamedVariable<GroupVersionResource> resource) const {
  GroupVersionResource part = std::move(resource).Take();
  return Searching<std::vector<GroupVersionKind>>(
      AsyncDiscoveryClient::PartsOf(discovery_), part.resource,
      [part](const RestMapper& mapper) { return mapper.KindsFor(part); });
}

AsyncCall<GroupVersionResource> AsyncDeferredDiscoveryRESTMapper::ResourceFor(
    internal::NamedVariable<GroupVersionResource> resource) const {
  GroupVersionResource part = std::move(resource).Take();
  return Searching<GroupVersionResource>(
      AsyncDiscoveryClient::PartsOf(discovery_), part.resource,
      [part](const RestMapper& mapper) { return mapper.ResourceFor(part); });
}

AsyncCall<std::vector<GroupVersionResource>> AsyncDeferredDiscoveryRESTMapper::ResourcesFor(
    internal::NamedVariable<GroupVersionResource> resource) const {
  GroupVersionResource part = std::move(resource).Take();
  return Searching<std::vector<GroupVersionResource>>(
      AsyncDiscoveryClient::PartsOf(discovery_), part.resource,
      [part](const RestMapper& mapper) { return mapper.ResourcesFor(part); });
}

AsyncCall<RestMapping> AsyncDeferredDiscoveryRESTMapper::RESTMapping(
    internal::NamedVariable<GroupKind> kind,
    internal::NamedVariable<std::vector<std::string>> versions) const {
  GroupKind wanted = std::move(kind).Take();
  return Searching<RestMapping>(
      AsyncDiscoveryClient::PartsOf(discovery_), wanted.kind,
      [wanted, all = std::move(versions).Take()](const RestMapper& mapper) {
        return mapper.RESTMapping(wanted, all);
      });
}

AsyncCall<std::vector<RestMapping>> AsyncDeferredDiscoveryRESTMapper::RESTMappings(
    internal::NamedVariable<GroupKind> kind,
    internal::NamedVariable<std::vector<std::string>> versions) const {
  GroupKind wanted = std::move(kind).Take();
  return Searching<std::vector<RestMapping>>(
      AsyncDiscoveryClient::PartsOf(discovery_), wanted.kind,
      [wanted, all = std::move(versions).Take()](const RestMapper& mapper) {
        return mapper.RESTMappings(wanted, all);
      });
}

Result<GroupVersionKind> DeferredDiscoveryRESTMapper::KindFor(const GroupVersionResource& resource,
                                                              const CallOptions& call) const {
  return Blocked(AsyncDeferredDiscoveryRESTMapper(discovery_).KindFor(resource), call);
}

Result<std::vector<GroupVersionKind>> DeferredDiscoveryRESTMapper::KindsFor(
    const GroupVersionResource& resource, const CallOptions& call) const {
  return Blocked(AsyncDeferredDiscoveryRESTMapper(discovery_).KindsFor(resource), call);
}

Result<GroupVersionResource> DeferredDiscoveryRESTMapper::ResourceFor(
    const GroupVersionResource& resource, const CallOptions& call) const {
  return Blocked(AsyncDeferredDiscoveryRESTMapper(discovery_).ResourceFor(resource), call);
}

Result<std::vector<GroupVersionResource>> DeferredDiscoveryRESTMapper::ResourcesFor(
    const GroupVersionResource& resource, const CallOptions& call) const {
  return Blocked(AsyncDeferredDiscoveryRESTMapper(discovery_).ResourcesFor(resource), call);
}

Result<RestMapping> DeferredDiscoveryRESTMapper::RESTMapping(
    const GroupKind& kind, const std::vector<std::string>& versions,
    const CallOptions& call) const {
  return Blocked(AsyncDeferredDiscoveryRESTMapper(discovery_).RESTMapping(kind, versions), call);
}

Result<std::vector<RestMapping>> DeferredDiscoveryRESTMapper::RESTMappings(
    const GroupKind& kind, const std::vector<std::string>& versions,
    const CallOptions& call) const {
  return Blocked(AsyncDeferredDiscoveryRESTMapper(discovery_).RESTMappings(kind, versions), call);
}

}  // namespace kinformer
