// kinformer/list_all.h
//
// ListAll, ListAllByNamespace: visit the objects of a store with matching labels.
//
//   std::vector<std::string> names;
//   ListAll(pods.indexer(), selector, [&](corev1::Pod pod) {
//     names.emplace_back(pod.metadata().name());
//   }).OrExit();
//
// For programs that write their own listers. Lister<T> (lister.h) returns a range instead.

#ifndef KINFORMER_LIST_ALL_H_
#define KINFORMER_LIST_ALL_H_

#include <concepts>
#include <string_view>
#include <utility>

#include "kinformer/indexer.h"
#include "kinformer/label_selector.h"
#include "kinformer/lister.h"
#include "kinformer/object_range.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/store.h"

namespace kinformer {

// Callback of ListAll. The view is valid during the call. Counterpart: cache.AppendFunc.
template <class F, class T>
concept AppendFunc = ObjectView<T> && std::invocable<F&, T>;

namespace internal {

template <ObjectView T, class F>
Result<void> AppendEach(const ObjectRange<T>& range, F& append) {
  for (const T object : range) append(object);
  if (!range.ok()) return range.error();
  return {};
}

}  // namespace internal

// Calls `append` for each object with matching labels, in unspecified order, from
// one version of the store. Reads objects only if the selector has conditions.
// Thread-safe; never blocks. Exceptions of `append` pass through. Errors: the
// visited objects may not be all, as with ObjectRange::ok: the store's informer
// has not synced (kNotSynced), or has stopped (kStopped). Counterpart:
// cache.ListAll.
template <ObjectView T, AppendFunc<T> F>
Result<void> ListAll(const Store<T>& store, const LabelSelector& selector, F append) {
  return internal::AppendEach(internal::Select<T>(*store.core(), {}, selector), append);
}

// Does the same for one namespace, by its index; empty: for all. Also kOutOfScope: the informer
// does not cover the namespace. Counterpart: cache.ListAllByNamespace.
template <ObjectView T, AppendFunc<T> F>
Result<void> ListAllByNamespace(const Indexer<T>& indexer, std::string_view namespace_,
                                const LabelSelector& selector, F append) {
  return internal::AppendEach(internal::Select<T>(*indexer.core(), namespace_, selector), append);
}

}  // namespace kinformer

#endif  // KINFORMER_LIST_ALL_H_
