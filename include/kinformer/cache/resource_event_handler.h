// kinformer/cache/resource_event_handler.h
//
// Events of an informer for a handler: an object was added, updated or deleted. A handler is a
// class with OnAdd, OnUpdate and OnDelete, or up to three functions:
//
//   pods.AddEventHandler(
//       {.on_add = [](const Added<corev1::Pod>& e) { std::cout << "+ " << e.key << '\n'; },
//        .on_delete = [](const Deleted<corev1::Pod>& e) { std::cout << "- " << e.key << '\n'; }})
//       .OrExit();
//
// Guarantees, per handler:
//   - One callback at a time, each happening before the next; different handlers run independently
//     of each other.
//   - The store reflects an event before the handler gets it (and may already reflect later
//     ones).
//   - Per object the sequence is Added (Updated)* Deleted, any number of times, and an update's old
//     object is the one that the handler got last; this holds also when events are skipped under
//     pressure.
//   - After a relist, deletions that were missed are delivered first, as tombstones.
// Callbacks run on the Env's pool; they may block, call any method, and take their time, without
// delaying other handlers. An exception is logged with the handler's name and counted; the next
// event is delivered as usual.
//
// If the server goes back in time (it is restored from a backup), the informer lists again, and
// later events have the next `epoch`: Snapshot::epoch. A handler must then forget the
// resourceVersions it knows; its knowledge of objects stays valid, since all differences are
// delivered as events. If an informer watches several namespaces, each of them enters the epoch on
// its own, with its own list: there, epochs and resourceVersions are those of the object's
// namespace.
//
// Events are valid during the callback, and so are the views and texts in them. To keep an object,
// get a Ref of it with Retain(). A build with KINFORMER_CHECK_VIEWS finds views that were used
// after the callback (docs/guide/lifetimes.md).

#ifndef KINFORMER_CACHE_RESOURCE_EVENT_HANDLER_H_
#define KINFORMER_CACHE_RESOURCE_EVENT_HANDLER_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "kinformer/internal/block.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/hidden_overrides.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"

namespace kinformer {

namespace internal {

inline ObjectName NameOf(const Block& block) {
  return ObjectName{std::string(block.namespace_()), std::string(block.name())};
}
template <class T>
ObjectName NameOfView(const T& view) {
  return NameOf(*BlockOfView(view));
}
template <class T>
Ref<T> Retained(const T& view) {
  return Ref<T>(ObjectRef::Share(BlockOfView(view)));
}

}  // namespace internal

// An object that is new to this handler.
template <class T>
struct Added {
  const std::string& key;  // "namespace/name", or "name" where there is no namespace
  T object;
  // True for the handler's initial objects: those that were cached when it was registered, or, if
  // it was registered earlier, those of the informer's first list.
  bool is_in_initial_list = false;
  std::uint32_t epoch = 0;

  [[nodiscard]] Ref<T> Retain() const { return internal::Retained(object); }
  [[nodiscard]] ObjectName object_name() const { return internal::NameOfView(object); }
};

// A changed object. On a resync `old_object` and `new_object` are the same object, not just equal
// ones.
template <class T>
struct Updated {
  const std::string& key;
  T old_object;
  T new_object;
  std::uint32_t epoch = 0;

  [[nodiscard]] bool is_resync() const {
    return internal::BlockOfView(old_object) == internal::BlockOfView(new_object);
  }
  [[nodiscard]] Ref<T> Retain() const { return internal::Retained(new_object); }
  [[nodiscard]] Ref<T> RetainOld() const { return internal::Retained(old_object); }
  [[nodiscard]] ObjectName object_name() const { return internal::NameOfView(new_object); }
};

// A deleted object. Counterpart: the object or cache.DeletedFinalStateUnknown that client-go passes
// to OnDelete.
template <class T>
struct Deleted {
  const std::string& key;
  // The last known state. Always present.
  T object;
  // True for a tombstone: the informer did not see the deletion itself, only that the object is
  // gone, so `object` may be older than the state in which it was deleted.
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;
  // The state that the handler got last, if later updates were skipped under pressure. Empty: that
  // state is `object`, as far as is known.
  std::optional<T> told{};

  [[nodiscard]] Ref<T> Retain() const { return internal::Retained(object); }
  [[nodiscard]] ObjectName object_name() const { return internal::NameOfView(object); }
  [[nodiscard]] T told_object() const { return told ? *told : object; }
};

// Returns e.key. client-go's name of the key function that accepts tombstones; here every event has
// its key.
template <class T>
[[nodiscard]] const std::string& DeletionHandlingMetaNamespaceKeyFunc(const Deleted<T>& event) {
  return event.key;
}

// A handler as a class; override the methods you need. One object may be registered several
// times and with several informers; its callbacks may then run at the same time. With T =
// Object (object.h) it handles objects of any kind. Counterpart:
// cache.ResourceEventHandler.
template <class T>
class ResourceEventHandler {
 public:
  virtual ~ResourceEventHandler() = default;
  virtual void OnAdd(const Added<T>& event) { static_cast<void>(event); }
  virtual void OnUpdate(const Updated<T>& event) { static_cast<void>(event); }
  virtual void OnDelete(const Deleted<T>& event) { static_cast<void>(event); }
};

// A function of events of one type. Holds any callable that takes one; empty by default.
template <class Event>
class EventFunction : public std::function<void(const Event&)> {
 public:
  EventFunction() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): lambdas are written in its place
  EventFunction(std::nullptr_t) {}
  template <class F>
    requires(!std::is_base_of_v<EventFunction, std::remove_cvref_t<F>>)
  EventFunction(F&& call)  // NOLINT(google-explicit-constructor): as above
      : std::function<void(const Event&)>(Checked(std::forward<F>(call))) {}

 private:
  template <class F>
  static auto Checked(F&& call) {
    constexpr bool kFits = std::is_invocable_v<std::remove_cvref_t<F>&, const Event&>;
    static_assert(
        kFits,
        "this function cannot be called with the informer's events: on_add takes a const "
        "Added<T>&, on_update a const Updated<T>&, on_delete a const Deleted<T>&, where T "
        "is the informer's kind");
    if constexpr (kFits) {
      return std::function<void(const Event&)>(std::forward<F>(call));
    } else {
      return nullptr;
    }
  }
};

// A handler made of functions; empty ones ignore their events. Counterpart:
// cache.ResourceEventHandlerDetailedFuncs.
template <class T>
struct ResourceEventHandlerFuncs {
  EventFunction<Added<T>> on_add{};
  EventFunction<Updated<T>> on_update{};
  EventFunction<Deleted<T>> on_delete{};
};

// Makes a handler class of the functions.
template <class T>
class FunctionEventHandler final : public ResourceEventHandler<T> {
 public:
  explicit FunctionEventHandler(ResourceEventHandlerFuncs<T> funcs) : funcs_(std::move(funcs)) {}
  void OnAdd(const Added<T>& event) override {
    if (funcs_.on_add) funcs_.on_add(event);
  }
  void OnUpdate(const Updated<T>& event) override {
    if (funcs_.on_update) funcs_.on_update(event);
  }
  void OnDelete(const Deleted<T>& event) override {
    if (funcs_.on_delete) funcs_.on_delete(event);
  }

 private:
  ResourceEventHandlerFuncs<T> funcs_;
};

namespace internal {
struct FilterWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "a filter says whether an object passes: [](corev1::Pod pod) { return true; }; deleted "
        "takes a const Deleted<T>& in its place, and both return bool; T is the informer's kind");
  }
};
}  // namespace internal

// Filter of a FilteringResourceEventHandler: a function of objects, and one of deletions if these
// differ. Without `deleted`, a deletion passes if the object passed in the state that the handler
// got last, and a tombstone always passes: the final state is unknown, so a handler that cleans up
// has to try. If `deleted` is set, it decides alone:
//
//   const EventFilter<corev1::Pod> assigned{
//       .object = [](corev1::Pod p) { return !p.spec().nodeName().empty(); },
//       .deleted = [](const Deleted<corev1::Pod>& e) {
//         return e.final_state_unknown || !e.object.spec().nodeName().empty();
//       }};
//
// Both functions run on the handler's thread, and must depend on their argument only.
template <class T>
struct EventFilter {
  internal::Callable<bool(T), internal::FilterWords> object{};
  internal::Callable<bool(const Deleted<T>&), internal::FilterWords> deleted{};

  [[nodiscard]] bool Passes(const Deleted<T>& event) const {
    if (deleted) return deleted(event);
    return event.final_state_unknown || object(event.told_object());
  }
};

// Passes on the events that its filter accepts: a function of objects, or an EventFilter. An object
// that changes from false to true is added, one that changes from true to false is deleted (with
// its old state). Counterpart: cache.FilteringResourceEventHandler, whose filter gets a tombstone
// as a DeletedFinalStateUnknown; here EventFilter::deleted handles that case.
//
//   pods.AddEventHandler(FilteringResourceEventHandler<corev1::Pod>(
//       [](corev1::Pod p) { return p.spec().nodeName() == "node-7"; },
//       {.on_add = ..., .on_delete = ...}));
template <class T>
class FilteringResourceEventHandler final : public ResourceEventHandler<T> {
 public:
  using FilterFunc = internal::Callable<bool(T), internal::FilterWords>;

  template <std::convertible_to<std::shared_ptr<ResourceEventHandler<T>>> Next>
  FilteringResourceEventHandler(EventFilter<T> filter, Next next)
      : filter_(std::move(filter)), next_(std::move(next)) {
    static_assert(internal::CheckHandlerClass<typename Next::element_type, T>());
  }
  FilteringResourceEventHandler(EventFilter<T> filter, ResourceEventHandlerFuncs<T> next)
      : FilteringResourceEventHandler(std::move(filter),
                                      std::make_shared<FunctionEventHandler<T>>(std::move(next))) {}
  template <std::convertible_to<std::shared_ptr<ResourceEventHandler<T>>> Next>
  FilteringResourceEventHandler(FilterFunc filter, Next next)
      : FilteringResourceEventHandler(EventFilter<T>{std::move(filter)}, std::move(next)) {}
  FilteringResourceEventHandler(FilterFunc filter, ResourceEventHandlerFuncs<T> next)
      : FilteringResourceEventHandler(EventFilter<T>{std::move(filter)}, std::move(next)) {}

  void OnAdd(const Added<T>& event) override {
    if (filter_.object(event.object)) next_->OnAdd(event);
  }

  void OnUpdate(const Updated<T>& event) override {
    const bool newer = filter_.object(event.new_object);
    const bool older = filter_.object(event.old_object);
    if (newer && older) {
      next_->OnUpdate(event);
    } else if (newer) {
      next_->OnAdd(Added<T>{event.key, event.new_object, false, event.epoch});
    } else if (older) {
      next_->OnDelete(Deleted<T>{event.key, event.old_object, false, event.epoch});
    }
  }

  void OnDelete(const Deleted<T>& event) override {
    if (filter_.Passes(event)) next_->OnDelete(event);
  }

 private:
  EventFilter<T> filter_;
  std::shared_ptr<ResourceEventHandler<T>> next_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_RESOURCE_EVENT_HANDLER_H_
