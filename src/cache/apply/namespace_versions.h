// cache/apply/namespace_versions.h
//
// NamespaceVersions: how far a store that looks at several namespaces has got in each of them, and
// by that in all. PositionWriter: what a controller tells of its own.

#ifndef KINFORMER_CACHE_APPLY_NAMESPACE_VERSIONS_H_
#define KINFORMER_CACHE_APPLY_NAMESPACE_VERSIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/core/mutex.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// The store's version is the oldest of the namespaces': it has all up to that. While one of them
// has none yet, the store's stays what it was. It never goes back within an epoch.
//
// Lives as long as the informer, so that each namespace goes on where it was.
class NamespaceVersions {
 public:
  explicit NamespaceVersions(StoreCore& store) : store_(store) {}

  // ---- on the loop
  // From now on the store looks at these. Those that it does not look at any more are forgotten.
  void SetNamespaces(const std::set<std::string, std::less<>>& namespaces);
  // The next commit of the store has all up to this version of the namespace; it becomes part of
  // that commit.
  void Set(std::string_view namespace_, const StorePosition& position);
  // That commit is made.
  void Publish(std::string_view namespace_);

  // ---- by anyone
  // As of the last commit; empty: the store does not look there. Namespaces that have none of their
  // own are as far as kOtherNamespaces, if it looks at these.
  [[nodiscard]] std::optional<StorePosition> Of(std::string_view namespace_) const;

 private:
  struct Slot {
    StorePosition next{};
    StorePosition published{};
  };

  void Combine();

  StoreCore& store_;
  mutable base::Mutex mutex_;
  // The loop alone writes; it reads without the lock.
  std::map<std::string, Slot, std::less<>> slots_;
  StorePosition combined_{};
};

// Confined to the loop.
class PositionWriter {
 public:
  // `together` null: the store has this collection only, and its version is the collection's.
  PositionWriter(StoreCore& store, NamespaceVersions* together, std::string_view namespace_);

  // As StoreCore's.
  void SetResourceVersion(std::string_view resource_version);
  void AdvanceResourceVersion(std::string_view resource_version);
  void SetEpoch(std::uint64_t epoch);
  // Around the store's Commit.
  void BeforeCommit();
  void AfterCommit();
  // Of the collection, as of the last commit.
  [[nodiscard]] std::string ResourceVersion() const;

 private:
  StoreCore& store_;
  NamespaceVersions* const together_;
  const std::string slot_;
  StorePosition position_{};
  bool changed_ = false;
  bool publishes_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_NAMESPACE_VERSIONS_H_
