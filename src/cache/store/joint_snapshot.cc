// Snapshots of several stores that were current at one instant.
//
// Versions of a store only grow. So a pass that finds every store at the version that is pinned
// already proves that all of them were current when the pass began.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "cache/store/reclamation.h"
#include "cache/store/store_core.h"
#include "cache/store/store_state.h"

namespace kinformer::internal::cache {

namespace {

// A pass is a few loads for each store, so this many fail only if commits follow each other without
// a pause.
constexpr int kPassesBeforeWritersWait = 32;

class Pins {
 public:
  explicit Pins(std::span<StoreState* const> stores) : stores_(stores), nodes_(stores.size()) {}

  // Returns true if all pinned versions were current at the start of this pass.
  bool Pass() {
    ReadGuard guard;
    bool same = true;
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      Versions& versions = stores_[i]->versions;
      if (nodes_[i] == &versions.Current()) continue;  // a pinned node is not used again
      if (nodes_[i] != nullptr) versions.Unpin(nodes_[i]);
      nodes_[i] = versions.Pin();
      same = false;
    }
    return same;
  }
  [[nodiscard]] const std::vector<VersionNode*>& nodes() const { return nodes_; }

 private:
  const std::span<StoreState* const> stores_;
  std::vector<VersionNode*> nodes_;
};

}  // namespace

std::vector<std::shared_ptr<const SnapshotCore>> StoreCore::JointSnapshots(
    std::span<const StoreCore* const> stores, int passes) {
  std::vector<StoreState*> states;
  states.reserve(stores.size());
  for (const StoreCore* store : stores) states.push_back(store->state_.get());
  Pins pins(states);
  bool done = false;
  for (int pass = 0; pass < passes && !done; ++pass) done = pins.Pass();
  if (!done) {
    // Each writer may publish once more; after that it notices the hold and waits.
    const base::MutexLock lock(Versions::HoldMutex());
    for (StoreState* state : states) state->versions.Hold();
    while (!pins.Pass()) {
    }
    for (StoreState* state : states) state->versions.Release();
  }
  std::vector<std::shared_ptr<const SnapshotCore>> snapshots;
  snapshots.reserve(stores.size());
  for (std::size_t i = 0; i < stores.size(); ++i) {
    snapshots.push_back(std::make_shared<PinnedSnapshot>(stores[i]->state_, pins.nodes()[i]));
  }
  return snapshots;
}

std::vector<std::shared_ptr<const SnapshotCore>> StoreCore::JointSnapshots(
    std::span<const StoreCore* const> stores) {
  return JointSnapshots(stores, kPassesBeforeWritersWait);
}

}  // namespace kinformer::internal::cache
