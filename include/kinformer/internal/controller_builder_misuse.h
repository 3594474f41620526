// kinformer/internal/controller_builder_misuse.h
//
// Overloads that explain wrong calls of a ControllerBuilder at compile time: see misuse.h.

#ifndef KINFORMER_INTERNAL_CONTROLLER_BUILDER_MISUSE_H_
#define KINFORMER_INTERNAL_CONTROLLER_BUILDER_MISUSE_H_

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>

#include "kinformer/base/result.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/controller/source.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/object/object.h"
#include "kinformer/object/resource.h"

namespace kinformer {

class Manager;  // manager.h

namespace internal {

template <class P, class T>
concept NoPredicateFor = !std::convertible_to<const P&, predicate::PredicateFor<T>>;

// Explains why Accepts is no predicate for objects of kind T.
template <class Accepts>
constexpr void ExplainPredicate() {
  constexpr bool kOther = requires(const Accepts& a) {
    a.create;
    a.generic;
  };
  static_assert(!kOther,
                "this predicate is for another kind: give one for the kind that is watched, or for "
                "Object, which serves every kind");
  static_assert(
      kOther,
      "a predicate is a value with a function for each sort of event: "
      "predicate::NewPredicateFuncs<corev1::Pod>([](const corev1::Pod& pod) { return true; "
      "}), or GenerationChangedPredicate() and its like; predicate::And combines several");
}

// Explains several predicates in place of one.
template <class Given>
constexpr void ExplainPredicates() {
  static_assert(kNeverHolds<Given>,
                "one predicate is given: predicate::And(a, b) is that of several which must all "
                "accept");
}

// Explains why F cannot reconcile requests of type R. Returns true if it can.
template <class F, class R>
consteval bool CheckReconcile() {
  using Class = std::remove_cvref_t<F>;
  constexpr bool kClass = std::derived_from<Class, TypedReconciler<R>>;
  constexpr bool kPointer = IsPointer<Class>;
  constexpr bool kCallable = std::invocable<Class&, const ReconcileContext&, const R&>;
  constexpr bool kObject = requires { &Class::Reconcile; };
  static_assert(!kClass && !kObject,
                "this is a Reconciler by value, and the controller shares its own: give "
                "std::make_shared<YourReconciler>(...)");
  static_assert(!kPointer || kClass || kObject,
                "this pointer is no std::shared_ptr to a Reconciler for this builder's requests: "
                "give std::make_shared<YourReconciler>(...), whose class derives from "
                "kinformer::Reconciler");
  static_assert(
      kCallable || kPointer || kClass || kObject,
      "a reconciler is called with its context and the request: "
      "[](const ReconcileContext& context, const Request& request) -> "
      "Result<ReconcileResult> { ... }; AsReconciler makes one of a function of the object");
  if constexpr (kCallable && !kPointer && !kClass && !kObject) {
    using Given = std::invoke_result_t<Class&, const ReconcileContext&, const R&>;
    constexpr bool kFits = std::convertible_to<Given, Result<ReconcileResult>>;
    static_assert(kFits,
                  "a reconciler returns Result<ReconcileResult>: say so behind its parameters, -> "
                  "Result<ReconcileResult>, and end it with return ReconcileResult{};");
    return kFits;
  } else {
    return false;
  }
}

template <class Wrong>
[[noreturn]] Manager& NoManager(const Wrong& /*wrong*/) {
  static_assert(kNeverHolds<Wrong>,
                "a builder is made of the manager itself: ControllerBuilder(*manager)");
  std::terminate();
}

// Any value, for options by the names that they have in Go.
struct AnyValue {
  AnyValue() = default;
  template <class T>
  AnyValue(T&& /*value*/) {}  // NOLINT: an option's value stands in its place
};
struct OptionsAsInGo {
  AnyValue SkipNameValidation{};
  AnyValue MaxConcurrentReconciles{};
  AnyValue CacheSyncTimeout{};
  AnyValue RecoverPanic{};
  AnyValue NeedLeaderElection{};
  AnyValue Reconciler{};
  AnyValue RateLimiter{};
  AnyValue UsePriorityQueue{};
};
struct OptionsWithLimiter {
  AnyValue max_concurrent_reconciles{};
  AnyValue rate_limiter{};
};

// Base of Builder, the class that wrong calls return, so that further calls compile.
template <class Builder>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): inherited
class ControllerBuilderMisuse {
 public:
  // Explain options and names of the wrong type. A template, so that {} means ControllerOptions.
  template <class = void>
  Builder& WithOptions(OptionsAsInGo options) KINFORMER_UNAVAILABLE(
      "ControllerOptions has other names than Go's controller.Options: "
      "WithOptions({.max_concurrent_reconciles = 2}); the limiter is for "
      "WithRateLimiter");
  template <class = void>
  Builder& WithOptions(OptionsWithLimiter options)
      KINFORMER_UNAVAILABLE("a limiter is given to WithRateLimiter, not with ControllerOptions");
  template <class Wrong>
    requires(!std::convertible_to<Wrong, ControllerOptions>)
  decltype(auto) WithOptions(const Wrong& /*wrong*/) {
    static_assert(kNeverHolds<Wrong>,
                  "WithOptions takes ControllerOptions: WithOptions({.max_concurrent_reconciles = "
                  "2}); what is the same for all controllers is for ManagerOptions::controller");
    return Never<Builder&>();
  }
  template <class Wrong>
    requires(!std::convertible_to<const Wrong&, std::string>)
  decltype(auto) Named(const Wrong& /*wrong*/) {
    static_assert(!IsText<Wrong>,
                  "a controller's name is a std::string, and this text is a view of one: "
                  "Named(std::string(text))");
    static_assert(IsText<Wrong>, "a controller's name is text: Named(\"printer\")");
    return Never<Builder&>();
  }

  // Explains a missing kind.
  template <int = 0, class... Wrong>
  decltype(auto) For(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "For takes the kind in angle brackets, and no object: For<corev1::Pod>()");
    return Never<Builder&>();
  }
  template <int = 0, class... Wrong>
  decltype(auto) Owns(const Wrong&... /*wrong*/) {
    static_assert(
        kNeverHolds<Wrong...>,
        "Owns takes the kind in angle brackets, and no object: Owns<corev1::ConfigMap>()");
    return Never<Builder&>();
  }
  template <int = 0, class... Wrong>
  decltype(auto) Watches(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "Watches takes the kind in angle brackets, and no object: "
                  "Watches<corev1::Secret>(handler)");
    return Never<Builder&>();
  }

  // Explains several predicates, as for builder.WithPredicates.
  template <KnownKind T, class First, class Second, class... Rest>
    requires(!NoPredicateFor<First, T> && !NoPredicateFor<Second, T>)
  decltype(auto) For(const First& /*first*/, const Second& /*second*/, const Rest&... /*rest*/) {
    ExplainPredicates<First>();
    return Never<Builder&>();
  }
  template <KnownKind T, class First, class Second, class... Rest>
    requires(!NoPredicateFor<First, T> && !NoPredicateFor<Second, T>)
  decltype(auto) Owns(const First& /*first*/, const Second& /*second*/, const Rest&... /*rest*/) {
    ExplainPredicates<First>();
    return Never<Builder&>();
  }

  // Explains an argument that is not a predicate.
  template <KnownKind T, NoPredicateFor<T> Accepts, class... Rest>
  decltype(auto) For(const Accepts& /*accepts*/, const Rest&... /*rest*/) {
    ExplainPredicate<Accepts>();
    return Never<Builder&>();
  }
  template <KnownKind T, NoPredicateFor<T> Accepts, class... Rest>
  decltype(auto) Owns(const Accepts& /*accepts*/, const Rest&... /*rest*/) {
    ExplainPredicate<Accepts>();
    return Never<Builder&>();
  }
  template <NoPredicateFor<Object> Accepts>
  decltype(auto) WithEventFilter(const Accepts& /*accepts*/) {
    static_assert(
        kNeverHolds<Accepts>,
        "WithEventFilter is for every kind that is watched: give a predicate for Object, "
        "such as predicate::NewPredicateFuncs<Object>(function), or give this one to For, "
        "Owns or Watches");
    return Never<Builder&>();
  }
};

// Explains calls that depend on the type of the requests.
template <class R, class Builder>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): inherited
class TypedControllerBuilderMisuse : public ControllerBuilderMisuse<Builder> {
 public:
  using ControllerBuilderMisuse<Builder>::Watches;
  template <class Wrong>
    requires(!std::convertible_to<Wrong, std::shared_ptr<source::TypedSource<R>>>)
  decltype(auto) WatchesRawSource(const Wrong& /*wrong*/) {
    static_assert(kNeverHolds<Wrong>,
                  "WatchesRawSource takes a source, shared, of this builder's requests: "
                  "source::Channel<corev1::Pod>(channel, handler), source::Kind and the others "
                  "of source.h make them, and so does std::make_shared<YourSource>(...); kinds "
                  "alone are for Watches<corev1::Pod>(handler)");
    return Never<Builder&>();
  }
  template <KnownKind T, class Handler, class... Rest>
    requires(!std::convertible_to<Handler, std::shared_ptr<handler::EventHandler<T, R>>>)
  decltype(auto) Watches(const Handler& /*handler*/, const Rest&... /*rest*/) {
    constexpr bool kIsFunction = std::invocable<const Handler&, const T&> || !IsPointer<Handler>;
    static_assert(
        !kIsFunction,
        "Watches takes an event handler: handler::EnqueueRequestsFromMapFunc<T>(function) "
        "makes one of a function of the object, which gives a std::vector<Request>");
    static_assert(kIsFunction,
                  "this handler is for another kind or for other requests: name the same kind in "
                  "Watches and in what makes the handler");
    return Never<Builder&>();
  }
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_CONTROLLER_BUILDER_MISUSE_H_
