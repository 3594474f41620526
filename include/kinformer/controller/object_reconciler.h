// kinformer/controller/object_reconciler.h
//
// AsReconciler: makes a Reconciler of a function of an object, for controllers that need not react
// to deletions.
//
//   ControllerBuilder(*manager)
//       .For<corev1::ConfigMap>()
//       .Complete(AsReconciler<corev1::ConfigMap>(
//           manager->GetClient(),
//           [](const ReconcileContext&, const Ref<corev1::ConfigMap>& map) {
//             std::cout << map->metadata().name() << '\n';
//             return Result<ReconcileResult>(ReconcileResult{});
//           }))
//       .OrExit();

#ifndef KINFORMER_CONTROLLER_OBJECT_RECONCILER_H_
#define KINFORMER_CONTROLLER_OBJECT_RECONCILER_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Returns a reconciler that reads the object of each request through `client`, and calls `function`
// with it. If the object does not exist, the reconcile succeeds; errors of the read are returned.
// Called as every Reconciler. Counterpart: reconcile.AsReconciler with an ObjectReconciler.
template <KnownKind T, class F>
[[nodiscard]] std::shared_ptr<Reconciler> AsReconciler(DelegatingClient client, F function) {
  constexpr bool kFits =
      std::is_invocable_r_v<Result<ReconcileResult>, F&, const ReconcileContext&, const Ref<T>&>;
  static_assert(kFits,
                "this function is called with the context and the object: [](const "
                "ReconcileContext& context, const Ref<corev1::Pod>& pod) -> "
                "Result<ReconcileResult> { ... }, where the Ref is of the kind in angle brackets");
  if constexpr (!kFits) return nullptr;
  return ReconcilerOf<Request>([client = std::move(client), function = std::move(function)](
                                   const ReconcileContext& context,
                                   const Request& request) mutable -> Result<ReconcileResult> {
    const Result<Ref<T>> object = client.Get<T>(request, context.call());
    if (!object) return IgnoreNotFound(object.error());
    return function(context, *object);
  });
}

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_OBJECT_RECONCILER_H_
