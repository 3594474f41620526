// What a newcomer tries first with handlers, and with what a read gives.
// case handler_function: a handler is a set of functions by name: AddEventHandler
// case handler_value: this is a handler by value, and the informer shares its own
// case handler_pointer: this is a bare pointer, and the informer shares its handler
// case ignore_not_found_of_result: IgnoreNotFound takes the error, once it is clear
// case parts_of_result: .

#include <memory>

#include "kinformer/api/corev1.h"
#include "kinformer/reconciler.h"
#include "kinformer/ref.h"
#include "kinformer/shared_informer.h"

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
#else
  pods.AddEventHandler({.on_add = [](const kinformer::Added<Pod>&) {}}).OrExit();
  pods.AddEventHandler(std::make_shared<Handler>()).OrExit();
  pods.AddEventHandler(std::make_unique<Handler>()).OrExit();
  pods.AddEventHandler(kinformer::ResourceEventHandlerFuncs<Pod>{}, {}).OrExit();
  if (const auto pod = Read(); !pod) return kinformer::IgnoreNotFound(pod.error());
#endif
  return kinformer::ReconcileResult{};
}
