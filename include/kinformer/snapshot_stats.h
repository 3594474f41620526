// kinformer/snapshot_stats.h
//
// SnapshotStats: who holds snapshots of a store, since when, and what that costs.

#ifndef KINFORMER_SNAPSHOT_STATS_H_
#define KINFORMER_SNAPSHOT_STATS_H_

#include <cstddef>

#include "kinformer/env.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/reading_side.h"

namespace kinformer {

// As of the last writes; the figures may be moments apart.
struct SnapshotStats {
  // Snapshots, and ranges that queries gave, copies not counted.
  std::size_t held = 0;
  // Memory of replaced and deleted objects that they keep, or that is about to be freed.
  std::size_t bytes = 0;
  // For how long the oldest of them has been out of date: a snapshot of the current version keeps
  // nothing. Zero where none is.
  Duration oldest{};
};

namespace internal {
[[nodiscard]] SnapshotStats SnapshotStatsOfCore(const IndexerCore& core);
void SetSnapshotAgeLimitOfCore(const IndexerCore& core, Duration limit);
}  // namespace internal

// Of the store of a Store, Indexer, Lister or SharedInformer. Informers have the same as metrics.
//
// Thread-safe. Never blocks. Counterpart: none in client-go.
template <internal::ReadingSide Source>
[[nodiscard]] SnapshotStats SnapshotStatsOf(const Source& source) {
  return internal::SnapshotStatsOfCore(*internal::ReadingSideOf(source));
}

// From now on the log has a warning when a snapshot of this store has been out of date for longer
// than `limit`: one, until there is no such snapshot any more. Ten minutes unless this is called;
// zero: none. The age is looked at when the store is written.
//
// Thread-safe. Never blocks.
template <internal::ReadingSide Source>
void SetSnapshotAgeLimit(const Source& source, Duration limit) {
  internal::SetSnapshotAgeLimitOfCore(*internal::ReadingSideOf(source), limit);
}

}  // namespace kinformer

#endif  // KINFORMER_SNAPSHOT_STATS_H_
