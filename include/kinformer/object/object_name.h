// kinformer/object/object_name.h
//
// ObjectName: namespace and name, with the key functions of client-go's cache package.

#ifndef KINFORMER_OBJECT_OBJECT_NAME_H_
#define KINFORMER_OBJECT_OBJECT_NAME_H_

#include <compare>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/group_version_resource.h"

namespace kinformer {

// Namespace and name, which identify an object of one resource; the usual item of work queues.
// Counterpart: cache.ObjectName and types.NamespacedName.
struct ObjectName {
  std::string namespace_{};  // empty for cluster-scoped objects
  std::string name{};
  // Returns "namespace/name", or "name" without a namespace.
  [[nodiscard]] std::string ToString() const;
  auto operator<=>(const ObjectName&) const = default;
};

std::ostream& operator<<(std::ostream& out, const ObjectName& name);

// Splits "namespace/name"; "name" alone has no namespace. More than one slash is an error.
Result<ObjectName> SplitMetaNamespaceKey(std::string_view key);

}  // namespace kinformer

template <>
struct std::hash<kinformer::ObjectName> {
  std::size_t operator()(const kinformer::ObjectName& name) const noexcept {
    const std::size_t h = std::hash<std::string>()(name.namespace_);
    return h ^ (std::hash<std::string>()(name.name) + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2));
  }
};

#endif  // KINFORMER_OBJECT_OBJECT_NAME_H_
