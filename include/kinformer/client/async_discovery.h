// kinformer/client/async_discovery.h
//
// AsyncDiscoveryClient: finds the resources that a server has, as DiscoveryClient does, for
// coroutines (task.h).
//
//   Result<RestMapping> tabs = co_await AsyncDiscoveryClient(client).MappingFor("crontabs");

#ifndef KINFORMER_CLIENT_ASYNC_DISCOVERY_H_
#define KINFORMER_CLIENT_ASYNC_DISCOVERY_H_

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/internal/named_variable.h"
#include "kinformer/object/object_name.h"

namespace kinformer {

// Shares the cached answers of all copies of a Client with its DiscoveryClient, which blocks on
// these calls and describes them. Copyable, thread-safe.
class AsyncDiscoveryClient {
 public:
  explicit AsyncDiscoveryClient(const Client& client) : core_(client.core()) {}
  explicit AsyncDiscoveryClient(std::shared_ptr<internal::ClientCore> core)
      : core_(std::move(core)) {}

  [[nodiscard]] AsyncCall<std::vector<ApiGroupVersion>> ServerGroupsAndResources() const;
  [[nodiscard]] AsyncCall<RestMapping> MappingFor(std::string name) const;
  [[nodiscard]] AsyncCall<RestMapping> MappingFor(const GroupVersionResource& resource) const;
  [[nodiscard]] AsyncCall<RestMapping> MappingFor(const GroupVersionKind& kind) const;
  [[nodiscard]] AsyncCall<RestMapping> FirstServed(
      const std::vector<GroupVersionResource>& resources) const;
  [[nodiscard]] AsyncCall<std::string> ServerVersion() const;
  // Explain at compile time that names of resources and kinds are variables.
  template <class Name>
    requires(!std::is_lvalue_reference_v<Name> &&
             (std::same_as<Name, GroupVersionResource> || std::same_as<Name, GroupVersionKind>))
  AsyncCall<RestMapping> MappingFor(Name&& name) const {
    internal::ExplainTemporaryInAwait<Name>();
    return MappingFor(static_cast<const Name&>(name));
  }

 private:
  std::shared_ptr<internal::ClientCore> core_;
};

// Gets any path, as Client::GetRaw does.
[[nodiscard]] AsyncCall<std::string> AsyncGetRaw(const Client& client, std::string path_and_query);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ASYNC_DISCOVERY_H_
