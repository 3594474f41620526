// kinformer/object/group_version_kind.h
//
// GroupVersionKind: the name of a kind of objects in the API. GroupVersionResource
// (group_version_resource.h) is that of their collection.

#ifndef KINFORMER_OBJECT_GROUP_VERSION_KIND_H_
#define KINFORMER_OBJECT_GROUP_VERSION_KIND_H_

#include <compare>
#include <iosfwd>
#include <string>

namespace kinformer {

// Kind of an object, in a version. Counterpart: schema.GroupVersionKind.
struct GroupVersionKind {
  std::string group{};  // empty: the core group
  std::string version{};
  std::string kind{};
  // Returns the object's apiVersion: "apps/v1", or "v1" for the core group.
  [[nodiscard]] std::string apiVersion() const;
  auto operator<=>(const GroupVersionKind&) const = default;
};

// Prints "apps/v1, Kind=Deployment".
std::ostream& operator<<(std::ostream& out, const GroupVersionKind& gvk);

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_GROUP_VERSION_KIND_H_
