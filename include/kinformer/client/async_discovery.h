// kinformer/client/async_discovery.h
//
// AsyncDiscoveryClient: finds the resources that a server has, as DiscoveryClient does, for
// coroutines (task.h).
//
//   Result<RestMapping> tabs = co_await AsyncDiscoveryClient(client).MappingFor("crontabs");

#ifndef KINFORMER_CLIENT_ASYNC_DISCOVERY_H_
#define KINFORMER_CLIENT_ASYNC_DISCOVERY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/object/object_name.h"

namespace kinformer {

// Shares the cached answers of all copies of a Client with its DiscoveryClient, which blocks on
// these tasks and describes them. A task keeps what it needs. Copyable, thread-safe.
class AsyncDiscoveryClient {
 public:
  explicit AsyncDiscoveryClient(const Client& client) : core_(client.core()) {}
  explicit AsyncDiscoveryClient(std::shared_ptr<internal::ClientCore> core)
      : core_(std::move(core)) {}

  [[nodiscard]] Task<Result<std::vector<ApiGroupVersion>>> ServerGroupsAndResources(
      CallOptions call = {}) const;
  [[nodiscard]] Task<Result<RestMapping>> MappingFor(std::string name, CallOptions call = {}) const;
  [[nodiscard]] Task<Result<RestMapping>> MappingFor(GroupVersionResource resource,
                                                     CallOptions call = {}) const;
  [[nodiscard]] Task<Result<RestMapping>> MappingFor(GroupVersionKind kind,
                                                     CallOptions call = {}) const;
  [[nodiscard]] Task<Result<RestMapping>> FirstServed(std::vector<GroupVersionResource> resources,
                                                      CallOptions call = {}) const;
  [[nodiscard]] Task<Result<std::string>> ServerVersion(CallOptions call = {}) const;

 private:
  std::shared_ptr<internal::ClientCore> core_;
};

// Gets any path, as Client::GetRaw does. The task keeps what it needs of the client.
[[nodiscard]] Task<Result<std::string>> AsyncGetRaw(const Client& client,
                                                    std::string path_and_query,
                                                    CallOptions call = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ASYNC_DISCOVERY_H_
