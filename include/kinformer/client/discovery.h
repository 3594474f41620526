// kinformer/client/discovery.h
//
// DiscoveryClient: finds the resources that a server has, and resolves names as people type them:
// "po", "pods", "deploy", "deployments.apps", "deployments.v1.apps".

#ifndef KINFORMER_CLIENT_DISCOVERY_H_
#define KINFORMER_CLIENT_DISCOVERY_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/api_resource.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/object/object_name.h"

namespace kinformer {

namespace internal {
class DiscoveryCache;
}  // namespace internal

class RestMapper;  // rest_mapper.h

// Place of an OpenAPI v3 document. Counterpart: handler3.OpenAPIV3DiscoveryGroupVersion.
struct OpenApiV3Path {
  std::string serverRelativeURL{};  // "/openapi/v3/apis/apps/v1?hash=5D2F..."
  std::string hash{};               // changes with the document; empty: the server gives none
};

// A folder in which processes share what a server said. Counterpart: the arguments of
// disk.NewCachedDiscoveryClientForConfig.
struct DiscoveryDiskCacheOptions {
  // Has a folder for each server: "127.0.0.1_6443". Its files have the names and the content of
  // kubectl's, so ~/.kube/cache/discovery serves both. Made if it does not exist.
  std::string directory{};
  // Age at which files are not used any more. kubectl's value.
  TimeSpan ttl{std::chrono::hours(6)};
};

// Copyable, thread-safe. All methods block; on the loop thread they fail with kWouldDeadlock.
// Answers are cached per Client until Invalidate; a name that is not found is looked up once more
// on the server, which sends only what has changed. Counterpart: discovery.DiscoveryInterface with
// the cache of cached/memory.
//
// A group version whose resources are unknown is data: it has an error, and the others can be used
// (api_resource.h). If the reason may pass, as that of a broken connection, the next call that
// needs all resources asks for it again.
class DiscoveryClient {
 public:
  explicit DiscoveryClient(std::shared_ptr<internal::ClientCore> core);

  // Returns groups in the server's order, core first, with the preferred version of each group
  // first. Sends two requests to servers with aggregated discovery (1.26 and newer), otherwise one
  // more for each group version.
  Result<std::vector<ApiGroupVersion>> ServerGroupsAndResources(const CallOptions& call = {}) const;
  // Returns the groups with their versions.
  Result<std::vector<ApiGroup>> ServerGroups(const CallOptions& call = {}) const;
  // Returns the resources of "apps/v1". The error is that of this group version if its resources
  // are unknown; kNotFound if the server does not have it.
  Result<ApiGroupVersion> ServerResourcesForGroupVersion(std::string_view group_version,
                                                         const CallOptions& call = {}) const;
  // Returns each resource in one version: the preferred one, or else the first that has it.
  Result<std::vector<ApiGroupVersion>> ServerPreferredResources(const CallOptions& call = {}) const;
  Result<std::vector<ApiGroupVersion>> ServerPreferredNamespacedResources(
      const CallOptions& call = {}) const;

  // Finds a resource by a typed name: plural, singular, short name or kind, optionally with
  // ".group" or ".version.group". The error has the name and suggests similar ones.
  Result<RestMapping> MappingFor(std::string_view name, const CallOptions& call = {}) const;
  Result<RestMapping> MappingFor(const GroupVersionResource& resource,
                                 const CallOptions& call = {}) const;
  Result<RestMapping> MappingFor(const GroupVersionKind& kind, const CallOptions& call = {}) const;
  // Returns the first of `resources` that the server has: give the versions of a resource that the
  // program supports, best first. kNotFound: it has none. kServiceUnavailable: it has none, but one
  // is uncertain because its aggregated API is down. kInvalidArgument: `resources` is empty.
  Result<RestMapping> FirstServed(const std::vector<GroupVersionResource>& resources,
                                  const CallOptions& call = {}) const;
  // Returns a picture for many lookups. Needs rest_mapper.h.
  Result<RestMapper> Mapper(const CallOptions& call = {}) const;

  // Returns the server's version, for example "v1.37.0".
  Result<std::string> ServerVersion(const CallOptions& call = {}) const;

  // Returns the places of the OpenAPI v3 documents by group version: "api/v1", "apis/apps/v1".
  // kNotFound: the server has none (1.23 and older).
  Result<std::map<std::string, OpenApiV3Path>> OpenAPIV3(const CallOptions& call = {}) const;
  // Returns the document of "apis/apps/v1", JSON. A document is fetched again only if its hash has
  // changed. kNotFound: the server does not have it.
  Result<std::shared_ptr<const std::string>> OpenAPIV3Schema(std::string_view path,
                                                             const CallOptions& call = {}) const;

  // Returns whether the cached answers came from the server since the last Invalidate: false before
  // the first one, and if they came from another process's files.
  [[nodiscard]] bool Fresh() const;
  // Forgets all answers, and does not use files of other processes from then on.
  void Invalidate() const;

 private:
  friend class AsyncDiscoveryClient;
  friend Result<DiscoveryClient> NewCachedDiscoveryClient(const Client& client,
                                                          const DiscoveryDiskCacheOptions& options);
  DiscoveryClient(std::shared_ptr<internal::ClientCore> core,
                  std::shared_ptr<internal::DiscoveryCache> cache);

  std::shared_ptr<internal::ClientCore> core_;
  std::shared_ptr<internal::DiscoveryCache> cache_;
};

// Returns a client that also keeps answers in files, so that a short-lived program need not ask at
// each start. Files of group versions that failed are not written, and damaged ones not used; what
// cannot be written is only logged. A file is replaced as a whole (mode 0660, folders 0750).
// kInvalidArgument: `options` has no folder. Its answers in memory are its own, and expire with the
// files. Counterpart: disk.NewCachedDiscoveryClientForConfig.
//
//   DiscoveryClient discovery =
//       NewCachedDiscoveryClient(client, {.directory = "/tmp/discovery"}).OrExit();
[[nodiscard]] Result<DiscoveryClient> NewCachedDiscoveryClient(
    const Client& client, const DiscoveryDiskCacheOptions& options);

inline DiscoveryClient Client::Discovery() const { return DiscoveryClient(core_); }

// Compares the server's version with that which the program was made for, such as "v1.36.0".
// kInvalidArgument: they differ; the message has both. Blocks. Counterpart:
// discovery.MatchesServerVersion.
Result<void> MatchesServerVersion(const DiscoveryClient& discovery, std::string_view client_version,
                                  const CallOptions& call = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DISCOVERY_H_
