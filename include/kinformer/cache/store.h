// kinformer/cache/store.h
//
// Store<T>: objects by key. An informer has one; it can also be used alone:
//
//   Store<corev1::Pod> pods(env);
//   pods.Add(pod).OrExit();  // a Ref<corev1::Pod>
//   if (Ref<corev1::Pod> web = pods.GetByKey("default/web-0")) ...
//
// Indexer<T> (indexer.h) is a Store with indexes; Lister<T> (lister.h) reads one and explains why
// an object is absent.

#ifndef KINFORMER_CACHE_STORE_H_
#define KINFORMER_CACHE_STORE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/object_range.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// A write of a transaction. Counterpart: cache.Transaction.
template <ObjectView T>
struct StoreTransaction {
  enum class Type : std::uint8_t { kAdd, kUpdate, kDelete };
  Type type{};
  Ref<T> object{};
};

// Result of a transaction; `error` is its first failure. Counterpart: cache.TransactionStoreError.
struct TransactionResult {
  std::vector<std::size_t> SuccessfulIndices{};
  std::optional<Error> error{};
};

// Counterpart: cache.StoreOption.
template <ObjectView T>
struct StoreOptions {
  // Returns the object to store in place of one that is written: the same, or one of the same name
  // (WithContent in transform.h makes one). Called by Add, Update, Replace and Transaction; its
  // error is theirs, and nothing is written then. Its exceptions pass through. Must be quick.
  // Counterpart: cache.WithTransformer.
  std::function<Result<Ref<T>>(const Ref<T>& object)> transformer{};
};

// A handle: copies refer to the same store.
//
// Thread-safe. Readers never wait, not even for a writer; writers wait for each other only.
// Writes fail with kInvalidArgument if the object has no name, and on the store of an informer,
// which only the informer writes. Ownership: the store shares its objects with each Ref or range
// that has them. Counterpart: cache.Store. Keys are always namespace and name
// (MetaNamespaceKeyFunc).
template <ObjectView T>
class Store {
 public:
  // Creates an empty store of its own. `env` is used for logging and must outlive it.
  explicit Store(Env& env, StoreOptions<T> options = {})
      : core_(std::make_shared<internal::IndexerCore>(env)) {
    if (options.transformer) {
      options_ = std::make_shared<const StoreOptions<T>>(std::move(options));
    }
  }
  explicit Store(std::shared_ptr<internal::IndexerCore> core) : core_(std::move(core)) {}

  // Add or replace the object: both do the same, as in client-go. The object's resourceVersion
  // becomes the store's.
  Result<void> Add(const Ref<T>& object) {
    if (options_ == nullptr) return core_->Put(object.object());
    const Result<Ref<T>> transformed = options_->transformer(object);
    if (!transformed) return transformed.error();
    return core_->Put((*transformed).object());
  }
  Result<void> Update(const Ref<T>& object) { return Add(object); }
  // Removes the object of that name, whatever its version; does nothing if it is absent. The
  // object's resourceVersion becomes the store's.
  Result<void> Delete(const Ref<T>& object) {
    const internal::ObjectRef& o = object.object();
    return core_->Delete(o->namespace_(), o->name(), o->resourceVersion());
  }
  // Removes an object by its key; the store's resourceVersion does not change.
  Result<void> DeleteByKey(std::string_view key) {
    const auto [namespace_, name] = internal::SplitStoreKey(key);
    return core_->Delete(namespace_, name, {});
  }
  // Replaces all objects by `objects`, in one step for readers. If one of them has no name, nothing
  // changes.
  Result<void> Replace(const std::vector<Ref<T>>& objects, std::string_view resource_version) {
    std::vector<internal::ObjectRef> untyped;
    untyped.reserve(objects.size());
    for (const Ref<T>& object : objects) {
      Result<Ref<T>> transformed = Transformed(object);
      if (!transformed) return std::move(transformed).error();
      untyped.push_back((*transformed).object());
    }
    return core_->Replace(untyped, resource_version);
  }
  // Makes all valid writes, in one step, and returns which succeeded.
  Result<TransactionResult> Transaction(const std::vector<StoreTransaction<T>>& writes) {
    std::vector<internal::Write> untyped;
    untyped.reserve(writes.size());
    for (const StoreTransaction<T>& write : writes) {
      const bool deletes = write.type == StoreTransaction<T>::Type::kDelete;
      Result<Ref<T>> transformed =
          deletes ? Result<Ref<T>>(write.object) : Transformed(write.object);
      if (!transformed) return std::move(transformed).error();
      untyped.push_back({internal::ObjectRef((*transformed).object()), deletes});
    }
    auto outcome = core_->Apply(std::move(untyped));
    if (!outcome) return std::move(outcome).error();
    return TransactionResult{std::move(outcome->successful), std::move(outcome->error)};
  }
  // Records that the store is complete up to this resourceVersion.
  Result<void> Bookmark(std::string_view resource_version) {
    return core_->Bookmark(resource_version);
  }

  // Returns the stored object of the same name, or null.
  [[nodiscard]] Ref<T> Get(const Ref<T>& object) const {
    return Ref<T>(core_->Get(object.object()->namespace_(), object.object()->name()));
  }
  // Returns the object, or null. `key` is "namespace/name", or "name" without a namespace.
  [[nodiscard]] Ref<T> GetByKey(std::string_view key) const {
    const auto [namespace_, name] = internal::SplitStoreKey(key);
    return Ref<T>(core_->Get(namespace_, name));
  }
  // Returns all objects, in unspecified order. O(1).
  [[nodiscard]] ObjectRange<T> List() const { return ObjectRange<T>(core_->Snapshot()); }
  [[nodiscard]] std::vector<std::string> ListKeys() const {
    return internal::KeysOf(*core_->Snapshot());
  }
  [[nodiscard]] kinformer::Snapshot<T> Snapshot() const {
    return kinformer::Snapshot<T>(core_->Snapshot());
  }
  // Returns the version of the last write that had one; empty before.
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    return core_->ResourceVersion();
  }

  [[nodiscard]] const std::shared_ptr<internal::IndexerCore>& core() const { return core_; }

 private:
  [[nodiscard]] Result<Ref<T>> Transformed(const Ref<T>& object) const {
    return options_ == nullptr ? Result<Ref<T>>(object) : options_->transformer(object);
  }

  std::shared_ptr<internal::IndexerCore> core_;
  std::shared_ptr<const StoreOptions<T>> options_;  // null: no transformer
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_STORE_H_
