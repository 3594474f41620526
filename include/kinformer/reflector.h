// kinformer/reflector.h
//
// Reflector<T>: keeps something of yours equal to one collection of the API server. It lists the
// collection, watches it from there, resumes when the watch ends and lists again when that is not
// possible; what it learns it tells to a ReflectorStore<T>. A SharedInformer has one inside; by
// itself it is for programs that keep the objects, or a digest of them, in a form of their own:
//
//   Store<corev1::Pod> store(client.env());
//   Reflector<corev1::Pod> pods(client.env(), NewListWatch<corev1::Pod>(client, "default"), store);
//   pods.Run(stop.token()).OrExit();  // until stop is requested
//
// Where a server was away or went back in time, lists of collections with 100 objects and more wait
// longer the larger they are, up to ten seconds, so that not all of a program, and of a cluster,
// list at once.
//
// delta_fifo.h has queues that are ReflectorStores, for those who want to hear of each change on a
// thread of their own.

#ifndef KINFORMER_REFLECTOR_H_
#define KINFORMER_REFLECTOR_H_

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/delta.h"
#include "kinformer/env.h"
#include "kinformer/internal/reflector_core.h"
#include "kinformer/list_watch.h"
#include "kinformer/object_name.h"
#include "kinformer/ref.h"
#include "kinformer/reflector_options.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/store.h"

namespace kinformer {

// Where a Reflector puts what it learns.
//
// Its Reflector calls it on the loop, one call at a time: it must be quick and must not block.
// Errors: one that Add, Update, Delete, Bookmark or Unreadable gives is logged, and the change is
// lost; one that Replace or Resync gives is reported like one of the server's, and the Reflector
// lists again after a while. So with what it throws, which is counted, too.
// Counterpart: cache.ReflectorStore, with ReflectorBookmarkStore.
template <ObjectView T>
class ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;

  // What a watch tells. An object that is "added" may be there already, as after a relist.
  virtual Result<void> Add(const Ref<T>& object) = 0;
  virtual Result<void> Update(const Ref<T>& object) = 0;
  // `object` is the last state, at its deletion.
  virtual Result<void> Delete(const Ref<T>& object) = 0;

  // The collection is exactly this: what is in the store and neither among the objects nor among
  // the unreadable names is gone.
  virtual Result<void> Replace(ReplacedAllInfo<T> list) = 0;

  // It is time to look at everything again (ReflectorOptions::resync_period).
  virtual Result<void> Resync() { return {}; }
  // The collection is unchanged up to this version.
  virtual Result<void> Bookmark(std::string_view resourceVersion) {
    static_cast<void>(resourceVersion);
    return {};
  }
  // An object has come or changed whose bytes are malformed, or `deleted`, one such is gone.
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

// Gives a typed store what a Reflector says without types.
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

// A Store as a ReflectorStore. Of an unreadable object it keeps the last readable state.
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
const TypeInfo* ExpectedType() {
  if constexpr (Resource<T>) {
    return &T::type_info();
  } else {
    return nullptr;
  }
}

}  // namespace internal

// Guarantees: first a Replace, then changes in the order of the server's watch. After anything is
// missed, another Replace. Objects of another kind than T are logged and left out; where T is a
// view of any kind (Unstructured), all are taken.
// Thread-safe. Only Run blocks; all that is listed, watched and told to the store happens on the
// loop of `env`, which must outlive the Reflector. To be destroyed when Run has returned, and not
// on the loop where the ListerWatcher is a Client's.
// Ownership: the ListerWatcher is the Reflector's, the store is shared.
// Errors of the server are retried for ever, with client-go's back-off: ReflectorOptions'
// watch_error_handler hears of them.
// Counterpart: cache.Reflector.
template <ObjectView T>
class Reflector {
 public:
  Reflector(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
            std::shared_ptr<ReflectorStore<T>> store, ReflectorOptions options = {})
      : core_(std::make_unique<internal::ReflectorCore>(
            env, std::move(lister_watcher),
            std::make_shared<internal::ReflectorStoreAdapter<T>>(std::move(store)),
            internal::ExpectedType<T>(), std::move(options))) {}
  // Over a Store or an Indexer, which readers on any thread may look into.
  Reflector(Env& env, std::unique_ptr<ListerWatcher> lister_watcher, Store<T> store,
            ReflectorOptions options = {})
      : Reflector(env, std::move(lister_watcher),
                  std::make_shared<internal::StoreOfReflector<T>>(std::move(store)),
                  std::move(options)) {}

  // Lists and watches until stop is requested; when it returns, the store hears nothing more. May
  // be called again: it then resumes from LastSyncResourceVersion, with a list.
  // kWouldDeadlock: on the loop thread. kInvalidArgument: it runs already.
  Result<void> Run(const std::stop_token& stop) { return core_->Run(stop); }

  // The version up to which the store has been told everything; empty before the first list.
  [[nodiscard]] std::string LastSyncResourceVersion() const {
    return core_->LastSyncResourceVersion();
  }
  [[nodiscard]] const std::string& Name() const { return core_->name(); }

 private:
  const std::unique_ptr<internal::ReflectorCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_H_
