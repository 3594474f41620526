// kinformer/discovery.h
//
// DiscoveryClient: what a server serves, and from what people type to what the API means: "po",
// "pods", "deploy", "deployments.apps", "deployments.v1.apps".

#ifndef KINFORMER_DISCOVERY_H_
#define KINFORMER_DISCOVERY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client.h"
#include "kinformer/object_name.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

namespace kinformer {

// One resource as the server describes it. Counterpart: metav1.APIResource.
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

// A version of a group, with its resources; subresources are not among them.
struct ApiGroupVersion {
  std::string group{};
  std::string version{};
  bool preferred{false};  // the version of its group that clients should use
  std::vector<ApiResource> resources{};
  // Why the resources are not known (an aggregated API that is down). The others are usable all the
  // same.
  std::string error{};
};

// Where a kind is served. Counterpart: meta.RESTMapping.
struct RestMapping {
  GroupVersionResource resource{};
  GroupVersionKind kind{};
  bool namespaced{false};
  // The static TypeInfo does not exist for kinds known only at run time; this one always does.
  [[nodiscard]] const internal::TypeInfo& dynamic_type() const;
  [[nodiscard]] const internal::TypeInfo& metadata_type() const;
};

// Copyable, thread-safe. All methods block; on the loop thread they fail with kWouldDeadlock.
// Answers are remembered per Client until Invalidate, and asked for again once when a name is not
// found. Counterpart: discovery.DiscoveryInterface with the deferred RESTMapper and the shortcut
// expander.
class DiscoveryClient {
 public:
  explicit DiscoveryClient(std::shared_ptr<internal::ClientCore> core) : core_(std::move(core)) {}

  // Groups in the server's order, core first; within a group the preferred version first. Two
  // requests where the server has aggregated discovery (1.26 and newer), else one more for each
  // group version.
  Result<std::vector<ApiGroupVersion>> ServerGroupsAndResources(const CallOptions& call = {}) const;

  // What a person typed: plural, singular, short name or kind, optionally with ".group" or
  // ".version.group". The error names what was asked for and suggests names that are near.
  Result<RestMapping> MappingFor(std::string_view name, const CallOptions& call = {}) const;
  Result<RestMapping> MappingFor(const GroupVersionResource& resource,
                                 const CallOptions& call = {}) const;
  Result<RestMapping> MappingFor(const GroupVersionKind& kind, const CallOptions& call = {}) const;
  // The first of these that the server serves: the versions of a resource that a program can work
  // with, the best first. kNotFound: it serves none. kServiceUnavailable: nor can it say of one of
  // them, whose aggregated API is down. kInvalidArgument: none is named.
  Result<RestMapping> FirstServed(const std::vector<GroupVersionResource>& resources,
                                  const CallOptions& call = {}) const;

  // "v1.36.0".
  Result<std::string> ServerVersion(const CallOptions& call = {}) const;

  void Invalidate() const;

 private:
  std::shared_ptr<internal::ClientCore> core_;
};

inline DiscoveryClient Client::Discovery() const { return DiscoveryClient(core_); }

}  // namespace kinformer

#endif  // KINFORMER_DISCOVERY_H_
