// kinformer/object/object_meta.h
//
// metav1::ObjectMeta: metadata of every object: name, namespace, uid, resourceVersion, labels,
// annotations, owners, finalizers. One type for all kinds, built-in or not.

#ifndef KINFORMER_OBJECT_OBJECT_META_H_
#define KINFORMER_OBJECT_OBJECT_META_H_

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/view.h"
#include "kinformer/object/raw_extension.h"
#include "kinformer/object/time.h"

namespace kinformer::metav1 {

struct ObjectMetaMutable;          // kinformer/api/metav1_mutable.h
struct OwnerReferenceMutable;      // kinformer/api/metav1_mutable.h
struct ManagedFieldsEntryMutable;  // kinformer/api/metav1_mutable.h

// Names the header that is missing for DeepCopy.
template <class M>
auto StructHeaderOf(const M* /*unused*/) {
  static_assert(internal::StructIsKnown<M>,
                "this needs a struct to write to: #include \"kinformer/api/metav1_mutable.h\"");
}

// The three classes are views: they live as long as the object. Counterparts: the metav1 types of
// the same names.
class OwnerReference : public internal::MessageOf<OwnerReference, OwnerReferenceMutable> {
 public:
  using Mutable = OwnerReferenceMutable;
  static const internal::MessageDescriptor& message_descriptor();
  using MessageOf::MessageOf;
  explicit OwnerReference(const internal::MessageView& message) : MessageOf(message) {}

  [[nodiscard]] const std::string_view kind() const { return internal::GetString(*this, 1); }
  [[nodiscard]] const std::string_view name() const { return internal::GetString(*this, 3); }
  [[nodiscard]] const std::string_view uid() const { return internal::GetString(*this, 4); }
  [[nodiscard]] const std::string_view apiVersion() const { return internal::GetString(*this, 5); }
  [[nodiscard]] const std::optional<bool> controller() const {
    return internal::GetOptionalBool(*this, 6);
  }
  [[nodiscard]] const std::optional<bool> blockOwnerDeletion() const {
    return internal::GetOptionalBool(*this, 7);
  }
};

// Fields set by one manager, and when.
class ManagedFieldsEntry
    : public internal::MessageOf<ManagedFieldsEntry, ManagedFieldsEntryMutable> {
 public:
  using Mutable = ManagedFieldsEntryMutable;
  static const internal::MessageDescriptor& message_descriptor();
  using MessageOf::MessageOf;
  explicit ManagedFieldsEntry(const internal::MessageView& message) : MessageOf(message) {}

  [[nodiscard]] const std::string_view manager() const { return internal::GetString(*this, 1); }
  [[nodiscard]] const std::string_view operation() const { return internal::GetString(*this, 2); }
  [[nodiscard]] const std::string_view apiVersion() const { return internal::GetString(*this, 3); }
  [[nodiscard]] const std::optional<Time> time() const {
    return internal::GetOptional<Time>(*this, 4);
  }
  [[nodiscard]] const std::string_view fieldsType() const { return internal::GetString(*this, 6); }
  [[nodiscard]] const runtime::RawExtension fieldsV1() const {
    return internal::Get<runtime::RawExtension>(*this, 7);
  }
  [[nodiscard]] const std::string_view subresource() const { return internal::GetString(*this, 8); }
};

// Metadata of an object. The accessors have the API's names and meanings.
class ObjectMeta : public internal::MessageOf<ObjectMeta, ObjectMetaMutable> {
 public:
  using Mutable = ObjectMetaMutable;
  static const internal::MessageDescriptor& message_descriptor();
  using MessageOf::MessageOf;
  explicit ObjectMeta(const internal::MessageView& message) : MessageOf(message) {}

  [[nodiscard]] const std::string_view name() const { return internal::GetString(*this, 1); }
  [[nodiscard]] const std::string_view generateName() const {
    return internal::GetString(*this, 2);
  }
  [[nodiscard]] const std::string_view namespace_() const { return internal::GetString(*this, 3); }
  [[nodiscard]] const std::string_view selfLink() const { return internal::GetString(*this, 4); }
  [[nodiscard]] const std::string_view uid() const { return internal::GetString(*this, 5); }
  [[nodiscard]] const std::string_view resourceVersion() const {
    return internal::GetString(*this, 6);
  }
  [[nodiscard]] std::int64_t generation() const { return internal::GetInt64(*this, 7); }
  [[nodiscard]] const Time creationTimestamp() const { return internal::Get<Time>(*this, 8); }
  [[nodiscard]] const std::optional<Time> deletionTimestamp() const {
    return internal::GetOptional<Time>(*this, 9);
  }
  [[nodiscard]] const std::optional<std::int64_t> deletionGracePeriodSeconds() const {
    return internal::GetOptionalInt64(*this, 10);
  }
  [[nodiscard]] const internal::StringMap labels() const { return {*this, 11}; }
  [[nodiscard]] const internal::StringMap annotations() const { return {*this, 12}; }
  [[nodiscard]] const internal::Repeated<OwnerReference> ownerReferences() const {
    return {*this, 13};
  }
  [[nodiscard]] const internal::Repeated<std::string_view> finalizers() const {
    return {*this, 14};
  }
  [[nodiscard]] const internal::Repeated<ManagedFieldsEntry> managedFields() const {
    return {*this, 17};
  }
};

// Returns the owner with controller: true. Counterpart: metav1.GetControllerOf.
std::optional<OwnerReference> GetControllerOf(const ObjectMeta& metadata);

// Prints "namespace/name" or "name".
std::ostream& operator<<(std::ostream& out, const ObjectMeta& metadata);
// Prints "ReplicaSet/web-5d4".
std::ostream& operator<<(std::ostream& out, const OwnerReference& owner);

}  // namespace kinformer::metav1

#endif  // KINFORMER_OBJECT_OBJECT_META_H_
