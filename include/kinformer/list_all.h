// kinformer/list_all.h
//
// ListAll, ListAllByNamespace: go through the objects of a store whose labels match.
//
//   std::vector<std::string> names;
//   ListAll(pods.indexer(), selector, [&](corev1::Pod pod) {
//     names.emplace_back(pod.metadata().name());
//   }).OrExit();
//
// What a lister of one's own is made of. Lister<T> (lister.h) gives the same objects as a range.

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

// Takes one object of a ListAll. The view is valid during the call. Counterpart: cache.AppendFunc.
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

// Calls `append` for each object whose labels match, in unspecified order, out of one version of
// the store. Objects are looked into only where the selector asks for something. Thread-safe; never
// blocks. What `append` throws passes through.
// Errors: what was gone through cannot be relied on to be all, as ObjectRange::ok says: the
// informer whose store this is has not synced (kNotSynced), or has stopped (kStopped). Counterpart:
// cache.ListAll.
template <ObjectView T, AppendFunc<T> F>
Result<void> ListAll(const Store<T>& store, const LabelSelector& selector, F append) {
  return internal::AppendEach(internal::Select<T>(*store.core(), {}, selector), append);
}

// The same of one namespace, by its index; empty: of all. kOutOfScope besides: the informer does
// not look there. Counterpart: cache.ListAllByNamespace.
template <ObjectView T, AppendFunc<T> F>
Result<void> ListAllByNamespace(const Indexer<T>& indexer, std::string_view namespace_,
                                const LabelSelector& selector, F append) {
  return internal::AppendEach(internal::Select<T>(*indexer.core(), namespace_, selector), append);
}

}  // namespace kinformer

#endif  // KINFORMER_LIST_ALL_H_
