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

// Accepts an event where its function does, and where it has none for that sort of event. The
// functions are called from several threads at once, must be quick, and depend on nothing but the
// event. One for Object serves every kind. A value. Counterpart: predicate.Funcs.
template <class T>
struct Predicate {
  std::function<bool(const Added<T>& event)> create{};
  std::function<bool(const Updated<T>& event)> update{};
  std::function<bool(const Deleted<T>& event)> delete_{};
  std::function<bool(const GenericEvent<T>& event)> generic{};

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
