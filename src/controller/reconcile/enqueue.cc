#include "kinformer/enqueue.h"

#include "controller/reconcile/planted_bug.h"

namespace kinformer::handler {

std::vector<Request> internal::OwnersOf(const metav1::ObjectMeta& metadata,
                                        const ::kinformer::internal::TypeInfo& owner,
                                        Owners which) {
  using kinformer::internal::reconcile::Planted;
  using kinformer::internal::reconcile::PlantedBug;
  std::vector<Request> owners;
  if (Planted(PlantedBug::kOwnersNotFound)) return owners;
  for (const metav1::OwnerReference reference : metadata.ownerReferences()) {
    if (which == Owners::kController && !reference.controller().value_or(false)) continue;
    const std::string_view version = reference.apiVersion();
    const std::size_t slash = version.find('/');
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
    if (group != owner.group || reference.kind() != owner.kind) continue;
    owners.push_back({owner.namespaced ? std::string(metadata.namespace_()) : std::string(),
                      std::string(reference.name())});
  }
  return owners;
}

}  // namespace kinformer::handler
