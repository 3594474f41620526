// cache/apply/part_positions.h
//
// PartPositions: the positions of a store's parts in the server's history, and the position of the
// whole that follows from them. PartPosition: one of them.

#ifndef KINFORMER_CACHE_APPLY_PART_POSITIONS_H_
#define KINFORMER_CACHE_APPLY_PART_POSITIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/core/mutex.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// The position of one part. Changes belong to the store's next commit. Confined to the loop.
class PartPosition {
 public:
  // Same as in StoreCore.
  void SetResourceVersion(std::string_view resource_version);
  void AdvanceResourceVersion(std::string_view resource_version);
  void SetEpoch(std::uint64_t epoch);
  [[nodiscard]] const std::string& resource_version() const { return next_.resource_version; }

 private:
  friend class PartPositions;

  StorePosition next_{};
  StorePosition committed_{};
  bool changed_ = false;  // next_ is not committed yet
  bool counts_ = false;   // it is that of a part
  bool named_ = false;    // other threads may ask for what is committed
};

// The store's version is the oldest one of its parts, as it has everything up to that; with a
// single part, it is that part's. It stays unchanged while a part has none yet. It never decreases
// within an epoch.
//
// Lives as long as the informer, so that each part resumes where it stopped.
class PartPositions {
 public:
  explicit PartPositions(StoreCore& store) : store_(store) {}

  // ---- on the loop
  // Sets the keys of the store's parts (store_part.h). Forgets the positions of all others.
  void SetParts(const std::set<std::string, std::less<>>& keys);
  // Returns the position of a part for its next writer: as of the last commit. One that is no part
  // of the store gets a position that counts for nothing.
  [[nodiscard]] std::shared_ptr<PartPosition> Of(std::string_view key);
  // Called before and after the store's Commit of changes that move this position.
  void BeforeCommit(const PartPosition& position);
  void AfterCommit(PartPosition& position);

  // ---- on any thread
  // Returns the position of a namespace as of the last commit, which is that of kOtherNamespaces if
  // the namespace is no part by itself; empty if the store has no such part. A part without a name
  // has the position of the store.
  [[nodiscard]] std::optional<StorePosition> Read(std::string_view namespace_) const;

 private:
  void Combine();

  StoreCore& store_;
  mutable base::Mutex mutex_;
  // The map, and what is committed of parts with a name, are written on the loop under the lock,
  // and read there without it.
  std::map<std::string, std::shared_ptr<PartPosition>, std::less<>> parts_;
  StorePosition combined_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_PART_POSITIONS_H_
