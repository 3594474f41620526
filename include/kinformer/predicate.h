// kinformer/predicate.h
//
// Predicate: which events of a watch reach a controller.
//
//   ControllerBuilder(*manager).For<appsv1::Deployment>(predicate::GenerationChangedPredicate());
//
// Counterpart: controller-runtime's package predicate.

#ifndef KINFORMER_PREDICATE_H_
#define KINFORMER_PREDICATE_H_

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/event_handler.h"
#include "kinformer/internal/callable.h"
#include "kinformer/label_selector.h"
#include "kinformer/object.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"

namespace kinformer {

// Something about an object that no watch tells: from elsewhere, or by the clock. Counterpart:
// event.GenericEvent.
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

// Accepts an event where its function does, and where it has none for that sort of event. The
// functions are called from several threads at once, must be quick, and depend on nothing but the
// event. One for Object serves every kind. A value. Counterpart: predicate.Funcs.
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
inline Added<Object> AsObject(const auto& event)
  requires requires { event.is_in_initial_list; }
{
  return {event.key, Object(event.block), event.is_in_initial_list, event.block, event.epoch};
}
inline Updated<Object> AsObject(const auto& event)
  requires requires { event.new_block; }
{
  return {event.key,       Object(event.old_block), Object(event.new_block),
          event.old_block, event.new_block,         event.epoch};
}
inline Deleted<Object> AsObject(const auto& event)
  requires requires { event.final_state_unknown; }
{
  return {event.key,   Object(event.block), event.final_state_unknown,
          event.block, event.epoch,         event.told_block};
}
template <class T>
GenericEvent<Object> AsObject(const GenericEvent<T>& event) {
  return {Ref<Object>(event.object.object())};
}
}  // namespace internal

// The same predicate for objects of one kind.
template <class T>
[[nodiscard]] Predicate<T> Typed(Predicate<Object> any) {
  const auto shared = std::make_shared<const Predicate<Object>>(std::move(any));
  return {
      .create = [shared](const Added<T>& e) { return shared->Create(internal::AsObject(e)); },
      .update = [shared](const Updated<T>& e) { return shared->Update(internal::AsObject(e)); },
      .delete_ = [shared](const Deleted<T>& e) { return shared->Delete(internal::AsObject(e)); },
      .generic =
          [shared](const GenericEvent<T>& e) { return shared->Generic(internal::AsObject(e)); }};
}

// A parameter for which a predicate for T and one for Object can be given, or nothing.
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
  // A class that is derived from Predicate: what it adds or overrides would be lost.
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
  // The one for Object that it was made of; else null.
  [[nodiscard]] const std::shared_ptr<const Predicate<Object>>& any() const { return any_; }

 private:
  std::shared_ptr<const Predicate<Object>> any_;
};

// All sorts of events by their object; of an update the new one. Counterpart: NewPredicateFuncs.
template <class T>
[[nodiscard]] Predicate<T> NewPredicateFuncs(const std::function<bool(const T&)>& filter) {
  return {.create = [filter](const Added<T>& e) { return filter(e.object); },
          .update = [filter](const Updated<T>& e) { return filter(e.new_object); },
          .delete_ = [filter](const Deleted<T>& e) { return filter(e.object); },
          .generic = [filter](const GenericEvent<T>& e) { return filter(*e.object); }};
}
// A function of another shape.
template <class T, class Wrong>
  requires(!std::convertible_to<const Wrong&, std::function<bool(const T&)>>)
auto NewPredicateFuncs(const Wrong& /*wrong*/) {
  static_assert(
      ::kinformer::internal::kNeverHolds<Wrong>,
      "NewPredicateFuncs takes a function that is called with the object and returns "
      "bool: NewPredicateFuncs<corev1::Pod>([](const corev1::Pod& pod) { return true; })");
  return Predicate<T>();
}
// No kind is named. The int keeps calls that name one away.
template <int = 0, class Wrong>
auto NewPredicateFuncs(const Wrong& /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong>,
                "NewPredicateFuncs takes the kind in angle brackets: "
                "NewPredicateFuncs<corev1::Pod>(function)");
  return Predicate<Object>();
}

// Of updates those that changed something: not those of a resync. All other events.
[[nodiscard]] Predicate<Object> ResourceVersionChangedPredicate();
// Of updates those that changed metadata.generation, which the server raises when the spec changes
// (and when the object is being deleted), not for status, labels and annotations. All other events.
// A kind without status subresource may keep its generation, so that nothing passes.
[[nodiscard]] Predicate<Object> GenerationChangedPredicate();
// Of updates those that changed the annotations. All other events.
[[nodiscard]] Predicate<Object> AnnotationChangedPredicate();
// Of updates those that changed the labels. All other events.
[[nodiscard]] Predicate<Object> LabelChangedPredicate();
// Events of objects with such labels; of an update the new object. An object that loses them is not
// heard of any more. Counterpart: LabelSelectorPredicate.
[[nodiscard]] Predicate<Object> LabelSelectorPredicate(LabelSelector selector);

namespace internal {
// Asks one after the other until one says `decisive`.
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

// The kind that predicates have in common with those for Object among them.
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

// A predicate as one for Kind.
template <class Kind, class T>
Predicate<Kind> Of(Predicate<T> predicate) {
  if constexpr (std::is_same_v<T, Kind>) {
    return predicate;
  } else if constexpr (std::is_same_v<T, Object>) {
    return Typed<Kind>(std::move(predicate));
  } else {
    return {};  // has been refused
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

// Accepts what all of them accept; every event without any.
template <class T>
[[nodiscard]] Predicate<T> And(std::vector<Predicate<T>> all) {
  return internal::Combined(std::move(all), false);
}
// Accepts what one of them accepts; no event without any.
template <class T>
[[nodiscard]] Predicate<T> Or(std::vector<Predicate<T>> any) {
  return internal::Combined(std::move(any), true);
}
// Accepts what all of these accept. Among predicates for one kind those for Object may stand.
template <class T, class... Rest>
  requires(sizeof...(Rest) > 0)
[[nodiscard]] auto And(Predicate<T> first, Predicate<Rest>... rest) {
  using Kind = internal::CommonKind<T, Rest...>;
  return And(std::vector<Predicate<Kind>>{internal::Of<Kind>(std::move(first)),
                                          internal::Of<Kind>(std::move(rest))...});
}
// Accepts what one of these accepts. Among predicates for one kind those for Object may stand.
template <class T, class... Rest>
  requires(sizeof...(Rest) > 0)
[[nodiscard]] auto Or(Predicate<T> first, Predicate<Rest>... rest) {
  using Kind = internal::CommonKind<T, Rest...>;
  return Or(std::vector<Predicate<Kind>>{internal::Of<Kind>(std::move(first)),
                                         internal::Of<Kind>(std::move(rest))...});
}
// Explains something that is no predicate among them.
template <class... Wrong>
  requires(sizeof...(Wrong) > 1 && !(internal::IsPredicate<Wrong> && ...))
auto And(const Wrong&... /*wrong*/) {
  internal::ExplainCombined<Wrong...>();
  return Predicate<Object>();
}
// Explains something that is no predicate among them.
template <class... Wrong>
  requires(sizeof...(Wrong) > 1 && !(internal::IsPredicate<Wrong> && ...))
auto Or(const Wrong&... /*wrong*/) {
  internal::ExplainCombined<Wrong...>();
  return Predicate<Object>();
}
// Accepts what it does not accept.
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

#endif  // KINFORMER_PREDICATE_H_
