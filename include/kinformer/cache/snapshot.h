// kinformer/cache/snapshot.h
//
// Snapshot<T>: one version of a store, with its indexes, for any length of time.
//
//   auto snapshot = pods.Snapshot();
//   for (corev1::Pod pod : snapshot) ...
//   for (corev1::Pod pod : snapshot.ByIndex("node", "node-7")) ...
//   Ref<corev1::Pod> kept = snapshot.Retain(pod);
//
// A snapshot never changes, whatever happens to the store; all queries of it are answered from the
// same version.

#ifndef KINFORMER_CACHE_SNAPSHOT_H_
#define KINFORMER_CACHE_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/index_key.h"
#include "kinformer/cache/object_range.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Order and number of results of Range and Prefix.
struct IndexRangeOptions {
  bool descending = false;  // last value first
  std::size_t limit = 0;    // maximal number; 0: all
};

// Taking a snapshot costs about 50 ns, whatever the store's size; copies share. A snapshot that is
// held for long keeps at most one old version of each object in memory, and slows nothing down. Its
// views live as long as some copy of it. It may outlive its store and its informer.
//
// If the informer compresses (InformerOptions::compression), objects that are read are unpacked
// into memory of the snapshot, which grows with the number of objects read.
//
// Thread-safe. Never blocks. Counterpart: none in client-go, where List copies.
template <ObjectView T>
class Snapshot {
 public:
  using iterator = typename ObjectRange<T>::iterator;
  using const_iterator = iterator;
  using value_type = T;

  // Creates an empty snapshot.
  Snapshot() = default;
  explicit Snapshot(std::shared_ptr<const internal::SnapshotCore> core) : core_(std::move(core)) {}

  // Iterate over all objects, a forward range of T in unspecified order.
  [[nodiscard]] iterator begin() const KINFORMER_LIFETIMEBOUND {
    return core_ == nullptr ? iterator() : iterator(internal::BlockCursor(*core_));
  }
  [[nodiscard]] iterator end() const KINFORMER_LIFETIMEBOUND {
    return core_ == nullptr ? iterator() : iterator(internal::BlockCursor::End(*core_));
  }
  [[nodiscard]] std::size_t size() const { return core_ == nullptr ? 0 : core_->size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }

  [[nodiscard]] std::optional<T> Get(std::string_view namespace_,
                                     std::string_view name) const& KINFORMER_LIFETIMEBOUND {
    const internal::Block* block = core_ == nullptr ? nullptr : core_->Get(namespace_, name);
    if (block == nullptr) return std::nullopt;
    return T(core_->Whole(block));
  }
  // Returns the object with the key "namespace/name", or "name".
  [[nodiscard]] std::optional<T> GetByKey(std::string_view key) const& KINFORMER_LIFETIMEBOUND {
    const auto [namespace_, name] = internal::SplitStoreKey(key);
    return Get(namespace_, name);
  }
  // Rejects temporary Snapshots, with which the view would be destroyed.
  std::optional<T> Get(std::string_view namespace_, std::string_view name) const&& = delete;
  std::optional<T> GetByKey(std::string_view key) const&& = delete;

  // Returns the objects with `value` in the index; not ok() if there is no such index. The range
  // keeps the version alive, so that it may outlive this snapshot.
  [[nodiscard]] ObjectRange<T> ByIndex(std::string_view index, std::string_view value) const {
    if (core_ == nullptr) return {};
    auto blocks = core_->ByIndex(index, value);
    if (!blocks) return ObjectRange<T>().WithError(std::move(blocks).error());
    return ObjectRange<T>(core_, std::move(*blocks));
  }
  // Returns the objects with a value v, from <= v < to, in an ordered index (OrderedIndexFunc);
  // without `to`, up to the end. Sorted by value in byte order, then by namespace, then by name; an
  // object with several such values is returned once for each. Not ok() if there is no such index
  // (kNotFound) or it is not ordered (kInvalidArgument). Costs a search, plus the results.
  [[nodiscard]] ObjectRange<T> Range(std::string_view index, std::string_view from,
                                     std::optional<std::string_view> to,
                                     IndexRangeOptions options = {}) const {
    if (core_ == nullptr) return {};
    auto blocks = core_->ByIndexRange(
        index, {.from = from, .to = to, .descending = options.descending, .limit = options.limit});
    if (!blocks) return ObjectRange<T>().WithError(std::move(blocks).error());
    return ObjectRange<T>(core_, std::move(*blocks));
  }
  // Returns the objects with values that begin with `prefix`; otherwise as Range.
  [[nodiscard]] ObjectRange<T> Prefix(std::string_view index, std::string_view prefix,
                                      IndexRangeOptions options = {}) const {
    const std::optional<std::string> end = IndexPrefixEnd(prefix);
    return Range(index, prefix, end, options);
  }
  // Returns all values of the index that some object has, sorted.
  [[nodiscard]] Result<std::vector<std::string>> IndexFuncValues(std::string_view index) const {
    if (core_ == nullptr) return std::vector<std::string>();
    return core_->IndexValues(index);
  }

  // Returns a Ref that keeps one object longer than the snapshot. Increments its reference count.
  [[nodiscard]] Ref<T> Retain(const T& object) const {
    return Ref<T>(internal::ObjectRef::Share(internal::BlockOfView(object)));
  }

  // Returns the collection's version; empty before the first list.
  [[nodiscard]] std::string_view resourceVersion() const KINFORMER_LIFETIMEBOUND {
    return core_ == nullptr ? std::string_view() : core_->ResourceVersion();
  }
  // Returns how often the server had gone back in time (it was restored from a backup) before this
  // version: compare resourceVersions of the same epoch only. For several namespaces, returns the
  // smallest of their epochs.
  [[nodiscard]] std::uint64_t epoch() const { return core_ == nullptr ? 0 : core_->epoch(); }
  // Returns the store's version; larger versions are newer.
  [[nodiscard]] std::uint64_t version() const { return core_ == nullptr ? 0 : core_->version(); }

  [[nodiscard]] const std::shared_ptr<const internal::SnapshotCore>& core() const { return core_; }

 private:
  std::shared_ptr<const internal::SnapshotCore> core_;
};

namespace internal {

template <ObjectView T>
[[nodiscard]] kinformer::Snapshot<T> MakeSnapshot(const std::shared_ptr<InformerCore>& informer) {
  return kinformer::Snapshot<T>(IndexerOf(informer)->Snapshot());
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_CACHE_SNAPSHOT_H_
