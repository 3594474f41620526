// kinformer/client/discovery.h
//
// DiscoveryClient: finds the resources that a server has, and resolves names as people type them:
// "po", "pods", "deploy", "deployments.apps", "deployments.v1.apps".

#ifndef KINFORMER_CLIENT_DISCOVERY_H_
#define KINFORMER_CLIENT_DISCOVERY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/object/object_name.h"

namespace kinformer {

// A resource as the server describes it. Counterpart: metav1.APIResource.
struct ApiResource {
  GroupVersionResource resource{};
  std::string kind{};
  std::string singularName{};
  bool namespaced{false};
  std::vector<std::string> verbs{};
  std::vector<std::string> shortNames{};
  std::vector<std::string> categories{};
  [[nodiscard]] bool Supports(std::string_view verb) const;
};

// A version of a group, with its resources, without subresources.
struct ApiGroupVersion {
  std::string group{};
  std::string version{};
  bool preferred{false};  // the version of its group that clients should use
  std::vector<ApiResource> resources{};
  // Reason why the resources are unknown (for example, an aggregated API is down). The other
  // versions can be used nevertheless.
  std::string error{};
};

// Copyable, thread-safe. All methods block; on the loop thread they fail with kWouldDeadlock.
// Answers are cached per Client until Invalidate; a name that is not found is looked up once more
// on the server. Counterpart: discovery.DiscoveryInterface with the deferred RESTMapper and the
// shortcut expander.
class DiscoveryClient {
 public:
  explicit DiscoveryClient(std::shared_ptr<internal::ClientCore> core) : core_(std::move(core)) {}

  // Returns groups in the server's order, core first, with the preferred version of each group
  // first. Sends two requests to servers with aggregated discovery (1.26 and newer), otherwise one
  // more for each group version.
  Result<std::vector<ApiGroupVersion>> ServerGroupsAndResources(const CallOptions& call = {}) const;

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

  // Returns the server's version, for example "v1.36.0".
  Result<std::string> ServerVersion(const CallOptions& call = {}) const;

  void Invalidate() const;

 private:
  std::shared_ptr<internal::ClientCore> core_;
};

inline DiscoveryClient Client::Discovery() const { return DiscoveryClient(core_); }

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DISCOVERY_H_
