#include "kinformer/object/object_meta.h"

#include <ostream>

#include "object/block/metav1_descriptors.h"
#include "object/values/object_key.h"

namespace kinformer::metav1 {

const internal::MessageDescriptor& OwnerReference::message_descriptor() {
  return internal::descriptors::metav1::kOwnerReference;
}
const internal::MessageDescriptor& ManagedFieldsEntry::message_descriptor() {
  return internal::descriptors::metav1::kManagedFieldsEntry;
}
const internal::MessageDescriptor& ObjectMeta::message_descriptor() {
  return internal::descriptors::metav1::kObjectMeta;
}

std::optional<OwnerReference> GetControllerOf(const ObjectMeta& metadata) {
  for (const OwnerReference owner : metadata.ownerReferences()) {
    if (owner.controller().value_or(false)) return owner;
  }
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, const ObjectMeta& metadata) {
  return out << internal::ObjectKey(metadata.namespace_(), metadata.name());
}

std::ostream& operator<<(std::ostream& out, const OwnerReference& owner) {
  return out << owner.kind() << '/' << owner.name();
}

}  // namespace kinformer::metav1
