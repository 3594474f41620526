// kinformer/client/rest_mapping.h
//
// RestMapping: what a server knows by the name of a resource or a kind. DiscoveryClient
// (discovery.h) finds it; clients, listers and factories of kinds that the program does not know at
// compile time take it.

#ifndef KINFORMER_CLIENT_REST_MAPPING_H_
#define KINFORMER_CLIENT_REST_MAPPING_H_

#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/group_version_resource.h"
#include "kinformer/object/kind_info.h"

namespace kinformer {

// Resource and scope of a kind. A value; thread-compatible. Counterpart: meta.RESTMapping.
struct RestMapping {
  GroupVersionResource resource{};
  GroupVersionKind kind{};
  bool namespaced{false};
  // Returns a KindInfo for this kind, which exists even if the program has no static one.
  [[nodiscard]] const KindInfo& dynamic_type() const;
  [[nodiscard]] const KindInfo& metadata_type() const;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_REST_MAPPING_H_
