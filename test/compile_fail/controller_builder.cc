// Typical first mistakes with a ControllerBuilder, made by users of controller-runtime.
// case for_plain: this T is a struct of yours: name the kind that is made of it
// case for_mutable: this T is the struct that is written; name the view that is read
// case for_any: this T can be any kind
// case for_number: this T is no kind: name a generated one
// case for_as_in_go: For takes the kind in angle brackets, and no object
// case for_nothing: For takes the kind in angle brackets, and no object
// case for_function: a predicate is a value with a function for each sort of event
// case for_other_predicate: this predicate is for another kind
// case owns_plain: this T is a struct of yours
// case owns_as_in_go: Owns takes the kind in angle brackets, and no object
// case owns_function: a predicate is a value with a function for each sort of event
// case watches_plain: this T is a struct of yours
// case watches_function: Watches takes an event handler: handler::EnqueueRequestsFromMapFunc
// case watches_as_in_go: Watches takes the kind in angle brackets, and no object
// case watches_other_kind: this handler is for another kind or for other requests
// case metadata_plain: this T is a struct of yours
// case raw_source_channel: WatchesRawSource takes a source, shared, of this builder's requests
// case raw_source_function: WatchesRawSource takes a source, shared, of this builder's requests
// case raw_source_value: WatchesRawSource takes a source, shared, of this builder's requests
// case raw_source_pointer: WatchesRawSource takes a source, shared, of this builder's requests
// case raw_source_of_other_requests: WatchesRawSource takes a source, shared, of this builder's
// case filter_function: WithEventFilter is for every kind that is watched
// case filter_of_kind: WithEventFilter is for every kind that is watched
// case complete_request_only: a reconciler is called with its context and the request
// case complete_other_request: a reconciler is called with its context and the request
// case complete_swapped: a reconciler is called with its context and the request
// case complete_of_object: a reconciler is called with its context and the request
// case complete_void: a reconciler returns Result<ReconcileResult>: say so behind its parameters
// case complete_bool: a reconciler returns Result<ReconcileResult>: say so behind its parameters
// case complete_result_void: a reconciler returns Result<ReconcileResult>: say so behind
// case complete_value: this is a Reconciler by value, and the controller shares its own
// case complete_raw: this pointer is no std::shared_ptr to a Reconciler
// case complete_other_class: this pointer is no std::shared_ptr to a Reconciler
// case build_request_only: a reconciler is called with its context and the request
// case build_void: a reconciler returns Result<ReconcileResult>: say so behind its parameters
// case builder_of_pointer: a builder is made of the manager itself: ControllerBuilder\(\*manager\)
// case builder_of_client: a builder is made of the manager itself: ControllerBuilder\(\*manager\)
// case for_function_and_on: a predicate is a value with a function for each sort of event
// case for_as_in_go_and_on: For takes the kind in angle brackets, and no object
// case map_without_kind: EnqueueRequestsFromMapFunc takes the kind in angle brackets
// case map_with_context: a function of EnqueueRequestsFromMapFunc is called with the object alone
// case map_with_context_without_kind: EnqueueRequestsFromMapFunc takes the kind in angle brackets
// case map_to_one: a function of EnqueueRequestsFromMapFunc is called with the object alone
// case own_handler_with_context: a function of a handler is called with the event and the queue
// case enqueue_without_kind: EnqueueRequestForObject takes the kind in angle brackets
// case enqueue_owner_without_kind: EnqueueRequestForOwner takes both kinds in angle brackets
// case filter_without_kind: NewPredicateFuncs takes the kind in angle brackets
// case filter_of_event: NewPredicateFuncs takes a function that is called with the object
// case predicate_of_objects: a function of a predicate is called with the event and says whether
// case as_reconciler_plain: this T is a struct of yours
// case as_reconciler_void: this function is called with the context and the object
// case and_of_function: And and Or combine predicates: NewPredicateFuncs<corev1::Pod>
// case or_of_function: And and Or combine predicates: NewPredicateFuncs<corev1::Pod>
// case several_predicates: one predicate is given: predicate::And\(a, b\) is that of several
// case several_predicates_of_owned: one predicate is given: predicate::And
// case and_of_two_kinds: these predicates are for different kinds, and an object is of one
// case options_as_in_go: ControllerOptions has other names than Go's controller.Options
// case options_of_limiter: a limiter is given to WithRateLimiter, not with ControllerOptions
// case options_of_number: WithOptions takes ControllerOptions: .*max_concurrent_reconciles = 2
// case options_of_manager: WithOptions takes ControllerOptions: .*ManagerOptions::controller
// case named_by_view: a controller's name is a std::string, and this text is a view of one
// case named_by_number: a controller's name is text

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/object_reconciler.h"
#include "kinformer/object/custom_resource.h"

using kinformer::ControllerBuilder;
using kinformer::ReconcileContext;
using kinformer::Reconciler;
using kinformer::ReconcileResult;
using kinformer::Ref;
using kinformer::Request;
using kinformer::Result;
using kinformer::corev1::ConfigMap;
using kinformer::corev1::Pod;
using kinformer::corev1::Secret;
namespace handler = kinformer::handler;
namespace predicate = kinformer::predicate;

struct Widget {
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
  int size = 0;
};

struct PodReconciler : Reconciler {
  Result<ReconcileResult> Reconcile(const ReconcileContext&, const Request&) override {
    return ReconcileResult{};
  }
};
struct OtherReconciler : kinformer::TypedReconciler<int> {
  Result<ReconcileResult> Reconcile(const ReconcileContext&, const int&) override {
    return ReconcileResult{};
  }
};

struct PodSource : kinformer::source::TypedSource<Request> {
  Result<void> Start(const std::stop_token&, const kinformer::RequestQueue<Request>&) override {
    return {};
  }
  void Stop() override {}
  [[nodiscard]] std::string Describe() const override { return "pods"; }
};

std::vector<Request> UsersOf(const Secret& secret);
Result<ReconcileResult> Reconcile(const ReconcileContext& context, const Request& request);

void Use(const std::unique_ptr<kinformer::Manager>& manager) {
#if defined(builder_of_pointer)
  ControllerBuilder builder(manager);
#elif defined(builder_of_client)
  ControllerBuilder builder(manager->GetClient());
#else
  ControllerBuilder builder(*manager);
#endif
  PodReconciler by_value;
  static_cast<void>(by_value);
#if defined(for_plain)
  builder.For<Widget>();
#elif defined(for_mutable)
  builder.For<Pod::Mutable>();
#elif defined(for_any)
  builder.For<kinformer::Unstructured>();
#elif defined(for_number)
  builder.For<int>();
#elif defined(for_as_in_go)
  const Pod::Mutable pod;
  builder.For(pod);
#elif defined(for_nothing)
  builder.For();
#elif defined(for_function)
  builder.For<Pod>([](const Pod&) { return true; });
#elif defined(for_other_predicate)
  builder.For<Pod>(predicate::NewPredicateFuncs<Secret>([](const Secret&) { return true; }));
#elif defined(for_function_and_on)
  builder.For<Pod>([](const Pod&) { return true; }).Complete(Reconcile).OrExit();
#elif defined(for_as_in_go_and_on)
  builder.For(Pod::Mutable{}).Owns(ConfigMap::Mutable{}).Complete(Reconcile).OrExit();
#elif defined(map_without_kind)
  builder.Watches<Secret>(handler::EnqueueRequestsFromMapFunc(UsersOf))
      .Complete(Reconcile)
      .OrExit();
#elif defined(map_with_context)
  builder.Watches<Secret>(handler::EnqueueRequestsFromMapFunc<Secret>(
      [](std::stop_token, const Secret& secret) { return UsersOf(secret); }));
#elif defined(map_with_context_without_kind)
  builder.Watches<Secret>(handler::EnqueueRequestsFromMapFunc(
      [](std::stop_token, const Secret& secret) { return UsersOf(secret); }));
#elif defined(map_to_one)
  builder.Watches<Secret>(handler::EnqueueRequestsFromMapFunc<Secret>(
      [](const Secret&) { return Request{"default", "web"}; }));
#elif defined(own_handler_with_context)
  builder.Watches<Pod>(handler::HandlerOf<Pod>(
      {.create = [](std::stop_token, const kinformer::Added<Pod>&, const auto&) {}}));
#elif defined(enqueue_without_kind)
  builder.Watches<Pod>(handler::EnqueueRequestForObject());
#elif defined(enqueue_owner_without_kind)
  builder.Watches<Pod>(handler::EnqueueRequestForOwner<Pod>());
#elif defined(filter_without_kind)
  builder.For<Pod>(predicate::NewPredicateFuncs([](const Pod&) { return true; }));
#elif defined(filter_of_event)
  builder.For<Pod>(
      predicate::NewPredicateFuncs<Pod>([](const kinformer::Added<Pod>&) { return true; }));
#elif defined(predicate_of_objects)
  builder.For<Pod>(predicate::Predicate<Pod>{.update = [](Pod, Pod) { return true; }});
#elif defined(owns_plain)
  builder.For<Pod>().Owns<Widget>();
#elif defined(owns_as_in_go)
  builder.For<Pod>().Owns(ConfigMap::Mutable{});
#elif defined(owns_function)
  builder.For<Pod>().Owns<ConfigMap>([](const ConfigMap&) { return true; });
#elif defined(watches_plain)
  builder.Watches<Widget>(nullptr);
#elif defined(watches_function)
  builder.Watches<Secret>(UsersOf);
#elif defined(watches_as_in_go)
  builder.Watches(Secret::Mutable{}, handler::EnqueueRequestsFromMapFunc<Secret>(UsersOf));
#elif defined(watches_other_kind)
  builder.Watches<Pod>(handler::EnqueueRequestsFromMapFunc<Secret>(UsersOf));
#elif defined(metadata_plain)
  builder.WatchesMetadata<Widget>(nullptr);
#elif defined(raw_source_channel)
  kinformer::EventChannel<Pod> channel(manager->GetClient().client().env());
  builder.WatchesRawSource(channel);
#elif defined(raw_source_function)
  builder.WatchesRawSource([](const auto&) {});
#elif defined(raw_source_value)
  builder.WatchesRawSource(PodSource{});
#elif defined(raw_source_pointer)
  PodSource source;
  builder.WatchesRawSource(&source);
#elif defined(raw_source_of_other_requests)
  builder.WatchesRawSource(std::shared_ptr<kinformer::source::TypedSource<int>>());
#elif defined(filter_function)
  builder.WithEventFilter([](const auto&) { return true; });
#elif defined(filter_of_kind)
  builder.WithEventFilter(predicate::NewPredicateFuncs<Pod>([](const Pod&) { return true; }));
#elif defined(complete_request_only)
  builder.Complete([](const Request&) -> Result<ReconcileResult> { return ReconcileResult{}; });
#elif defined(complete_other_request)
  builder.Complete([](const ReconcileContext&, int*) { return ReconcileResult{}; });
#elif defined(complete_swapped)
  builder.Complete([](const Request&, const ReconcileContext&) { return ReconcileResult{}; });
#elif defined(complete_of_object)
  builder.Complete([](const ReconcileContext&, const Ref<Pod>&) { return ReconcileResult{}; });
#elif defined(complete_void)
  builder.Complete([](const ReconcileContext&, const Request&) {});
#elif defined(complete_bool)
  builder.Complete([](const ReconcileContext&, const Request&) { return true; });
#elif defined(complete_result_void)
  builder.Complete([](const ReconcileContext&, const Request&) { return Result<void>(); });
#elif defined(complete_value)
  builder.Complete(by_value);
#elif defined(complete_raw)
  builder.Complete(&by_value);
#elif defined(complete_other_class)
  builder.Complete(std::make_shared<OtherReconciler>());
#elif defined(build_request_only)
  builder.Build([](const Request&) -> Result<ReconcileResult> { return ReconcileResult{}; });
#elif defined(build_void)
  builder.Build([](const ReconcileContext&, const Request&) {});
#elif defined(as_reconciler_plain)
  kinformer::AsReconciler<Widget>(manager->GetClient(), Reconcile);
#elif defined(and_of_function)
  builder.WithEventFilter(
      And(predicate::GenerationChangedPredicate(), [](const auto&) { return 1; }));
#elif defined(or_of_function)
  builder.For<Pod>(Or(predicate::NewPredicateFuncs<Pod>([](const Pod&) { return true; }),
                      [](const Pod&) { return true; }));
#elif defined(several_predicates)
  builder.For<Pod>(predicate::GenerationChangedPredicate(), predicate::LabelChangedPredicate());
#elif defined(several_predicates_of_owned)
  builder.Owns<Pod>(predicate::GenerationChangedPredicate(), predicate::LabelChangedPredicate());
#elif defined(and_of_two_kinds)
  builder.For<Pod>(And(predicate::NewPredicateFuncs<Pod>([](const Pod&) { return true; }),
                       predicate::NewPredicateFuncs<Secret>([](const Secret&) { return true; })));
#elif defined(options_as_in_go)
  builder.WithOptions({.MaxConcurrentReconciles = 2, .RecoverPanic = true});
#elif defined(options_of_limiter)
  builder.WithOptions({.max_concurrent_reconciles = 2, .rate_limiter = nullptr});
#elif defined(options_of_number)
  builder.WithOptions(2);
#elif defined(options_of_manager)
  builder.WithOptions(kinformer::ManagerOptions{});
#elif defined(named_by_view)
  builder.Named(std::string_view("widget")).Complete(Reconcile).OrExit();
#elif defined(named_by_number)
  builder.Named(2).Complete(Reconcile).OrExit();
#elif defined(as_reconciler_void)
  kinformer::AsReconciler<Pod>(manager->GetClient(),
                               [](const ReconcileContext&, const Ref<Pod>&) {});
#else
  builder.For<Pod>(predicate::GenerationChangedPredicate())
      .Owns<ConfigMap>()
      .Owns<kinformer::CustomResource<Widget>>({}, handler::Owners::kAll)
      .Watches<Secret>(handler::EnqueueRequestsFromMapFunc<Secret>(UsersOf))
      .WatchesMetadata<Secret>(nullptr)
      .WithEventFilter(predicate::LabelChangedPredicate())
      .Complete(Reconcile)
      .OrExit();
  builder.Named("pods").Named(std::string("widget")).WithOptions({});
  builder.WithOptions({.name = "pods"}).WithOptions({.max_concurrent_reconciles = 2});
  builder.WithOptions(kinformer::ControllerOptions()).WithOptions({.recover_panic = false});
  builder.WithEventFilter(
      And(predicate::GenerationChangedPredicate(),
          Or(predicate::LabelChangedPredicate(), predicate::AnnotationChangedPredicate(),
             predicate::ResourceVersionChangedPredicate())));
  builder.For<Pod>(And(predicate::GenerationChangedPredicate(),
                       predicate::NewPredicateFuncs<Pod>([](const Pod&) { return true; }),
                       predicate::LabelChangedPredicate()));
  builder.For<Pod>(predicate::Predicate<Pod>{
      .update = [](const kinformer::Updated<Pod>& e) { return !e.is_resync(); }});
  const std::function<bool(const Pod&)> accepts = [](const Pod&) { return true; };
  builder.For<Pod>(predicate::NewPredicateFuncs(accepts));
  builder.Watches<Pod>(
      handler::HandlerOf<Pod>({.create = [](const kinformer::Added<Pod>& e, const auto& queue) {
        queue.Add(e.object_name());
      }}));
  builder.Watches<Secret>(handler::EnqueueRequestsFromMapFunc<Secret>(
      [](const auto& secret) { return UsersOf(secret); }));
  builder.Watches<Pod>(handler::EnqueueRequestForOwner<Pod, ConfigMap>());
  builder.WatchesRawSource(std::make_shared<PodSource>()).WatchesRawSource(nullptr);
  builder.Complete(std::make_shared<PodReconciler>()).OrExit();
  builder.Complete(std::make_unique<PodReconciler>()).OrExit();
  builder.Build([](const auto&, const auto&) { return ReconcileResult{}; }).OrExit();
  builder
      .Complete(kinformer::AsReconciler<Pod>(
          manager->GetClient(),
          [](const ReconcileContext&, const auto&) { return ReconcileResult{}; }))
      .OrExit();
  builder
      .Complete(kinformer::AsReconciler<Pod>(
          manager->GetClient(),
          [](const ReconcileContext&, const Pod&) -> Result<ReconcileResult> { return {}; }))
      .OrExit();
#endif
}
