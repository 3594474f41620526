// kinformer/cache/reflector.h
//
// Reflector<T>: keeps data of the program in line with one collection of the API server. It lists
// the collection, watches it from there, resumes when the watch ends, and lists again when resuming
// is not possible; it passes all changes to a ReflectorStore<T>. A SharedInformer has one inside;
// use it directly to keep the objects, or a digest of them, in a form of your own:
//
//   Store<corev1::Pod> store(client.env());
//   Reflector<corev1::Pod> pods(client.env(), NewListWatch<corev1::Pod>(client, "default"), store);
//   pods.Run(stop.token()).OrExit();  // until stop is requested
//
// If a server was down or went back in time, lists of collections of 100 or more objects are
// delayed, larger ones longer, up to ten seconds, so that not all informers of a program, and of a
// cluster, list at once.
//
// queue.h has queues that are ReflectorStores, for programs that process changes on a thread
// of their own.

#ifndef KINFORMER_CACHE_REFLECTOR_H_
#define KINFORMER_CACHE_REFLECTOR_H_

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/reflector_options.h"
#include "kinformer/cache/store.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/internal/reflector_core.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Receiver of a Reflector's changes.
//
// Its Reflector calls it on the loop, one call at a time: it must be quick and must not block.
// Errors: one from Add, Update, Delete, Bookmark or Unreadable is logged, and the change is lost;
// one from Replace or Resync is reported like an error of the server, and the Reflector lists again
// after a delay. Exceptions are handled in the same way, and counted. Counterpart:
// cache.ReflectorStore, with ReflectorBookmarkStore.
template <ObjectView T>
class ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;

  // Report events of a watch. An "added" object may be known already, for example after a relist.
  virtual Result<void> Add(const Ref<T>& object) = 0;
  virtual Result<void> Update(const Ref<T>& object) = 0;
  // Reports a deletion; `object` is the last state.
  virtual Result<void> Delete(const Ref<T>& object) = 0;

  // Reports the whole collection: known objects that are neither in `list.objects` nor in
  // `list.unreadable` are gone.
  virtual Result<void> Replace(ReplacedAllInfo<T> list) = 0;

  // Called periodically, to process all objects again (ReflectorOptions::resync_period).
  virtual Result<void> Resync() { return {}; }
  // Reports that the collection has not changed up to this version.
  virtual Result<void> Bookmark(std::string_view resourceVersion) {
    static_cast<void>(resourceVersion);
    return {};
  }
  // Reports a new or changed object with malformed bytes, or with `deleted` the end of one.
  virtual Result<void> Unreadable(const ObjectName& name, bool deleted) {
    static_cast<void>(name);
    static_cast<void>(deleted);
    return {};
  }
};

namespace internal {

template <class T>
std::vector<Ref<T>> TypedRefs(std::vector<ObjectRef> objects) {
  std::vector<Ref<T>> refs;
  refs.reserve(objects.size());
  for (ObjectRef& object : objects) refs.emplace_back(std::move(object));
  return refs;
}

// Passes a Reflector's untyped calls to a typed store.
template <class T>
class ReflectorStoreAdapter final : public RawReflectorStore {
 public:
  explicit ReflectorStoreAdapter(std::shared_ptr<ReflectorStore<T>> store)
      : store_(std::move(store)) {}
  Result<void> Add(ObjectRef object) override { return store_->Add(Ref<T>(std::move(object))); }
  Result<void> Update(ObjectRef object) override {
    return store_->Update(Ref<T>(std::move(object)));
  }
  Result<void> Delete(ObjectRef object) override {
    return store_->Delete(Ref<T>(std::move(object)));
  }
  Result<void> Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                       std::string_view resourceVersion) override {
    return store_->Replace({.resourceVersion = std::string(resourceVersion),
                            .objects = TypedRefs<T>(std::move(objects)),
                            .unreadable = std::move(unreadable)});
  }
  Result<void> Resync() override { return store_->Resync(); }
  Result<void> Bookmark(std::string_view resourceVersion) override {
    return store_->Bookmark(resourceVersion);
  }
  Result<void> Unreadable(ObjectName name, bool deleted) override {
    return store_->Unreadable(name, deleted);
  }

 private:
  const std::shared_ptr<ReflectorStore<T>> store_;
};

// Makes a ReflectorStore of a Store. Keeps the last readable state of unreadable objects.
template <class T>
class StoreOfReflector final : public ReflectorStore<T> {
 public:
  explicit StoreOfReflector(Store<T> store) : store_(std::move(store)) {}
  Result<void> Add(const Ref<T>& object) override { return store_.Add(object); }
  Result<void> Update(const Ref<T>& object) override { return store_.Update(object); }
  Result<void> Delete(const Ref<T>& object) override { return store_.Delete(object); }
  Result<void> Replace(ReplacedAllInfo<T> list) override {
    for (const ObjectName& name : list.unreadable) {
      if (Ref<T> last = store_.GetByKey(name.ToString())) list.objects.push_back(std::move(last));
    }
    return store_.Replace(list.objects, list.resourceVersion);
  }
  Result<void> Bookmark(std::string_view resourceVersion) override {
    return store_.Bookmark(resourceVersion);
  }
  Result<void> Unreadable(const ObjectName& name, bool deleted) override {
    return deleted ? store_.DeleteByKey(name.ToString()) : Result<void>();
  }

 private:
  Store<T> store_;
};

template <ObjectView T>
const KindInfo* ExpectedType() {
  if constexpr (Resource<T>) {
    return &T::kind_info();
  } else {
    return nullptr;
  }
}

}  // namespace internal

// Keeps a ReflectorStore in line with one collection of the API server: lists it, watches it from
// the list's version on, resumes the watch when it ends, and lists again when it cannot be resumed.
// Counterpart: cache.Reflector.
//
// Order. The first call of the store is Replace. Then changes follow in the order of the server's
// watch, each once. After any gap (an expired version, an error of the store's Replace, a server
// that went back in time) another Replace brings the whole collection, and the store has to find
// out what is gone. Between two calls of Replace nothing is lost.
//
// Versions. LastSyncResourceVersion is the version up to which the store has been given everything.
// It grows with objects and bookmarks, and goes back only where the server does, after a restore
// from a backup; the Replace that follows begins a new history.
//
// Filters: objects of another kind than T are logged and dropped; if T is a view of any
// kind (Unstructured), all are accepted. Objects whose bytes are malformed are reported by name, as
// Unreadable, and harm no other.
//
// Errors. Errors of the server are retried for ever, with a back-off for each kind that is
// client-go's or slower, with jitter and the server's Retry-After; each is reported to
// ReflectorOptions::watch_error_handler. A server that is back is noticed within seconds.
//
// Ownership. The Reflector owns the ListerWatcher; the store is shared with the caller. `env` must
// outlive the Reflector. Destroy it after Run has returned, and not on the loop if the
// ListerWatcher is a Client's. The store is not called any more once Run has returned.
//
// Thread-safe. Only Run blocks. Listing, watching and all calls of the store happen on the loop of
// `env`, one at a time, so the store needs no lock against the Reflector, and must not block.
template <ObjectView T>
class Reflector {
 public:
  Reflector(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
            std::shared_ptr<ReflectorStore<T>> store, ReflectorOptions options = {})
      : core_(std::make_unique<internal::ReflectorCore>(
            env, std::move(lister_watcher),
            std::make_shared<internal::ReflectorStoreAdapter<T>>(std::move(store)),
            internal::ExpectedType<T>(), std::move(options))) {}
  // Creates a reflector that fills a Store or an Indexer, which any thread may read.
  Reflector(Env& env, std::unique_ptr<ListerWatcher> lister_watcher, Store<T> store,
            ReflectorOptions options = {})
      : Reflector(env, std::move(lister_watcher),
                  std::make_shared<internal::StoreOfReflector<T>>(std::move(store)),
                  std::move(options)) {}

  // Lists and watches until `stop` is requested; after it has returned, the store is not called any
  // more. May be called again: it then resumes from LastSyncResourceVersion, with a list.
  // kWouldDeadlock: on the loop thread. kInvalidArgument: it is running already.
  Result<void> Run(const std::stop_token& stop) { return core_->Run(stop); }

  // Returns the version up to which the store has all changes; empty before the first list.
  [[nodiscard]] std::string LastSyncResourceVersion() const {
    return core_->LastSyncResourceVersion();
  }
  [[nodiscard]] const std::string& Name() const { return core_->name(); }

 private:
  const internal::Pimpl<internal::ReflectorCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_REFLECTOR_H_
