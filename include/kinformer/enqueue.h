// kinformer/enqueue.h
//
// Event handlers of controllers: which requests an event of a watched object leads to.
//
//   auto of_pod = handler::EnqueueRequestForObject<corev1::Pod>();
//   auto of_owner = handler::EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>();
//   auto of_users = handler::EnqueueRequestsFromMapFunc<corev1::Secret>(UsersOf);
//
// Counterpart: controller-runtime's package handler.

#ifndef KINFORMER_ENQUEUE_H_
#define KINFORMER_ENQUEUE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kinformer/event_handler.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object_meta.h"
#include "kinformer/object_name.h"
#include "kinformer/predicate.h"
#include "kinformer/reconciler.h"
#include "kinformer/request_queue.h"
#include "kinformer/resource.h"

namespace kinformer::handler {

// Adds requests to the queue that it is given. Called for one event of a watch at a time, on the
// Env's pool; may block, which holds up this watch only, unless OnlyEnqueues says that it does not.
// What it throws is logged and counted.
// Counterpart: handler.TypedEventHandler.
template <class T, class R = Request>
class EventHandler {
 public:
  using Queue = RequestQueue<R>;
  virtual ~EventHandler() = default;
  virtual void Create(const Added<T>& event, const Queue& queue) = 0;
  virtual void Update(const Updated<T>& event, const Queue& queue) = 0;
  virtual void Delete(const Deleted<T>& event, const Queue& queue) = 0;
  virtual void Generic(const GenericEvent<T>& event, const Queue& queue) = 0;
  // True: it only adds requests, which takes microseconds and waits for nobody. Where a watch has
  // no predicate either, a few events at a time are then handed over on the event loop itself, and
  // no thread of the pool has to be woken for them.
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

// A handler of functions; those left empty ignore their events. Counterpart: handler.Funcs.
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

// The functions as a handler.
template <class T, class R = Request>
[[nodiscard]] std::shared_ptr<EventHandler<T, R>> HandlerOf(Funcs<T, R> funcs) {
  return std::make_shared<internal::FuncsHandler<T, R>>(std::move(funcs), false);
}

// The requests that an object leads to, each once however often it is said.
template <class T, class R>
using MapFunc =
    ::kinformer::internal::Callable<std::vector<R>(const T& object), internal::MapWords>;

namespace internal {

template <class T, class R>
Funcs<T, R> FuncsOfMap(MapFunc<T, R> map) {
  using Queue = RequestQueue<R>;
  // Of one object after the other.
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

// The requests that `map` says: of an update those of the old and the new object, each once.
// Counterpart: handler.EnqueueRequestsFromMapFunc.
template <class T, class R = Request>
[[nodiscard]] std::shared_ptr<EventHandler<T, R>> EnqueueRequestsFromMapFunc(
    std::type_identity_t<MapFunc<T, R>> map) {
  return HandlerOf<T, R>(internal::FuncsOfMap<T, R>(std::move(map)));
}
// No kind is named. The int keeps calls that name one away.
template <int = 0, class Wrong>
auto EnqueueRequestsFromMapFunc(const Wrong& /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong>,
                "EnqueueRequestsFromMapFunc takes the kind in angle brackets, the one that is "
                "watched: EnqueueRequestsFromMapFunc<corev1::Secret>(function)");
  return nullptr;
}

// The request of the object itself. Counterpart: handler.EnqueueRequestForObject.
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
// No kind is named.
template <int = 0, class... Wrong>
auto EnqueueRequestForObject(const Wrong&... /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong...>,
                "EnqueueRequestForObject takes the kind in angle brackets, and no object: "
                "EnqueueRequestForObject<corev1::Pod>()");
  return nullptr;
}

// Which of an object's owners count.
enum class Owners : std::uint8_t {
  kController,  // the one that controls it: Go's OnlyControllerOwner
  kAll,
};

namespace internal {
// The owners of that group and kind, whatever the version; in the object's namespace where the
// kind of the owner has namespaces.
std::vector<Request> OwnersOf(const metav1::ObjectMeta& metadata,
                              const ::kinformer::internal::TypeInfo& owner, Owners which);
}  // namespace internal

// The requests of the object's owners of that kind: all of them, unless told otherwise. `Owns` of a
// ControllerBuilder asks for the one that controls. Counterpart: handler.EnqueueRequestForOwner.
template <class T>
[[nodiscard]] std::shared_ptr<EventHandler<T>> EnqueueRequestForOwner(
    const ::kinformer::internal::TypeInfo& owner, Owners which = Owners::kAll) {
  auto funcs = internal::FuncsOfMap<T, Request>([&owner, which](const T& object) {
    return internal::OwnersOf(object.metadata(), owner, which);
  });
  return std::make_shared<internal::FuncsHandler<T, Request>>(std::move(funcs), true);
}
// The same for a kind that is known at compile time.
template <class T, Resource Owner>
[[nodiscard]] std::shared_ptr<EventHandler<T>> EnqueueRequestForOwner(Owners which = Owners::kAll) {
  return EnqueueRequestForOwner<T>(Owner::type_info(), which);
}
// The owner is not named.
template <class T, int = 0>
auto EnqueueRequestForOwner(Owners /*which*/ = Owners::kAll) {
  static_assert(::kinformer::internal::kNeverHolds<T>,
                "EnqueueRequestForOwner takes both kinds in angle brackets, what is watched and "
                "what owns it: EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>()");
  return nullptr;
}
// No kind is named.
template <int = 0, class... Wrong>
auto EnqueueRequestForOwner(const Wrong&... /*wrong*/) {
  static_assert(::kinformer::internal::kNeverHolds<Wrong...>,
                "EnqueueRequestForOwner takes both kinds in angle brackets, what is watched and "
                "what owns it: EnqueueRequestForOwner<corev1::Pod, appsv1::ReplicaSet>()");
  return nullptr;
}

}  // namespace kinformer::handler

#endif  // KINFORMER_ENQUEUE_H_
