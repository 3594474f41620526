// kinformer/client/async_discovery.h
//
// AsyncDiscoveryClient: finds the resources that a server has, as DiscoveryClient does, for
// coroutines (task.h).
//
//   Result<RestMapping> tabs = co_await AsyncDiscoveryClient(client).MappingFor("crontabs");

#ifndef KINFORMER_CLIENT_ASYNC_DISCOVERY_H_
#define KINFORMER_CLIENT_ASYNC_DISCOVERY_H_

#include <concepts>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/rest_mapper.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/internal/named_variable.h"
#include "kinformer/object/object_name.h"

namespace kinformer {

namespace internal::client {
struct Discovery;
}  // namespace internal::client

// Shares the cached answers of a DiscoveryClient, which blocks on these calls and describes them.
// Copyable, thread-safe.
class AsyncDiscoveryClient {
 public:
  explicit AsyncDiscoveryClient(const Client& client)
      : AsyncDiscoveryClient(DiscoveryClient(client.core())) {}
  explicit AsyncDiscoveryClient(DiscoveryClient discovery) : discovery_(std::move(discovery)) {}

  [[nodiscard]] AsyncCall<std::vector<ApiGroupVersion>> ServerGroupsAndResources() const;
  [[nodiscard]] AsyncCall<std::vector<ApiGroup>> ServerGroups() const;
  [[nodiscard]] AsyncCall<ApiGroupVersion> ServerResourcesForGroupVersion(
      std::string group_version) const;
  [[nodiscard]] AsyncCall<std::vector<ApiGroupVersion>> ServerPreferredResources() const;
  [[nodiscard]] AsyncCall<std::vector<ApiGroupVersion>> ServerPreferredNamespacedResources() const;
  [[nodiscard]] AsyncCall<RestMapping> MappingFor(std::string name) const;
  [[nodiscard]] AsyncCall<RestMapping> MappingFor(const GroupVersionResource& resource) const;
  [[nodiscard]] AsyncCall<RestMapping> MappingFor(const GroupVersionKind& kind) const;
  [[nodiscard]] AsyncCall<RestMapping> FirstServed(
      const std::vector<GroupVersionResource>& resources) const;
  [[nodiscard]] AsyncCall<RestMapper> Mapper() const;
  [[nodiscard]] AsyncCall<std::string> ServerVersion() const;
  [[nodiscard]] AsyncCall<std::map<std::string, OpenApiV3Path>> OpenAPIV3() const;
  [[nodiscard]] AsyncCall<std::shared_ptr<const std::string>> OpenAPIV3Schema(
      std::string path) const;
  // Explain at compile time that names of resources and kinds are variables.
  template <class Name>
    requires(!std::is_lvalue_reference_v<Name> &&
             (std::same_as<Name, GroupVersionResource> || std::same_as<Name, GroupVersionKind>))
  AsyncCall<RestMapping> MappingFor(Name&& name) const {
    internal::ExplainTemporaryInAwait<Name>();
    return MappingFor(static_cast<const Name&>(name));
  }

 private:
  friend class AsyncDeferredDiscoveryRESTMapper;
  [[nodiscard]] static internal::client::Discovery PartsOf(const DiscoveryClient& discovery);

  DiscoveryClient discovery_;
};

// The functions of DeferredDiscoveryRESTMapper for coroutines. Copyable, thread-safe.
class AsyncDeferredDiscoveryRESTMapper {
 public:
  explicit AsyncDeferredDiscoveryRESTMapper(DiscoveryClient discovery)
      : discovery_(std::move(discovery)) {}

  [[nodiscard]] AsyncCall<GroupVersionKind> KindFor(
      internal::NamedVariable<GroupVersionResource> resource) const;
  [[nodiscard]] AsyncCall<std::vector<GroupVersionKind>> KindsFor(
      internal::NamedVariable<GroupVersionResource> resource) const;
  [[nodiscard]] AsyncCall<GroupVersionResource> ResourceFor(
      internal::NamedVariable<GroupVersionResource> resource) const;
  [[nodiscard]] AsyncCall<std::vector<GroupVersionResource>> ResourcesFor(
      internal::NamedVariable<GroupVersionResource> resource) const;
  [[nodiscard]] AsyncCall<RestMapping> RESTMapping(
      internal::NamedVariable<GroupKind> kind,
      internal::NamedVariable<std::vector<std::string>> versions = {}) const;
  [[nodiscard]] AsyncCall<std::vector<RestMapping>> RESTMappings(
      internal::NamedVariable<GroupKind> kind,
      internal::NamedVariable<std::vector<std::string>> versions = {}) const;
  void Reset() const { discovery_.Invalidate(); }

 private:
  DiscoveryClient discovery_;
};

// Gets any path, as Client::GetRaw does.
[[nodiscard]] AsyncCall<std::string> AsyncGetRaw(const Client& client, std::string path_and_query);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ASYNC_DISCOVERY_H_
