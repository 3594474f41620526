// kinformer/cache/assume_cache.h
//
// AssumeCache: an informer's objects, with newer states that the program assumes. For programs that
// decide faster than the API server answers: a scheduler treats a volume as bound as soon as it has
// decided so, and takes that back if the server refuses.
//
//   AssumeCache<corev1::Pod> cache(pods);
//   cache.Assume(updated).OrExit();  // the answer to an Update
//   Ref<corev1::Pod> now = cache.Get("default/web-0").OrExit();  // updated
//   cache.Restore("default/web-0");                               // what the informer says

#ifndef KINFORMER_CACHE_ASSUME_CACHE_H_
#define KINFORMER_CACHE_ASSUME_CACHE_H_

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/lister.h"
#include "kinformer/cache/object_range.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/internal/assume_cache_core.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Keeps each object in two states: the last one from the informer, and the latest one, which is the
// same unless another was assumed. An object from the informer becomes the latest if it is newer,
// by resourceVersion; deletions always do, and so do objects that arrive after the server went back
// in time, where versions begin anew. Reads return the latest state.
//
// It is filled through a handler of the informer, so it follows the informer's store with a delay.
//
// Thread-safe. Only WaitForSync, RemoveEventHandler and the destructor block; the destructor waits
// for running callbacks, except inside one. Ownership: shares the objects; holds a handle on the
// informer, and does not start it.
// Counterpart: AssumeCache of kube-scheduler (pkg/scheduler/util/assumecache).
template <ObjectView T>
class AssumeCache {
 public:
  // Creates the cache with `indexers` over the latest objects, and the index "namespace". If the
  // informer has stopped, an error is logged and the cache stays empty.
  explicit AssumeCache(SharedInformer<T> informer, Indexers<T> indexers = {})
      : informer_(std::move(informer)),
        core_(std::make_unique<internal::AssumeCacheCore>(
            informer_.core()->env(), std::string(internal::ResourceNameOf<T>()),
            internal::Untyped<T>(std::move(indexers)))) {
    internal::AssumeCacheCore* const core = core_.get();
    Result<EventHandlerRegistration> added = informer_.AddEventHandler(ResourceEventHandlerFuncs<T>{
        .on_add = [core](const Added<T>& e) { core->OnAddOrUpdate(e.Retain().object(), e.epoch); },
        .on_update =
            [core](const Updated<T>& e) { core->OnAddOrUpdate(e.Retain().object(), e.epoch); },
        .on_delete =
            [core](const Deleted<T>& e) {
              core->OnDelete(*internal::BlockOfView(e.object), e.final_state_unknown);
            }});
    if (added) {
      registration_ = *added;
      handler_ = registration_.Scoped();
    } else {
      informer_.core()->LogIfError(added.error());
    }
  }
  AssumeCache(AssumeCache&&) noexcept = default;
  // Destroys the old state of this cache first, as the destructor does.
  AssumeCache& operator=(AssumeCache&& other) noexcept {
    handler_ = std::move(other.handler_);
    registration_ = std::move(other.registration_);
    core_ = std::move(other.core_);
    informer_ = std::move(other.informer_);
    return *this;
  }
  ~AssumeCache() = default;

  // Returns the latest object, by "namespace/name" or "name". kNotFound: it does not exist.
  // kNotSynced: it is not there, and the informer's first list has not arrived in this cache yet.
  [[nodiscard]] Result<Ref<T>> Get(std::string_view key) const { return Typed(core_->Get(key)); }
  // Returns the last state from the informer; errors as for Get.
  [[nodiscard]] Result<Ref<T>> GetAPIObj(std::string_view key) const {
    return Typed(core_->GetAPIObj(key));
  }
  // Returns all latest objects, in unspecified order. O(1).
  [[nodiscard]] ObjectRange<T> List() const { return ObjectRange<T>(core_->latest()->Snapshot()); }
  // Returns the objects with this value in the index; without such an index the range is not ok().
  [[nodiscard]] ObjectRange<T> ByIndex(std::string_view index, std::string_view value) const {
    return Snapshot().ByIndex(index, value);
  }
  [[nodiscard]] kinformer::Snapshot<T> Snapshot() const {
    return kinformer::Snapshot<T>(core_->latest()->Snapshot());
  }

  // Makes `object` the latest. Assume only objects that a server returned: an object that the
  // program made itself, under the old version, is lost as soon as the informer gets a newer one.
  // kNotFound, kNotSynced: as for Get; only an object that exists can be assumed. kConflict: the
  // latest is newer. kInvalidArgument: the resourceVersion of one of the two is not a number.
  Result<void> Assume(const Ref<T>& object) { return WithReason(core_->Assume(object.object())); }
  // Makes the last state from the informer the latest again. Does nothing if the key is absent.
  void Restore(std::string_view key) { core_->Restore(key); }

  // Registers a handler for changes of the latest objects. Existing objects are delivered first, as
  // Added events with is_in_initial_list. The registration has synced when the handler has returned
  // from these; this says nothing about the informer. A slow handler cannot hold up this cache:
  // with kBlock its queue grows without limit.
  Result<EventHandlerRegistration> AddEventHandler(ResourceEventHandlerFuncs<T> funcs,
                                                   HandlerOptions options = {}) {
    return AddEventHandler(std::make_shared<FunctionEventHandler<T>>(std::move(funcs)),
                           std::move(options));
  }
  Result<EventHandlerRegistration> AddEventHandler(std::shared_ptr<ResourceEventHandler<T>> handler,
                                                   HandlerOptions options = {}) {
    return EventHandlerRegistration(core_->AddHandler(
        std::make_shared<internal::HandlerAdapter<T>>(std::move(handler)), std::move(options)));
  }
  // Removes a handler: see SharedInformer::RemoveEventHandler.
  Result<void> RemoveEventHandler(const EventHandlerRegistration& registration) {
    return core_->RemoveHandler(registration.listener());
  }

  // Returns true once the informer's first list is in this cache.
  [[nodiscard]] bool HasSynced() const { return registration_.HasSynced(); }
  // Blocks until HasSynced; see EventHandlerRegistration::WaitForSync.
  Result<void> WaitForSync(const std::stop_token& stop = {},
                           std::optional<Duration> timeout = {}) const {
    return registration_.WaitForSync(stop, timeout);
  }

 private:
  template <class U>
  [[nodiscard]] Result<U> WithReason(Result<U> result) const {
    if (result || !IsNotFound(result.error()) || HasSynced()) return result;
    return Error(Reason::kNotSynced, result.error().message() +
                                         ", as far as is known: its first "
                                         "list has not arrived; WaitForSync");
  }
  [[nodiscard]] Result<Ref<T>> Typed(Result<internal::ObjectRef> object) const {
    Result<internal::ObjectRef> found = WithReason(std::move(object));
    if (!found) return std::move(found).error();
    return Ref<T>(*std::move(found));
  }

  SharedInformer<T> informer_;
  internal::Pimpl<internal::AssumeCacheCore> core_;
  EventHandlerRegistration registration_;
  // Destroyed first: its callbacks use the core.
  EventHandlerRegistration::ScopedRegistration handler_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_ASSUME_CACHE_H_
