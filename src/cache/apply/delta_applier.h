// cache/apply/delta_applier.h
//
// DeltaApplier: writes deltas to the store, one by one, and notes what handlers are to hear of
// them. A whole list is not one of these: that is a Relist.

#ifndef KINFORMER_CACHE_APPLY_DELTA_APPLIER_H_
#define KINFORMER_CACHE_APPLY_DELTA_APPLIER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"

#include "cache/apply/coverage_writer.h"
#include "cache/apply/gap_detector.h"
#include "cache/apply/limit_share.h"
#include "cache/apply/namespace_versions.h"
#include "cache/delivery/notification.h"
#include "cache/deltas/delta.h"
#include "cache/figures/pipeline_counters.h"
#include "cache/store/key_set.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

class InformerMetrics;

struct DeltaApplierOptions {
  // As in InformerControllerOptions.
  bool uid_change_is_update{false};
  bool ever_synced{false};
  // The queue is a DeltaFIFO: keys come out of the order in which things happened.
  bool per_key{false};
  InformerMetrics* metrics = nullptr;
};

// Where a DeltaApplier writes. All of it outlives the applier.
struct DeltaTargets {
  StoreCore& store;
  PipelineCounters& counters;
  CoverageWriter& coverage;
  PositionWriter& position;
  LimitShare& limit;
  GapDetector& gaps;
};

// The store decides whether an object is new, not the kind of the event; and what it has no room
// for is left out. Confined to the loop.
class DeltaApplier {
 public:
  DeltaApplier(const DeltaTargets& targets, DeltaApplierOptions options)
      : to_(targets), options_(options) {}

  // A batch begins, of that epoch. What was noted of the one before is dropped.
  void Begin(std::uint64_t epoch);
  // The store has a version open. kSyncAll and kReplacedAll are not applied.
  void Apply(Delta& delta, bool is_in_initial_list);

  // What handlers are to hear of the batch, in order; the caller may take it.
  [[nodiscard]] std::vector<Notification>& notifications() { return notifications_; }
  // Of these, so many come first that are for those whose resync is due.
  [[nodiscard]] std::size_t resyncs() const { return resyncs_; }

  // The last thing applied has no version that is known, so the store is not what the server had
  // at the store's version.
  [[nodiscard]] bool unversioned() const { return unversioned_; }
  // A whole list comes, which has one.
  void BeginList() { unversioned_ = false; }
  // A DeltaFIFO has a list of that version, which had no room for these.
  void Listed(std::string_view resourceVersion, KeySet no_room);

 private:
  // An event of a watch, before it is applied. False: it has been, and is not applied again.
  bool IsNews(const Delta& delta);
  // It was in a DeltaFIFO when a list came, which says what is left out now, not what was then.
  [[nodiscard]] bool IsOlderThanList(const Block& object) const;
  void Write(const ObjectRef& object, bool is_in_initial_list);
  // There is no room for it.
  void LeaveOut(const Block& object);
  void ApplySync(const Block& object);
  void ApplyUnreadable(Delta& delta);
  void ApplyDelete(std::string_view namespace_, std::string_view name, ObjectRef last,
                   bool final_state_unknown);
  // An object of this version has been written.
  void Wrote(std::string_view resourceVersion);

  const DeltaTargets to_;
  const DeltaApplierOptions options_;
  std::vector<Notification> notifications_;
  std::size_t resyncs_ = 0;
  std::uint32_t epoch_ = 0;  // as events say it
  bool unversioned_ = false;
  KeySet no_room_{};
  std::string listed_version_{};  // of a DeltaFIFO's newest list
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_DELTA_APPLIER_H_
