// kinformer/store.h
//
// Store<T>: objects by their keys. What an informer keeps, and a container to use by itself:
//
//   Store<corev1::Pod> pods(env);
//   pods.Add(pod).OrExit();  // a Ref<corev1::Pod>
//   if (Ref<corev1::Pod> web = pods.GetByKey("default/web-0")) ...
//
// Indexer<T> (indexer.h) is a Store with indexes; Lister<T> (lister.h) reads one and says why
// something is absent.

#ifndef KINFORMER_STORE_H_
#define KINFORMER_STORE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/index.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/object_range.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/snapshot.h"

namespace kinformer {

// One write of a transaction. Counterpart: cache.Transaction.
template <ObjectView T>
struct StoreTransaction {
  enum class Type : std::uint8_t { kAdd, kUpdate, kDelete };
  Type type{};
  Ref<T> object{};
};

// `error` is the first failure. Counterpart: cache.TransactionStoreError.
struct TransactionResult {
  std::vector<std::size_t> SuccessfulIndices{};
  std::optional<Error> error{};
};

// A handle: copies are the same store.
//
// Thread-safe. Readers never wait, not even for a writer; writers wait for each other only. Writes
// fail with kInvalidArgument where the object has no name, and on the store of an informer, which
// only the informer writes.
// Ownership: the store shares its objects with whoever has a Ref or a range of them.
// Counterpart: cache.Store. Keys are always namespace and name (MetaNamespaceKeyFunc).
template <ObjectView T>
class Store {
 public:
  // An empty store of its own. `env` is for its log and must outlive it.
  explicit Store(Env& env) : core_(std::make_shared<internal::IndexerCore>(env)) {}
  explicit Store(std::shared_ptr<internal::IndexerCore> core) : core_(std::move(core)) {}

  // Adds or replaces: both names do the same, as in client-go. The object's resourceVersion becomes
  // the store's.
  Result<void> Add(const Ref<T>& object) { return core_->Put(object.object()); }
  Result<void> Update(const Ref<T>& object) { return core_->Put(object.object()); }
  // Removes the object of that name, whatever its version. Absent: nothing happens. The
  // resourceVersion becomes the store's.
  Result<void> Delete(const Ref<T>& object) {
    const internal::ObjectRef& o = object.object();
    return core_->Delete(o->namespace_(), o->name(), o->resourceVersion());
  }
  // The same without an object; the store's resourceVersion stays.
  Result<void> DeleteByKey(std::string_view key) {
    const auto [namespace_, name] = internal::SplitStoreKey(key);
    return core_->Delete(namespace_, name, {});
  }
  // Makes `objects` all there is, in one step that readers see whole. Where one of them has no
  // name, nothing changes.
  Result<void> Replace(const std::vector<Ref<T>>& objects, std::string_view resource_version) {
    std::vector<internal::ObjectRef> untyped;
    untyped.reserve(objects.size());
    for (const Ref<T>& object : objects) untyped.push_back(object.object());
    return core_->Replace(untyped, resource_version);
  }
  // Makes all writes that can be made, in one step; says which.
  Result<TransactionResult> Transaction(const std::vector<StoreTransaction<T>>& writes) {
    std::vector<internal::Write> untyped;
    untyped.reserve(writes.size());
    for (const StoreTransaction<T>& write : writes) {
      untyped.push_back({static_cast<internal::WriteKind>(write.type),
                         internal::ObjectRef(write.object.object())});
    }
    auto outcome = core_->Apply(std::move(untyped));
    if (!outcome) return std::move(outcome).error();
    return TransactionResult{std::move(outcome->successful), std::move(outcome->error)};
  }
  // All up to this resourceVersion is in the store.
  Result<void> Bookmark(std::string_view resource_version) {
    return core_->Bookmark(resource_version);
  }

  // The object under the same name, or null.
  [[nodiscard]] Ref<T> Get(const Ref<T>& object) const {
    return Ref<T>(core_->Get(object.object()->namespace_(), object.object()->name()));
  }
  // The object, or null. "namespace/name", or "name" where there is no namespace.
  [[nodiscard]] Ref<T> GetByKey(std::string_view key) const {
    const auto [namespace_, name] = internal::SplitStoreKey(key);
    return Ref<T>(core_->Get(namespace_, name));
  }
  // All objects, in unspecified order. O(1).
  [[nodiscard]] ObjectRange<T> List() const { return ObjectRange<T>(core_->Snapshot()); }
  [[nodiscard]] std::vector<std::string> ListKeys() const {
    return internal::KeysOf(*core_->Snapshot());
  }
  [[nodiscard]] kinformer::Snapshot<T> Snapshot() const {
    return kinformer::Snapshot<T>(core_->Snapshot());
  }
  // Of the last write that had one; empty before.
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    return core_->ResourceVersion();
  }

  [[nodiscard]] const std::shared_ptr<internal::IndexerCore>& core() const { return core_; }

 private:
  std::shared_ptr<internal::IndexerCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_STORE_H_
