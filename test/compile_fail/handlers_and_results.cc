// Typical first mistakes with handlers, and with the result of a read.
// case handler_function: a handler is a set of functions by name: AddEventHandler
// case handler_value: this is a handler by value, and the informer shares its own
// case handler_pointer: this is a bare pointer, and the informer shares its handler
// case ignore_not_found_of_result: IgnoreNotFound takes the error, once it is clear
// case parts_of_result: a Result holds a value or an error, and not both
// case transform_in_place: a transform of a kind is called with a const Ref<T>& and gives
// case errors_as_in_go: a handler of watch errors is called with the error alone
// case filter_of_ref: a filter says whether an object passes
// case filter_of_event: a filter says whether an object passes
// case batch_of_event: a function of batches is called with them

#include <memory>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/batch_event_handler.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/object/ref.h"

using kinformer::Ref;
using kinformer::Result;
using kinformer::corev1::Pod;

struct Handler : kinformer::ResourceEventHandler<Pod> {};

Result<Ref<Pod>> Read();

Result<kinformer::ReconcileResult> Use(kinformer::SharedInformer<Pod>& pods) {
  Handler by_value;
  static_cast<void>(by_value);
#if defined(handler_function)
  pods.AddEventHandler([](const kinformer::Added<Pod>&) {}).OrExit();
#elif defined(handler_value)
  pods.AddEventHandler(by_value).OrExit();
#elif defined(handler_pointer)
  pods.AddEventHandler(&by_value).OrExit();
#elif defined(ignore_not_found_of_result)
  const auto pod = Read();
  return IgnoreNotFound(pod);
#elif defined(parts_of_result)
  const auto [pod, error] = Read();
#elif defined(transform_in_place)
  pods.SetTransform([](Pod::Mutable& pod) { pod.metadata.managedFields.clear(); }).OrExit();
#elif defined(errors_as_in_go)
  pods.SetWatchErrorHandler([](const Pod&, const kinformer::Error&) {}).OrExit();
#elif defined(filter_of_ref)
  pods
      .AddEventHandler(kinformer::FilteringResourceEventHandler<Pod>(
          [](const Ref<Pod>&) { return true; }, kinformer::ResourceEventHandlerFuncs<Pod>{}))
      .OrExit();
#elif defined(filter_of_event)
  const kinformer::EventFilter<Pod> filter{
      .object = [](const kinformer::Added<Pod>&) { return true; }};
#elif defined(batch_of_event)
  kinformer::AddBatchEventHandler(pods, [](const kinformer::BatchedEvent<Pod>&) {}).OrExit();
#else
  pods.SetTransform([](const Ref<Pod>& pod) { return Result(pod); }).OrExit();
  pods.SetTransform([](const auto& pod) { return pod; }).OrExit();
  pods.SetWatchErrorHandler([](const auto&) {}).OrExit();
  pods.SetWatchErrorHandler(nullptr).OrExit();
  pods
      .AddEventHandler(kinformer::FilteringResourceEventHandler<Pod>(
          [](Pod pod) { return !pod.spec().nodeName().empty(); }, {.on_add = [](const auto&) {}}))
      .OrExit();
  const kinformer::EventFilter<Pod> filter{
      .object = [](const auto&) { return true; },
      .deleted = [](const kinformer::Deleted<Pod>&) { return true; }};
  pods.AddEventHandler(
          kinformer::FilteringResourceEventHandler<Pod>(filter, std::make_shared<Handler>()))
      .OrExit();
  kinformer::AddBatchEventHandler<Pod>(pods, [](const kinformer::EventBatch<Pod>&) {}).OrExit();
  pods.AddEventHandler({.on_add = [](const kinformer::Added<Pod>&) {}}).OrExit();
  pods.AddEventHandler(std::make_shared<Handler>()).OrExit();
  pods.AddEventHandler(std::make_unique<Handler>()).OrExit();
  pods.AddEventHandler(kinformer::ResourceEventHandlerFuncs<Pod>{}, {}).OrExit();
  if (const auto pod = Read(); !pod) return kinformer::IgnoreNotFound(pod.error());
#endif
  return kinformer::ReconcileResult{};
}
