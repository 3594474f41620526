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

// By name. Who names one function twice shares its index; a name that is taken by another function
// is an error (as far as can be told: two lambdas that differ only in what they capture look
// alike). Counterpart: cache.Indexers.
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

// What can be told of a function: nothing in programs without RTTI.
template <ObjectView T>
void Identify(const IndexFunc<T>& function, IndexFunction& made) {
#if defined(__cpp_rtti)
  using Plain = void (*)(T, IndexValues&);
  const Plain* const plain = function.template target<Plain>();
  const Plain by_namespace = &MetaNamespaceIndexFunc<T>;
  made.type = &function.target_type();
  made.address = plain == nullptr ? nullptr : reinterpret_cast<const void*>(*plain);
  made.by_namespace = plain != nullptr && *plain == by_namespace;
#else
  static_cast<void>(function);
  static_cast<void>(made);
#endif
}

template <ObjectView T>
NamedIndexFunctions Untyped(Indexers<T> indexers) {
  NamedIndexFunctions untyped;
  for (auto& [name, function] : indexers) {
    IndexFunction known;
    Identify<T>(function, known);
    IndexFunction made = [f = std::move(function)](const Block& block, IndexValues& out) {
      f(T(&block), out);
    };
    made.type = known.type;
    made.address = known.address;
    made.by_namespace = known.by_namespace;
    untyped.emplace_back(name, std::move(made));
  }
  return untyped;
}

template <ObjectView T>
Result<void> AddTypedIndexers(InformerCore& informer, Indexers<T> indexers) {
  return AddIndexesTo(informer, Untyped<T>(std::move(indexers)), false);
}
// Those whose names are not taken. kAlreadyExists where one is, by another function; the others are
// added all the same.
template <ObjectView T>
Result<void> AddMissingIndexers(InformerCore& informer, Indexers<T> indexers) {
  return AddIndexesTo(informer, Untyped<T>(std::move(indexers)), true);
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INDEX_H_
