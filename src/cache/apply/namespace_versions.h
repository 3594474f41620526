// cache/apply/namespace_versions.h
//
// NamespaceVersions: the positions of a store in each of its namespaces, and the resulting position
// of the whole. PositionWriter: reports the position of one controller.

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

// The store's version is the oldest one of its namespaces, as it has everything up to that. It
// stays unchanged while a namespace has none yet. It never decreases within an epoch.
//
// Lives as long as the informer, so that each namespace resumes where it stopped.
class NamespaceVersions {
 public:
  explicit NamespaceVersions(StoreCore& store) : store_(store) {}

  // ---- on the loop
  // Sets the namespaces of the store. Forgets the positions of all others.
  void SetNamespaces(const std::set<std::string, std::less<>>& namespaces);
  // Sets the version of a namespace whose changes are in the store's next commit; becomes part of
  // that commit.
  void Set(std::string_view namespace_, const StorePosition& position);
  // Publishes the position set for the namespace, after that commit.
  void Publish(std::string_view namespace_);

  // ---- on any thread
  // Returns the position as of the last commit; empty if the store does not cover the namespace.
  // Uses kOtherNamespaces for a namespace without a position of its own.
  [[nodiscard]] std::optional<StorePosition> Of(std::string_view namespace_) const;

 private:
  struct Slot {
    StorePosition next{};
    StorePosition published{};
  };

  void Combine();

  StoreCore& store_;
  mutable base::Mutex mutex_;
  // Written on the loop under the lock; read there without it.
  std::map<std::string, Slot, std::less<>> slots_;
  StorePosition combined_{};
};

// Confined to the loop.
class PositionWriter {
 public:
  // `together`: null if the store has this collection only; the version is then the store's.
  PositionWriter(StoreCore& store, NamespaceVersions* together, std::string_view namespace_);

  // Same as in StoreCore.
  void SetResourceVersion(std::string_view resource_version);
  void AdvanceResourceVersion(std::string_view resource_version);
  void SetEpoch(std::uint64_t epoch);
  // Called before and after the store's Commit.
  void BeforeCommit();
  void AfterCommit();
  // Returns the version of this collection as of the last commit.
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
