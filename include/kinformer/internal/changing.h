// kinformer/internal/changing.h
//
// Changing: a function that changes a struct. Rejects functions that would change a copy.

#ifndef KINFORMER_INTERNAL_CHANGING_H_
#define KINFORMER_INTERNAL_CHANGING_H_

#include <concepts>
#include <type_traits>
#include <utility>

namespace kinformer::internal {

// True if a function with one overload takes a Struct by value.
template <class Struct, class Form>
inline constexpr bool kFormTakesCopy = false;
template <class Struct, class R, class... Args>
inline constexpr bool kFormTakesCopy<Struct, R(Args...)> =
    (std::is_same_v<std::remove_cv_t<Args>, Struct> || ...);
template <class Struct, class R, class... Args>
inline constexpr bool kFormTakesCopy<Struct, R (*)(Args...)> = kFormTakesCopy<Struct, R(Args...)>;
template <class Struct, class R, class C, class... Args>
inline constexpr bool kFormTakesCopy<Struct, R (C::*)(Args...)> =
    kFormTakesCopy<Struct, R(Args...)>;
template <class Struct, class R, class C, class... Args>
inline constexpr bool kFormTakesCopy<Struct, R (C::*)(Args...) const> =
    kFormTakesCopy<Struct, R(Args...)>;

template <class Struct, class F>
consteval bool TakesCopy() {
  if constexpr (requires { &F::operator(); }) {
    return kFormTakesCopy<Struct, decltype(&F::operator())>;
  } else {
    return kFormTakesCopy<Struct, F>;
  }
}

template <class Struct, class F>
consteval bool CheckTakesReference() {
  constexpr bool kCopies = TakesCopy<Struct, std::decay_t<F>>();
  static_assert(!kCopies,
                "this function would change a copy, which is lost: take the struct by reference, "
                "corev1::Pod::Mutable& pod");
  return !kCopies;
}

// Wraps Base, which is a std::function or similar.
template <class Base, class Struct>
class Changing : public Base {
 public:
  Changing() = default;
  template <class F>
    requires(std::constructible_from<Base, F> &&
             !std::derived_from<std::remove_cvref_t<F>, Changing>)
  Changing(F&& call)  // NOLINT(google-explicit-constructor): lambdas are written in its place
      : Base(std::forward<F>(call)) {
    static_assert(CheckTakesReference<Struct, F>());
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CHANGING_H_
