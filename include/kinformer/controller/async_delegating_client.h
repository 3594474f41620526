// kinformer/controller/async_delegating_client.h
//
// AsyncDelegatingClient: the calls of a DelegatingClient in the form that blocks no thread: a
// coroutine awaits them, or they call a function (async_call.h).
//
//   Task<Result<void>> Paint(AsyncDelegatingClient cached, ObjectName name) {
//     Result<Ref<corev1::ConfigMap>> map = co_await cached.Get<corev1::ConfigMap>(name);
//     if (!map) co_return map.error();
//     corev1::ConfigMap::Mutable wanted = (**map).DeepCopy();  // needs corev1_mutable.h
//     wanted.data["color"] = "blue";
//     Result<Ref<corev1::ConfigMap>> updated = co_await cached.Update(wanted);
//     if (!updated) co_return updated.error();
//     map = co_await cached.Get<corev1::ConfigMap>(name);  // blue, or something newer
//     co_return Result<void>();
//   }
//   ...
//   Spawn(env, Paint(AsyncDelegatingClient(cached), {"default", "settings"}));
//
// Caches, limits, errors and read-your-own-writes are those of the DelegatingClient, which blocks
// on the tasks that are here (delegating_client.h says what they do).

#ifndef KINFORMER_CONTROLLER_ASYNC_DELEGATING_CLIENT_H_
#define KINFORMER_CONTROLLER_ASYNC_DELEGATING_CLIENT_H_

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/internal/async_delegating_client_core.h"
#include "kinformer/internal/named_variable.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/json/json.h"
#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

namespace internal {

template <class T>
struct AnswerForm<std::vector<Ref<T>>> {
  using Raw = std::vector<ObjectRef>;
  static std::vector<Ref<T>> Typed(std::vector<ObjectRef> objects) {
    return *TypedObjects<T>(std::move(objects));
  }
};

}  // namespace internal

// A copyable handle, with the methods and the bounds (WithDeadline, WithNamespace, Within) of the
// DelegatingClient that it is made from, whose caches and record of writes it shares: reads of
// either wait for writes of the other. Nothing happens before the returned call is awaited or
// started. A call keeps what it needs until it ends, the factory included: give it a stop token or
// a timeout if a cache may never fill. Nothing is kWouldDeadlock: calls may be awaited on a loop.
// Thread-safe; never blocks.
//
// Names, options, objects, patches and mappings are variables, as NamedVariable explains: write
// `const ObjectName name{"default", "settings"};` before `co_await cached.Get<T>(name)`. AsyncCall
// has WithStop and WithTimeout; a timeout begins when the call does.
//
// Counterpart: client.Client of controller-runtime, each call in a goroutine of its own.
class AsyncDelegatingClient {
  template <class Options>
  using Named = internal::NamedVariable<Options>;
  template <class T, class M>
  using View = internal::View<T, std::remove_cvref_t<M>>;
  using Objects = std::vector<Ref<Unstructured>>;

 public:
  explicit AsyncDelegatingClient(const DelegatingClient& client)
      : core_(client.core_->async()), bounds_(client.bounds_) {}

  // ---- Reads

  template <KnownKind T>
  [[nodiscard]] AsyncCall<Ref<T>> Get(Named<ObjectName> name) const {
    return Got<T>({&T::kind_info()}, std::move(name).Take());
  }
  template <KnownKind T>
  [[nodiscard]] AsyncCall<std::vector<Ref<T>>> List(Named<ReadOptions> options = {}) const {
    return Listed<T>({&T::kind_info()}, std::move(options).Take());
  }
  template <KnownKind T>
  [[nodiscard]] AsyncCall<Ref<metav1::PartialObjectMetadata>> GetMetadata(
      Named<ObjectName> name) const {
    return Got<metav1::PartialObjectMetadata>(DelegatingClient::MetadataOf<T>(),
                                              std::move(name).Take());
  }
  template <KnownKind T>
  [[nodiscard]] AsyncCall<std::vector<Ref<metav1::PartialObjectMetadata>>> ListMetadata(
      Named<ReadOptions> options = {}) const {
    return Listed<metav1::PartialObjectMetadata>(DelegatingClient::MetadataOf<T>(),
                                                 std::move(options).Take());
  }

  // ---- Writes. `object` is a variable of type T::Mutable, of which the call keeps a copy.

  template <class T = void, class M>
  [[nodiscard]] AsyncCall<Ref<View<T, M>>> Create(M&& object,
                                                  Named<CreateOptions> options = {}) const {
    internal::ExplainTemporaryInAwait<M>();
    using V = View<T, M>;
    if constexpr (internal::CheckWritable<V, std::remove_cvref_t<M>>()) {
      return Created<V>(V::kind_info(), ToRequest<V>(object), std::move(options).Take());
    } else {
      return Never<V>();
    }
  }
  // Replaces the object. If metadata.resourceVersion is set, it must be the current one: otherwise
  // kConflict.
  template <class T = void, class M>
  [[nodiscard]] AsyncCall<Ref<View<T, M>>> Update(M&& object,
                                                  Named<UpdateOptions> options = {}) const {
    internal::ExplainTemporaryInAwait<M>();
    return OfStruct<View<T, M>>(object, "", std::move(options).Take());
  }
  template <class T = void, class M>
  [[nodiscard]] AsyncCall<Ref<View<T, M>>> UpdateStatus(M&& object,
                                                        Named<UpdateOptions> options = {}) const {
    internal::ExplainTemporaryInAwait<M>();
    return OfStruct<View<T, M>>(object, "status", std::move(options).Take());
  }
  template <KnownKind T>
  [[nodiscard]] AsyncCall<Ref<T>> Patch(Named<ObjectName> name, Named<kinformer::Patch> patch,
                                        Named<PatchOptions> options = {}) const {
    return Patched<T>(T::kind_info(), std::move(name).Take(), std::move(patch).Take(), "",
                      std::move(options).Take());
  }
  // Server-side apply: see DelegatingClient.
  template <class T = void, class M>
  [[nodiscard]] AsyncCall<Ref<View<T, M>>> Apply(M&& object,
                                                 Named<ApplyOptions> options = {}) const {
    internal::ExplainTemporaryInAwait<M>();
    return Applied<View<T, M>>(object, "", std::move(options).Take());
  }

  // A part of an object with a path of its own, with the methods of
  // DelegatingClient::SubResourceClient, which says what they do. Copyable, thread-safe. A call
  // keeps what it needs. Parts are variables, too.
  //
  //   using Web = appsv1::Deployment;
  //   const auto scales = cached.SubResource("scale");
  //   auto scale = co_await scales.Get<Web, autoscalingv1::Scale>(name);
  //   if (!scale) co_return scale.error();
  //   autoscalingv1::Scale::Mutable more = (**scale).DeepCopy();  // needs autoscalingv1_mutable.h
  //   more.spec.replicas += 1;
  //   scale = co_await scales.Update<Web>(name, more);
  //
  // Counterpart: SubResourceClient.
  class SubResourceClient {
   public:
    // ---- The part as a field of the whole object: "status", ...

    template <class T = void, class M>
    [[nodiscard]] AsyncCall<Ref<View<T, M>>> Update(M&& object,
                                                    Named<UpdateOptions> options = {}) const {
      internal::ExplainTemporaryInAwait<M>();
      return client_->template OfStruct<View<T, M>>(object, name_, std::move(options).Take());
    }
    template <KnownKind T>
    [[nodiscard]] AsyncCall<Ref<T>> Patch(Named<ObjectName> name, Named<kinformer::Patch> patch,
                                          Named<PatchOptions> options = {}) const {
      return client_->template Patched<T>(T::kind_info(), std::move(name).Take(),
                                          std::move(patch).Take(), name_,
                                          std::move(options).Take());
    }
    template <class T = void, class M>
    [[nodiscard]] AsyncCall<Ref<View<T, M>>> Apply(M&& object,
                                                   Named<ApplyOptions> options = {}) const {
      internal::ExplainTemporaryInAwait<M>();
      return client_->template Applied<View<T, M>>(object, name_, std::move(options).Take());
    }

    // ---- The part as an object of a kind of its own. T is the kind of the whole object and `name`
    // its name.

    // Reads the part, always from the server.
    template <KnownKind T, KnownKind P>
    [[nodiscard]] AsyncCall<Ref<P>> Get(Named<ObjectName> name) const {
      return client_->template PartGot<P>(T::kind_info(), std::move(name).Take(), name_,
                                          P::kind_info());
    }
    // Creates the part. The answer is null if it is only a success status, as for evictions and
    // bindings.
    template <KnownKind T, class M>
    [[nodiscard]] AsyncCall<Ref<View<void, M>>> Create(Named<ObjectName> name, M&& part,
                                                       Named<CreateOptions> options = {}) const {
      internal::ExplainTemporaryInAwait<M>();
      return Sent<T>("POST", std::move(name).Take(), part, std::move(options).Take());
    }
    template <KnownKind T, class M>
    [[nodiscard]] AsyncCall<Ref<View<void, M>>> Update(Named<ObjectName> name, M&& part,
                                                       Named<UpdateOptions> options = {}) const {
      internal::ExplainTemporaryInAwait<M>();
      return Sent<T>("PUT", std::move(name).Take(), part, std::move(options).Take());
    }
    // Applies the part. Only the metadata of the returned object can be read.
    template <KnownKind T, class M>
    [[nodiscard]] AsyncCall<Ref<T>> Apply(Named<ObjectName> name, M&& part,
                                          Named<ApplyOptions> options = {}) const {
      internal::ExplainTemporaryInAwait<M>();
      using P = View<void, M>;
      if constexpr (internal::CheckWritable<P, std::remove_cvref_t<M>>()) {
        ObjectName whole = std::move(name).Take();
        internal::RequestObject object = client_->template PartRequest<T, P>(part, whole);
        return client_->template PartApplied<T>(T::kind_info(), std::move(whole), name_,
                                                P::kind_info(), std::move(object),
                                                std::move(options).Take());
      } else {
        return client_->template Never<T>();
      }
    }

    // ---- Kinds that are known only at run time. A created or updated part names its kind.

    [[nodiscard]] AsyncCall<Ref<Unstructured>> Get(Named<RestMapping> mapping,
                                                   Named<ObjectName> name,
                                                   Named<GroupVersionKind> part) const;
    [[nodiscard]] AsyncCall<Ref<Unstructured>> Create(Named<RestMapping> mapping,
                                                      Named<ObjectName> name,
                                                      Named<json::Value> part,
                                                      Named<CreateOptions> options = {}) const;
    [[nodiscard]] AsyncCall<Ref<Unstructured>> Update(Named<RestMapping> mapping,
                                                      Named<ObjectName> name,
                                                      Named<json::Value> part,
                                                      Named<UpdateOptions> options = {}) const;
    [[nodiscard]] AsyncCall<Ref<Unstructured>> Patch(Named<RestMapping> mapping,
                                                     Named<ObjectName> name,
                                                     Named<kinformer::Patch> patch,
                                                     Named<PatchOptions> options = {}) const;

   private:
    friend class AsyncDelegatingClient;
    SubResourceClient(const AsyncDelegatingClient& client, std::string name);

    template <class T, class M>
    [[nodiscard]] AsyncCall<Ref<View<void, M>>> Sent(std::string_view method, ObjectName name,
                                                     const M& part, CreateOptions options) const {
      using P = View<void, M>;
      if constexpr (internal::CheckWritable<P, M>()) {
        internal::RequestObject object = client_->template PartRequest<T, P>(part, name);
        return client_->template PartSent<P>(method, T::kind_info(), std::move(name), name_,
                                             P::kind_info(), std::move(object), std::move(options));
      } else {
        return client_->template Never<P>();
      }
    }
    [[nodiscard]] AsyncCall<Ref<Unstructured>> SentMapped(std::string_view method,
                                                          const RestMapping& mapping,
                                                          ObjectName name, const json::Value& part,
                                                          CreateOptions options) const;

    std::shared_ptr<const AsyncDelegatingClient> client_;
    std::string name_;
  };
  [[nodiscard]] SubResourceClient SubResource(std::string name) const;
  [[nodiscard]] SubResourceClient Status() const;

  // ---- Deletions

  template <KnownKind T>
  [[nodiscard]] AsyncCall<void> Delete(Named<ObjectName> name,
                                       Named<DeleteOptions> options = {}) const {
    return Deleted(T::kind_info(), std::move(name).Take(), std::move(options).Take());
  }
  // Deletes, and returns what the server answers: whether the object is gone, or goes later.
  template <KnownKind T>
  [[nodiscard]] AsyncCall<Deletion<T>> DeleteForAnswer(Named<ObjectName> name,
                                                       Named<DeleteOptions> options = {}) const {
    return Answered<T>(T::kind_info(), std::move(name).Take(), std::move(options).Take());
  }
  // Deletes all matching objects of a namespace. kInvalidArgument: the kind has namespaces and none
  // is given, or a limit is given.
  template <KnownKind T>
  [[nodiscard]] AsyncCall<void> DeleteAllOf(Named<ReadOptions> which,
                                            Named<DeleteOptions> options = {}) const {
    return AllDeleted(T::kind_info(), std::move(which).Take(), std::move(options).Take());
  }

  // ---- Objects of kinds that are known only at run time: see DelegatingClient.

  [[nodiscard]] AsyncCall<Ref<Unstructured>> Get(Named<RestMapping> mapping,
                                                 Named<ObjectName> name) const;
  [[nodiscard]] AsyncCall<Objects> List(Named<RestMapping> mapping,
                                        Named<ReadOptions> options = {}) const;
  [[nodiscard]] AsyncCall<Ref<Unstructured>> Create(Named<RestMapping> mapping,
                                                    Named<json::Value> object,
                                                    Named<CreateOptions> options = {}) const;
  [[nodiscard]] AsyncCall<Ref<Unstructured>> Update(Named<RestMapping> mapping,
                                                    Named<json::Value> object,
                                                    Named<UpdateOptions> options = {}) const;
  [[nodiscard]] AsyncCall<Ref<Unstructured>> UpdateStatus(Named<RestMapping> mapping,
                                                          Named<json::Value> object,
                                                          Named<UpdateOptions> options = {}) const;
  [[nodiscard]] AsyncCall<Ref<Unstructured>> Patch(Named<RestMapping> mapping,
                                                   Named<ObjectName> name,
                                                   Named<kinformer::Patch> patch,
                                                   Named<PatchOptions> options = {}) const;
  [[nodiscard]] AsyncCall<void> Delete(Named<RestMapping> mapping, Named<ObjectName> name,
                                       Named<DeleteOptions> options = {}) const;
  [[nodiscard]] AsyncCall<Deletion<Unstructured>> DeleteForAnswer(
      Named<RestMapping> mapping, Named<ObjectName> name, Named<DeleteOptions> options = {}) const;
  [[nodiscard]] AsyncCall<void> DeleteAllOf(Named<RestMapping> mapping, Named<ReadOptions> which,
                                            Named<DeleteOptions> options = {}) const;

  [[nodiscard]] const Client& client() const { return core_.client(); }
  [[nodiscard]] Env& env() const { return client().env(); }

 private:
  template <class V, class M>
  [[nodiscard]] internal::RequestObject ToRequest(const M& object) const {
    return internal::ToKeptRequest<V>(
        object, V::kind_info().namespaced ? std::string_view(bounds_.namespace_) : "");
  }
  template <class V>
  [[nodiscard]] AsyncCall<Ref<V>> Never() const {
    return {env(), [](const CallOptions&) { return internal::NeverSent<internal::ObjectRef>(); }};
  }
  template <class T>
  [[nodiscard]] AsyncCall<Ref<T>> Got(const internal::ObjectForm& form, ObjectName name) const {
    return {env(), [core = core_, bounds = bounds_, form,
                    name = std::move(name)](CallOptions call) mutable {
              return core.Get(form, std::move(name), std::move(bounds), std::move(call));
            }};
  }
  template <class T>
  [[nodiscard]] AsyncCall<std::vector<Ref<T>>> Listed(const internal::ObjectForm& form,
                                                      ReadOptions options) const {
    return {env(), [core = core_, bounds = bounds_, form,
                    options = std::move(options)](CallOptions call) mutable {
              return core.List(form, std::move(options), std::move(bounds), std::move(call));
            }};
  }
  template <class T>
  [[nodiscard]] AsyncCall<Ref<T>> Created(const KindInfo& type, internal::RequestObject object,
                                          CreateOptions options) const {
    return {env(), [core = core_, bounds = bounds_, &type, object = std::move(object),
                    options = std::move(options)](CallOptions call) mutable {
              return core.Create(type, std::move(object), std::move(options), std::move(bounds),
                                 std::move(call));
            }};
  }
  template <class T>
  [[nodiscard]] AsyncCall<Ref<T>> Updated(const KindInfo& type, internal::RequestObject object,
                                          std::string_view subresource,
                                          UpdateOptions options) const {
    return {env(), [core = core_, bounds = bounds_, &type, object = std::move(object),
                    subresource = std::string(subresource),
                    options = std::move(options)](CallOptions call) mutable {
              return core.Update(type, std::move(object), std::move(subresource),
                                 std::move(options), std::move(bounds), std::move(call));
            }};
  }
  template <class V, class M>
  [[nodiscard]] AsyncCall<Ref<V>> OfStruct(const M& object, std::string_view subresource,
                                           UpdateOptions options) const {
    if constexpr (internal::CheckWritable<V, M>()) {
      return Updated<V>(V::kind_info(), ToRequest<V>(object), subresource, std::move(options));
    } else {
      return Never<V>();
    }
  }
  template <class T>
  [[nodiscard]] AsyncCall<Ref<T>> Patched(const KindInfo& type, ObjectName name,
                                          kinformer::Patch patch, std::string subresource,
                                          PatchOptions options) const {
    return {env(), [core = core_, bounds = bounds_, &type, name = std::move(name),
                    patch = std::move(patch), subresource = std::move(subresource),
                    options = std::move(options)](CallOptions call) mutable {
              return core.Patch(type, std::move(name), std::move(patch), std::move(subresource),
                                std::move(options), std::move(bounds), std::move(call));
            }};
  }
  template <class V, class M>
  [[nodiscard]] AsyncCall<Ref<V>> Applied(const M& object, std::string subresource,
                                          ApplyOptions options) const {
    if constexpr (internal::CheckWritable<V, M>()) {
      internal::RequestObject request = ToRequest<V>(object);
      ObjectName name{request.namespace_, request.name};
      return PartApplied<V>(V::kind_info(), std::move(name), std::move(subresource), V::kind_info(),
                            std::move(request), std::move(options));
    } else {
      return Never<V>();
    }
  }

  // Calls for `part`, the kind of what `subresource` of an object is. T, P: form of the answer.
  template <class T>
  [[nodiscard]] AsyncCall<Ref<T>> PartApplied(const KindInfo& type, ObjectName name,
                                              std::string subresource, const KindInfo& part,
                                              internal::RequestObject object,
                                              ApplyOptions options) const {
    return {env(), [core = core_, bounds = bounds_, &type, name = std::move(name),
                    subresource = std::move(subresource), &part, object = std::move(object),
                    options = std::move(options)](CallOptions call) mutable {
              return core.Apply(type, std::move(name), std::move(subresource), part,
                                std::move(object), std::move(options), std::move(bounds),
                                std::move(call));
            }};
  }
  template <class P>
  [[nodiscard]] AsyncCall<Ref<P>> PartGot(const KindInfo& type, ObjectName name,
                                          std::string subresource, const KindInfo& part) const {
    return {env(), [core = core_, bounds = bounds_, &type, name = std::move(name),
                    subresource = std::move(subresource), &part](CallOptions call) mutable {
              return core.GetPart(type, std::move(name), std::move(subresource), part,
                                  std::move(bounds), std::move(call));
            }};
  }
  template <class P>
  [[nodiscard]] AsyncCall<Ref<P>> PartSent(std::string_view method, const KindInfo& type,
                                           ObjectName name, std::string subresource,
                                           const KindInfo& part, internal::RequestObject object,
                                           CreateOptions options) const {
    return {env(),
            [core = core_, bounds = bounds_, method = std::string(method), &type,
             name = std::move(name), subresource = std::move(subresource), &part,
             object = std::move(object), options = std::move(options)](CallOptions call) mutable {
              return core.SendPart(std::move(method), type, std::move(name), std::move(subresource),
                                   part, std::move(object), std::move(options), std::move(bounds),
                                   std::move(call));
            }};
  }
  // Returns the part of a T with that name.
  template <class T, class P, class M>
  [[nodiscard]] internal::RequestObject PartRequest(const M& part, const ObjectName& name) const {
    const std::string_view home =
        T::kind_info().namespaced ? std::string_view(bounds_.namespace_) : std::string_view();
    return internal::ToKeptRequest<P>(internal::NamedPart(part, name, home));
  }
  template <class T>
  [[nodiscard]] AsyncCall<Deletion<T>> Answered(const KindInfo& type, ObjectName name,
                                                DeleteOptions options) const {
    return {env(), [core = core_, bounds = bounds_, &type, name = std::move(name),
                    options = std::move(options)](CallOptions call) mutable {
              return core.DeleteForAnswer(type, std::move(name), std::move(options),
                                          std::move(bounds), std::move(call));
            }};
  }
  [[nodiscard]] AsyncCall<void> Deleted(const KindInfo& type, ObjectName name,
                                        DeleteOptions options) const;
  [[nodiscard]] AsyncCall<void> AllDeleted(const KindInfo& type, ReadOptions which,
                                           DeleteOptions options) const;

  internal::AsyncDelegatingClientCore core_;
  internal::CallBounds bounds_;
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_ASYNC_DELEGATING_CLIENT_H_
