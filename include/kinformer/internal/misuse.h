// kinformer/internal/misuse.h
//
// Compile-time messages for wrong calls, as the compiler's first error and in words: which T is not
// a kind, which argument is not a name. With constraints alone, the first error would be "no
// matching function", with the reason hidden among the candidates.
//
// A wrong call must select a function whose body, or a concept whose check, has the static_assert.
// So the explaining functions are overloads of the real ones, selected only if those cannot be
// called; each class has them in a base of its own (delegating_client_misuse.h and so on). Their
// result types are deduced, so that the compiler reads their bodies at the call and prints other
// errors of the statement after the explanation. Functions in braced options are Callable
// (callable.h), and explaining constructors are declared next to the real ones.

#ifndef KINFORMER_INTERNAL_MISUSE_H_
#define KINFORMER_INTERNAL_MISUSE_H_

#include <concepts>
#include <string_view>
#include <type_traits>

#include "kinformer/base/result.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {

// Result of a call that does not compile.
[[nodiscard]] inline Error NeverCalled() { return Error(Reason::kInvalidArgument, {}); }

// Value type of the result of a wrong call, so that the compiler prints no second error about it.
struct NoView {
  explicit NoView(const Block*) {}
};

template <class T>
inline constexpr bool kIsResult = false;
template <class T>
inline constexpr bool kIsResult<Result<T>> = true;

template <class T>
concept IsText = std::convertible_to<const T&, std::string_view>;
template <class T>
concept IsPointer = !IsText<T> && !kIsRef<T> && !kIsResult<T> &&
                    ((std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) ||
                     requires(const T& t) {
                       *t;
                       t.get();
                     });
// Matches a struct with a kind's fields, metadata included.
template <class T>
concept IsMutable = requires(const T& t) {
  t.metadata.name;
  typename T::View;
};
// Matches a struct of the program that names its kind, as CustomResource<T> requires.
template <class T>
concept IsPlainStruct = !ObjectView<T> && !IsMutable<T> && requires { T::kKind; };

// Explains why T is not a kind known at compile time: one of the assertions fails.
template <class T>
struct WhyNoKind {
  static constexpr bool kPlain = IsPlainStruct<T>;
  static constexpr bool kUntyped = ObjectView<T>;
  static_assert(!IsMutable<T>,
                "this T is the struct that is written; name the view that is read, which is the "
                "kind: corev1::Pod, not corev1::Pod::Mutable, and CustomResource<T>, not its "
                "Mutable");
  static_assert(!kPlain,
                "this T is a struct of yours: name the kind that is made of it, CustomResource<T> "
                "of kinformer/object/custom_resource.h");
  static_assert(!kIsRef<T>, "this T is a Ref: name the kind, corev1::Pod, not Ref<corev1::Pod>");
  static_assert(!IsPointer<T>, "this T is a pointer: name the kind, corev1::Pod, not corev1::Pod*");
  static_assert(
      !kUntyped || IsMutable<T>,
      "this T can be any kind, and the kind must be known at compile time: name one, such "
      "as corev1::Pod or CustomResource<T>; for kinds known at run time only there are "
      "functions that take a RestMapping, from Client::Discovery()");
  static_assert(
      IsMutable<T> || kPlain || kIsRef<T> || IsPointer<T> || kUntyped,
      "this T is no kind: name a generated one, such as corev1::Pod, or CustomResource<T> "
      "of a struct of yours (kinformer/object/custom_resource.h)");
  static constexpr bool kSaid = false;
};

}  // namespace internal

// Matches a Resource. Other types are not only rejected but explained. For functions without other
// overloads.
template <class T>
concept KnownKind = Resource<T> || internal::WhyNoKind<T>::kSaid;

namespace internal {

// Explains a Result in the place of a patch.
template <class Given>
constexpr void ExplainPatchResult() {
  static_assert(kNeverHolds<Given>,
                "this patch is still in its Result: const auto patch = MergeFrom(before, after); "
                "if (!patch) return patch.error(); and then give *patch");
}

// Explains an argument that is not an object's name.
template <class Name>
constexpr void ExplainName() {
  static_assert(!IsText<Name>,
                "an object is named by namespace and name: {\"default\", \"web-0\"}, or {\"\", "
                "\"node-7\"} where the kind "
                "has no namespaces; SplitMetaNamespaceKey makes one of \"default/web-0\"");
  static_assert(
      !kIsResult<Name>,
      "this is a Result: look whether it is ok(), and give the name that it holds, *result");
  static_assert(
      IsText<Name> || kIsResult<Name>,
      "an object is named, not given: ObjectName{std::string(pod.metadata().namespace_()), "
      "std::string(pod.metadata().name())}, or what a Request or an event's object_name() says");
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_MISUSE_H_
