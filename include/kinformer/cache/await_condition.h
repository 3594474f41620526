// kinformer/cache/await_condition.h
//
// AwaitCondition: waits until one object is in a state, with a watch, and without polling.
//
//   const auto pods = client.For<corev1::Pod>("shop");
//   Result<Ref<corev1::Pod>> pod =
//       AwaitCondition(pods, "web-0", wait::conditions::PodReady(), {.timeout = 5min});
//
// In a Task, whose conditions are variables:
//
//   const auto pods = client.For<corev1::Pod>("shop");
//   const auto ready = wait::conditions::PodReady();
//   Result<Ref<corev1::Pod>> pod =
//       co_await AsyncAwaitCondition(pods, "web-0", ready).WithTimeout(5min);
//
// wait_conditions.h has the conditions. To wait for events of several objects, see watch_until.h.

#ifndef KINFORMER_CACHE_AWAIT_CONDITION_H_
#define KINFORMER_CACHE_AWAIT_CONDITION_H_

#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/wait_conditions.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {

// Wait in an informer, which must run, or with a list and watch of this object alone.
Task<Result<ObjectRef>> AwaitInInformer(std::shared_ptr<InformerCore> informer, ObjectName name,
                                        wait::ObjectCondition condition, CallOptions call);
Task<Result<ObjectRef>> AwaitOnServer(ResourceCore resource, std::string name,
                                      wait::ObjectCondition condition, CallOptions call);

}  // namespace internal

// Waits until `condition` holds, and returns the object in that state: null if it does not exist,
// as after wait::conditions::Deleted. Begins with the state of now, so that a condition that holds
// ends the wait at once. Checks each later state in order; if the watch was interrupted, the
// informer resumes it or lists again, and only the last state of that time is checked.
//
// With a client: lists and watches this object alone, with the rights list and watch. Ends with the
// server's error if the first list is refused in a way that waiting does not cure: forbidden, or an
// unknown resource. With an informer: no requests; it must be started, and the object belongs to
// what it watches. One that it lacks at the beginning is kOutOfScope if its selectors or namespaces
// may be the reason. Its transform and projection apply, so conditions see what its cache has; an
// object that ceases to match its selectors does not exist for it.
//
// AsyncCall is awaited, or started with a function (async_call.h). AwaitCondition blocks, on any
// thread but a loop's. Thread-safe. Errors: those of the condition; kDeadlineExceeded, kCanceled:
// by `call`, whose timeout is for the whole wait, and the message says what was seen last;
// kInvalidArgument: no name, or a client of all namespaces; kStopped, kNotSynced: the informer has
// stopped, or was not started; kWouldDeadlock.
//
// Counterparts: kube-rs's await_condition, `kubectl wait`; in client-go watch.UntilWithSync with a
// field selector.
template <ObjectView T>
[[nodiscard]] AsyncCall<Ref<T>> AsyncAwaitCondition(const ResourceClient<T>& client,
                                                    std::string name,
                                                    wait::ObjectCondition condition) {
  return {client.env(), [core = client.core(), name = std::move(name),
                         condition = std::move(condition)](CallOptions call) {
            return internal::AwaitOnServer(core, name, condition, std::move(call));
          }};
}
// Waits in the cache of an informer.
template <ObjectView T>
[[nodiscard]] AsyncCall<Ref<T>> AsyncAwaitCondition(const SharedInformer<T>& informer,
                                                    ObjectName name,
                                                    wait::ObjectCondition condition) {
  return {informer.core()->env(), [core = informer.core(), name = std::move(name),
                                   condition = std::move(condition)](CallOptions call) {
            return internal::AwaitInInformer(core, name, condition, std::move(call));
          }};
}

// Blocks until AsyncAwaitCondition would complete.
template <ObjectView T>
Result<Ref<T>> AwaitCondition(const ResourceClient<T>& client, std::string name,
                              wait::ObjectCondition condition, const CallOptions& call = {}) {
  Result<internal::ObjectRef> object =
      BlockOn(client.env(),
              internal::AwaitOnServer(client.core(), std::move(name), std::move(condition), call));
  if (!object) return std::move(object).error();
  return Ref<T>(*std::move(object));
}
// Blocks, in the cache of an informer.
template <ObjectView T>
Result<Ref<T>> AwaitCondition(const SharedInformer<T>& informer, ObjectName name,
                              wait::ObjectCondition condition, const CallOptions& call = {}) {
  Result<internal::ObjectRef> object = BlockOn(
      informer.core()->env(),
      internal::AwaitInInformer(informer.core(), std::move(name), std::move(condition), call));
  if (!object) return std::move(object).error();
  return Ref<T>(*std::move(object));
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_AWAIT_CONDITION_H_
