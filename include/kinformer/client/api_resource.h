// kinformer/client/api_resource.h
//
// ApiResource, ApiGroupVersion, ApiGroup: what a server says about the resources that it has.
// DiscoveryClient (discovery.h) gets them.
//
//   for (const ApiGroupVersion& version :
//        FilteredBy(SupportsAllVerbs({"list", "watch"}), groups)) { ... }

#ifndef KINFORMER_CLIENT_API_RESOURCE_H_
#define KINFORMER_CLIENT_API_RESOURCE_H_

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/group_version_resource.h"

namespace kinformer {

// A part of a resource with a path of its own.
struct ApiSubresource {
  std::string name{};       // "scale"
  GroupVersionKind kind{};  // of its requests and answers: autoscaling/v1 Scale
  std::vector<std::string> verbs{};
};

// A resource as the server describes it. Counterpart: metav1.APIResource.
struct ApiResource {
  GroupVersionResource resource{};
  std::string kind{};
  std::string singularName{};
  bool namespaced{false};
  std::vector<std::string> verbs{};
  std::vector<std::string> shortNames{};
  std::vector<std::string> categories{};
  std::vector<ApiSubresource> subresources{};
  [[nodiscard]] bool Supports(std::string_view verb) const;
};

// A version of a group, with its resources. Counterpart: metav1.APIResourceList.
struct ApiGroupVersion {
  std::string group{};
  std::string version{};
  bool preferred{false};  // the version of its group that clients should use
  std::vector<ApiResource> resources{};
  // Reason why the resources are unknown (for example, an aggregated API is down), as text and for
  // programs. Empty: they are known. The other versions can be used nevertheless.
  std::string error{};
  Reason reason{Reason::kUnknown};
  bool stale{false};  // the server itself could not reach the aggregated API
  // Returns "apps/v1", or "v1" for the core group.
  [[nodiscard]] std::string groupVersion() const;
};

// A group with its versions. Counterpart: metav1.APIGroup.
struct ApiGroup {
  std::string name{};                   // empty: the core group
  std::vector<std::string> versions{};  // the server's order, the preferred one first
  std::string preferredVersion{};
};

// Returns the group versions whose resources are unknown, with the reason. Counterpart:
// discovery.GroupDiscoveryFailedErrorGroups.
[[nodiscard]] std::map<std::string, Error> GroupDiscoveryFailedErrorGroups(
    const std::vector<ApiGroupVersion>& groups);

// Returns one error that names all group versions whose resources are unknown, for programs that
// need all of them; empty if all are known. Counterpart: discovery.ErrGroupDiscoveryFailed.
[[nodiscard]] std::optional<Error> ErrGroupDiscoveryFailed(
    const std::vector<ApiGroupVersion>& groups);

// Returns the group versions with the resources for which `predicate` is true, without those that
// have none. Counterpart: discovery.FilteredBy.
template <std::predicate<const ApiResource&> Predicate>
[[nodiscard]] std::vector<ApiGroupVersion> FilteredBy(const Predicate& predicate,
                                                      std::vector<ApiGroupVersion> groups) {
  for (ApiGroupVersion& version : groups) {
    std::erase_if(version.resources,
                  [&](const ApiResource& resource) { return !predicate(resource); });
  }
  std::erase_if(groups, [](const ApiGroupVersion& version) { return version.resources.empty(); });
  return groups;
}

// A predicate for resources with all of its verbs. A value; thread-compatible. Counterpart:
// discovery.SupportsAllVerbs.
class SupportsAllVerbs {
 public:
  explicit SupportsAllVerbs(std::vector<std::string> verbs) : verbs_(std::move(verbs)) {}
  [[nodiscard]] bool operator()(const ApiResource& resource) const;

 private:
  std::vector<std::string> verbs_;
};

// Returns the names of all resources. Counterpart: discovery.GroupVersionResources.
[[nodiscard]] std::vector<GroupVersionResource> GroupVersionResources(
    const std::vector<ApiGroupVersion>& groups);

// Compares versions of an API, as Kubernetes orders them: v2 is above v1, v1 above v1beta2, that
// above v1beta1 and v1alpha1; other names are below, in reverse order of the alphabet. Returns a
// number below, equal to or above 0. Counterpart: version.CompareKubeAwareVersionStrings.
[[nodiscard]] int CompareKubeAwareVersionStrings(std::string_view a, std::string_view b);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_API_RESOURCE_H_
