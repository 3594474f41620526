// kinformer/client/resource_client.h
//
// ResourceClient<T>: the verbs of the API for one resource, as blocking calls.
//
//   ResourceClient<corev1::Pod> pods = client.For<corev1::Pod>("default");
//   Result<Ref<corev1::Pod>> pod = pods.Get("web-0");
//   if (pod) {
//     // Needs the header with the mutable structs.
//     corev1::Pod::Mutable wanted = (**pod).DeepCopy();
//     wanted.metadata.labels["tier"] = "front";
//     Result<Ref<corev1::Pod>> updated = pods.Update(wanted);
//     if (!updated && IsConflict(updated.error())) ...
//   }
//
// To follow a collection, use an informer: it resumes, relists and keeps a cache; Watch here is a
// single stream.

#ifndef KINFORMER_CLIENT_RESOURCE_CLIENT_H_
#define KINFORMER_CLIENT_RESOURCE_CLIENT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/client/client.h"
#include "kinformer/client/deletion.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/internal/resource_client_misuse.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Result of List: a range of views that live as long as it. Counterpart: corev1.PodList.
template <ObjectView T>
class ObjectList {
 public:
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    explicit iterator(const internal::ObjectRef* at) : at_(at) {}
    const T operator*() const { return T(at_->get()); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) { return std::exchange(*this, iterator(at_ + 1)); }
    bool operator==(const iterator&) const = default;

   private:
    const internal::ObjectRef* at_ = nullptr;
  };

  explicit ObjectList(internal::ListedObjects objects) : objects_(std::move(objects)) {}
  // Explains that it does not convert to a std::vector, whose views would outlive this list.
  template <class Item>
  operator std::vector<Item>() const {  // NOLINT(google-explicit-constructor)
    static_assert(
        internal::kNeverHolds<Item>,
        "a list is an ObjectList, which keeps what its objects are views of: const auto "
        "all = pods.List().OrExit(); for (corev1::Pod pod : all) ...; to keep one of them "
        "longer take a Ref, all.Retain(pod)");
    return {};
  }
  [[nodiscard]] iterator begin() const KINFORMER_LIFETIMEBOUND {
    return iterator(objects_.items.data());
  }
  [[nodiscard]] iterator end() const KINFORMER_LIFETIMEBOUND {
    return iterator(objects_.items.data() + objects_.items.size());
  }
  [[nodiscard]] std::size_t size() const { return objects_.items.size(); }
  [[nodiscard]] bool empty() const { return objects_.items.empty(); }
  [[nodiscard]] const T operator[](std::size_t i) const KINFORMER_LIFETIMEBOUND {
    return T(objects_.items[i].get());
  }
  // Return a Ref that keeps one object longer than the list, as in ObjectRange; or the `i`-th one.
  [[nodiscard]] Ref<T> Retain(const T& object) const {
    return Ref<T>(internal::ObjectRef::Share(internal::BlockOfView(object)));
  }
  [[nodiscard]] Ref<T> Retain(std::size_t i) const { return Ref<T>(objects_.items[i]); }
  [[nodiscard]] const ListMeta& metadata() const { return objects_.metadata; }
  // Returns the number of objects with malformed bytes, which are logged and not in the range.
  [[nodiscard]] std::size_t unreadable() const { return objects_.unreadable; }

  [[nodiscard]] internal::ListedObjects TakeObjects() && { return std::move(objects_); }

 private:
  internal::ListedObjects objects_;
};

namespace internal {
struct OnEventWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a watch calls its function with each event, until that returns false: [](const "
                  "ResourceWatchEvent<corev1::Pod>& event) { ...; return true; }");
  }
};
}  // namespace internal

// An event of ResourceClient::Watch. `object` is null for bookmarks.
template <ObjectView T>
struct ResourceWatchEvent {
  WatchEventType type{};
  Ref<T> object{};
  std::string resourceVersion{};
};

// A copyable handle for one resource in one namespace (or all, or cluster scope). Thread-safe.
// Every method blocks until the server has answered, retries included, and returns kWouldDeadlock
// on the loop thread. Counterpart: the generated clients of client-go (PodInterface, ...), and
// dynamic.ResourceInterface for T = Unstructured.
template <class T>
class ResourceClient : private internal::ResourceClientMisuse {
  static_assert(ObjectView<T>, "ResourceClient<T>: T must be a view that is made from a block");

 public:
  using ResourceClientMisuse::Create;
  using ResourceClientMisuse::Delete;
  using ResourceClientMisuse::Get;
  using ResourceClientMisuse::List;
  using ResourceClientMisuse::Patch;
  using ResourceClientMisuse::Update;
  using ResourceClientMisuse::UpdateStatus;
  using ResourceClientMisuse::Watch;

  explicit ResourceClient(internal::ResourceCore core) : core_(std::move(core)) {}

  Result<Ref<T>> Get(std::string_view name, const GetOptions& options = {},
                     const CallOptions& call = {}) const {
    return Typed(core_.Get(name, options, call));
  }

  // Returns one page, of options.limit objects at most; metadata().continue_ is the token for the
  // next page, empty after the last. ListPager (list_pager.h) reads all pages.
  Result<ObjectList<T>> ListPage(const ListOptions& options, const CallOptions& call = {}) const {
    Result<internal::ListedObjects> listed = core_.ListPage(options, call);
    if (!listed) return std::move(listed).error();
    return ObjectList<T>(std::move(*listed));
  }
  // Returns the whole collection, page by page if options.limit is set.
  Result<ObjectList<T>> List(const ListOptions& options = {}, const CallOptions& call = {}) const {
    Result<internal::ListedObjects> listed = core_.List(options, call);
    if (!listed) return std::move(listed).error();
    return ObjectList<T>(std::move(*listed));
  }

  // Creates an object. `object` is a T::Mutable; if its header is missing, the error names it. Its
  // namespace must be empty or this client's.
  template <class M>
  Result<Ref<T>> Create(const M& object, const CreateOptions& options = {},
                        const CallOptions& call = {}) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      return Typed(core_.Create(internal::ToRequestObject<T>(object), options, call));
    } else {
      return internal::NeverCalled();
    }
  }
  // Replaces the object. If metadata.resourceVersion is set, it must be the current one: otherwise
  // kConflict.
  template <class M>
  Result<Ref<T>> Update(const M& object, const UpdateOptions& options = {},
                        const CallOptions& call = {}) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      return Typed(core_.Update(internal::ToRequestObject<T>(object), "", options, call));
    } else {
      return internal::NeverCalled();
    }
  }
  template <class M>
  Result<Ref<T>> UpdateStatus(const M& object, const UpdateOptions& options = {},
                              const CallOptions& call = {}) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      return Typed(core_.Update(internal::ToRequestObject<T>(object), "status", options, call));
    } else {
      return internal::NeverCalled();
    }
  }
  // Patches the object or its `subresource`: "status", "scale", ... or empty.
  Result<Ref<T>> Patch(std::string_view name, const kinformer::Patch& patch,
                       const PatchOptions& options = {}, std::string_view subresource = "",
                       const CallOptions& call = {}) const {
    return Typed(core_.Patch(name, patch, subresource, options, call));
  }
  // Server-side apply: creates the object, or sets the fields that are set in the struct, which
  // then belong to options.fieldManager; DelegatingClient::Apply says what is set. Needs a name.
  template <class M>
  Result<Ref<T>> Apply(const M& object, const ApplyOptions& options,
                       const CallOptions& call = {}) const {
    return Applied(object, "", options, call);
  }
  template <class M>
  Result<Ref<T>> ApplyStatus(const M& object, const ApplyOptions& options,
                             const CallOptions& call = {}) const {
    return Applied(object, "status", options, call);
  }
  Result<void> Delete(std::string_view name, const DeleteOptions& options = {},
                      const CallOptions& call = {}) const {
    return core_.Delete(name, options, call);
  }
  // Deletes, and returns what the server answers: whether the object is gone, or goes later. In Go,
  // a Get after the Delete finds that out.
  Result<Deletion<T>> DeleteForAnswer(std::string_view name, const DeleteOptions& options = {},
                                      const CallOptions& call = {}) const {
    return internal::TypedDeletion<T>(core_.DeleteForAnswer(name, options, call));
  }
  Result<void> DeleteCollection(const DeleteOptions& options = {}, const ListOptions& list = {},
                                const CallOptions& call = {}) const {
    return core_.DeleteCollection(options, list, call);
  }

  // Runs one watch. Calls `on_event` on the calling thread; returning false ends the watch, and so
  // do exceptions, which pass through. Returns OK when the stream ended.
  Result<void> Watch(const ListOptions& options,
                     const internal::Callable<bool(const ResourceWatchEvent<T>&),
                                              internal::OnEventWords>& on_event,
                     const CallOptions& call = {}) const {
    return core_.Watch(
        options,
        [&](const internal::OwnedWatchEvent& event) {
          return on_event({event.type, Ref<T>(event.object), event.resourceVersion});
        },
        call);
  }

  [[nodiscard]] Env& env() const { return core_.env(); }
  [[nodiscard]] const internal::ResourceCore& core() const { return core_; }
  // Returns the namespace; "" for all, or if the kind has none.
  [[nodiscard]] const std::string& namespace_() const { return core_.namespace_(); }
  // Returns a client for the same resource in another namespace; "" for all.
  [[nodiscard]] ResourceClient Namespace(std::string namespace_) const {
    return ResourceClient(core_.InNamespace(std::move(namespace_)));
  }

 private:
  template <class M>
  Result<Ref<T>> Applied(const M& object, std::string_view subresource, const ApplyOptions& options,
                         const CallOptions& call) const {
    if constexpr (internal::CheckWritable<T, M>()) {
      const internal::RequestObject request = internal::ToRequestObject<T>(object);
      return Typed(core_.Apply(request.name, subresource, core_.type(), request, options, call));
    } else {
      return internal::NeverCalled();
    }
  }
  static Result<Ref<T>> Typed(Result<internal::ObjectRef> object) {
    if (!object) return std::move(object).error();
    return Ref<T>(std::move(*object));
  }

  internal::ResourceCore core_;
};

template <Resource T>
  requires ResourceClientHeaderIncluded<T>
ResourceClient<T> Client::For(std::string namespace_) const {
  return ResourceClient<T>(CoreFor(T::kind_info(), std::move(namespace_)));
}

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_RESOURCE_CLIENT_H_
