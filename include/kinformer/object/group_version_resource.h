// kinformer/object/group_version_resource.h
//
// GroupVersionResource: the name of a collection of objects in the API. GroupVersionKind
// (group_version_kind.h) is that of their kind.

#ifndef KINFORMER_OBJECT_GROUP_VERSION_RESOURCE_H_
#define KINFORMER_OBJECT_GROUP_VERSION_RESOURCE_H_

#include <compare>
#include <iosfwd>
#include <string>

namespace kinformer {

// Collection of objects in the API. Counterpart: schema.GroupVersionResource.
struct GroupVersionResource {
  std::string group{};
  std::string version{};
  std::string resource{};  // plural, lower case: "deployments"
  auto operator<=>(const GroupVersionResource&) const = default;
};

// Prints "apps/v1, Resource=deployments".
std::ostream& operator<<(std::ostream& out, const GroupVersionResource& gvr);

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_GROUP_VERSION_RESOURCE_H_
