// kinformer/internal/named_variable.h
//
// NamedVariable: a parameter of a call that coroutines await. g++ 12 destroys an aggregate twice
// that is made within an expression with co_await, so such a parameter takes variables only.

#ifndef KINFORMER_INTERNAL_NAMED_VARIABLE_H_
#define KINFORMER_INTERNAL_NAMED_VARIABLE_H_

#include <concepts>
#include <type_traits>
#include <utility>

#include "kinformer/internal/callable.h"

namespace kinformer::internal {

// Refuses a temporary whose destructor does something. `Given`: as deduced for Given&&.
template <class Given>
constexpr void ExplainTemporaryInAwait() {
  static_assert(std::is_lvalue_reference_v<Given> ||
                    std::is_trivially_destructible_v<std::remove_cvref_t<Given>>,
                "an expression with co_await must not make what it gives: name a variable before "
                "it, and give that (g++ 12 would destroy it twice)");
}

// Holds a copy of a T: a variable's, or a T() where nothing is given.
template <class T>
class NamedVariable {
 public:
  NamedVariable() = default;
  template <class Given>
    requires std::same_as<std::remove_const_t<Given>, T>
  NamedVariable(Given& variable)  // NOLINT(google-explicit-constructor)
      : value_(variable) {}
  // Explains at compile time that it takes no temporaries.
  template <class Given>
    requires(std::same_as<Given, T> && !std::is_reference_v<Given>)
  NamedVariable(Given&& /*temporary*/) {  // NOLINT(google-explicit-constructor)
    static_assert(kNeverHolds<Given>,
                  "an expression with co_await must not make its options: name a variable before "
                  "it, const GetOptions options{...}, and give that (g++ 12 would destroy them "
                  "twice)");
  }

  T&& Take() && { return std::move(value_); }

 private:
  T value_{};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_NAMED_VARIABLE_H_
