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

#include <algorithm>
#include <cctype>
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
  explicit TypedControllerBuilder(Manager& manager) : manager_(manager) {}
  template <class Wrong>
    requires(!std::derived_from<Wrong, Manager> && !std::same_as<Wrong, TypedControllerBuilder>)
  explicit TypedControllerBuilder(const Wrong& wrong) : manager_(internal::NoManager(wrong)) {}
  using Misuse::For;
  using Misuse::Named;
  using Misuse::Owns;
  using Misuse::Watches;
  using Misuse::WatchesRawSource;
  using Misuse::WithEventFilter;
  using Misuse::WithOptions;

  // Reconciles objects of kind T: an event is a request for its object. Names the controller. Once.
  template <KnownKind T>
  TypedControllerBuilder& For(predicate::PredicateFor<T> accepts = {},
                              WatchAs as = WatchAs::kObjects) {
    static_assert(std::is_same_v<R, Request>, "For needs the requests of a plain controller");
    if (for_ != nullptr) {
      Wrong("For may be called only once: further kinds are for Owns or Watches");
      return *this;
    }
    for_ = &T::kind_info();
    Add<T>(
        [](const auto* type) { return handler::EnqueueRequestForObject<Viewed<decltype(type)>>(); },
        std::move(accepts), as);
    return *this;
  }

  // Watches objects that the reconciled ones own: an event is a request for the owner; with
  // Owners::kController only for the owner that is the object's controller. Needs For.
  template <KnownKind T>
  TypedControllerBuilder& Owns(predicate::PredicateFor<T> accepts = {},
                               handler::Owners which = handler::Owners::kController,
                               WatchAs as = WatchAs::kObjects) {
    static_assert(std::is_same_v<R, Request>, "Owns needs the requests of a plain controller");
    owns_ = true;
    Add<T>(
        [this, which](const auto* type) {
          return handler::EnqueueRequestForOwner<Viewed<decltype(type)>>(*for_, which);
        },
        std::move(accepts), as);
    return *this;
  }

  // Watches any other kind; `handler` maps its events to requests.
  template <KnownKind T>
  TypedControllerBuilder& Watches(std::shared_ptr<handler::EventHandler<T, R>> handler,
                                  predicate::PredicateFor<T> accepts = {}) {
    sources_.push_back([this, handler = std::move(handler), accepts = std::move(accepts)] {
      return source::Kind<T, R>(manager_.GetCache(), handler, Filtered<T>(accepts));
    });
    return *this;
  }
  // Watches only the metadata of objects of kind T; otherwise as Watches.
  template <KnownKind T>
  TypedControllerBuilder& WatchesMetadata(
      std::shared_ptr<handler::EventHandler<metav1::PartialObjectMetadata, R>> handler,
      predicate::PredicateFor<metav1::PartialObjectMetadata> accepts = {}) {
    sources_.push_back([this, handler = std::move(handler), accepts = std::move(accepts)] {
      return MetadataKind<T>(handler, Filtered<metav1::PartialObjectMetadata>(accepts));
    });
    return *this;
  }
  // Adds any source, such as a channel or a timer. WithEventFilter does not affect it.
  TypedControllerBuilder& WatchesRawSource(std::shared_ptr<source::TypedSource<R>> source) {
    sources_.push_back([source = std::move(source)] { return source; });
    return *this;
  }

  // Adds a predicate that runs before those of each kind. All must accept, if called several times.
  TypedControllerBuilder& WithEventFilter(predicate::Predicate<Object> accepts) {
    filters_.push_back(std::move(accepts));
    return *this;
  }
  // Sets the controller's name, which is the kind in lower case by default.
  TypedControllerBuilder& Named(std::string name) {
    name_ = std::move(name);
    return *this;
  }
  TypedControllerBuilder& WithOptions(ControllerOptions options) {
    options_ = std::move(options);
    return *this;
  }
  TypedControllerBuilder& WithRateLimiter(std::unique_ptr<RateLimiter<R>> limiter) {
    limiter_ = std::move(limiter);
    return *this;
  }
  template <class Wrong>
    requires(!std::convertible_to<Wrong &&, std::unique_ptr<RateLimiter<R>>>)
  TypedControllerBuilder& WithRateLimiter(Wrong&& /*wrong*/) {
    internal::ExplainLimiter<Wrong>();
    return *this;
  }

  // Creates the controller and adds it to the manager. kInvalidArgument: settings are missing or
  // contradict each other. kAlreadyExists, kStopped: see Manager.
  Result<std::shared_ptr<TypedController<R>>> Build(
      std::shared_ptr<TypedReconciler<R>> reconciler) {
    if (Result<void> sound = Check(); !sound) return sound.error();
    if (reconciler == nullptr) return Error(Reason::kInvalidArgument, "there is no reconciler");
    options_.name = !name_.empty()           ? name_
                    : !options_.name.empty() ? options_.name
                                             : KindInLowerCase();
    Result<ControllerOptions> options = manager_.OptionsFor(std::move(options_), GroupKind());
    if (!options) return std::move(options).error();
    auto controller = TypedController<R>::New(manager_.env(), std::move(reconciler),
                                              *std::move(options), std::move(limiter_));
    if (!controller) return controller;
    for (const auto& make : sources_) {
      if (Result<void> watched = (*controller)->Watch(make()); !watched) return watched.error();
    }
    if (Result<void> added = manager_.Add(*controller); !added) return added.error();
    return controller;
  }
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
  template <class Pointer>
  using Viewed = std::remove_const_t<std::remove_pointer_t<Pointer>>;

  void Wrong(std::string what) {
    if (!wrong_) wrong_.emplace(Reason::kInvalidArgument, std::move(what));
  }
  Result<void> Check() const {
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
  [[nodiscard]] std::string KindInLowerCase() const {
    std::string name(for_->kind);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  }

  // Returns "ReplicaSet.apps", or "Pod" in the core group; nothing without For.
  [[nodiscard]] std::string GroupKind() const {
    if (for_ == nullptr) return {};
    std::string name(for_->kind);
    if (!for_->group.empty()) name.append(".").append(for_->group);
    return name;
  }

  // Adds a source for T; `handler_for` makes its handler for the view type of its argument.
  template <class T, class HandlerFor>
  void Add(HandlerFor handler_for, predicate::PredicateFor<T> accepts, WatchAs as) {
    if (as == WatchAs::kObjects) {
      sources_.push_back([this, handler_for, accepts = std::move(accepts)] {
        return source::Kind<T, R>(manager_.GetCache(), handler_for(static_cast<const T*>(nullptr)),
                                  Filtered<T>(accepts));
      });
      return;
    }
    using Metadata = metav1::PartialObjectMetadata;
    predicate::PredicateFor<Metadata> of_metadata;
    if (accepts.any() != nullptr) {
      of_metadata = *accepts.any();
    } else if (accepts.create || accepts.update || accepts.delete_ || accepts.generic) {
      Wrong("predicates for " + std::string(T::kind_info().kind) +
            " see objects, of which only the metadata is watched: give predicates for "
            "Object, or use WatchesMetadata");
    }
    sources_.push_back([this, handler_for, of_metadata = std::move(of_metadata)] {
      return MetadataKind<T>(handler_for(static_cast<const Metadata*>(nullptr)),
                             Filtered<Metadata>(of_metadata));
    });
  }
  template <KnownKind T>
  std::shared_ptr<source::TypedSource<R>> MetadataKind(
      std::shared_ptr<handler::EventHandler<metav1::PartialObjectMetadata, R>> handler,
      predicate::Predicate<metav1::PartialObjectMetadata> accepts) {
    return source::Kind<metav1::PartialObjectMetadata, R>(
        std::string(T::kind_info().resource),
        [this_cache = &manager_.GetCache()] {
          return this_cache->template MetadataInformerFor<T>();
        },
        std::move(handler), std::move(accepts));
  }
  template <class T>
  predicate::Predicate<T> Filtered(const predicate::Predicate<T>& accepts) const {
    if (filters_.empty()) return accepts;
    std::vector<predicate::Predicate<T>> all;
    for (const predicate::Predicate<Object>& filter : filters_) {
      all.push_back(predicate::Typed<T>(filter));
    }
    all.push_back(accepts);
    return predicate::And(std::move(all));
  }

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

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_BUILDER_H_
