// kinformer/internal/net_changes.h
//
// NetChanges: untyped differences between two versions of a store.

#ifndef KINFORMER_INTERNAL_NET_CHANGES_H_
#define KINFORMER_INTERNAL_NET_CHANGES_H_

#include <memory>
#include <vector>

#include "kinformer/cache/event_type.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/snapshot_core.h"

namespace kinformer::internal {

struct NetChanges {
  struct Change {
    EventType type{};
    ObjectRef object{};
  };
  std::vector<Change> changes{};  // one for each key, in the order of their last change
  std::shared_ptr<const SnapshotCore> snapshot{};  // the version after the changes
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_NET_CHANGES_H_
