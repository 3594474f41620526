// kinformer/client/async_resource_client.h
//
// AsyncResourceClient<T>: the verbs of the API for one resource, as calls that block no thread: a
// coroutine awaits them, or they call a function (async_call.h).
//
//   Task<Result<void>> DeleteIfDone(AsyncResourceClient<corev1::Pod> pods, std::string name) {
//     Result<Ref<corev1::Pod>> pod = co_await pods.Get(name);
//     if (!pod) co_return pod.error();
//     if (pod->status().phase() != "Succeeded") co_return Result<void>();
//     co_return co_await pods.Delete(name);
//   }
//   ...
//   const AsyncResourceClient pods(client.For<corev1::Pod>("default"));
//   Spawn(env, DeleteIfDone(pods, "web-0"));
//
// Requests do the same as those of ResourceClient (retries, rate limit, encodings, errors), which
// blocks on the tasks that are here. Thousands of requests may be on their way at once.

#ifndef KINFORMER_CLIENT_ASYNC_RESOURCE_CLIENT_H_
#define KINFORMER_CLIENT_ASYNC_RESOURCE_CLIENT_H_

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/async_resource_core.h"
#include "kinformer/internal/named_variable.h"

namespace kinformer {

namespace internal {

template <class T>
struct AnswerForm<ObjectList<T>> {
  using Raw = ListedObjects;
  static ObjectList<T> Typed(ListedObjects objects) { return ObjectList<T>(std::move(objects)); }
};
template <class T>
struct AnswerForm<Deletion<T>> {
  using Raw = DeletionAnswer;
  static Deletion<T> Typed(DeletionAnswer answer) { return TypedDeletion<T>(std::move(answer)); }
};

// The task of a call that does not compile.
template <class Raw>
Task<Result<Raw>> NeverSent() {
  co_return NeverCalled();
}

}  // namespace internal

// A copyable handle for one resource, with the methods of ResourceClient<T>. Nothing is sent before
// the returned call is awaited or started. Thread-safe; never blocks.
//
// Options, objects and patches are variables, as NamedVariable explains: write
// `const ListOptions options{.limit = 500};` before `co_await pods.List(options)`. AsyncCall has
// WithStop and WithTimeout.
//
// Counterpart: the generated clients of client-go, each call in a goroutine of its own.
template <ObjectView T>
class AsyncResourceClient {
  template <class Options>
  using Named = internal::NamedVariable<Options>;

 public:
  explicit AsyncResourceClient(const ResourceClient<T>& client) : core_(client.core().async()) {}

  [[nodiscard]] AsyncCall<Ref<T>> Get(std::string name, Named<GetOptions> options = {}) const {
    return {env(), [core = core_, name = std::move(name),
                    options = std::move(options).Take()](CallOptions call) mutable {
              return core.Get(std::move(name), std::move(options), std::move(call));
            }};
  }
  // Returns one page, of options.limit objects at most.
  [[nodiscard]] AsyncCall<ObjectList<T>> ListPage(Named<ListOptions> options = {}) const {
    return {env(), [core = core_, options = std::move(options).Take()](CallOptions call) mutable {
              return core.ListPage(std::move(options), std::move(call));
            }};
  }
  // Returns the whole collection, page by page if options.limit is set.
  [[nodiscard]] AsyncCall<ObjectList<T>> List(Named<ListOptions> options = {}) const {
    return {env(), [core = core_, options = std::move(options).Take()](CallOptions call) mutable {
              return core.List(std::move(options), std::move(call));
            }};
  }
  // Creates an object. `object` is a variable of type T::Mutable.
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> Create(M&& object, Named<CreateOptions> options = {}) const {
    internal::ExplainTemporaryInAwait<M>();
    if constexpr (internal::CheckWritable<T, std::remove_cvref_t<M>>()) {
      return {env(), [core = core_, object = internal::ToKeptRequest<T>(object),
                      options = std::move(options).Take()](CallOptions call) mutable {
                return core.Create(std::move(object), std::move(options), std::move(call));
              }};
    } else {
      return {env(), [](const CallOptions&) { return internal::NeverSent<internal::ObjectRef>(); }};
    }
  }
  // Replaces the object. If metadata.resourceVersion is set, it must be the current one: otherwise
  // kConflict.
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> Update(M&& object, Named<UpdateOptions> options = {}) const {
    internal::ExplainTemporaryInAwait<M>();
    return UpdatePart(object, "", std::move(options).Take());
  }
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> UpdateStatus(M&& object,
                                               Named<UpdateOptions> options = {}) const {
    internal::ExplainTemporaryInAwait<M>();
    return UpdatePart(object, "status", std::move(options).Take());
  }
  // Patches the object or its `subresource`: "status", "scale", ... or empty.
  [[nodiscard]] AsyncCall<Ref<T>> Patch(std::string name, Named<kinformer::Patch> patch,
                                        Named<PatchOptions> options = {},
                                        std::string subresource = "") const {
    return {env(), [core = core_, name = std::move(name), patch = std::move(patch).Take(),
                    options = std::move(options).Take(),
                    subresource = std::move(subresource)](CallOptions call) mutable {
              return core.Patch(std::move(name), std::move(patch), std::move(subresource),
                                std::move(options), std::move(call));
            }};
  }
  // Server-side apply: see ResourceClient::Apply.
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> Apply(M&& object, Named<ApplyOptions> options) const {
    internal::ExplainTemporaryInAwait<M>();
    return Applied(object, "", std::move(options).Take());
  }
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> ApplyStatus(M&& object, Named<ApplyOptions> options) const {
    internal::ExplainTemporaryInAwait<M>();
    return Applied(object, "status", std::move(options).Take());
  }
  [[nodiscard]] AsyncCall<void> Delete(std::string name, Named<DeleteOptions> options = {}) const {
    return {env(), [core = core_, name = std::move(name),
                    options = std::move(options).Take()](CallOptions call) mutable {
              return core.Delete(std::move(name), std::move(options), std::move(call));
            }};
  }
  // Deletes, and returns what the server answers: whether the object is gone, or goes later.
  [[nodiscard]] AsyncCall<Deletion<T>> DeleteForAnswer(std::string name,
                                                       Named<DeleteOptions> options = {}) const {
    return {env(), [core = core_, name = std::move(name),
                    options = std::move(options).Take()](CallOptions call) mutable {
              return core.DeleteForAnswer(std::move(name), std::move(options), std::move(call));
            }};
  }
  [[nodiscard]] AsyncCall<void> DeleteCollection(Named<DeleteOptions> options = {},
                                                 Named<ListOptions> list = {}) const {
    return {env(), [core = core_, options = std::move(options).Take(),
                    list = std::move(list).Take()](CallOptions call) mutable {
              return core.DeleteCollection(std::move(options), std::move(list), std::move(call));
            }};
  }
  // Runs one watch. Calls `on_event` within the task that awaits it, or on the loop if it is
  // started; returning false ends the watch, and so do exceptions, which pass through to the task.
  // Its result is OK when the stream ended. A lambda that captures values is a variable.
  template <class OnEvent>
  [[nodiscard]] AsyncCall<void> Watch(Named<ListOptions> options, OnEvent&& on_event) const {
    internal::ExplainTemporaryInAwait<OnEvent>();
    using Function = internal::Callable<bool(const ResourceWatchEvent<T>&), internal::OnEventWords>;
    return {env(), [core = core_, options = std::move(options).Take(),
                    function = Function(on_event)](CallOptions call) mutable {
              return core.Watch(
                  std::move(options),
                  [function = std::move(function)](const internal::OwnedWatchEvent& event) {
                    return function({event.type, Ref<T>(event.object), event.resourceVersion});
                  },
                  std::move(call));
            }};
  }

  [[nodiscard]] Env& env() const { return core_.resource().env(); }
  [[nodiscard]] const internal::AsyncResourceCore& core() const { return core_; }
  // Returns the namespace; "" for all, or if the kind has none.
  [[nodiscard]] const std::string& namespace_() const { return core_.resource().namespace_(); }
  // Returns a client for the same resource in another namespace; "" for all.
  [[nodiscard]] AsyncResourceClient Namespace(std::string namespace_) const {
    return AsyncResourceClient(core_.resource().InNamespace(std::move(namespace_)).async());
  }

 private:
  explicit AsyncResourceClient(internal::AsyncResourceCore core) : core_(std::move(core)) {}
  template <class M>
  AsyncCall<Ref<T>> UpdatePart(const M& object, std::string subresource,
                               UpdateOptions options) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      return {env(), [core = core_, object = internal::ToKeptRequest<T>(object),
                      subresource = std::move(subresource),
                      options = std::move(options)](CallOptions call) mutable {
                return core.Update(std::move(object), std::move(subresource), std::move(options),
                                   std::move(call));
              }};
    } else {
      return {env(), [](const CallOptions&) { return internal::NeverSent<internal::ObjectRef>(); }};
    }
  }

  template <class M>
  AsyncCall<Ref<T>> Applied(const M& object, std::string subresource, ApplyOptions options) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      return {env(), [core = core_, object = internal::ToKeptRequest<T>(object),
                      subresource = std::move(subresource),
                      options = std::move(options)](CallOptions call) mutable {
                const KindInfo& type = core.resource().type();
                std::string name = object.name;
                return core.Apply(std::move(name), std::move(subresource), type, std::move(object),
                                  std::move(options), std::move(call));
              }};
    } else {
      return {env(), [](const CallOptions&) { return internal::NeverSent<internal::ObjectRef>(); }};
    }
  }

  internal::AsyncResourceCore core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ASYNC_RESOURCE_CLIENT_H_
