// kinformer/controller/predicate.h
//
// Predicate: selects the events of a watch that reach a controller.
//
//   ControllerBuilder(*manager).For<appsv1::Deployment>(predicate::GenerationChangedPredicate());
//
// Counterpart: controller-runtime's package predicate.

#ifndef KINFORMER_CONTROLLER_PREDICATE_H_
#define KINFORMER_CONTROLLER_PREDICATE_H_

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/object.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// An event about an object that does not come from a watch but from elsewhere, or a timer.
// Counterpart: event.GenericEvent.
template <class T>
struct GenericEvent {
  Ref<T> object{};
};

namespace predicate {

namespace internal {
struct PredicateWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "a function of a predicate is called with the event and says whether it passes: create "
        "takes a const Added<T>&, update a const Updated<T>&, delete_ a const Deleted<T>&, generic "
        "a const GenericEvent<T>&, and each returns bool; T is the predicate's kind");
  }
};
template <class Event>
using EventPredicate = ::kinformer::internal::Callable<bool(const Event& event), PredicateWords>;
}  // namespace internal

// Accepts an event if the function for its type does, or if there is no such function. Functions
// are called from several threads at once, must be quick, and depend on the event only. One for
// Object serves every kind. A value. Counterpart: predicate.Funcs.
template <class T>
struct Predicate {
  internal::EventPredicate<Added<T>> create{};
  internal::EventPredicate<Updated<T>> update{};
  internal::EventPredicate<Deleted<T>> delete_{};
  internal::EventPredicate<GenericEvent<T>> generic{};

  [[nodiscard]] bool Create(const Added<T>& event) const { return !create || create(event); }
  [[nodiscard]] bool Update(const Updated<T>& event) const { return !update || update(event); }
  [[nodiscard]] bool Delete(const Deleted<T>& event) const { return !delete_ || delete_(event); }
  [[nodiscard]] bool Generic(const GenericEvent<T>& event) const {
    return !generic || generic(event);
  }
};

namespace internal {
// Return the event as one with views of type To: of Objects, or of the kind that its object must be
// of.
template <class To, class From>
To ViewAs(const From& view) {
  return To(::kinformer::internal::BlockOfView(view));
}
template <class To, class From>
Added<To> EventAs(const Added<From>& e) {
  return {e.key, ViewAs<To>(e.object), e.is_in_initial_list, e.epoch};
}
template <class To, class From>
Updated<To> EventAs(const Updated<From>& e) {
  return {e.key, ViewAs<To>(e.old_object), ViewAs<To>(e.new_object), e.epoch};
}
template <class To, class From>
Deleted<To> EventAs(const Deleted<From>& e) {
  std::optional<To> told;
  if (e.told) told = ViewAs<To>(*e.told);
  return {e.key, ViewAs<To>(e.object), e.final_state_unknown, e.epoch, told};
}
template <class To, class From>
GenericEvent<To> EventAs(const GenericEvent<From>& e) {
  return {Ref<To>(e.object.object())};
}
}  // namespace internal

// Returns the same predicate for objects of one kind.
template <class T>
[[nodiscard]] Predicate<T> Typed(Predicate<Object> any) {
  const auto shared = std::make_shared<const Predicate<Object>>(std::move(any));
  return {
      .create =
          [shared](const Added<T>& e) { return shared->Create(internal::EventAs<Object>(e)); },
      .update =
          [shared](const Updated<T>& e) { return shared->Update(internal::EventAs<Object>(e)); },
      .delete_ =
          [shared](const Deleted<T>& e) { return shared->Delete(internal::EventAs<Object>(e)); },
      .generic =
          [shared](const GenericEvent<T>& e) {
            return shared->Generic(internal::EventAs<Object>(e));
          }};
}

namespace internal {
// Returns the same predicate for Objects, all of which must be of kind T: the rest of a watch is
// then the same code for every kind.
template <class T>
[[nodiscard]] Predicate<Object> Untyped(Predicate<T> typed) {
  if constexpr (std::is_same_v<T, Object>) {
    return typed;
  } else {
    Predicate<Object> any;
    if (typed.create) {
      any.create = [f = std::move(typed.create)](const Added<Object>& e) {
        return f(EventAs<T>(e));
      };
    }
    if (typed.update) {
      any.update = [f = std::move(typed.update)](const Updated<Object>& e) {
        return f(EventAs<T>(e));
      };
    }
    if (typed.delete_) {
      any.delete_ = [f = std::move(typed.delete_)](const Deleted<Object>& e) {
        return f(EventAs<T>(e));
      };
    }
    if (typed.generic) {
      any.generic = [f = std::move(typed.generic)](const GenericEvent<Object>& e) {
        return f(EventAs<T>(e));
      };
    }
    return any;
  }
}
}  // namespace internal

// Parameter type that accepts a predicate for T, one for Object, or nothing.
template <class T>
class PredicateFor : public Predicate<T> {
 public:
  PredicateFor() = default;
  PredicateFor(Predicate<T> typed)  // NOLINT(google-explicit-constructor)
      : Predicate<T>(std::move(typed)) {}
  PredicateFor(Predicate<Object> any)  // NOLINT(google-explicit-constructor)
    requires(!std::is_same_v<T, Object>)
      : Predicate<T>(Typed<T>(any)),
        any_(std::make_shared<const Predicate<Object>>(std::move(any))) {}
  // Rejects classes derived from Predicate: their additions and overrides would be lost.
  template <class Derived>
    requires(!std::is_same_v<Derived, PredicateFor> && !std::is_same_v<Derived, Predicate<T>> &&
             !std::is_same_v<Derived, Predicate<Object>> &&
             (std::derived_from<Derived, Predicate<T>> ||
              std::derived_from<Derived, Predicate<Object>>))
  PredicateFor(const Derived& /*derived*/) {  // NOLINT(google-explicit-constructor)
    static_assert(::kinformer::internal::kNeverHolds<Derived>,
                  "a predicate is a value with functions, and nothing to derive from: "
                  "predicate::Predicate<corev1::Pod>{.update = [](const Updated<corev1::Pod>& "
                  "event) { return true; }}");
  }
  // Returns the predicate for Object that it was made of; else null.
  [[nodiscard]] const std::shared_ptr<const Predicate<Object>>& any() const { return any_; }
  // Returns the same predicate for Objects, all of which must be of kind T.
  [[nodiscard]] Predicate<Object> Untyped() && {
    return any_ != nullptr ? *any_ : internal::Untyped<T>(std::move(*this));
  }

 private:
  std::shared_ptr<const Predicate<Object>> any_;
};

// Checks the object of any event; for an update the new one. Counterpart: NewPredicateFuncs.
template <class T>
[[nodiscard]] Predicate<T> NewPredicateFuncs(const std::function<bool(const T&)>& filter) {
  return {.create = [filter](const Added<T>& e) { return filter(e.object); },
          .update = [filter](const Updated<T>& e) { return filter(e.new_object); },
          .delete_ = [filter](const Deleted<T>& e) { return filter(e.object); },
          .generic = [filter](const GenericEvent<T>& e) { return filter(*e.object); }};
}
// Explains a function of another type at compile time.
template <class T, class Wrong>
  requires(!std::convertible_to<const Wrong&, std::function<bool(const T&)>>)
auto NewPredicateFuncs(const Wrong& /*wrong*/) {
  static_assert(
      ::kinformer::internal::kNeverHolds<Wrong>,
      "NewPredicateFuncs takes a function that is called with the object and returns "
      "bool: NewPredicateFuncs<corev1::Pod>([](const corev1::Pod& pod) { return true; })");
  return Predicate<T>();
}
// Explains a missing kind at compile time. The int excludes calls that name one.
template <int = 0, class Wrong>
auto NewPredicateFuncs(const Wrong& /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong>,
                "NewPredicateFuncs takes the kind in angle brackets: "
                "NewPredicateFuncs<corev1::Pod>(function)");
  return Predicate<Object>();
}

// Accepts updates that changed something, so not those of a resync, and all other events.
[[nodiscard]] Predicate<Object> ResourceVersionChangedPredicate();
// Accepts updates that changed metadata.generation, and all other events. The server increases it
// when the spec changes (and when deletion begins), not for status, labels and annotations. Kinds
// without a status subresource may never change it, so that no update passes.
[[nodiscard]] Predicate<Object> GenerationChangedPredicate();
// Accepts updates that changed the annotations, and all other events.
[[nodiscard]] Predicate<Object> AnnotationChangedPredicate();
// Accepts updates that changed the labels, and all other events.
[[nodiscard]] Predicate<Object> LabelChangedPredicate();
// Accepts events of objects whose labels match; for an update, of the new object. So the update by
// which an object stops matching does not pass. Counterpart: LabelSelectorPredicate.
[[nodiscard]] Predicate<Object> LabelSelectorPredicate(LabelSelector selector);

namespace internal {
// Calls the predicates in order until one returns `decisive`.
template <class T>
Predicate<T> Combined(std::vector<Predicate<T>> predicates, bool decisive) {
  const auto each = [decisive, all = std::make_shared<const std::vector<Predicate<T>>>(
                                   std::move(predicates))](auto accepts) {
    return [decisive, all, accepts](const auto& event) {
      for (const Predicate<T>& p : *all) {
        if (accepts(p, event) == decisive) return decisive;
      }
      return !decisive;
    };
  };
  return {.create = each([](const auto& p, const auto& e) { return p.Create(e); }),
          .update = each([](const auto& p, const auto& e) { return p.Update(e); }),
          .delete_ = each([](const auto& p, const auto& e) { return p.Delete(e); }),
          .generic = each([](const auto& p, const auto& e) { return p.Generic(e); })};
}

// Common kind of several predicates, some of which may be for Object.
template <class First, class... Rest>
struct CommonKindOf {
  using type = First;
};
template <class First, class Second, class... Rest>
struct CommonKindOf<First, Second, Rest...> {
  static constexpr bool kFit = std::is_same_v<First, Second> || std::is_same_v<First, Object> ||
                               std::is_same_v<Second, Object>;
  static_assert(kFit,
                "these predicates are for different kinds, and an object is of one: combine those "
                "for the kind that is watched, and those for Object, which serve every kind");
  using type =
      typename CommonKindOf<std::conditional_t<std::is_same_v<First, Object>, Second, First>,
                            Rest...>::type;
};
template <class... Kinds>
using CommonKind = typename CommonKindOf<Kinds...>::type;

// Converts a predicate to one for Kind.
template <class Kind, class T>
Predicate<Kind> Of(Predicate<T> predicate) {
  if constexpr (std::is_same_v<T, Kind>) {
    return predicate;
  } else if constexpr (std::is_same_v<T, Object>) {
    return Typed<Kind>(std::move(predicate));
  } else {
    return {};  // was rejected before
  }
}

template <class P>
concept IsPredicate = requires(const P& p) { []<class T>(const Predicate<T>&) {}(p); };
template <class... Wrong>
constexpr void ExplainCombined() {
  static_assert(::kinformer::internal::kNeverHolds<Wrong...>,
                "And and Or combine predicates: NewPredicateFuncs<corev1::Pod>([](const "
                "corev1::Pod& pod) { return true; }) makes one of a function");
}
}  // namespace internal

// Accepts events that all predicates accept; all events without any predicate.
template <class T>
[[nodiscard]] Predicate<T> And(std::vector<Predicate<T>> all) {
  return internal::Combined(std::move(all), false);
}
// Accepts events that one of the predicates accepts; no event without any predicate.
template <class T>
[[nodiscard]] Predicate<T> Or(std::vector<Predicate<T>> any) {
  return internal::Combined(std::move(any), true);
}
// Accepts events that all predicates accept. Some may be for Object, the others for one kind.
template <class T, class... Rest>
  requires(sizeof...(Rest) > 0)
[[nodiscard]] auto And(Predicate<T> first, Predicate<Rest>... rest) {
  using Kind = internal::CommonKind<T, Rest...>;
  return And(std::vector<Predicate<Kind>>{internal::Of<Kind>(std::move(first)),
                                          internal::Of<Kind>(std::move(rest))...});
}
// Accepts events that one predicate accepts. Some may be for Object, the others for one kind.
template <class T, class... Rest>
  requires(sizeof...(Rest) > 0)
[[nodiscard]] auto Or(Predicate<T> first, Predicate<Rest>... rest) {
  using Kind = internal::CommonKind<T, Rest...>;
  return Or(std::vector<Predicate<Kind>>{internal::Of<Kind>(std::move(first)),
                                         internal::Of<Kind>(std::move(rest))...});
}
// Explains arguments that are not predicates, at compile time.
template <class... Wrong>
  requires(sizeof...(Wrong) > 1 && !(internal::IsPredicate<Wrong> && ...))
auto And(const Wrong&... /*wrong*/) {
  internal::ExplainCombined<Wrong...>();
  return Predicate<Object>();
}
// Explains arguments that are not predicates, at compile time.
template <class... Wrong>
  requires(sizeof...(Wrong) > 1 && !(internal::IsPredicate<Wrong> && ...))
auto Or(const Wrong&... /*wrong*/) {
  internal::ExplainCombined<Wrong...>();
  return Predicate<Object>();
}
// Accepts events that `predicate` rejects.
template <class T>
[[nodiscard]] Predicate<T> Not(Predicate<T> predicate) {
  const auto shared = std::make_shared<const Predicate<T>>(std::move(predicate));
  return {.create = [shared](const Added<T>& e) { return !shared->Create(e); },
          .update = [shared](const Updated<T>& e) { return !shared->Update(e); },
          .delete_ = [shared](const Deleted<T>& e) { return !shared->Delete(e); },
          .generic = [shared](const GenericEvent<T>& e) { return !shared->Generic(e); }};
}

}  // namespace predicate
}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_PREDICATE_H_
