// kinformer/assume_cache.h
//
// AssumeCache: an informer's objects, some of which one holds to be otherwise already. For who
// decides faster than the API server answers: a scheduler takes a volume for bound as soon as it
// has decided so, and takes that back where the server refuses.
//
//   AssumeCache<corev1::Pod> cache(pods);
//   cache.Assume(updated).OrExit();  // the answer to an Update
//   Ref<corev1::Pod> now = cache.Get("default/web-0").OrExit();  // updated
//   cache.Restore("default/web-0");                               // what the informer says

#ifndef KINFORMER_ASSUME_CACHE_H_
#define KINFORMER_ASSUME_CACHE_H_

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/event_handler.h"
#include "kinformer/index.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/assume_cache_core.h"
#include "kinformer/lister.h"
#include "kinformer/object_range.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/shared_informer.h"
#include "kinformer/snapshot.h"

namespace kinformer {

// Each object in two states: the one that the informer said last, and the latest, which is the same
// unless another one was assumed. What the informer says becomes the latest as soon as it is newer,
// by resourceVersion; a deletion always does, and so does what it says after the server went back
// in time, where versions begin anew. Reads give the latest.
//
// It is filled through a handler of the informer, so it follows the informer's store with a delay.
//
// Thread-safe. Nothing blocks but WaitForSync, RemoveEventHandler and the destruction, which waits
// for callbacks that run, except inside one. Ownership: shares the objects; holds a handle on the
// informer, and does not start it.
// Counterpart: AssumeCache of kube-scheduler (pkg/scheduler/util/assumecache).
template <ObjectView T>
class AssumeCache {
 public:
  // Beside `indexers`, which are of the latest objects, it has the index "namespace". An informer
  // that has stopped is an error in the log, and the cache stays empty.
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
            [core](const Deleted<T>& e) { core->OnDelete(*e.block, e.final_state_unknown); }});
    if (added) {
      registration_ = *added;
      handler_ = registration_.Scoped();
    } else {
      informer_.core()->LogIfError(added.error());
    }
  }
  AssumeCache(AssumeCache&&) noexcept = default;
  // Destroys what this was, as the destructor does.
  AssumeCache& operator=(AssumeCache&& other) noexcept {
    handler_ = std::move(other.handler_);
    registration_ = std::move(other.registration_);
    core_ = std::move(other.core_);
    informer_ = std::move(other.informer_);
    return *this;
  }
  ~AssumeCache() = default;

  // The latest object, by "namespace/name" or "name". kNotFound: there is none. kNotSynced: there
  // is none yet; the informer's first list has not arrived here.
  [[nodiscard]] Result<Ref<T>> Get(std::string_view key) const { return Typed(core_->Get(key)); }
  // The same, of what the informer said last.
  [[nodiscard]] Result<Ref<T>> GetAPIObj(std::string_view key) const {
    return Typed(core_->GetAPIObj(key));
  }
  // All latest objects, in unspecified order. O(1).
  [[nodiscard]] ObjectRange<T> List() const { return ObjectRange<T>(core_->latest()->Snapshot()); }
  // Those that have the value in the index. The range is not ok() where there is no such index.
  [[nodiscard]] ObjectRange<T> ByIndex(std::string_view index, std::string_view value) const {
    return Snapshot().ByIndex(index, value);
  }
  [[nodiscard]] kinformer::Snapshot<T> Snapshot() const {
    return kinformer::Snapshot<T>(core_->latest()->Snapshot());
  }

  // Makes `object` the latest. Only what a server has answered with is safe: an object of one's own
  // making, under the version that is there, is lost as soon as the informer hears of a newer one.
  // kNotFound, kNotSynced: as Get; an object that is not there cannot be assumed. kConflict: the
  // latest is newer. kInvalidArgument: the version of one of them is no number.
  Result<void> Assume(const Ref<T>& object) { return WithReason(core_->Assume(object.object())); }
  // Makes what the informer said last the latest again. Absent: nothing happens.
  void Restore(std::string_view key) { core_->Restore(key); }

  // Tells of each change of a latest object. First come, as Added events with is_in_initial_list,
  // those that are there. The registration has synced when their callbacks have returned; it says
  // nothing about the informer. Nobody can be made to wait for a slow handler here: with kBlock its
  // queue grows.
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
  // As SharedInformer's.
  Result<void> RemoveEventHandler(const EventHandlerRegistration& registration) {
    return core_->RemoveHandler(registration.listener());
  }

  // The informer's first list is in here.
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
  std::unique_ptr<internal::AssumeCacheCore> core_;
  EventHandlerRegistration registration_;
  // Goes first: its callbacks use the core.
  EventHandlerRegistration::ScopedRegistration handler_;
};

}  // namespace kinformer

#endif  // KINFORMER_ASSUME_CACHE_H_
