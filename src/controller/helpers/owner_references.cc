#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/controller/controllerutil.h"

#include "object/values/api_version.h"

namespace kinformer::controllerutil {
namespace {

using kinformer::internal::GroupOfApiVersion;
using Reference = metav1::OwnerReferenceMutable;

// In any version, since it is the same object in all of them.
bool Names(const Reference& reference, const Owner& owner) {
  const std::optional<std::string_view> group = GroupOfApiVersion(reference.apiVersion);
  return group && group == GroupOfApiVersion(owner.apiVersion) && reference.kind == owner.kind &&
         reference.name == owner.name;
}

auto Find(std::vector<Reference>& references, const Owner& owner) {
  return std::find_if(references.begin(), references.end(),
                      [&](const Reference& reference) { return Names(reference, owner); });
}

std::string NameOf(const auto& object) {
  return object.namespace_.empty() ? object.name : object.namespace_ + "/" + object.name;
}
std::string Described(const Owner& owner) { return owner.kind + " " + NameOf(owner); }

Error NoOwner(const Owner& owner, const metav1::ObjectMetaMutable& metadata) {
  return Error(Reason::kNotFound, Described(owner) + " does not own " + NameOf(metadata));
}

// The garbage collector would treat such an owner as absent, and delete the object.
Result<void> CheckScopes(const Owner& owner, const metav1::ObjectMetaMutable& metadata) {
  if (owner.namespace_.empty() || owner.namespace_ == metadata.namespace_) return {};
  if (metadata.namespace_.empty()) {
    return Error(Reason::kInvalidArgument, Described(owner) + " is in a namespace and cannot own " +
                                               metadata.name + ", which is in none");
  }
  return Error(Reason::kInvalidArgument, Described(owner) + " cannot own " + metadata.namespace_ +
                                             "/" + metadata.name +
                                             ", which is in another namespace");
}

void Upsert(std::vector<Reference>& references, const Owner& owner, Reference reference) {
  const auto there = Find(references, owner);
  if (there == references.end()) {
    references.push_back(std::move(reference));
  } else {
    *there = std::move(reference);
  }
}

Reference ReferenceTo(const Owner& owner) {
  Reference reference;
  reference.apiVersion = owner.apiVersion;
  reference.kind = owner.kind;
  reference.name = owner.name;
  reference.uid = owner.uid;
  return reference;
}

}  // namespace

Owner::Owner(const KindInfo& type, const metav1::ObjectMeta& metadata)
    : apiVersion(type.apiVersion()),
      kind(type.kind),
      namespace_(metadata.namespace_()),
      name(metadata.name()),
      uid(metadata.uid()) {}

Result<void> SetControllerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata,
                                    const OwnerReferenceOptions& options) {
  if (Result<void> scopes = CheckScopes(owner, metadata); !scopes) return scopes;
  for (const Reference& other : metadata.ownerReferences) {
    if (!other.controller.value_or(false) || Names(other, owner)) continue;
    return Error(Reason::kAlreadyExists,
                 NameOf(metadata) + " is already controlled by " + other.kind + " " + other.name);
  }
  Reference reference = ReferenceTo(owner);
  reference.controller = true;
  reference.blockOwnerDeletion = options.block_owner_deletion.value_or(true);
  Upsert(metadata.ownerReferences, owner, std::move(reference));
  return {};
}

Result<void> SetOwnerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata,
                               const OwnerReferenceOptions& options) {
  if (Result<void> scopes = CheckScopes(owner, metadata); !scopes) return scopes;
  Reference reference = ReferenceTo(owner);
  reference.blockOwnerDeletion = options.block_owner_deletion;
  Upsert(metadata.ownerReferences, owner, std::move(reference));
  return {};
}

Result<void> RemoveOwnerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata) {
  const std::size_t gone = std::erase_if(metadata.ownerReferences, [&](const Reference& reference) {
    return Names(reference, owner);
  });
  if (gone == 0) return NoOwner(owner, metadata);
  return {};
}

Result<void> RemoveControllerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata) {
  const auto there = Find(metadata.ownerReferences, owner);
  if (there == metadata.ownerReferences.end() || !there->controller.value_or(false)) {
    return NoOwner(owner, metadata);
  }
  metadata.ownerReferences.erase(there);
  return {};
}

bool HasOwnerReference(const metav1::ObjectMetaMutable& metadata, const Owner& owner) {
  return std::any_of(metadata.ownerReferences.begin(), metadata.ownerReferences.end(),
                     [&](const Reference& reference) { return Names(reference, owner); });
}

bool HasControllerReference(const metav1::ObjectMetaMutable& metadata) {
  return std::any_of(
      metadata.ownerReferences.begin(), metadata.ownerReferences.end(),
      [](const Reference& reference) { return reference.controller.value_or(false); });
}

bool HasControllerReference(const metav1::ObjectMeta& metadata) {
  for (const metav1::OwnerReference reference : metadata.ownerReferences()) {
    if (reference.controller().value_or(false)) return true;
  }
  return false;
}

}  // namespace kinformer::controllerutil
