#include "kinformer/cache/snapshot_stats.h"

#include "cache/store/store_core.h"

namespace kinformer::internal {

SnapshotStats SnapshotStatsOfCore(const IndexerCore& core) {
  const cache::StoreStats stats = core.store().Stats();
  return {.held = stats.snapshots, .bytes = stats.pinned_bytes, .oldest = stats.oldest_snapshot};
}

void SetSnapshotAgeLimitOfCore(const IndexerCore& core, Duration limit) {
  core.store().SetSnapshotAgeLimit(limit);
}

}  // namespace kinformer::internal
