// kinformer/controller/controllerutil.h
//
// controllerutil: common steps of controllers that change objects: finalizers, owners, and writing
// an object only if it differs from the desired state.
//
//   using namespace kinformer::controllerutil;
//   auto made = CreateOrUpdate(client.For<corev1::ConfigMap>("default"), "settings",
//                              [&](corev1::ConfigMap::Mutable& map) -> Result<void> {
//                                map.data["color"] = "blue";
//                                return SetControllerReference(pod, map);
//                              });
//   if (made && made->result != OperationResult::kNone) std::cout << made->result << '\n';
//
// Counterpart: controller-runtime's package controllerutil.

#ifndef KINFORMER_CONTROLLER_CONTROLLERUTIL_H_
#define KINFORMER_CONTROLLER_CONTROLLERUTIL_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/metav1_mutable.h"
#include "kinformer/base/result.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/changing.h"
#include "kinformer/internal/controllerutil_misuse.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_meta.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer::controllerutil {

// A struct to build, change and send: corev1::Pod::Mutable.
template <class M>
concept MutableObject = requires(M& object) {
  { object.metadata } -> std::same_as<metav1::ObjectMetaMutable&>;
};

namespace internal {
namespace misuse = ::kinformer::internal;
// Matches arguments that are not a struct that can be changed.
template <class Given>
concept NotChanged =
    !(std::is_lvalue_reference_v<Given> && MutableObject<std::remove_reference_t<Given>>) &&
    !std::convertible_to<Given, metav1::ObjectMetaMutable&>;
}  // namespace internal

// ---- Finalizers: names that keep a deleted object until each of them has been removed.

// Adds the finalizer. Returns false if it was there already. Counterpart: AddFinalizer.
bool AddFinalizer(metav1::ObjectMetaMutable& metadata, std::string_view finalizer);
// Removes the finalizer. Returns false if there was none. Counterpart: RemoveFinalizer.
bool RemoveFinalizer(metav1::ObjectMetaMutable& metadata, std::string_view finalizer);
// Returns true if the object has the finalizer. Counterpart: ContainsFinalizer.
[[nodiscard]] bool ContainsFinalizer(const metav1::ObjectMeta& metadata,
                                     std::string_view finalizer);
// Does the same for a struct that will be sent.
[[nodiscard]] bool ContainsFinalizer(const metav1::ObjectMetaMutable& metadata,
                                     std::string_view finalizer);

// Does the same for an object.
template <MutableObject M>
bool AddFinalizer(M& object, std::string_view finalizer) {
  return AddFinalizer(object.metadata, finalizer);
}
// Does the same for an object.
template <MutableObject M>
bool RemoveFinalizer(M& object, std::string_view finalizer) {
  return RemoveFinalizer(object.metadata, finalizer);
}
// Explains at compile time why the argument cannot be changed.
template <internal::NotChanged Wrong>
auto AddFinalizer(Wrong&& /*wrong*/, std::string_view /*finalizer*/) {
  internal::misuse::ExplainChanged<Wrong>();
  return false;
}
// Explains at compile time why the argument cannot be changed.
template <internal::NotChanged Wrong>
auto RemoveFinalizer(Wrong&& /*wrong*/, std::string_view /*finalizer*/) {
  internal::misuse::ExplainChanged<Wrong>();
  return false;
}
// Does the same for an object that will be sent.
template <MutableObject M>
[[nodiscard]] bool ContainsFinalizer(const M& object, std::string_view finalizer) {
  return ContainsFinalizer(object.metadata, finalizer);
}
// Does the same for an object.
template <ObjectView T>
[[nodiscard]] bool ContainsFinalizer(const T& object, std::string_view finalizer) {
  return ContainsFinalizer(object.metadata(), finalizer);
}

// ---- Owners: the cluster deletes an object when all its owners are gone.

// Identity of an owner, made from any object whose kind is known at compile time. A plain value.
struct Owner {
  Owner() = default;
  template <Resource T>
  Owner(const T& object)  // NOLINT(google-explicit-constructor)
      : Owner(T::kind_info(), object.metadata()) {}
  Owner(const KindInfo& type, const metav1::ObjectMeta& metadata);
  std::string apiVersion{};
  std::string kind{};
  std::string namespace_{};  // empty: the owner is cluster-scoped
  std::string name{};
  std::string uid{};
};

// Options of an owner reference. Counterpart: OwnerReferenceOption.
struct OwnerReferenceOptions {
  // Keeps the owner, if it is deleted in the foreground, until this object is gone. True requires
  // permission to update the owner's finalizers. Empty: true for the controlling owner, unset for
  // others. Counterpart: WithBlockOwnerDeletion.
  std::optional<bool> block_owner_deletion{};
};

// Makes `owner` the object's controlling owner (controller and blockOwnerDeletion are true).
// Replaces an entry of the same group, kind and name. kInvalidArgument: the owner is in another
// namespace, or it has a namespace and the object has none. kAlreadyExists: another owner controls
// the object. Counterpart: SetControllerReference.
Result<void> SetControllerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata,
                                    const OwnerReferenceOptions& options = {});
// Makes `owner` an owner without control. Errors as above. Counterpart: SetOwnerReference.
Result<void> SetOwnerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata,
                               const OwnerReferenceOptions& options = {});
// Removes an owner. kNotFound: it is no owner. Counterpart: RemoveOwnerReference.
Result<void> RemoveOwnerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata);
// Removes a controlling owner. kNotFound: it is none. Counterpart: RemoveControllerReference.
Result<void> RemoveControllerReference(const Owner& owner, metav1::ObjectMetaMutable& metadata);
// Returns true if `owner` is an owner, in any API version. Counterpart: HasOwnerReference.
[[nodiscard]] bool HasOwnerReference(const metav1::ObjectMetaMutable& metadata, const Owner& owner);
// Returns true if one of the owners controls the object. Counterpart: HasControllerReference.
[[nodiscard]] bool HasControllerReference(const metav1::ObjectMeta& metadata);
// Does the same for a struct that will be sent.
[[nodiscard]] bool HasControllerReference(const metav1::ObjectMetaMutable& metadata);

// Does the same for an object.
template <MutableObject M>
Result<void> SetControllerReference(const Owner& owner, M& object,
                                    const OwnerReferenceOptions& options = {}) {
  return SetControllerReference(owner, object.metadata, options);
}
// Does the same for an object.
template <MutableObject M>
Result<void> SetOwnerReference(const Owner& owner, M& object,
                               const OwnerReferenceOptions& options = {}) {
  return SetOwnerReference(owner, object.metadata, options);
}
// Does the same for an object.
template <MutableObject M>
Result<void> RemoveOwnerReference(const Owner& owner, M& object) {
  return RemoveOwnerReference(owner, object.metadata);
}
// Does the same for an object.
template <MutableObject M>
Result<void> RemoveControllerReference(const Owner& owner, M& object) {
  return RemoveControllerReference(owner, object.metadata);
}

namespace internal {
template <class AnyOwner, class Given>
concept NotOwned = NotChanged<Given> || !std::convertible_to<const AnyOwner&, Owner>;

template <class AnyOwner, class Given>
constexpr void ExplainOwned() {
  if constexpr (MutableObject<AnyOwner> && std::convertible_to<const Given&, Owner>) {
    misuse::ExplainSwappedOwner<AnyOwner, Given>();
  } else if constexpr (!std::convertible_to<const AnyOwner&, Owner>) {
    misuse::ExplainOwner<AnyOwner>();
  } else {
    misuse::ExplainChanged<Given>();
  }
}
}  // namespace internal

// Explains at compile time which argument cannot own or cannot be changed.
template <class AnyOwner, class Wrong, class... Rest>
  requires internal::NotOwned<AnyOwner, Wrong>
auto SetControllerReference(const AnyOwner& /*owner*/, Wrong&& /*wrong*/, const Rest&... /*rest*/) {
  internal::ExplainOwned<AnyOwner, Wrong>();
  return Result<void>();
}
// Explains at compile time which argument cannot own or cannot be changed.
template <class AnyOwner, class Wrong, class... Rest>
  requires internal::NotOwned<AnyOwner, Wrong>
auto SetOwnerReference(const AnyOwner& /*owner*/, Wrong&& /*wrong*/, const Rest&... /*rest*/) {
  internal::ExplainOwned<AnyOwner, Wrong>();
  return Result<void>();
}
// Explains at compile time which argument cannot own or cannot be changed.
template <class AnyOwner, class Wrong>
  requires internal::NotOwned<AnyOwner, Wrong>
auto RemoveOwnerReference(const AnyOwner& /*owner*/, Wrong&& /*wrong*/) {
  internal::ExplainOwned<AnyOwner, Wrong>();
  return Result<void>();
}
// Explains at compile time which argument cannot own or cannot be changed.
template <class AnyOwner, class Wrong>
  requires internal::NotOwned<AnyOwner, Wrong>
auto RemoveControllerReference(const AnyOwner& /*owner*/, Wrong&& /*wrong*/) {
  internal::ExplainOwned<AnyOwner, Wrong>();
  return Result<void>();
}

// Does the same for an object that will be sent.
template <MutableObject M>
[[nodiscard]] bool HasControllerReference(const M& object) {
  return HasControllerReference(object.metadata);
}
// Does the same for an object.
template <ObjectView T>
[[nodiscard]] bool HasControllerReference(const T& object) {
  return HasControllerReference(object.metadata());
}

// ---- Creating objects, and updating existing ones

// Effect of CreateOrUpdate or CreateOrPatch. Counterpart: OperationResult.
enum class OperationResult : std::uint8_t {
  kNone,  // the object was already as desired
  kCreated,
  kUpdated,
  kUpdatedStatus,      // the object and its status
  kUpdatedStatusOnly,  // the status alone
};
// Returns "unchanged", "created", "updated", "updatedStatus" or "updatedStatusOnly".
[[nodiscard]] std::string_view ToString(OperationResult result);
// Writes ToString(result).
std::ostream& operator<<(std::ostream& out, OperationResult result);

// Effect of the call, and the object as the server has it afterwards.
template <ObjectView T>
struct Outcome {
  OperationResult result{};
  Ref<T> object{};
};

namespace internal {

// Returns kInvalidArgument if a function that changes an object changed its name or namespace.
Result<void> CheckSameObject(const metav1::ObjectMetaMutable& metadata, std::string_view namespace_,
                             std::string_view name);
// Merge patches that turn one object into another: of all but its status, and of its status alone.
// Null: there is nothing to change.
struct ObjectPatches {
  json::Value object{};
  json::Value status{};
};
Result<ObjectPatches> PatchesBetween(std::string_view before, std::string_view after);
[[nodiscard]] Patch MergePatch(const json::Value& body);

template <template <class> class Resources, class T>
void IsOfOneKind(const Resources<T>& resources);
// Matches a client that reads and writes objects of one kind.
template <class Resources>
concept OfOneKind = requires(const Resources& resources) { IsOfOneKind(resources); };

// Returns true if `Mutate` can change objects of kind T; otherwise explains why at compile time.
template <class T, class Mutate>
consteval bool CheckMutate() {
  constexpr bool kFits = std::is_invocable_r_v<Result<void>, Mutate&, typename T::Mutable&>;
  static_assert(kFits,
                "the function makes the kind's struct what it should be, and gives a Result<void>: "
                "[&](corev1::ConfigMap::Mutable& map) -> Result<void> { ...; return {}; }");
  static_assert(kinformer::internal::CheckTakesReference<typename T::Mutable, Mutate>());
  return kFits;
}

// Explains the arguments of CreateOrUpdate and CreateOrPatch at compile time.
template <class Resources>
constexpr void ExplainCreateOrUpdate() {
  static_assert(misuse::kNeverHolds<Resources>,
                "CreateOrUpdate takes the resources of one kind, a name, and a function that makes "
                "the object what it should be: CreateOrUpdate(client.For<corev1::ConfigMap>("
                "namespace_), name, [&](corev1::ConfigMap::Mutable& map) -> Result<void> { ... }); "
                "of a DelegatingClient ForResource<corev1::ConfigMap>(client, namespace_)");
}

}  // namespace internal

// Reads the object, lets `mutate` change it to the desired state, and creates or updates it if it
// differs. Objects with equal content are not written. Changes of the status are lost for kinds
// whose status is a subresource: see CreateOrPatch. kConflict: another client wrote first;
// reconcile again. Blocks. `mutate` is Result<void>(T::Mutable&): if it fails, its error is
// returned and nothing is written; changing the object's name or namespace is kInvalidArgument.
// `resources` is for one namespace, if the kind has namespaces: a ResourceClient, or in a
// reconciler ForResource<T>(client, namespace_, context.call()) (cached_resource_client.h), whose
// calls end with the reconcile. Counterpart: CreateOrUpdate.
template <template <class> class Resources, class T, class Mutate>
Result<Outcome<T>> CreateOrUpdate(const Resources<T>& resources, std::string_view name,
                                  Mutate&& mutate) {
  [[maybe_unused]] constexpr bool kFits = internal::CheckMutate<T, Mutate>();
  Result<Ref<T>> there = resources.Get(name);
  if (!there && !IsNotFound(there.error())) return std::move(there).error();
  Box<typename T::Mutable> wanted;  // generated structs in it are copied and deleted by the library
  if (there) {
    wanted = kinformer::internal::BoxedCopy(**there);
  } else {
    wanted.emplace();
    wanted->metadata.name = name;
    wanted->metadata.namespace_ = resources.namespace_();
  }
  const Box<typename T::Mutable> before = wanted;
  if (Result<void> mutated = mutate(*wanted); !mutated) return mutated.error();
  if (Result<void> same = internal::CheckSameObject(wanted->metadata, before->metadata.namespace_,
                                                    before->metadata.name);
      !same) {
    return same.error();
  }
  if (there && *wanted == *before) return Outcome<T>{OperationResult::kNone, *std::move(there)};
  Result<Ref<T>> written = there ? resources.Update(*wanted) : resources.Create(*wanted);
  if (!written) return std::move(written).error();
  return Outcome<T>{there ? OperationResult::kUpdated : OperationResult::kCreated,
                    *std::move(written)};
}

// Does the same with merge patches: sends only the changes of `mutate`, so that it does not
// conflict with other writers, and sends a changed status separately. Counterpart: CreateOrPatch.
template <template <class> class Resources, class T, class Mutate>
Result<Outcome<T>> CreateOrPatch(const Resources<T>& resources, std::string_view name,
                                 Mutate&& mutate) {
  [[maybe_unused]] constexpr bool kFits = internal::CheckMutate<T, Mutate>();
  Result<Ref<T>> there = resources.Get(name);
  if (!there && !IsNotFound(there.error())) return std::move(there).error();
  if (!there) return CreateOrUpdate(resources, name, std::forward<Mutate>(mutate));
  typename T::Mutable wanted = (*there)->DeepCopy();
  using kinformer::internal::EncodeJson;  // or that of a struct of the program's own
  const std::string before = EncodeJson(wanted);
  const metav1::ObjectMetaMutable identity = wanted.metadata;
  if (Result<void> mutated = mutate(wanted); !mutated) return mutated.error();
  if (Result<void> same =
          internal::CheckSameObject(wanted.metadata, identity.namespace_, identity.name);
      !same) {
    return same.error();
  }
  Result<internal::ObjectPatches> patches = internal::PatchesBetween(before, EncodeJson(wanted));
  if (!patches) return std::move(patches).error();
  Outcome<T> outcome{OperationResult::kNone, *std::move(there)};
  if (!patches->object.is_null()) {
    Result<Ref<T>> patched = resources.Patch(name, internal::MergePatch(patches->object));
    if (!patched) return std::move(patched).error();
    outcome = {OperationResult::kUpdated, *std::move(patched)};
  }
  if (!patches->status.is_null()) {
    Result<Ref<T>> patched =
        resources.Patch(name, internal::MergePatch(patches->status), {}, "status");
    if (!patched) return std::move(patched).error();
    outcome = {patches->object.is_null() ? OperationResult::kUpdatedStatusOnly
                                         : OperationResult::kUpdatedStatus,
               *std::move(patched)};
  }
  return outcome;
}

// Explains at compile time arguments other than the resources of a kind and a name.
template <class Wrong, class Name, class... Rest>
  requires(!internal::OfOneKind<Wrong> || !std::convertible_to<const Name&, std::string_view>)
auto CreateOrUpdate(const Wrong& /*wrong*/, const Name& /*name*/, const Rest&... /*rest*/) {
  internal::ExplainCreateOrUpdate<Wrong>();
  return Result<void>();
}
// Explains at compile time arguments other than the resources of a kind and a name.
template <class Wrong, class Name, class... Rest>
  requires(!internal::OfOneKind<Wrong> || !std::convertible_to<const Name&, std::string_view>)
auto CreateOrPatch(const Wrong& /*wrong*/, const Name& /*name*/, const Rest&... /*rest*/) {
  internal::ExplainCreateOrUpdate<Wrong>();
  return Result<void>();
}

}  // namespace kinformer::controllerutil

#endif  // KINFORMER_CONTROLLER_CONTROLLERUTIL_H_
