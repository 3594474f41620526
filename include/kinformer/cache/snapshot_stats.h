// kinformer/cache/snapshot_stats.h
//
// SnapshotStats: snapshots of a store that are held, their age, and the memory that they keep.

#ifndef KINFORMER_CACHE_SNAPSHOT_STATS_H_
#define KINFORMER_CACHE_SNAPSHOT_STATS_H_

#include <cstddef>

#include "kinformer/base/env.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/reading_side.h"

namespace kinformer {

// Figures as of the last writes; members may be read moments apart.
struct SnapshotStats {
  // Snapshots, and ranges returned by queries, without copies.
  std::size_t held = 0;
  // Bytes of replaced or deleted objects that they keep, or that are not freed yet.
  std::size_t bytes = 0;
  // Time since the oldest of them became outdated; a snapshot of the current version keeps no extra
  // memory. Zero if none is outdated.
  Duration oldest{};
};

namespace internal {
[[nodiscard]] SnapshotStats SnapshotStatsOfCore(const IndexerCore& core);
void SetSnapshotAgeLimitOfCore(const IndexerCore& core, Duration limit);
}  // namespace internal

// Returns figures of a store, given a handle on it. For informers these are metrics too.
//
// Thread-safe. Never blocks. Counterpart: none in client-go.
template <internal::ReadingSide Source>
[[nodiscard]] SnapshotStats SnapshotStatsOf(const Source& source) {
  return internal::SnapshotStatsOfCore(*internal::ReadingSideOf(source));
}

// Logs a warning when a snapshot of this store has been outdated for longer than `limit`: one
// warning, until no such snapshot is left. The default is ten minutes; zero: no warnings. The age
// is checked when the store is written.
//
// Thread-safe. Never blocks.
template <internal::ReadingSide Source>
void SetSnapshotAgeLimit(const Source& source, Duration limit) {
  internal::SetSnapshotAgeLimitOfCore(*internal::ReadingSideOf(source), limit);
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_SNAPSHOT_STATS_H_
