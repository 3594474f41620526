// kinformer/client/async_resource_client.h
//
// AsyncResourceClient<T>: the verbs of the API for one resource, as calls that block no thread: a
// coroutine awaits them, or they call a function.
//
//   const AsyncResourceClient pods(client.For<corev1::Pod>("default"));
//
//   Task<Result<void>> DeleteIfDone(AsyncResourceClient<corev1::Pod> pods, std::string name) {
//     Result<Ref<corev1::Pod>> pod = co_await pods.Get(name);
//     if (!pod) co_return pod.error();
//     if (pod->status().phase() != "Succeeded") co_return Result<void>();
//     co_return co_await pods.Delete(name);
//   }
//   Spawn(env, DeleteIfDone(pods, "web-0"));
//
//   pods.Get("web-0").Start([](Result<Ref<corev1::Pod>> pod) { ... });  // on the loop
//
// What a request does (retries, rate limit, encodings, errors) is the same as in ResourceClient,
// which blocks on the tasks that are here. Thousands of requests may be on their way at once.

#ifndef KINFORMER_CLIENT_ASYNC_RESOURCE_CLIENT_H_
#define KINFORMER_CLIENT_ASYNC_RESOURCE_CLIENT_H_

#include <coroutine>
#include <functional>
#include <string>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/async_resource_core.h"

namespace kinformer {

namespace internal {

// The untyped form of an answer, and the way to its typed form.
template <class T>
struct AnswerForm;
template <class T>
struct AnswerForm<Ref<T>> {
  using Raw = ObjectRef;
  static Ref<T> Typed(ObjectRef object) { return Ref<T>(std::move(object)); }
};
template <class T>
struct AnswerForm<ObjectList<T>> {
  using Raw = ListedObjects;
  static ObjectList<T> Typed(ListedObjects objects) { return ObjectList<T>(std::move(objects)); }
};

// The task of a call that does not compile.
template <class Raw>
Task<Result<Raw>> NeverSent() {
  co_return NeverCalled();
}

}  // namespace internal

// A request that has not been sent yet: it is when this is awaited or started, which may happen
// once. Movable. Thread-compatible.
template <class T>
class [[nodiscard]] AsyncCall {
  using Form = internal::AnswerForm<T>;
  using Raw = typename Form::Raw;

 public:
  using value_type = Result<T>;

  AsyncCall(Env& env, Task<Result<Raw>> task) : env_(&env), task_(std::move(task)) {}

  // Sends the request, and calls `done` with its result on env.loop(), where it must not block.
  // Exceptions of `done` are logged and counted. Not called if the loop ends before.
  void Start(std::function<void(Result<T>)> done) && {
    Spawn<Result<Raw>>(*env_, env_->loop(), std::move(task_),
                       [done = std::move(done)](Result<Raw> raw) { done(Typed(std::move(raw))); });
  }
  // Returns the request as a task, for Spawn, BlockOn and collections of tasks.
  [[nodiscard]] Task<Result<T>> AsTask() && { return Await(std::move(task_)); }
  [[nodiscard]] Env& env() const { return *env_; }

  // ---- For co_await.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) const {
    task_.await_suspend(caller);
  }
  Result<T> await_resume() const { return Typed(task_.await_resume()); }

 private:
  static Result<T> Typed(Result<Raw> raw) {
    if (!raw) return std::move(raw).error();
    return Form::Typed(*std::move(raw));
  }
  static Task<Result<T>> Await(Task<Result<Raw>> task) {
    Result<Raw> raw = co_await task;
    co_return Typed(std::move(raw));
  }

  Env* env_;
  Task<Result<Raw>> task_;
};

// A request whose answer is only that it succeeded.
template <>
class [[nodiscard]] AsyncCall<void> {
 public:
  using value_type = Result<void>;

  AsyncCall(Env& env, Task<Result<void>> task) : env_(&env), task_(std::move(task)) {}

  void Start(std::function<void(Result<void>)> done) && {
    Spawn<Result<void>>(*env_, env_->loop(), std::move(task_), std::move(done));
  }
  [[nodiscard]] Task<Result<void>> AsTask() && { return std::move(task_); }
  [[nodiscard]] Env& env() const { return *env_; }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) const {
    task_.await_suspend(caller);
  }
  Result<void> await_resume() const { return task_.await_resume(); }

 private:
  Env* env_;
  Task<Result<void>> task_;
};

// A copyable handle for one resource, as ResourceClient<T>, whose methods it has. Nothing is sent
// before the returned call is awaited or started. A call keeps what it needs, so it may outlive
// this handle, and the client. Thread-safe; never blocks.
//
// CallOptions: a stop request ends a call with kCanceled, its timeout with kDeadlineExceeded.
//
// Counterpart: the generated clients of client-go, each in a goroutine of its own.
template <ObjectView T>
class AsyncResourceClient {
 public:
  explicit AsyncResourceClient(const ResourceClient<T>& client) : core_(client.core().async()) {}

  [[nodiscard]] AsyncCall<Ref<T>> Get(std::string name, GetOptions options = {},
                                      CallOptions call = {}) const {
    return {env(), core_.Get(std::move(name), std::move(options), std::move(call))};
  }
  // Returns one page, of options.limit objects at most.
  [[nodiscard]] AsyncCall<ObjectList<T>> ListPage(ListOptions options,
                                                  CallOptions call = {}) const {
    return {env(), core_.ListPage(std::move(options), std::move(call))};
  }
  // Returns the whole collection, page by page if options.limit is set.
  [[nodiscard]] AsyncCall<ObjectList<T>> List(ListOptions options = {},
                                              CallOptions call = {}) const {
    return {env(), core_.List(std::move(options), std::move(call))};
  }
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> Create(const M& object, CreateOptions options = {},
                                         CallOptions call = {}) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      return {env(), core_.Create(internal::ToRequestObject<T>(object), std::move(options),
                                  std::move(call))};
    } else {
      return {env(), internal::NeverSent<internal::ObjectRef>()};
    }
  }
  // Replaces the object. If metadata.resourceVersion is set, it must be the current one: otherwise
  // kConflict.
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> Update(const M& object, UpdateOptions options = {},
                                         CallOptions call = {}) const {
    return UpdatePart(object, "", std::move(options), std::move(call));
  }
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> UpdateStatus(const M& object, UpdateOptions options = {},
                                               CallOptions call = {}) const {
    return UpdatePart(object, "status", std::move(options), std::move(call));
  }
  // Patches the object or its `subresource`: "status", "scale", ... or empty.
  [[nodiscard]] AsyncCall<Ref<T>> Patch(std::string name, kinformer::Patch patch,
                                        PatchOptions options = {}, std::string subresource = "",
                                        CallOptions call = {}) const {
    return {env(), core_.Patch(std::move(name), std::move(patch), std::move(subresource),
                               std::move(options), std::move(call))};
  }
  [[nodiscard]] AsyncCall<void> Delete(std::string name, DeleteOptions options = {},
                                       CallOptions call = {}) const {
    return {env(), core_.Delete(std::move(name), std::move(options), std::move(call))};
  }
  [[nodiscard]] AsyncCall<void> DeleteCollection(DeleteOptions options = {}, ListOptions list = {},
                                                 CallOptions call = {}) const {
    return {env(), core_.DeleteCollection(std::move(options), std::move(list), std::move(call))};
  }
  // Runs one watch. Calls `on_event` within the task that awaits it, or on the loop if it is
  // started; returning false ends the watch, and so do exceptions, which pass through to the task.
  // Its result is OK when the stream ended.
  [[nodiscard]] AsyncCall<void> Watch(
      ListOptions options,
      internal::Callable<bool(const ResourceWatchEvent<T>&), internal::OnEventWords> on_event,
      CallOptions call = {}) const {
    return {env(), core_.Watch(
                       std::move(options),
                       [on_event = std::move(on_event)](const internal::OwnedWatchEvent& event) {
                         return on_event({event.type, Ref<T>(event.object), event.resourceVersion});
                       },
                       std::move(call))};
  }

  [[nodiscard]] Env& env() const { return core_.env(); }
  // Returns the namespace; "" for all, or if the kind has none.
  [[nodiscard]] const std::string& namespace_() const { return core_.namespace_(); }
  // Returns a client for the same resource in another namespace; "" for all.
  [[nodiscard]] AsyncResourceClient Namespace(std::string namespace_) const {
    return AsyncResourceClient(core_.InNamespace(std::move(namespace_)));
  }

 private:
  explicit AsyncResourceClient(internal::AsyncResourceCore core) : core_(std::move(core)) {}
  template <class M>
  AsyncCall<Ref<T>> UpdatePart(const M& object, std::string subresource, UpdateOptions options,
                               CallOptions call) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      return {env(), core_.Update(internal::ToRequestObject<T>(object), std::move(subresource),
                                  std::move(options), std::move(call))};
    } else {
      return {env(), internal::NeverSent<internal::ObjectRef>()};
    }
  }

  internal::AsyncResourceCore core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ASYNC_RESOURCE_CLIENT_H_
