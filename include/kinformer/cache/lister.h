// kinformer/cache/lister.h
//
// Lister<T>: reads a cache with the API's terms, and distinguishes objects that do not exist from
// objects that the cache lacks.
//
//   Lister<corev1::Pod> pods = informer.lister();
//   for (corev1::Pod pod : pods.Namespace("default").List(selector)) ...
//   Result<Ref<corev1::Pod>> pod = pods.Namespace("default").Get("web-0");
//   if (!pod && IsAbsent(pod.error())) ...  // nothing to do for it; else the cache cannot tell yet

#ifndef KINFORMER_CACHE_LISTER_H_
#define KINFORMER_CACHE_LISTER_H_

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/object_range.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {

// Returns the name of the objects in messages: "pods".
template <ObjectView T>
[[nodiscard]] std::string_view ResourceNameOf() {
  if constexpr (Resource<T>) {
    return T::kind_info().resource;
  } else {
    return "object";
  }
}

template <ObjectView T>
ObjectRange<T> Select(const IndexerCore& core, std::string_view namespace_,
                      const LabelSelector& selector) {
  auto snapshot = core.SnapshotAsItIs();
  const auto complete = core.Complete(*snapshot, ResourceNameOf<T>(), namespace_);
  const auto finish = [&](ObjectRange<T> range) {
    return complete ? std::move(range) : std::move(range).WithError(complete.error());
  };
  if (selector.MatchesNothing()) return finish({});
  const auto matches = [&](const Block* block) {
    if (!block->packed()) return selector.Matches(T(block).metadata().labels());
    // Does not keep the unpacked copies of objects that do not match.
    const ObjectRef whole = Unpacked(ObjectRef::Share(block));
    return selector.Matches(T(whole.get()).metadata().labels());
  };
  std::vector<const Block*> found;
  if (!namespace_.empty()) {
    // Exists in every store that has a lister.
    found = snapshot->ByIndex(kNamespaceIndex, namespace_).value_or({});
    if (!selector.MatchesEverything()) {
      std::erase_if(found, [&](const Block* block) { return !matches(block); });
    }
  } else if (selector.MatchesEverything()) {
    return finish(ObjectRange<T>(std::move(snapshot)));
  } else {
    SnapshotCore::Cursor cursor;
    while (const Block* block = snapshot->Next(cursor)) {
      if (matches(block)) found.push_back(block);
    }
  }
  return finish(ObjectRange<T>(std::move(snapshot), std::move(found)));
}

template <ObjectView T>
Result<Ref<T>> GetOrWhyNot(const IndexerCore& core, std::string_view namespace_,
                           std::string_view name) {
  Result<ObjectRef> object = core.GetOrWhyNot(ResourceNameOf<T>(), namespace_, name);
  if (object) return Ref<T>(*std::move(object));
  if constexpr (Resource<T>) {
    if (Result<void> fits = CheckNamespace(T::kind_info(), namespace_, name); !fits) {
      return std::move(fits).error();
    }
  }
  return std::move(object).error();
}

}  // namespace internal

// Lister for one namespace. Counterpart: PodNamespaceLister and similar types.
template <ObjectView T>
class NamespaceLister {
 public:
  NamespaceLister(std::shared_ptr<internal::IndexerCore> core, std::string scope)
      : core_(std::move(core)), namespace_(std::move(scope)) {}

  [[nodiscard]] ObjectRange<T> List(const LabelSelector& selector = {}) const {
    return internal::Select<T>(*core_, namespace_, selector);
  }
  // Returns the object, or why there is none: see Lister::Get. Lister::Get(namespace, name) does
  // the same without a NamespaceLister.
  [[nodiscard]] Result<Ref<T>> Get(std::string_view name) const {
    return internal::GetOrWhyNot<T>(*core_, namespace_, name);
  }
  // Waits as Lister's method, for changes in this namespace: if an informer watches several, it
  // does not wait for the others. kOutOfScope: the informer does not watch this one.
  Result<void> WaitForResourceVersion(std::string_view resourceVersion,
                                      const std::stop_token& stop = {},
                                      std::optional<Duration> timeout = {}) const {
    return core_->WaitForResourceVersion(namespace_, resourceVersion, stop, timeout);
  }

 private:
  std::shared_ptr<internal::IndexerCore> core_;
  std::string namespace_;
};

// A read-only handle on a store; keeps an informer alive as the informer's own handles do.
//
// Thread-safe. Never blocks. Results are immutable and shared. Each call reads one version of the
// cache, and knows what that version covers. Ranges that may be incomplete are marked:
// ObjectRange::ok.
// Counterpart: PodLister and similar types, cache.GenericLister.
template <ObjectView T>
class Lister {
 public:
  // Creates a lister of any Indexer. One without an informer is complete; an informer's may not be.
  explicit Lister(const Indexer<T>& indexer) : core_(indexer.core()) {}
  explicit Lister(std::shared_ptr<internal::IndexerCore> core) : core_(std::move(core)) {}

  // Returns the objects with matching labels, in all namespaces. O(1) without a selector, else it
  // reads every object's labels.
  [[nodiscard]] ObjectRange<T> List(const LabelSelector& selector = {}) const {
    return internal::Select<T>(*core_, {}, selector);
  }
  // Returns a lister for one namespace; empty means all for List, and no namespace for Get.
  [[nodiscard]] NamespaceLister<T> Namespace(std::string_view namespace_) const {
    return NamespaceLister<T>(core_, std::string(namespace_));
  }
  // Returns a cluster-scoped object. kNotFound: it does not exist. kInvalidArgument: the name is
  // empty, or the kind has namespaces and none is given (or it has none, and one is given). With
  // other errors the cache does not know: kOutOfScope (not covered: another namespace or name than
  // its own, or selectors that the object may not match; a retry does not help), kNotSynced (not
  // listed yet), kStopped (the cache is no longer updated), kUnreadable (the object exists, but its
  // bytes are malformed), kOverLimit (the object exists, but did not fit:
  // InformerOptions::max_objects, max_bytes).
  [[nodiscard]] Result<Ref<T>> Get(std::string_view name) const {
    return internal::GetOrWhyNot<T>(*core_, {}, name);
  }
  // Returns an object with a namespace; empty means that it has none. A successful read allocates
  // nothing, and only increments the object's reference count.
  [[nodiscard]] Result<Ref<T>> Get(std::string_view namespace_, std::string_view name) const {
    return internal::GetOrWhyNot<T>(*core_, namespace_, name);
  }
  // Returns the object with the key "namespace/name", or "name".
  [[nodiscard]] Result<Ref<T>> GetByKey(std::string_view key) const {
    const auto [namespace_, name] = internal::SplitStoreKey(key);
    return Get(namespace_, name);
  }
  [[nodiscard]] ObjectRange<T> ByIndex(std::string_view index, std::string_view value) const {
    const kinformer::Snapshot<T> snapshot = Snapshot();
    return Judged(snapshot, snapshot.ByIndex(index, value));
  }
  // Return objects whose values in an ordered index are in a range, or have a prefix: see Snapshot.
  [[nodiscard]] ObjectRange<T> Range(std::string_view index, std::string_view from,
                                     std::optional<std::string_view> to,
                                     IndexRangeOptions options = {}) const {
    const kinformer::Snapshot<T> snapshot = Snapshot();
    return Judged(snapshot, snapshot.Range(index, from, to, options));
  }
  [[nodiscard]] ObjectRange<T> Prefix(std::string_view index, std::string_view prefix,
                                      IndexRangeOptions options = {}) const {
    const kinformer::Snapshot<T> snapshot = Snapshot();
    return Judged(snapshot, snapshot.Prefix(index, prefix, options));
  }
  [[nodiscard]] kinformer::Snapshot<T> Snapshot() const {
    return kinformer::Snapshot<T>(core_->Snapshot());
  }
  // See SharedInformer::WaitForResourceVersion; kInvalidArgument for a store without an informer.
  Result<void> WaitForResourceVersion(std::string_view resourceVersion,
                                      const std::stop_token& stop = {},
                                      std::optional<Duration> timeout = {}) const {
    return core_->WaitForResourceVersion({}, resourceVersion, stop, timeout);
  }

  [[nodiscard]] const std::shared_ptr<internal::IndexerCore>& core() const { return core_; }

 private:
  // Returns the range, with an error if the snapshot may lack some of its objects.
  [[nodiscard]] ObjectRange<T> Judged(const kinformer::Snapshot<T>& snapshot,
                                      ObjectRange<T> range) const {
    if (!range.ok()) return range;
    const auto complete = core_->Complete(*snapshot.core(), internal::ResourceNameOf<T>(), {});
    return complete ? std::move(range) : std::move(range).WithError(complete.error());
  }

  std::shared_ptr<internal::IndexerCore> core_;
};

namespace internal {

template <ObjectView T>
[[nodiscard]] kinformer::Lister<T> MakeLister(const std::shared_ptr<InformerCore>& informer) {
  return kinformer::Lister<T>(IndexerOf(informer));
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_CACHE_LISTER_H_
