// kinformer/internal/controllerutil_misuse.h
//
// Functions that explain wrong calls of controllerutil and of meta::SetStatusCondition at compile
// time: see misuse.h.

#ifndef KINFORMER_INTERNAL_CONTROLLERUTIL_MISUSE_H_
#define KINFORMER_INTERNAL_CONTROLLERUTIL_MISUSE_H_

#include <type_traits>

#include "kinformer/internal/misuse.h"
#include "kinformer/object/resource.h"

namespace kinformer::internal {

// Explains why an argument, of type Given or a reference to it, is no struct that can be changed.
template <class Given>
constexpr void ExplainChanged() {
  using Value = std::remove_cvref_t<Given>;
  constexpr bool kIsConst = std::is_const_v<std::remove_reference_t<Given>>;
  constexpr bool kIsStruct = requires(const Value& v) { v.metadata.finalizers; };
  constexpr bool kIsView =
      !kIsStruct &&
      (requires(const Value& v) { v.metadata(); } || requires(const Value& v) { v.finalizers(); });
  constexpr bool kIsMetadata = requires(const Value& v) { v.ownerReferences; };
  static_assert(!kIsRef<Value>,
                "this is a Ref to a cached object, which nobody can change: corev1::Pod::Mutable "
                "copy = ref->DeepCopy(), change the copy, and write that");
  static_assert(!kIsResult<Value>,
                "this is a Result: look whether it is ok(); of a Ref in it, result->DeepCopy() "
                "makes a copy to change and write");
  static_assert(!kIsView || kIsRef<Value>,
                "this is a view of a cached object, which nobody can change: corev1::Pod::Mutable "
                "copy = pod.DeepCopy(), change the copy, and write that");
  static_assert(!IsPointer<Value>, "this is a pointer: give the struct itself, *pointer");
  static_assert(!((kIsStruct || kIsMetadata) && kIsConst),
                "this struct is const, and is to be changed: declare it without const");
  static_assert(!((kIsStruct || kIsMetadata) && !kIsConst),
                "this struct is a temporary, and the change would be lost with it: give it a name "
                "first, auto copy = pod.DeepCopy()");
  static_assert(
      kIsRef<Value> || kIsResult<Value> || kIsView || IsPointer<Value> || kIsStruct || kIsMetadata,
      "what is changed is the struct of a kind: a corev1::Pod::Mutable, or a "
      "CustomResource<T>::Mutable");
}

// Explains that the owner stands first, where Given is the owner and Other what it is to own.
template <class Given, class Other>
constexpr void ExplainSwappedOwner() {
  static_assert(
      kNeverHolds<Given, Other>,
      "the owner stands first, what it owns second: "
      "SetControllerReference(owner, owned), where `owned` is the struct that is changed");
}

// Explains why Given is no owner.
template <class Given>
constexpr void ExplainOwner() {
  static_assert(!kIsRef<Given>, "the owner is the object that the Ref holds: give *ref");
  static_assert(!kIsResult<Given>,
                "this is a Result: look whether it is ok(); of a Ref in it, **result is the owner");
  static_assert(!IsPointer<Given>, "this is a pointer: give the owner itself, *pointer");
  static_assert(!IsMutable<Given>,
                "the owner is an object that the server has, with its uid: give the view, such as "
                "the corev1::Pod of a Ref that Get or Create gave, and not the struct; or an Owner "
                "with its fields");
  static_assert(kIsRef<Given> || kIsResult<Given> || IsPointer<Given> || IsMutable<Given>,
                "the owner is an object of a kind that is known at compile time, such as a "
                "corev1::Pod, or an Owner with its fields");
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CONTROLLERUTIL_MISUSE_H_
