// controller/delegating/mapped_kind.h
//
// What a RestMapping says about the calls of a DelegatingClient.

#ifndef KINFORMER_CONTROLLER_DELEGATING_MAPPED_KIND_H_
#define KINFORMER_CONTROLLER_DELEGATING_MAPPED_KIND_H_

#include <string_view>

#include "kinformer/client/rest_mapping.h"
#include "kinformer/controller/delegating_client_options.h"
#include "kinformer/internal/delegating_client_core.h"

namespace kinformer::internal::delegating {

inline ObjectForm FormOf(const RestMapping& mapping, const DelegatingClientOptions& options) {
  return {.type = &mapping.dynamic_type(), .live = !options.cache_unstructured};
}

// Returns the namespace of objects that do not have one.
inline std::string_view HomeOf(const RestMapping& mapping, const CallBounds& bounds) {
  return mapping.namespaced ? std::string_view(bounds.namespace_) : std::string_view();
}

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_MAPPED_KIND_H_
