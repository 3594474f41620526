// kinformer/index.h
//
// Indexes: named functions from an object to the values under which it can be found.
//
//   Indexers<corev1::Pod> by_node = {
//       {"node", [](corev1::Pod p, auto& out) { out.Add(p.spec().nodeName()); }}};
//
// An object may have any number of values in an index, none included. Every store has the index
// "namespace".

#ifndef KINFORMER_INDEX_H_
#define KINFORMER_INDEX_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/resource.h"

namespace kinformer {

// The name of the index by namespace, in which objects without a namespace have the value "".
// Counterpart: cache.NamespaceIndex.
inline constexpr std::string_view kNamespaceIndex = "namespace";

// Where an index function puts an object's values: Add(std::string_view), copied before it returns.
using IndexValues = internal::IndexValues;

// Runs once per object version on the thread that writes the store: an informer's loop. Must be
// pure and quick; it is named in the log when it is slow, and when it throws, the object has no
// value. Counterpart: cache.IndexFunc.
template <ObjectView T>
using IndexFunc = std::function<void(T, IndexValues&)>;

// By name. Counterpart: cache.Indexers.
template <ObjectView T>
using Indexers = std::map<std::string, IndexFunc<T>>;

// The function of the index "namespace". Counterpart: cache.MetaNamespaceIndexFunc.
template <ObjectView T>
void MetaNamespaceIndexFunc(T object, IndexValues& values) {
  values.Add(internal::BlockOfView(object)->namespace_());
}

// An object's key: "namespace/name", or "name" where there is no namespace. Counterpart:
// cache.MetaNamespaceKeyFunc.
template <ObjectView T>
[[nodiscard]] std::string MetaNamespaceKeyFunc(const T& object) {
  return internal::KeyOfBlock(*internal::BlockOfView(object));
}

namespace internal {

template <ObjectView T>
NamedIndexFunctions Untyped(Indexers<T> indexers) {
  NamedIndexFunctions untyped;
  for (auto& [name, function] : indexers) {
    untyped.emplace_back(name, [f = std::move(function)](const Block& block, IndexValues& out) {
      f(T(&block), out);
    });
  }
  return untyped;
}

template <ObjectView T>
Result<void> AddTypedIndexers(InformerCore& informer, Indexers<T> indexers) {
  return AddIndexesTo(informer, Untyped<T>(std::move(indexers)), false);
}
// Those whose names are not taken.
template <ObjectView T>
Result<void> AddMissingIndexers(InformerCore& informer, Indexers<T> indexers) {
  return AddIndexesTo(informer, Untyped<T>(std::move(indexers)), true);
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INDEX_H_
