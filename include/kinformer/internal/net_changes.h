// kinformer/internal/net_changes.h
//
// NetChanges: what changed in a store between two versions, without a type.

#ifndef KINFORMER_INTERNAL_NET_CHANGES_H_
#define KINFORMER_INTERNAL_NET_CHANGES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/snapshot_core.h"

namespace kinformer {

// What became of a key from one version of a store to another.
enum class NetChangeType : std::uint8_t { kAdded, kUpdated, kDeleted };

namespace internal {

struct NetChanges {
  struct Change {
    NetChangeType type{};
    ObjectRef object{};
  };
  std::vector<Change> changes{};  // one for each key, in the order of their last change
  std::shared_ptr<const SnapshotCore> snapshot{};  // the version that they lead to
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_NET_CHANGES_H_
