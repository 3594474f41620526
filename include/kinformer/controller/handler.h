// kinformer/controller/handler.h
//
// Event handlers of controllers: they turn events of a watched object into requests.
//
//   auto of_pod = handler::EnqueueRequestForObject<corev1::Pod>();
//   auto of_owner = handler::EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>();
//   auto of_users = handler::EnqueueRequestsFromMapFunc<corev1::Secret>(UsersOf);
//
// Counterpart: controller-runtime's package handler.

#ifndef KINFORMER_CONTROLLER_HANDLER_H_
#define KINFORMER_CONTROLLER_HANDLER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/controller/request_queue.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/object_meta.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"

namespace kinformer::handler {

// Adds requests to a queue. Called for one event of a watch at a time, on the
// Env's pool; may block, which delays only this watch, unless OnlyEnqueues
// returns true. Exceptions are logged and counted. Counterpart:
// handler.TypedEventHandler.
template <class T, class R = Request>
class EventHandler {
 public:
  using Queue = RequestQueue<R>;
  virtual ~EventHandler() = default;
  virtual void Create(const Added<T>& event, const Queue& queue) = 0;
  virtual void Update(const Updated<T>& event, const Queue& queue) = 0;
  virtual void Delete(const Deleted<T>& event, const Queue& queue) = 0;
  virtual void Generic(const GenericEvent<T>& event, const Queue& queue) = 0;
  // Returns true if it only adds requests, which takes microseconds and never waits. If the watch
  // has no predicate either, small numbers of events are then handled on the event loop itself,
  // without waking a thread of the pool.
  [[nodiscard]] virtual bool OnlyEnqueues() const { return false; }
};

namespace internal {
struct FuncsWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "a function of a handler is called with the event and the queue: [](const Added<T>& event, "
        "const RequestQueue<Request>& queue) { queue.Add(event.object_name()); }; update takes a "
        "const Updated<T>&, delete_ a const Deleted<T>&, generic a const GenericEvent<T>&");
  }
};
struct MapWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a function of EnqueueRequestsFromMapFunc is called with the object alone and "
                  "gives the requests: [](const corev1::Secret& secret) -> std::vector<Request> { "
                  "... }, of the kind in angle brackets");
  }
};
template <class Event, class R>
using EventFunc =
    ::kinformer::internal::Callable<void(const Event& event, const RequestQueue<R>& queue),
                                    FuncsWords>;
}  // namespace internal

namespace internal {
// Handles Objects, all of which are of kind T, by a handler for T.
template <class T, class R>
class UntypedHandler final : public EventHandler<Object, R> {
 public:
  using Queue = typename EventHandler<Object, R>::Queue;
  explicit UntypedHandler(std::shared_ptr<EventHandler<T, R>> typed) : typed_(std::move(typed)) {}
  void Create(const Added<Object>& event, const Queue& queue) override {
    typed_->Create(predicate::internal::EventAs<T>(event), queue);
  }
  void Update(const Updated<Object>& event, const Queue& queue) override {
    typed_->Update(predicate::internal::EventAs<T>(event), queue);
  }
  void Delete(const Deleted<Object>& event, const Queue& queue) override {
    typed_->Delete(predicate::internal::EventAs<T>(event), queue);
  }
  void Generic(const GenericEvent<Object>& event, const Queue& queue) override {
    typed_->Generic(predicate::internal::EventAs<T>(event), queue);
  }
  [[nodiscard]] bool OnlyEnqueues() const override { return typed_->OnlyEnqueues(); }

 private:
  const std::shared_ptr<EventHandler<T, R>> typed_;
};

// Returns the same handler for Objects; null for null.
template <class T, class R>
std::shared_ptr<EventHandler<Object, R>> Untyped(std::shared_ptr<EventHandler<T, R>> typed) {
  if constexpr (std::is_same_v<T, Object>) {
    return typed;
  } else {
    if (typed == nullptr) return nullptr;
    return std::make_shared<UntypedHandler<T, R>>(std::move(typed));
  }
}
}  // namespace internal

// A handler made of functions; empty ones ignore their events. Counterpart: handler.Funcs.
template <class T, class R = Request>
struct Funcs {
  using Queue = RequestQueue<R>;
  internal::EventFunc<Added<T>, R> create{};
  internal::EventFunc<Updated<T>, R> update{};
  internal::EventFunc<Deleted<T>, R> delete_{};
  internal::EventFunc<GenericEvent<T>, R> generic{};
};

namespace internal {

template <class T, class R>
class FuncsHandler final : public EventHandler<T, R> {
 public:
  using Queue = typename EventHandler<T, R>::Queue;
  FuncsHandler(Funcs<T, R> funcs, bool only_enqueues)
      : funcs_(std::move(funcs)), only_enqueues_(only_enqueues) {}
  void Create(const Added<T>& event, const Queue& queue) override {
    if (funcs_.create) funcs_.create(event, queue);
  }
  void Update(const Updated<T>& event, const Queue& queue) override {
    if (funcs_.update) funcs_.update(event, queue);
  }
  void Delete(const Deleted<T>& event, const Queue& queue) override {
    if (funcs_.delete_) funcs_.delete_(event, queue);
  }
  void Generic(const GenericEvent<T>& event, const Queue& queue) override {
    if (funcs_.generic) funcs_.generic(event, queue);
  }
  [[nodiscard]] bool OnlyEnqueues() const override { return only_enqueues_; }

 private:
  const Funcs<T, R> funcs_;
  const bool only_enqueues_;
};

}  // namespace internal

// Returns a handler that calls the functions.
template <class T, class R = Request>
[[nodiscard]] std::shared_ptr<EventHandler<T, R>> HandlerOf(Funcs<T, R> funcs) {
  return std::make_shared<internal::FuncsHandler<T, R>>(std::move(funcs), false);
}

// Function from an object to its requests; each is added once, even if returned several times.
template <class T, class R>
using MapFunc =
    ::kinformer::internal::Callable<std::vector<R>(const T& object), internal::MapWords>;

namespace internal {

template <class T, class R>
Funcs<T, R> FuncsOfMap(MapFunc<T, R> map) {
  using Queue = RequestQueue<R>;
  // Adds the requests of several objects, each request once.
  const auto enqueue = [map = std::move(map)](const Queue& queue, auto... objects) {
    std::unordered_set<R> said;
    const auto one = [&](const T& object) {
      for (const R& request : map(object)) {
        if (said.insert(request).second) queue.Add(request);
      }
    };
    (one(objects), ...);
  };
  return {.create = [enqueue](const Added<T>& e, const Queue& q) { enqueue(q, e.object); },
          .update = [enqueue](const Updated<T>& e,
                              const Queue& q) { enqueue(q, e.old_object, e.new_object); },
          .delete_ = [enqueue](const Deleted<T>& e, const Queue& q) { enqueue(q, e.object); },
          .generic =
              [enqueue](const GenericEvent<T>& e, const Queue& q) {
                if (e.object) enqueue(q, *e.object);
              }};
}

}  // namespace internal

// Returns a handler that adds the requests of `map`; for an update those of the old and new object.
// Counterpart: handler.EnqueueRequestsFromMapFunc.
template <class T, class R = Request>
[[nodiscard]] std::shared_ptr<EventHandler<T, R>> EnqueueRequestsFromMapFunc(
    std::type_identity_t<MapFunc<T, R>> map) {
  return HandlerOf<T, R>(internal::FuncsOfMap<T, R>(std::move(map)));
}
// Explains a missing kind at compile time. The int excludes calls that name one.
template <int = 0, class Wrong>
auto EnqueueRequestsFromMapFunc(const Wrong& /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong>,
                "EnqueueRequestsFromMapFunc takes the kind in angle brackets, the one that is "
                "watched: EnqueueRequestsFromMapFunc<corev1::Secret>(function)");
  return nullptr;
}

// Returns a handler that adds the object itself. Counterpart: handler.EnqueueRequestForObject.
template <class T>
[[nodiscard]] std::shared_ptr<EventHandler<T>> EnqueueRequestForObject() {
  using Queue = RequestQueue<Request>;
  Funcs<T, Request> funcs{
      .create = [](const Added<T>& e, const Queue& q) { q.Add(e.object_name()); },
      .update = [](const Updated<T>& e, const Queue& q) { q.Add(e.object_name()); },
      .delete_ = [](const Deleted<T>& e, const Queue& q) { q.Add(e.object_name()); },
      .generic =
          [](const GenericEvent<T>& e, const Queue& q) {
            if (e.object) q.Add(::kinformer::internal::NameOf(*e.object.object()));
          }};
  return std::make_shared<internal::FuncsHandler<T, Request>>(std::move(funcs), true);
}
// Explains a missing kind at compile time.
template <int = 0, class... Wrong>
auto EnqueueRequestForObject(const Wrong&... /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong...>,
                "EnqueueRequestForObject takes the kind in angle brackets, and no object: "
                "EnqueueRequestForObject<corev1::Pod>()");
  return nullptr;
}

// Owners of an object that get a request.
enum class Owners : std::uint8_t {
  kController,  // only the controlling owner: Go's OnlyControllerOwner
  kAll,
};

namespace internal {
// Returns the owners of that group and kind, in any version; in the object's namespace if the
// owner's kind has namespaces.
std::vector<Request> OwnersOf(const metav1::ObjectMeta& metadata,
                              const ::kinformer::KindInfo& owner, Owners which);
}  // namespace internal

// Returns a handler that adds the object's owners of kind `owner`, by default all; `Owns` of a
// ControllerBuilder adds only the controlling one. Counterpart: handler.EnqueueRequestForOwner.
template <class T>
[[nodiscard]] std::shared_ptr<EventHandler<T>> EnqueueRequestForOwner(
    const ::kinformer::KindInfo& owner, Owners which = Owners::kAll) {
  auto funcs = internal::FuncsOfMap<T, Request>([&owner, which](const T& object) {
    return internal::OwnersOf(object.metadata(), owner, which);
  });
  return std::make_shared<internal::FuncsHandler<T, Request>>(std::move(funcs), true);
}
// Does the same for an owner whose kind is known at compile time.
template <class T, Resource Owner>
[[nodiscard]] std::shared_ptr<EventHandler<T>> EnqueueRequestForOwner(Owners which = Owners::kAll) {
  return EnqueueRequestForOwner<T>(Owner::kind_info(), which);
}
// Explains a missing owner at compile time.
template <class T, int = 0>
auto EnqueueRequestForOwner(Owners /*which*/ = Owners::kAll) {
  static_assert(::kinformer::internal::kNeverHolds<T>,
                "EnqueueRequestForOwner takes both kinds in angle brackets, what is watched and "
                "what owns it: EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>()");
  return nullptr;
}
// Explains a missing kind at compile time.
template <int = 0, class... Wrong>
auto EnqueueRequestForOwner(const Wrong&... /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong...>,
                "EnqueueRequestForOwner takes both kinds in angle brackets, what is watched and "
                "what owns it: EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>()");
  return nullptr;
}

}  // namespace kinformer::handler

#endif  // KINFORMER_CONTROLLER_HANDLER_H_
