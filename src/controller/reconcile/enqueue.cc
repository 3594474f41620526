#include "kinformer/controller/handler.h"

#include "object/values/api_version.h"

namespace kinformer::handler {

std::vector<Request> internal::OwnersOf(const metav1::ObjectMeta& metadata,
                                        const ::kinformer::KindInfo& owner, Owners which) {
  std::vector<Request> owners;
  for (const metav1::OwnerReference reference : metadata.ownerReferences()) {
    const bool one_is_enough = which == Owners::kController;
    if (one_is_enough && !reference.controller().value_or(false)) continue;
    if (kinformer::internal::GroupOfApiVersion(reference.apiVersion()) == owner.group &&
        reference.kind() == owner.kind) {
      owners.push_back({owner.namespaced ? std::string(metadata.namespace_()) : std::string(),
                        std::string(reference.name())});
    }
    // Only one owner can be the controller; if several claim to be, the first one counts.
    if (one_is_enough) break;
  }
  return owners;
}

}  // namespace kinformer::handler
