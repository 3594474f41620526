// kinformer/cache/indexer.h
//
// Indexer<T>: a Store with indexes, which find objects by other values than their keys.
//
//   Indexer<corev1::Pod> pods(
//       env, {{"node", [](corev1::Pod p, auto& out) { out.Add(p.spec().nodeName()); }}});
//   for (corev1::Pod pod : pods.ByIndex("node", "node-7")) ...

#ifndef KINFORMER_CACHE_INDEXER_H_
#define KINFORMER_CACHE_INDEXER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/store.h"

namespace kinformer {

// A Store with indexes. Each call reads one version of the store; for several queries of the same
// version, take a Snapshot.
//
// See Store for threads and ownership. An index that does not exist is kNotFound. Counterpart:
// cache.Indexer.
template <ObjectView T>
class Indexer : public Store<T> {
 public:
  // Creates an empty store with `indexers` and the index "namespace".
  explicit Indexer(Env& env, Indexers<T> indexers = {}) : Store<T>(env) {
    internal::LogError(env,
                       this->core()->AddIndexes(internal::Untyped<T>(std::move(indexers)), true));
  }
  explicit Indexer(std::shared_ptr<internal::IndexerCore> core) : Store<T>(std::move(core)) {}

  // Returns the objects that share a value of the index with `object`, which need not be in the
  // store. Runs the index function on this thread.
  [[nodiscard]] ObjectRange<T> Index(std::string_view index, const Ref<T>& object) const {
    auto values = this->core()->ValuesOf(index, *object.object());
    if (!values) return ObjectRange<T>().WithError(std::move(values).error());
    auto snapshot = this->core()->Snapshot();
    auto found = internal::ByIndexValues(*snapshot, index, *values);
    return ObjectRange<T>(std::move(snapshot), std::move(found));
  }
  // Returns the objects with this value.
  [[nodiscard]] ObjectRange<T> ByIndex(std::string_view index, std::string_view value) const {
    return this->Snapshot().ByIndex(index, value);
  }
  // Return objects whose values in an ordered index are in a range, or have a prefix: see Snapshot.
  [[nodiscard]] ObjectRange<T> Range(std::string_view index, std::string_view from,
                                     std::optional<std::string_view> to,
                                     IndexRangeOptions options = {}) const {
    return this->Snapshot().Range(index, from, to, options);
  }
  [[nodiscard]] ObjectRange<T> Prefix(std::string_view index, std::string_view prefix,
                                      IndexRangeOptions options = {}) const {
    return this->Snapshot().Prefix(index, prefix, options);
  }
  // Returns the keys of the objects with this value, sorted.
  [[nodiscard]] Result<std::vector<std::string>> IndexKeys(std::string_view index,
                                                           std::string_view value) const {
    const auto snapshot = this->core()->Snapshot();
    auto blocks = snapshot->ByIndex(index, value);
    if (!blocks) return std::move(blocks).error();
    return internal::KeysOf(*blocks);
  }
  // Returns all values of the index that some object has, sorted. Empty if there is no such index.
  [[nodiscard]] std::vector<std::string> ListIndexFuncValues(std::string_view index) const {
    return this->core()->Snapshot()->IndexValues(index).value_or({});
  }
  // Adds indexes and fills them with the existing objects. kAlreadyExists, and none added, if one
  // of the names is taken. On a running informer this blocks until they are complete;
  // kWouldDeadlock on the loop thread.
  Result<void> AddIndexers(Indexers<T> indexers) {
    return this->core()->AddIndexes(internal::Untyped<T>(std::move(indexers)));
  }
  // Removes indexes, for all users of a shared informer. Later versions lack them; older
  // snapshots keep them, and the memory is freed by writes after the last of these snapshots
  // is gone. The names can be reused at once. kNotFound, and none removed, if a name is
  // unknown; kInvalidArgument for "namespace", which listers need. On a running informer this
  // blocks until they are removed; kWouldDeadlock on the loop thread. Counterpart: none in
  // client-go.
  Result<void> RemoveIndexers(std::vector<std::string> names) {
    return this->core()->RemoveIndexes(std::move(names));
  }
  // Returns the names of the indexes.
  [[nodiscard]] std::vector<std::string> GetIndexers() const { return this->core()->IndexNames(); }
};

namespace internal {

template <ObjectView T>
[[nodiscard]] kinformer::Indexer<T> MakeIndexer(const std::shared_ptr<InformerCore>& informer) {
  return kinformer::Indexer<T>(IndexerOf(informer));
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_CACHE_INDEXER_H_
