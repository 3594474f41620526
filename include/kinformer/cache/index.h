// kinformer/cache/index.h
//
// Indexes: named functions that return the values under which an object can be found.
//
//   Indexers<corev1::Pod> by_node = {
//       {"node", [](corev1::Pod p, auto& out) { out.Add(p.spec().nodeName()); }}};
//
// An object may have any number of values in an index, none included. Every store has the index
// "namespace".

#ifndef KINFORMER_CACHE_INDEX_H_
#define KINFORMER_CACHE_INDEX_H_

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/internal/function_identity.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/object/resource.h"

namespace kinformer {

template <ObjectView T>
class IndexFunc;

namespace internal {
template <ObjectView T>
IndexFunction Untyped(IndexFunc<T> function);
}  // namespace internal

template <ObjectView T>
IndexFunc<T> OrderedIndexFunc(IndexFunc<T> function);

// Name of the index by namespace, in which objects without a namespace have the value "".
// Counterpart: cache.NamespaceIndex.
inline constexpr std::string_view kNamespaceIndex = "namespace";

// Receives the values of an object: Add(std::string_view) copies the value before it returns.
using IndexValues = internal::IndexValues;

// Function of the index "namespace". Counterpart: cache.MetaNamespaceIndexFunc.
template <ObjectView T>
void MetaNamespaceIndexFunc(T object, IndexValues& values) {
  values.Add(internal::BlockOfView(object)->namespace_());
}

// Returns an object's values in an index. Runs once per object version on the thread that writes
// the store: an informer's loop. Must be pure and quick. A slow one is named in the log; if it
// throws, the object has no value. Made of any such callable, and called as any std::function.
// Counterpart: cache.IndexFunc.
//
// Can be compared with another: copies are the same, and so are two that are made of the same plain
// function, or of one lambda that captures nothing. To register a function that captures something
// twice, keep the IndexFunc and pass copies.
template <ObjectView T>
class IndexFunc : public std::function<void(T, IndexValues&)> {
  using Function = std::function<void(T, IndexValues&)>;

 public:
  IndexFunc() = default;
  template <class F>
    requires(!std::derived_from<std::remove_cvref_t<F>, IndexFunc>)
  IndexFunc(F&& callable) {  // NOLINT(google-explicit-constructor): as std::function
    constexpr bool kFits = std::constructible_from<Function, F>;
    static_assert(kFits,
                  "an index function is called with the object and with where its values go, and "
                  "returns nothing: [](corev1::Pod pod, auto& out) { "
                  "out.Add(pod.spec().nodeName()); }");
    if constexpr (kFits) {
      Function::operator=(callable);
      identity_ = internal::IdentityOf<std::decay_t<F>>(callable);
    }
    if constexpr (std::is_same_v<std::decay_t<F>, void (*)(T, IndexValues&)>) {
      by_namespace_ = callable == &MetaNamespaceIndexFunc<T>;
    }
  }

 private:
  template <ObjectView U>
  friend internal::IndexFunction internal::Untyped(IndexFunc<U> function);
  template <ObjectView U>
  friend IndexFunc<U> OrderedIndexFunc(IndexFunc<U> function);

  internal::FunctionIdentity identity_;
  bool by_namespace_ = false;
  bool ordered_ = false;
};

// Returns the function for an ordered index, which keeps its values in byte order, so that Range
// and Prefix can find values between two others. index_key.h makes values whose bytes have the
// order of numbers, times and tuples. Costs about 30 bytes more per distinct value. Counterpart:
// none in client-go.
//
//   Indexers<corev1::Pod> by_start = {
//       {"start", OrderedIndexFunc<corev1::Pod>([](corev1::Pod p, auto& out) {
//          out.Add(IndexKey().Add(p.metadata().creationTimestamp()));
//        })}};
template <ObjectView T>
[[nodiscard]] IndexFunc<T> OrderedIndexFunc(IndexFunc<T> function) {
  function.ordered_ = true;
  return function;
}

// Index functions by name. Users of a shared informer who give the same function under one name
// share the index; another function under that name is an error. Counterpart: cache.Indexers.
template <ObjectView T>
using Indexers = std::map<std::string, IndexFunc<T>>;

// Returns an object's key: "namespace/name", or "name" without a namespace. Counterpart:
// cache.MetaNamespaceKeyFunc.
template <ObjectView T>
[[nodiscard]] std::string MetaNamespaceKeyFunc(const T& object) {
  return internal::KeyOfBlock(*internal::BlockOfView(object));
}

namespace internal {

template <ObjectView T>
IndexFunction Untyped(IndexFunc<T> function) {
  FunctionIdentity identity = function.identity_;
  const bool by_namespace = function.by_namespace_;
  const bool ordered = function.ordered_;
  IndexFunction made = [f = std::move(function)](const Block& block, IndexValues& out) {
    f(T(&block), out);
  };
  made.identity = std::move(identity);
  made.by_namespace = by_namespace;
  made.ordered = ordered;
  return made;
}

template <ObjectView T>
NamedIndexFunctions Untyped(Indexers<T> indexers) {
  NamedIndexFunctions untyped;
  for (auto& [name, function] : indexers) {
    untyped.emplace_back(name, Untyped<T>(std::move(function)));
  }
  return untyped;
}

template <ObjectView T>
Result<void> AddTypedIndexers(InformerCore& informer, Indexers<T> indexers) {
  return AddIndexesTo(informer, Untyped<T>(std::move(indexers)), false);
}
// Adds those indexes whose names are free. kAlreadyExists if another function has one of the names;
// the others are added nevertheless.
template <ObjectView T>
Result<void> AddMissingIndexers(InformerCore& informer, Indexers<T> indexers) {
  return AddIndexesTo(informer, Untyped<T>(std::move(indexers)), true);
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_CACHE_INDEX_H_
