// kinformer/internal/net_changes.h
//
// NetChanges: untyped differences between two versions of a store.

#ifndef KINFORMER_INTERNAL_NET_CHANGES_H_
#define KINFORMER_INTERNAL_NET_CHANGES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/snapshot_core.h"

namespace kinformer {

// Kind of change of a key between two versions of a store.
enum class NetChangeType : std::uint8_t { kAdded, kUpdated, kDeleted };

namespace internal {

struct NetChanges {
  struct Change {
    NetChangeType type{};
    ObjectRef object{};
  };
  std::vector<Change> changes{};  // one for each key, in the order of their last change
  std::shared_ptr<const SnapshotCore> snapshot{};  // the version after the changes
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_NET_CHANGES_H_
