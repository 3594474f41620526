// Typical first mistakes with controllerutil, conditions and finalizers.
// case add_to_view: this is a view of a cached object, which nobody can change: .*DeepCopy\(\)
// case add_to_ref: this is a Ref to a cached object, which nobody can change: .*DeepCopy\(\)
// case add_to_result: this is a Result: look whether it is ok\(\)
// case add_to_metadata_view: this is a view of a cached object, which nobody can change
// case add_to_const: this struct is const, and is to be changed
// case add_to_temporary: this struct is a temporary, and the change would be lost with it
// case add_to_pointer: this is a pointer: give the struct itself, \*pointer
// case remove_from_view: this is a view of a cached object, which nobody can change: .*DeepCopy\(\)
// case control_view: this is a view of a cached object, which nobody can change: .*DeepCopy\(\)
// case own_view: this is a view of a cached object, which nobody can change: .*DeepCopy\(\)
// case disown_view: this is a view of a cached object, which nobody can change: .*DeepCopy\(\)
// case release_view: this is a view of a cached object, which nobody can change: .*DeepCopy\(\)
// case owner_ref: the owner is the object that the Ref holds: give \*ref
// case owner_struct: the owner is an object that the server has, with its uid
// case owner_behind_what_it_owns: the owner stands first, what it owns second
// case owner_text: the owner is an object of a kind that is known at compile time
// case condition_as_in_go: SetStatusCondition's first argument is the Env
// case condition_of_kind_as_in_go: SetStatusCondition's first argument is the Env
// case condition_of_kind: these conditions are of the kind's own type
// case condition_of_view: these functions take the conditions of a struct
// case remove_condition_of_kind: these conditions are of the kind's own type
// case create_or_update_as_in_go: CreateOrUpdate takes the resources of one kind, a name
// case create_or_update_client: CreateOrUpdate takes the resources of one kind, a name
// case create_or_update_struct: CreateOrUpdate takes the resources of one kind, a name
// case create_or_patch_client: CreateOrUpdate takes the resources of one kind, a name
// case create_or_update_nothing: the function makes the kind's struct what it should be
// case create_or_update_void: the function makes the kind's struct what it should be
// case finalizer_as_in_go: a finalizer is called with the kind's struct alone
// case finalizer_of_view: a finalizer is called with the kind's struct alone
// case retry_without_env: RetryOnConflict's first argument is the Env
// case retry_of_bool: the function that is tried again gives a Result
// case poll_with_stop: a condition is called with nothing, no token either

#include "kinformer/controller/controllerutil.h"

#include <chrono>
#include <stop_token>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/wait.h"
#include "kinformer/client/retry.h"
#include "kinformer/controller/cached_resource_client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/finalizers.h"
#include "kinformer/controller/meta.h"

using kinformer::Ref;
using kinformer::Result;
using kinformer::appsv1::Deployment;
using kinformer::corev1::ConfigMap;
using kinformer::corev1::Pod;
namespace controllerutil = kinformer::controllerutil;
namespace meta = kinformer::meta;
namespace retry = kinformer::retry;
namespace wait = kinformer::wait;

Result<Ref<Pod>> Read();

void Use(const kinformer::DelegatingClient& client, Pod view, const Ref<Pod>& ref, Deployment web) {
  kinformer::Env& env = client.client().env();
  Pod::Mutable copy = view.DeepCopy();
  const Pod::Mutable fixed = copy;
  ConfigMap::Mutable map;
  Deployment::Mutable changed = web.DeepCopy();
  meta::Conditions conditions;
  kinformer::Finalizers<Pod> finalizers;
  static_cast<void>(fixed);
#if defined(add_to_view)
  controllerutil::AddFinalizer(view, "example.com/f");
#elif defined(add_to_ref)
  controllerutil::AddFinalizer(ref, "example.com/f");
#elif defined(add_to_result)
  controllerutil::AddFinalizer(Read(), "example.com/f");
#elif defined(add_to_metadata_view)
  controllerutil::AddFinalizer(view.metadata(), "example.com/f");
#elif defined(add_to_const)
  controllerutil::AddFinalizer(fixed, "example.com/f");
#elif defined(add_to_temporary)
  controllerutil::AddFinalizer(ref->DeepCopy(), "example.com/f");
#elif defined(add_to_pointer)
  controllerutil::AddFinalizer(&copy, "example.com/f");
#elif defined(remove_from_view)
  controllerutil::RemoveFinalizer(*ref, "example.com/f");
#elif defined(control_view)
  controllerutil::SetControllerReference(view, web).OrExit();
#elif defined(own_view)
  controllerutil::SetOwnerReference(view, web).OrExit();
#elif defined(disown_view)
  controllerutil::RemoveOwnerReference(view, web).OrExit();
#elif defined(release_view)
  controllerutil::RemoveControllerReference(view, web).OrExit();
#elif defined(owner_ref)
  controllerutil::SetControllerReference(ref, map).OrExit();
#elif defined(owner_struct)
  controllerutil::SetControllerReference(copy, map).OrExit();
#elif defined(owner_behind_what_it_owns)
  controllerutil::SetControllerReference(map, view).OrExit();
#elif defined(owner_text)
  controllerutil::SetOwnerReference("web", map).OrExit();
#elif defined(condition_as_in_go)
  meta::SetStatusCondition(conditions, {.type = "Ready", .status = "True", .reason = "Served"});
#elif defined(condition_of_kind_as_in_go)
  meta::SetStatusCondition(changed.status.conditions, {.type = "Ready", .status = "True"});
#elif defined(condition_of_kind)
  meta::SetStatusCondition(env, changed.status.conditions, {.type = "Ready", .status = "True"});
#elif defined(condition_of_view)
  if (meta::IsStatusConditionTrue(web.status().conditions(), "Available")) return;
#elif defined(remove_condition_of_kind)
  meta::RemoveStatusCondition(changed.status.conditions, "Available");
#elif defined(create_or_update_as_in_go)
  const std::stop_token stop;
  const auto made = controllerutil::CreateOrUpdate(stop, client, map, [&] { return true; });
#elif defined(create_or_update_client)
  const auto made = controllerutil::CreateOrUpdate(client, map, [&] { return Result<void>(); });
#elif defined(create_or_update_struct)
  const auto made = controllerutil::CreateOrUpdate(client.client().For<ConfigMap>("default"), map,
                                                   [&] { return Result<void>(); });
#elif defined(create_or_patch_client)
  const auto made = controllerutil::CreateOrPatch(client, map, [&] { return Result<void>(); });
#elif defined(create_or_update_nothing)
  const auto made = controllerutil::CreateOrUpdate(client.client().For<ConfigMap>("default"), "a",
                                                   [&] { return Result<void>(); });
#elif defined(create_or_update_void)
  const auto made = controllerutil::CreateOrUpdate(client.client().For<ConfigMap>("default"), "a",
                                                   [&](ConfigMap::Mutable&) {});
#elif defined(finalizer_as_in_go)
  finalizers.Register("example.com/f", [](std::stop_token, Pod) { return Result<void>(); })
      .OrExit();
#elif defined(finalizer_of_view)
  finalizers.Register("example.com/f", [](Pod) { return Result<void>(); }).OrExit();
#elif defined(retry_without_env)
  retry::RetryOnConflict(retry::kDefaultRetry, [] { return Result<void>(); }).OrExit();
#elif defined(retry_of_bool)
  static_cast<void>(retry::RetryOnConflict(env, retry::kDefaultRetry, [] { return true; }));
#elif defined(poll_with_stop)
  wait::PollUntilCancel(env, {}, std::chrono::seconds(1),
                        [](const std::stop_token&) -> Result<bool> { return true; })
      .OrExit();
#else
  controllerutil::AddFinalizer(copy, "example.com/f");
  controllerutil::AddFinalizer(copy.metadata, "example.com/f");
  controllerutil::SetControllerReference(view, map).OrExit();
  controllerutil::SetControllerReference(*ref, map.metadata).OrExit();
  controllerutil::SetOwnerReference(view, map, {.block_owner_deletion = true}).OrExit();
  meta::SetStatusCondition(env, conditions, {.type = "Ready", .status = "True"});
  if (meta::IsStatusConditionTrue(conditions, "Ready")) return;
  meta::RemoveStatusCondition(conditions, "Ready");
  const auto mutate = [&](ConfigMap::Mutable& wanted) -> Result<void> {
    return controllerutil::SetControllerReference(view, wanted);
  };
  controllerutil::CreateOrUpdate(client.client().For<ConfigMap>("default"), "a", mutate).OrExit();
  controllerutil::CreateOrPatch(kinformer::ForResource<ConfigMap>(client, "default"), "a", mutate)
      .OrExit();
  finalizers.Register("example.com/f", [](Pod::Mutable&) { return Result<void>(); }).OrExit();
  finalizers
      .Register("example.com/g",
                [](auto& pod) -> Result<void> {
                  pod.metadata.labels.clear();
                  return {};
                })
      .OrExit();
  retry::RetryOnConflict(env, retry::kDefaultRetry, [] { return Result<void>(); }).OrExit();
  wait::PollUntilCancel(env, {}, std::chrono::seconds(1), [] {
    return Result<bool>(true);
  }).OrExit();
#endif
}
