// kinformer/controller/builder.h
//
// ControllerBuilder: creates a controller and adds it to a manager.
//
//   ControllerBuilder(*manager)
//       .For<appsv1::Deployment>()                                // its own changes
//       .Owns<corev1::ConfigMap>()                                // those of what it controls
//       .Watches<corev1::Secret>(                                 // and of what it looks at
//           handler::EnqueueRequestsFromMapFunc<corev1::Secret>(UsersOf))
//       .Complete(ReconcilePod).OrExit();
//
// Counterpart: controller-runtime's package builder.

#ifndef KINFORMER_CONTROLLER_BUILDER_H_
#define KINFORMER_CONTROLLER_BUILDER_H_

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/controller/controller.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/controller/source.h"
#include "kinformer/internal/controller_builder_misuse.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/object/partial_object_metadata.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// The form in which objects of a watched kind are cached and given to handlers.
enum class WatchAs : std::uint8_t {
  kObjects,
  kMetadata,  // only metadata is watched: needs much less memory. Go's OnlyMetadata
};

// Builds one controller; use it once, from one thread. Its methods never fail: Build reports
// errors. With an `R` other than Request, For and Owns are not available, since they cannot make
// such requests. Counterpart: builder.TypedBuilder.
template <class R>
class TypedControllerBuilder
    : private internal::TypedControllerBuilderMisuse<R, TypedControllerBuilder<R>> {
  using Misuse = internal::TypedControllerBuilderMisuse<R, TypedControllerBuilder>;

 public:
  explicit TypedControllerBuilder(Manager& manager);
  template <class Wrong>
    requires(!std::derived_from<Wrong, Manager> && !std::same_as<Wrong, TypedControllerBuilder>)
  explicit TypedControllerBuilder(const Wrong& wrong) : manager_(internal::NoManager(wrong)) {}
  ~TypedControllerBuilder();
  TypedControllerBuilder(const TypedControllerBuilder&) = delete;
  TypedControllerBuilder& operator=(const TypedControllerBuilder&) = delete;
  using Misuse::For;
  using Misuse::Named;
  using Misuse::Owns;
  using Misuse::Watches;
  using Misuse::WatchesRawSource;
  using Misuse::WithEventFilter;
  using Misuse::WithOptions;

  // Reconciles objects of kind T: an event is a request for its object. Names the controller. Once.
  template <KnownKind T>
  TypedControllerBuilder& For() {
    return AddFor(T::kind_info(), {});
  }
  template <KnownKind T>
  TypedControllerBuilder& For(predicate::PredicateFor<T> accepts, WatchAs as = WatchAs::kObjects) {
    return AddFor(T::kind_info(), Accepted(std::move(accepts), as));
  }

  // Watches objects that the reconciled ones own: an event is a request for the owner; with
  // Owners::kController only for the owner that is the object's controller. Needs For.
  template <KnownKind T>
  TypedControllerBuilder& Owns() {
    return AddOwns(T::kind_info(), {}, handler::Owners::kController);
  }
  template <KnownKind T>
  TypedControllerBuilder& Owns(predicate::PredicateFor<T> accepts,
                               handler::Owners which = handler::Owners::kController,
                               WatchAs as = WatchAs::kObjects) {
    return AddOwns(T::kind_info(), Accepted(std::move(accepts), as), which);
  }

  // Watches any other kind; `handler` maps its events to requests.
  template <KnownKind T>
  TypedControllerBuilder& Watches(std::shared_ptr<handler::EventHandler<T, R>> handler) {
    return AddWatch(T::kind_info(), handler::internal::Untyped(std::move(handler)), {});
  }
  template <KnownKind T>
  TypedControllerBuilder& Watches(std::shared_ptr<handler::EventHandler<T, R>> handler,
                                  predicate::PredicateFor<T> accepts) {
    return AddWatch(T::kind_info(), handler::internal::Untyped(std::move(handler)),
                    Accepted(std::move(accepts), WatchAs::kObjects));
  }
  // Watches only the metadata of objects of kind T; otherwise as Watches.
  template <KnownKind T>
  TypedControllerBuilder& WatchesMetadata(
      std::shared_ptr<handler::EventHandler<metav1::PartialObjectMetadata, R>> handler,
      predicate::PredicateFor<metav1::PartialObjectMetadata> accepts = {}) {
    return AddWatch(T::kind_info(), handler::internal::Untyped(std::move(handler)),
                    {std::move(accepts).Untyped(), WatchAs::kMetadata});
  }
  // Adds any source, such as a channel or a timer. WithEventFilter does not affect it.
  TypedControllerBuilder& WatchesRawSource(std::shared_ptr<source::TypedSource<R>> source);

  // Adds a predicate that runs before those of each kind. All must accept, if called several times.
  TypedControllerBuilder& WithEventFilter(predicate::Predicate<Object> accepts);
  // Sets the controller's name, which is the kind in lower case by default.
  TypedControllerBuilder& Named(std::string name);
  TypedControllerBuilder& WithOptions(ControllerOptions options);
  TypedControllerBuilder& WithRateLimiter(std::unique_ptr<RateLimiter<R>> limiter);
  template <class Wrong>
    requires(!std::convertible_to<Wrong &&, std::unique_ptr<RateLimiter<R>>>)
  TypedControllerBuilder& WithRateLimiter(Wrong&& /*wrong*/) {
    internal::ExplainLimiter<Wrong>();
    return *this;
  }

  // Creates the controller and adds it to the manager. kInvalidArgument: settings are missing or
  // contradict each other. kAlreadyExists, kStopped: see Manager.
  Result<std::shared_ptr<TypedController<R>>> Build(std::shared_ptr<TypedReconciler<R>> reconciler);
  // Does the same with a function as the reconciler.
  template <class F>
    requires(!std::convertible_to<F, std::shared_ptr<TypedReconciler<R>>>)
  Result<std::shared_ptr<TypedController<R>>> Build(F reconcile) {
    if constexpr (internal::CheckReconcile<F, R>()) {
      return Build(ReconcilerOf<R>(std::move(reconcile)));
    } else {
      return internal::NeverCalled();
    }
  }
  // Does the same, and does not return the controller.
  template <class F>
  Result<void> Complete(F reconcile) {
    auto controller = Build(std::move(reconcile));
    if (!controller) return controller.error();
    return {};
  }

 private:
  // Predicate of a watch, in the form for Objects, and the form of the objects.
  struct Filter {
    predicate::Predicate<Object> accepts{};
    WatchAs as{WatchAs::kObjects};
  };

  // A predicate for T cannot look into objects of which only the metadata is watched.
  template <class T>
  Filter Accepted(predicate::PredicateFor<T> accepts, WatchAs as) {
    if (as == WatchAs::kMetadata && accepts.any() == nullptr &&
        (accepts.create || accepts.update || accepts.delete_ || accepts.generic)) {
      Wrong("predicates for " + std::string(T::kind_info().kind) +
            " see objects, of which only the metadata is watched: give predicates for "
            "Object, or use WatchesMetadata");
      return {};
    }
    return {std::move(accepts).Untyped(), as};
  }

  void Wrong(std::string what);
  Result<void> Check() const;
  TypedControllerBuilder& AddFor(const KindInfo& type, Filter filter);
  TypedControllerBuilder& AddOwns(const KindInfo& type, Filter filter, handler::Owners which);
  TypedControllerBuilder& AddWatch(const KindInfo& type,
                                   std::shared_ptr<handler::EventHandler<Object, R>> handler,
                                   Filter filter);
  std::shared_ptr<source::TypedSource<R>> Watched(
      const KindInfo& type, std::shared_ptr<handler::EventHandler<Object, R>> handler,
      const Filter& filter) const;

  Manager& manager_;
  std::optional<Error> wrong_;
  const KindInfo* for_ = nullptr;
  bool owns_ = false;
  std::vector<predicate::Predicate<Object>> filters_;
  // Called by Build, since filters may be added after the kinds.
  std::vector<std::function<std::shared_ptr<source::TypedSource<R>>()>> sources_;
  std::string name_;
  ControllerOptions options_;
  std::unique_ptr<RateLimiter<R>> limiter_;
};
// Builds controllers whose requests are names of objects.
using ControllerBuilder = TypedControllerBuilder<Request>;

namespace internal {
// Names of a controller for objects of a kind: "ReplicaSet.apps", or "Pod" in the core group, and
// the kind in lower case.
[[nodiscard]] std::string GroupKindOf(const KindInfo& type);
[[nodiscard]] std::string KindInLowerCase(const KindInfo& type);
// Returns the function that gives the informer of a kind from the manager's cache.
[[nodiscard]] std::function<std::shared_ptr<InformerCore>()> InformerIn(
    SharedInformerFactory& cache, const KindInfo& type, bool metadata_only);
}  // namespace internal

template <class R>
TypedControllerBuilder<R>::TypedControllerBuilder(Manager& manager) : manager_(manager) {}

template <class R>
TypedControllerBuilder<R>::~TypedControllerBuilder() = default;

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::WatchesRawSource(
    std::shared_ptr<source::TypedSource<R>> source) {
  sources_.push_back([source = std::move(source)] { return source; });
  return *this;
}

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::WithEventFilter(
    predicate::Predicate<Object> accepts) {
  filters_.push_back(std::move(accepts));
  return *this;
}

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::Named(std::string name) {
  name_ = std::move(name);
  return *this;
}

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::WithOptions(ControllerOptions options) {
  options_ = std::move(options);
  return *this;
}

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::WithRateLimiter(
    std::unique_ptr<RateLimiter<R>> limiter) {
  limiter_ = std::move(limiter);
  return *this;
}

template <class R>
Result<std::shared_ptr<TypedController<R>>> TypedControllerBuilder<R>::Build(
    std::shared_ptr<TypedReconciler<R>> reconciler) {
  if (Result<void> sound = Check(); !sound) return sound.error();
  if (reconciler == nullptr) return Error(Reason::kInvalidArgument, "there is no reconciler");
  if (!name_.empty()) options_.name = name_;
  if (options_.name.empty()) options_.name = internal::KindInLowerCase(*for_);
  Result<ControllerOptions> options = manager_.OptionsFor(
      std::move(options_), for_ == nullptr ? std::string() : internal::GroupKindOf(*for_));
  if (!options) return std::move(options).error();
  auto controller = TypedController<R>::New(manager_.env(), std::move(reconciler),
                                            *std::move(options), std::move(limiter_));
  if (!controller) return controller;
  if (for_ != nullptr) (*controller)->SetKind(*for_);
  for (const auto& make : sources_) {
    if (Result<void> watched = (*controller)->Watch(make()); !watched) return watched.error();
  }
  if (Result<void> added = manager_.Add(*controller); !added) return added.error();
  return controller;
}

template <class R>
void TypedControllerBuilder<R>::Wrong(std::string what) {
  if (!wrong_) wrong_.emplace(Reason::kInvalidArgument, std::move(what));
}

template <class R>
Result<void> TypedControllerBuilder<R>::Check() const {
  if (wrong_) return *wrong_;
  if (owns_ && for_ == nullptr) {
    return Error(Reason::kInvalidArgument, "Owns() can only be used together with For()");
  }
  if (sources_.empty()) {
    return Error(Reason::kInvalidArgument,
                 "there are no watches configured: a controller needs at least one of For, "
                 "Watches and WatchesRawSource");
  }
  if (for_ == nullptr && name_.empty() && options_.name.empty()) {
    return Error(Reason::kInvalidArgument, "a controller without For needs a name: Named()");
  }
  return {};
}

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::AddFor(const KindInfo& type, Filter filter) {
  static_assert(std::is_same_v<R, Request>, "For needs the requests of a plain controller");
  if (for_ != nullptr) {
    Wrong("For may be called only once: further kinds are for Owns or Watches");
    return *this;
  }
  for_ = &type;
  if constexpr (std::is_same_v<R, Request>) {
    AddWatch(type, handler::EnqueueRequestForObject<Object>(), std::move(filter));
  }
  return *this;
}

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::AddOwns(const KindInfo& type, Filter filter,
                                                              handler::Owners which) {
  static_assert(std::is_same_v<R, Request>, "Owns needs the requests of a plain controller");
  owns_ = true;
  if constexpr (std::is_same_v<R, Request>) {
    sources_.push_back([this, &type, filter = std::move(filter), which] {
      return Watched(type, handler::EnqueueRequestForOwner<Object>(*for_, which), filter);
    });
  }
  return *this;
}

template <class R>
TypedControllerBuilder<R>& TypedControllerBuilder<R>::AddWatch(
    const KindInfo& type, std::shared_ptr<handler::EventHandler<Object, R>> handler,
    Filter filter) {
  sources_.push_back([this, &type, handler = std::move(handler), filter = std::move(filter)] {
    return Watched(type, handler, filter);
  });
  return *this;
}

template <class R>
std::shared_ptr<source::TypedSource<R>> TypedControllerBuilder<R>::Watched(
    const KindInfo& type, std::shared_ptr<handler::EventHandler<Object, R>> handler,
    const Filter& filter) const {
  predicate::Predicate<Object> accepts = filter.accepts;
  if (!filters_.empty()) {
    std::vector<predicate::Predicate<Object>> all = filters_;
    all.push_back(std::move(accepts));
    accepts = predicate::And(std::move(all));
  }
  return std::make_shared<source::internal::KindSource<R>>(
      std::string(type.resource),
      internal::InformerIn(manager_.GetCache(), type, filter.as == WatchAs::kMetadata),
      std::move(handler), std::move(accepts));
}

extern template class TypedControllerBuilder<Request>;  // compiled in the library

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_BUILDER_H_
