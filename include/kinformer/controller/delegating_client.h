// kinformer/controller/delegating_client.h
//
// DelegatingClient: a reconciler's client. It reads from the caches of a SharedInformerFactory,
// writes to the server, and its reads see its own writes.
//
//   auto factory = std::make_shared<SharedInformerFactory>(client);
//   DelegatingClient cached(client, factory);
//   Result<Ref<corev1::ConfigMap>> map = cached.Get<corev1::ConfigMap>({"default", "settings"});
//   if (map) {
//     corev1::ConfigMap::Mutable wanted = (**map).DeepCopy();  // needs corev1_mutable.h
//     wanted.data["color"] = "blue";
//     Result<Ref<corev1::ConfigMap>> updated = cached.Update(wanted);
//     map = cached.Get<corev1::ConfigMap>({"default", "settings"});  // blue, or something newer
//   }
//
// Read-your-own-writes. A watch is behind the server, so a cache may lack the program's own latest
// writes, and a reconciler would then repeat them. So a read waits until the cache shows what this
// client wrote before:
//   - Get waits for the writes of that key, List for those of its kind in the listed namespace.
//     Writes of the same group and resource count in any version and form.
//   - A Create, Update, Patch or Apply is seen when the cache is at the version of the answer. A
//     Delete is seen when the object is gone, is another one (its uid), or has a deletionTimestamp.
//     A DeleteAllOf marks the matching objects that the cache had before, each until it changes or
//     is gone. An answer without a resourceVersion is completed by a GET of the object.
//   - A read waits only for objects that the cache covers, by its namespaces and selectors, as
//     checked on the object in the answer. A field in a selector is looked up there by its path.
//   - If that GET fails, the next read that the write concerns repeats it; until it succeeds, such
//     reads are kStale. If the client may not get the object, this is logged, and reads do not wait
//     for that write.
//   - A read waits for at most read_your_writes_timeout, or until the deadline (WithDeadline,
//     CallOptions); then it is kStale: try again later. On a loop's thread, which must not wait, it
//     is kWouldDeadlock.
//   - A server that goes back in time (a restore) may have lost the write: a read that waits for it
//     is kEpochChanged, later ones do not wait.
// Results of writes are never put into the cache, so that they cannot hide newer states. Not
// covered: writes by other clients, other copies of the program included, dry runs, writes that
// failed with an error although the server has done them, and kinds that are read from the server,
// which are never outdated.
//
// Match before write. An Update, Patch or Apply, of an object or its status, that would change
// nothing is not sent, and its answer is the cached object (match_before_write switches that off;
// kinformer_writes_matched_total counts, with the label verb). It would change nothing if:
//   - an Update equals the cached object and has its resourceVersion. Metadata that the server
//     writes (uid, managedFields, ...) may be left out. Quantities are equal as the server stores
//     them ("1000m" is "1"), sets in any order; all else literally, so a field that the server
//     would fill in again counts as a change.
//   - a merge, strategic merge or JSON patch, laid over the cached object, leaves it as it is.
//   - all fields of an Apply are in the cached object with equal values, and its manager owns
//     exactly these, as managedFields say. A list that managedFields name as one field is taken for
//     atomic once an answer has shown that; until then it is sent.
// In doubt it is sent: dry runs, other subresources, without a started and synced cache of whole
// objects without a transform, while that cache lacks a write of this client to the object (so
// never with read_your_writes_timeout = 0), with another resourceVersion than the cached one,
// and for objects that are absent or being deleted. A write that is not sent is not authorized,
// validated or admitted either.
// The cache may lack a change of another client, which the write would have met. An Update would
// have been a conflict, and a Patch or Apply would have undone the change at once. Now the event of
// the change does that, as for each change that comes a moment after the write: it wakes the
// reconcile, which then finds a cache that does not match. So no change is lost, as long as the
// controller's predicates let its event through.
//
// Counterpart: client.Client of controller-runtime (once called DelegatingClient), which waits for
// its own writes only if EnableReadYourWritesConsistency is set (v0.25).

#ifndef KINFORMER_CONTROLLER_DELEGATING_CLIENT_H_
#define KINFORMER_CONTROLLER_DELEGATING_CLIENT_H_

#include <concepts>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/reader.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/deletion.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/controller/delegating_client_options.h"
#include "kinformer/internal/delegating_client_core.h"
#include "kinformer/internal/delegating_client_misuse.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/internal/written_struct.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/partial_object_metadata.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

namespace internal {

// Class that reads what M writes: T if it is given, else the view that M names. For an M that
// cannot be written, NoView, so that CheckWritable can explain it.
template <class T, class M>
struct ReadAs {
  using Type = T;
};
template <class M>
struct ReadAs<void, M> {
  using Type = NoView;
};
template <class M>
  requires requires { typename M::View; }
struct ReadAs<void, M> {
  using Type = typename M::View;
};
template <class T, class M>
using View = typename ReadAs<T, M>::Type;

// Returns a part with the name of its object. `home` is the namespace if the name has none.
template <class M>
M NamedPart(const M& part, const ObjectName& name, std::string_view home) {
  return NamedPart(part, name.name, name.namespace_.empty() ? home : name.namespace_);
}

template <class T>
Result<Ref<T>> TypedObject(Result<ObjectRef> object) {
  if (!object) return std::move(object).error();
  return Ref<T>(*std::move(object));
}

template <class T>
Result<std::vector<Ref<T>>> TypedObjects(Result<std::vector<ObjectRef>> objects) {
  if (!objects) return std::move(objects).error();
  std::vector<Ref<T>> typed;
  typed.reserve(objects->size());
  for (ObjectRef& object : *objects) typed.emplace_back(std::move(object));
  return typed;
}

}  // namespace internal

class AsyncDelegatingClient;  // async_delegating_client.h

// A write of a DelegatingClient that a cache does not show yet.
struct LateWrite {
  std::string cache{};  // the cache's resource
  Duration age{0};      // since the write was answered
};

// A copyable handle: copies share the caches and the record of writes. Thread-safe. The same calls
// for coroutines: AsyncDelegatingClient.
//
// Get and List create the informer of T if necessary, start it and wait until it has synced: this
// may take long, and without a deadline it never ends if the server does not have the kind.
// Afterwards they block only for unseen writes, and cost what a Lister's reads cost. Kinds with
// cached = false (factory_options.h) are read from the server. Writes block until the server has
// answered. On a loop's thread, calls that would block are kWouldDeadlock.
//
// Writes take a T::Mutable, whose namespace and name identify the object; T may be omitted if the
// struct names it, as generated ones and those of custom resources do.
class DelegatingClient : private internal::DelegatingClientMisuse {
 public:
  using DelegatingClientMisuse::Create;
  using DelegatingClientMisuse::Delete;
  using DelegatingClientMisuse::DeleteAllOf;
  using DelegatingClientMisuse::Get;
  using DelegatingClientMisuse::IndexField;
  using DelegatingClientMisuse::IndexMetadataField;
  using DelegatingClientMisuse::List;
  using DelegatingClientMisuse::ListMetadata;
  using DelegatingClientMisuse::Patch;
  using DelegatingClientMisuse::Update;
  using DelegatingClientMisuse::WithDeadline;
  using DelegatingClientMisuse::Within;
  using DelegatingClientMisuse::WithNamespace;

  DelegatingClient(Client client, std::shared_ptr<SharedInformerFactory> factory,
                   DelegatingClientOptions options = {});
  template <class Factory>
    requires(!std::convertible_to<Factory &&, std::shared_ptr<SharedInformerFactory>>)
  DelegatingClient(const Client& /*client*/, Factory&& /*factory*/,
                   const DelegatingClientOptions& /*options*/ = {}) {
    static_assert(internal::kNeverHolds<Factory>,
                  "DelegatingClient shares its factory: make that with "
                  "std::make_shared<SharedInformerFactory>(client), and give the pointer");
  }

  // Returns this client with a deadline for its calls; of several deadlines the earliest counts.
  [[nodiscard]] DelegatingClient WithDeadline(SteadyTime deadline) const;
  // Returns this client with a stop token: calls end with kCanceled when it is requested to stop.
  // Replaces an earlier token; the token of CallOptions counts too.
  [[nodiscard]] DelegatingClient WithStopToken(std::stop_token stop) const;
  // Returns this client limited to one namespace; replaces an earlier one. Written objects, and
  // names and lists in reads and deletions, get this namespace if they have none; another one is
  // kInvalidArgument. Kinds without namespaces are not affected, nor are InformerFor and
  // IndexField, which concern the whole cache. Empty: no limit. It grants or denies no permissions;
  // that is the server's task. Counterpart: client.NewNamespacedClient, which silently turns a list
  // of another namespace into one of its own.
  [[nodiscard]] DelegatingClient WithNamespace(std::string namespace_) const;

  // Returns this client with the bounds of `call`: its stop token, if it has one, as WithStopToken,
  // its timeout, which starts now, and its trace, for calls that have none.
  [[nodiscard]] DelegatingClient Within(const CallOptions& call) const;

  // ---- Reads

  // Returns the object, or the reason why there is none: see Lister::Get, and the head of this
  // file. A cache with selectors returns kOutOfScope for objects it lacks; check with IsAbsent.
  template <KnownKind T>
  [[nodiscard]] Result<Ref<T>> Get(const ObjectName& name, const CallOptions& call = {}) const {
    return internal::TypedObject<T>(core_->Get({&T::kind_info()}, name, bounds_, call));
  }
  // Returns all matching objects, in unspecified order, from one version of the cache; or an error,
  // never an incomplete list. Field selectors need IndexField, and may only use field=value.
  template <KnownKind T>
  [[nodiscard]] Result<std::vector<Ref<T>>> List(const ReadOptions& options = {},
                                                 const CallOptions& call = {}) const {
    return internal::TypedObjects<T>(core_->List({&T::kind_info()}, options, bounds_, call));
  }
  // Returns a reader that always asks the server: for reads that must be newer than any cache, or
  // that are done only once. Counterpart: Manager.GetAPIReader.
  template <KnownKind T>
  [[nodiscard]] Reader<T> APIReader() const {
    return Reader<T>(core_->Live(T::kind_info(), bounds_));
  }

  // Adds an index, so that List can select by a field. `function` gives an object's values; it runs
  // on the loop, or on this thread for selectors with several fields. `field` may be any name. May
  // be called before or after the first read; blocks until the index is complete. kAlreadyExists:
  // the field has an index. Counterpart: FieldIndexer.
  //
  //   cached.IndexField<corev1::Pod>("spec.nodeName", [](corev1::Pod pod, auto& out) {
  //     out.Add(pod.spec().nodeName());
  //   });
  template <KnownKind T>
  Result<void> IndexField(std::string_view field, IndexFunc<T> function) const {
    return core_->IndexField({&T::kind_info()}, field, internal::Untyped<T>(std::move(function)));
  }
  // Returns the started informer that Get and List of T read, to add handlers. kInvalidArgument: T
  // is read from the server. Counterpart: Cache.GetInformer.
  template <KnownKind T>
  [[nodiscard]] Result<SharedInformer<T>> InformerFor() const {
    Result<std::shared_ptr<internal::InformerCore>> informer = core_->Informer({&T::kind_info()});
    if (!informer) return std::move(informer).error();
    return SharedInformer<T>(*std::move(informer));
  }

  // ---- Writes

  template <class T = void, class M>
  Result<Ref<internal::View<T, M>>> Create(const M& object, const CreateOptions& options = {},
                                           const CallOptions& call = {}) const {
    using V = internal::View<T, M>;
    if constexpr (internal::CheckWritable<V, M>()) {
      return internal::TypedObject<V>(core_->Create(
          V::kind_info(), internal::ToRequestObject<V>(object, Home<V>()), options, bounds_, call));
    } else {
      return internal::NeverCalled();
    }
  }
  // Replaces the object. If metadata.resourceVersion is set, it must be the current one: otherwise
  // kConflict.
  template <class T = void, class M>
  Result<Ref<internal::View<T, M>>> Update(const M& object, const UpdateOptions& options = {},
                                           const CallOptions& call = {}) const {
    return Updated<internal::View<T, M>>(object, "", options, call);
  }
  template <class T = void, class M>
  Result<Ref<internal::View<T, M>>> UpdateStatus(const M& object, const UpdateOptions& options = {},
                                                 const CallOptions& call = {}) const {
    return Updated<internal::View<T, M>>(object, "status", options, call);
  }
  template <KnownKind T>
  Result<Ref<T>> Patch(const ObjectName& name, const kinformer::Patch& patch,
                       const PatchOptions& options = {}, const CallOptions& call = {}) const {
    return internal::TypedObject<T>(
        core_->Patch(T::kind_info(), name, patch, "", options, bounds_, call));
  }
  template <KnownKind T>
  Result<void> Delete(const ObjectName& name, const DeleteOptions& options = {},
                      const CallOptions& call = {}) const {
    return core_->Delete(T::kind_info(), name, options, bounds_, call);
  }
  // Deletes, and returns what the server answers: whether the object is gone, or goes later.
  template <KnownKind T>
  Result<Deletion<T>> DeleteForAnswer(const ObjectName& name, const DeleteOptions& options = {},
                                      const CallOptions& call = {}) const {
    return internal::TypedDeletion<T>(
        core_->DeleteForAnswer(T::kind_info(), name, options, bounds_, call));
  }
  // Deletes all matching objects of a namespace. kInvalidArgument: the kind has namespaces and none
  // is given, or a limit is given.
  template <KnownKind T>
  Result<void> DeleteAllOf(const ReadOptions& which, const DeleteOptions& options = {},
                           const CallOptions& call = {}) const {
    return core_->DeleteAllOf(T::kind_info(), which, options, bounds_, call);
  }
  // Server-side apply: creates the object, or sets the fields that are set in the struct, which
  // then belong to ApplyOptions::fieldManager. Fields that this manager applied before and no
  // longer applies are removed. Fields of other managers do not change: kConflict if they differ,
  // unless forced. Set are optionals and Boxes with a value, and all others that are neither zero
  // nor empty. So begin with an empty struct, not with a DeepCopy, in which everything is set.
  // Counterpart: Client.Apply, and Patch with client.Apply.
  //
  //   corev1::ConfigMap::Mutable wanted;
  //   wanted.metadata.namespace_ = "default";
  //   wanted.metadata.name = "settings";
  //   wanted.data["color"] = "blue";
  //   cached.Apply(wanted, {.fieldManager = "painter", .force = true}).OrExit();
  template <class T = void, class M>
  Result<Ref<internal::View<T, M>>> Apply(const M& object, const ApplyOptions& options = {},
                                          const CallOptions& call = {}) const {
    return Applied<internal::View<T, M>>(object, "", options, call);
  }

  // A part of an object with a path of its own: "status", "scale", "ephemeralcontainers", ...
  // Copyable, thread-safe. Methods are those of the client, and later reads wait for its writes.
  // Counterpart: SubResourceClient.
  class SubResourceClient : private internal::SubResourceMisuse {
   public:
    using SubResourceMisuse::Create;
    using SubResourceMisuse::Get;
    using SubResourceMisuse::Patch;
    using SubResourceMisuse::Update;

    // Updates the part; `object` is the whole object, from which the server takes the part.
    template <class T = void, class M>
    Result<Ref<internal::View<T, M>>> Update(const M& object, const UpdateOptions& options = {},
                                             const CallOptions& call = {}) const {
      return client_->template Updated<internal::View<T, M>>(object, name_, options, call);
    }
    // Patches the part. Returns the object; for a part with a kind of its own ("scale") an object
    // of that kind, of which only the metadata can be read.
    template <KnownKind T>
    Result<Ref<T>> Patch(const ObjectName& name, const kinformer::Patch& patch,
                         const PatchOptions& options = {}, const CallOptions& call = {}) const {
      return internal::TypedObject<T>(client_->core_->Patch(T::kind_info(), name, patch, name_,
                                                            options, client_->bounds_, call));
    }
    template <class T = void, class M>
    Result<Ref<internal::View<T, M>>> Apply(const M& object, const ApplyOptions& options = {},
                                            const CallOptions& call = {}) const {
      return client_->template Applied<internal::View<T, M>>(object, name_, options, call);
    }

    // Methods for parts that are objects of a kind of their own: the Scale of a Deployment,
    // Eviction and Binding of a Pod, the TokenRequest of a ServiceAccount. T is the kind of the
    // whole object and `name` its name; the part itself needs no name.
    //
    //   using Web = appsv1::Deployment;
    //   auto scale = cached.SubResource("scale").Get<Web, autoscalingv1::Scale>(name).OrExit();
    //   autoscalingv1::Scale::Mutable more = (*scale).DeepCopy();  // needs autoscalingv1_mutable.h
    //   more.spec.replicas += 1;
    //   cached.SubResource("scale").Update<Web>(name, more).OrExit();
    //   cached.SubResource("eviction").Create<corev1::Pod>(pod, policyv1::Eviction::Mutable{});

    // Reads the part, always from the server.
    template <KnownKind T, KnownKind P>
    [[nodiscard]] Result<Ref<P>> Get(const ObjectName& name, const CallOptions& call = {}) const {
      return internal::TypedObject<P>(client_->core_->GetPart(
          T::kind_info(), name, name_, P::kind_info(), client_->bounds_, call));
    }
    // Creates the part. Returns the server's answer to it; null if that is only a success status,
    // as for evictions and bindings.
    template <KnownKind T, class M>
    Result<Ref<internal::View<void, M>>> Create(const ObjectName& name, const M& part,
                                                const CreateOptions& options = {},
                                                const CallOptions& call = {}) const {
      using P = internal::View<void, M>;
      if constexpr (internal::CheckWritable<P, M>()) {
        const M named = Named<T>(part, name);
        return internal::TypedObject<P>(client_->core_->CreatePart(
            T::kind_info(), name, name_, P::kind_info(), internal::ToRequestObject<P>(named),
            options, client_->bounds_, call));
      } else {
        return internal::NeverCalled();
      }
    }
    template <KnownKind T, class M>
    Result<Ref<internal::View<void, M>>> Update(const ObjectName& name, const M& part,
                                                const UpdateOptions& options = {},
                                                const CallOptions& call = {}) const {
      using P = internal::View<void, M>;
      if constexpr (internal::CheckWritable<P, M>()) {
        const M named = Named<T>(part, name);
        return internal::TypedObject<P>(client_->core_->UpdatePart(
            T::kind_info(), name, name_, P::kind_info(), internal::ToRequestObject<P>(named),
            options, client_->bounds_, call));
      } else {
        return internal::NeverCalled();
      }
    }
    // Applies the part. Only the metadata of the returned object can be read.
    template <KnownKind T, class M>
    Result<Ref<T>> Apply(const ObjectName& name, const M& part, const ApplyOptions& options = {},
                         const CallOptions& call = {}) const {
      using P = internal::View<void, M>;
      if constexpr (internal::CheckWritable<P, M>()) {
        const M named = Named<T>(part, name);
        return internal::TypedObject<T>(client_->core_->ApplyPart(
            T::kind_info(), name, name_, P::kind_info(), internal::ToRequestObject<P>(named),
            options, client_->bounds_, call));
      } else {
        return internal::NeverCalled();
      }
    }

    // Methods for kinds that are known only at run time. A created or updated part names its kind.
    // Need discovery.h.
    [[nodiscard]] Result<Ref<Unstructured>> Get(const RestMapping& mapping, const ObjectName& name,
                                                const GroupVersionKind& part,
                                                const CallOptions& call = {}) const;
    Result<Ref<Unstructured>> Create(const RestMapping& mapping, const ObjectName& name,
                                     const json::Value& part, const CreateOptions& options = {},
                                     const CallOptions& call = {}) const;
    Result<Ref<Unstructured>> Update(const RestMapping& mapping, const ObjectName& name,
                                     const json::Value& part, const UpdateOptions& options = {},
                                     const CallOptions& call = {}) const;
    Result<Ref<Unstructured>> Patch(const RestMapping& mapping, const ObjectName& name,
                                    const kinformer::Patch& patch, const PatchOptions& options = {},
                                    const CallOptions& call = {}) const;

   private:
    friend class DelegatingClient;
    template <class T, class M>
    M Named(const M& part, const ObjectName& name) const {
      return internal::NamedPart(part, name, client_->template Home<T>());
    }
    SubResourceClient(const DelegatingClient& client, std::string name);

    std::shared_ptr<const DelegatingClient> client_;
    std::string name_;
  };
  [[nodiscard]] SubResourceClient SubResource(std::string name) const;
  [[nodiscard]] SubResourceClient Status() const;

  // ---- Metadata only: from a cache of the metadata, or from the cache of the whole objects if
  // there is one. Counterpart: reading a PartialObjectMetadata.

  template <KnownKind T>
  [[nodiscard]] Result<Ref<metav1::PartialObjectMetadata>> GetMetadata(
      const ObjectName& name, const CallOptions& call = {}) const {
    return internal::TypedObject<metav1::PartialObjectMetadata>(
        core_->Get(MetadataOf<T>(), name, bounds_, call));
  }
  template <KnownKind T>
  [[nodiscard]] Result<std::vector<Ref<metav1::PartialObjectMetadata>>> ListMetadata(
      const ReadOptions& options = {}, const CallOptions& call = {}) const {
    return internal::TypedObjects<metav1::PartialObjectMetadata>(
        core_->List(MetadataOf<T>(), options, bounds_, call));
  }
  // Adds an index for ListMetadata: see IndexField.
  template <KnownKind T>
  Result<void> IndexMetadataField(std::string_view field,
                                  IndexFunc<metav1::PartialObjectMetadata> function) const {
    return core_->IndexField(MetadataOf<T>(), field,
                             internal::Untyped<metav1::PartialObjectMetadata>(std::move(function)));
  }

  // ---- Objects of kinds that are known only at run time. Reads are from the server, or with
  // DelegatingClientOptions::cache_unstructured from a cache. The mapping comes from
  // Client::Discovery. Needs discovery.h.

  [[nodiscard]] Result<Ref<Unstructured>> Get(const RestMapping& mapping, const ObjectName& name,
                                              const CallOptions& call = {}) const;
  [[nodiscard]] Result<std::vector<Ref<Unstructured>>> List(const RestMapping& mapping,
                                                            const ReadOptions& options = {},
                                                            const CallOptions& call = {}) const;
  Result<void> IndexField(const RestMapping& mapping, std::string_view field,
                          IndexFunc<Unstructured> function) const;
  // Creates an object; `object` is the whole object, with kind and metadata.
  Result<Ref<Unstructured>> Create(const RestMapping& mapping, const json::Value& object,
                                   const CreateOptions& options = {},
                                   const CallOptions& call = {}) const;
  Result<Ref<Unstructured>> Update(const RestMapping& mapping, const json::Value& object,
                                   const UpdateOptions& options = {},
                                   const CallOptions& call = {}) const;
  Result<Ref<Unstructured>> UpdateStatus(const RestMapping& mapping, const json::Value& object,
                                         const UpdateOptions& options = {},
                                         const CallOptions& call = {}) const;
  Result<Ref<Unstructured>> Patch(const RestMapping& mapping, const ObjectName& name,
                                  const kinformer::Patch& patch, const PatchOptions& options = {},
                                  const CallOptions& call = {}) const;
  Result<void> Delete(const RestMapping& mapping, const ObjectName& name,
                      const DeleteOptions& options = {}, const CallOptions& call = {}) const;
  Result<Deletion<Unstructured>> DeleteForAnswer(const RestMapping& mapping, const ObjectName& name,
                                                 const DeleteOptions& options = {},
                                                 const CallOptions& call = {}) const;
  Result<void> DeleteAllOf(const RestMapping& mapping, const ReadOptions& which,
                           const DeleteOptions& options = {}, const CallOptions& call = {}) const;

  [[nodiscard]] const Client& client() const { return core_->client(); }
  // Returns the number of own writes that some cache has yet to show.
  [[nodiscard]] std::size_t UnseenWrites() const { return core_->unseen_writes(); }
  // Returns the oldest of these; empty: every cache shows all.
  [[nodiscard]] std::optional<LateWrite> OldestUnseenWrite() const {
    const auto oldest = core_->oldest_unseen_write();
    if (!oldest) return std::nullopt;
    return LateWrite{oldest->first, oldest->second};
  }

 private:
  friend class AsyncDelegatingClient;

  // Returns the namespace for objects that name none; empty: none, or the kind has no namespaces.
  template <class T>
  [[nodiscard]] std::string_view Home() const {
    return T::kind_info().namespaced ? std::string_view(bounds_.namespace_) : std::string_view();
  }
  template <KnownKind T>
  [[nodiscard]] static internal::ObjectForm MetadataOf() {
    const KindInfo& t = T::kind_info();
    return {internal::MetadataKindInfo(t.group, t.version, t.kind, t.resource, t.namespaced),
            /*metadata_only=*/true};
  }
  // Returns the struct, which need not be encoded if nothing is sent; of others, the request.
  template <class V, class M>
  [[nodiscard]] auto Written(const M& object) const {
    constexpr bool kStruct = !std::is_same_v<M, json::Value> &&
                             requires { requires internal::IsGenerated<typename V::Mutable>; };
    if constexpr (kStruct) {
      return internal::ToWrittenStruct<V>(object, Home<V>());
    } else {
      return internal::ToRequestObject<V>(object, Home<V>());
    }
  }
  template <class V, class M>
  Result<Ref<V>> Applied(const M& object, std::string_view subresource, const ApplyOptions& options,
                         const CallOptions& call) const {
    if constexpr (internal::CheckWritable<V, M>()) {
      return internal::TypedObject<V>(core_->Apply(V::kind_info(),
                                                   internal::ToRequestObject<V>(object, Home<V>()),
                                                   subresource, options, bounds_, call));
    } else {
      return internal::NeverCalled();
    }
  }
  template <class V, class M>
  Result<Ref<V>> Updated(const M& object, std::string_view subresource,
                         const UpdateOptions& options, const CallOptions& call) const {
    if constexpr (internal::CheckWritable<V, M>()) {
      return internal::TypedObject<V>(
          core_->Update(V::kind_info(), Written<V>(object), subresource, options, bounds_, call));
    } else {
      return internal::NeverCalled();
    }
  }

  std::shared_ptr<internal::DelegatingClientCore> core_;
  internal::CallBounds bounds_{};
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_DELEGATING_CLIENT_H_
