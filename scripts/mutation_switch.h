// Switches for planted faults: scripts/mutation_switch.py writes them into sources, and the fault
// whose number is in the environment's MUTANT is there. Included in front of each of these sources.

#ifndef KINFORMER_SCRIPTS_MUTATION_SWITCH_H_
#define KINFORMER_SCRIPTS_MUTATION_SWITCH_H_

#include <type_traits>
#include <utility>

namespace kinformer_mutation {

inline constexpr int kMost = 1 << 16;

// Marks the fault as reached, and returns whether it is planted.
bool Reached(int fault) noexcept;

// The same for expressions that may be constant: there, no fault can be planted at run time.
constexpr bool On(int fault) noexcept {
  if (std::is_constant_evaluated()) return false;
  return Reached(fault);
}

// a < b becomes a < Less<7>{} < b: the first operator keeps the left operand, the second one
// compares. Operands and their order stay as they are.
#define KINFORMER_MUTATION_OPERATOR(Name, op)                       \
  template <int fault>                                              \
  struct Name {};                                                   \
  template <class A, int fault>                                     \
  struct Name##Left {                                               \
    A&& a;                                                          \
  };                                                                \
  template <class A, int fault>                                     \
  constexpr Name##Left<A, fault> operator op(A && a, Name<fault>) { \
    return {static_cast<A&&>(a)};                                   \
  }

#define KINFORMER_MUTATION_COMPARISON(Name, op, other)                        \
  KINFORMER_MUTATION_OPERATOR(Name, op)                                       \
  template <class A, int fault, class B>                                      \
  constexpr bool operator op(Name##Left<A, fault> left, B&& b) {              \
    if (On(fault)) return static_cast<A&&>(left.a) other static_cast<B&&>(b); \
    return static_cast<A&&>(left.a) op static_cast<B&&>(b);                   \
  }

KINFORMER_MUTATION_COMPARISON(Less, <, <=)
KINFORMER_MUTATION_COMPARISON(LessEqual, <=, <)
KINFORMER_MUTATION_COMPARISON(Greater, >, >=)
KINFORMER_MUTATION_COMPARISON(GreaterEqual, >=, >)
KINFORMER_MUTATION_COMPARISON(Equal, ==, !=)
KINFORMER_MUTATION_COMPARISON(NotEqual, !=, ==)

// Does not compile where the other operator does not: then the fault has no switch.
#define KINFORMER_MUTATION_SUM(Name, op, other)                                          \
  KINFORMER_MUTATION_OPERATOR(Name, op)                                                  \
  template <class A, int fault, class B>                                                 \
  constexpr auto operator op(Name##Left<A, fault> left, B&& b) {                         \
    using Sum = std::decay_t<decltype(static_cast<A&&>(left.a) op static_cast<B&&>(b))>; \
    if (On(fault)) return Sum(static_cast<A&&>(left.a) other static_cast<B&&>(b));       \
    return Sum(static_cast<A&&>(left.a) op static_cast<B&&>(b));                         \
  }

KINFORMER_MUTATION_SUM(Plus, +, -)
KINFORMER_MUTATION_SUM(Minus, -, +)

// a += b becomes a += Add<7>{} += b, which is read from the right.
#define KINFORMER_MUTATION_ASSIGNMENT(Name, op, other)               \
  template <int fault>                                               \
  struct Name {};                                                    \
  template <class B, int fault>                                      \
  struct Name##Right {                                               \
    B&& b;                                                           \
  };                                                                 \
  template <int fault, class B>                                      \
  constexpr Name##Right<B, fault> operator op(Name<fault>, B && b) { \
    return {static_cast<B&&>(b)};                                    \
  }                                                                  \
  template <class A, int fault, class B>                             \
  constexpr A& operator op(A & a, Name##Right<B, fault> right) {     \
    if (On(fault)) {                                                 \
      a other static_cast<B&&>(right.b);                             \
    } else {                                                         \
      a op static_cast<B&&>(right.b);                                \
    }                                                                \
    return a;                                                        \
  }

KINFORMER_MUTATION_ASSIGNMENT(Add, +=, -=)
KINFORMER_MUTATION_ASSIGNMENT(Subtract, -=, +=)

// ++a, --a and !a become Increment<7>{} ->* a and so on, which binds less tightly than what follows
// a, and more tightly than every other operator.
template <int fault>
struct Increment {};
template <int fault, class A>
constexpr decltype(auto) operator->*(Increment<fault>, A& a) {
  return On(fault) ? --a : ++a;
}
template <int fault>
struct Decrement {};
template <int fault, class A>
constexpr decltype(auto) operator->*(Decrement<fault>, A& a) {
  return On(fault) ? ++a : --a;
}
template <int fault>
struct Not {};
template <int fault, class A>
constexpr bool operator->*(Not<fault>, A&& a) {
  return On(fault) != !static_cast<A&&>(a);
}

// a && b becomes (Kept<7>(a) && (b) || Rest<7>()), and a || b becomes (Kept<7>(a) || (b) && ...):
// see mutation_switch.py. With the fault, Kept returns the opposite and keeps the value for Rest.
template <int fault>
thread_local bool kept = false;
template <int fault, class A>
constexpr bool Left(A&& a) {
  const bool value = static_cast<bool>(std::forward<A>(a));
  if (std::is_constant_evaluated() || !Reached(fault)) return value;
  kept<fault> = value;
  return !value;
}
// The value of a || b where Left(a) && b is false, and of a && b where Left(a) || b is true.
template <int fault>
constexpr bool Kept(bool otherwise) {
  return std::is_constant_evaluated() || !Reached(fault) ? otherwise : kept<fault>;
}

// std::min and std::max.
template <int fault, bool least>
struct Bound {
  template <class T>
  static constexpr T Of(const T& a, const T& b) {
    return least != On(fault) ? (b < a ? b : a) : (a < b ? b : a);
  }
};

}  // namespace kinformer_mutation

#endif  // KINFORMER_SCRIPTS_MUTATION_SWITCH_H_
