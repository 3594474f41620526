// controller/delegating/mapped_kind.h
//
// The parts of a RestMapping that calls of a DelegatingClient need, and the type and name of a part
// that is JSON.

#ifndef KINFORMER_CONTROLLER_DELEGATING_MAPPED_KIND_H_
#define KINFORMER_CONTROLLER_DELEGATING_MAPPED_KIND_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/client/rest_mapping.h"
#include "kinformer/controller/delegating_client_options.h"
#include "kinformer/internal/delegating_client_core.h"
#include "kinformer/json/json.h"
#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/unstructured.h"

namespace kinformer::internal::delegating {

inline ObjectForm FormOf(const RestMapping& mapping, const DelegatingClientOptions& options) {
  return {.type = &mapping.dynamic_type(), .live = !options.cache_unstructured};
}

// Returns the namespace of objects that do not have one.
inline std::string_view HomeOf(const RestMapping& mapping, const CallBounds& bounds) {
  return mapping.namespaced ? std::string_view(bounds.namespace_) : std::string_view();
}

// Returns the type of a part of an object.
inline const KindInfo& TypeOfPart(const GroupVersionKind& kind) {
  return *DynamicKindInfo(kind.group, kind.version, kind.kind, "", false);
}
// Returns the type for the apiVersion and kind in a part.
inline const KindInfo& TypeOfPart(const json::Value& part) {
  const std::string_view version = part["apiVersion"].StringOrEmpty();
  const std::size_t slash = version.find('/');
  const bool has_group = slash != std::string_view::npos;
  return TypeOfPart(GroupVersionKind{std::string(has_group ? version.substr(0, slash) : ""),
                                     std::string(has_group ? version.substr(slash + 1) : version),
                                     std::string(part["kind"].StringOrEmpty())});
}

// Returns a copy of a part, with its object's name where it has none.
inline json::Value NamedPartOf(const json::Value& part, const ObjectName& name) {
  json::Value named = part;
  json::Value& metadata = named.Ensure("metadata");
  if (part["metadata"]["name"].StringOrEmpty().empty()) metadata.Set("name", name.name);
  if (!name.namespace_.empty() && part["metadata"]["namespace"].StringOrEmpty().empty()) {
    metadata.Set("namespace", name.namespace_);
  }
  return named;
}

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_MAPPED_KIND_H_
