// kinformer/internal/callable.h
//
// Callable: the std::function of an option or a parameter. It explains at compile time what it
// expects if something else is given.

#ifndef KINFORMER_INTERNAL_CALLABLE_H_
#define KINFORMER_INTERNAL_CALLABLE_H_

#include <cstddef>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace kinformer::internal {

// False, but only once it is instantiated.
template <class...>
inline constexpr bool kNeverHolds = false;

// Value of a call that does not compile, so that the rest of its statement gives no second error.
template <class T>
[[noreturn]] T Never() {
  std::terminate();
}

template <class Signature, class Words>
class Callable;

// A std::function, made and called as one. It accepts any argument, so that braced options with a
// wrong function still match their struct, and no "no matching function" hides the reason:
// Words::Explain<false>() is a static_assert with it.
//
// A std::function by value that is made of one wraps it as any other function object, even an empty
// one: pass it on as a Callable, or as a const std::function&.
template <class R, class... Args, class Words>
class Callable<R(Args...), Words> : public std::function<R(Args...)> {
  using Function = std::function<R(Args...)>;

 public:
  Callable() = default;
  // NOLINTBEGIN(google-explicit-constructor): lambdas are written in its place
  Callable(std::nullptr_t) {}
  Callable(Function other) : Function(std::move(other)) {}
  template <class F>
    requires(!std::is_base_of_v<Function, std::remove_cvref_t<F>>)
  Callable(F&& call) : Function(Checked(std::forward<F>(call))) {}
  // NOLINTEND(google-explicit-constructor)

 private:
  template <class F>
  static decltype(auto) Checked(F&& call) {
    constexpr bool kFits = std::is_invocable_r_v<R, std::decay_t<F>&, Args...>;
    Words::template Explain<kFits>();
    if constexpr (!kFits) {
      return nullptr;
    } else if constexpr (!std::is_copy_constructible_v<std::decay_t<F>>) {
      static_assert(kNeverHolds<F>,
                    "this function cannot be copied, since it captures something that cannot, such "
                    "as a std::unique_ptr: capture a std::shared_ptr");
      return nullptr;
    } else {
      return std::forward<F>(call);
    }
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CALLABLE_H_
