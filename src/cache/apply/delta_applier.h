// cache/apply/delta_applier.h
//
// DeltaApplier: writes single deltas to the store and collects the notifications for handlers. A
// whole list is applied by a Relist instead.

#ifndef KINFORMER_CACHE_APPLY_DELTA_APPLIER_H_
#define KINFORMER_CACHE_APPLY_DELTA_APPLIER_H_

#include <cstdint>
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
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

class InformerMetrics;

struct DeltaApplierOptions {
  // As in InformerControllerOptions.
  bool uid_change_is_update{false};
  bool ever_synced{false};
  InformerMetrics* metrics = nullptr;
};

// Destinations of a DeltaApplier. All of them must outlive it.
struct DeltaTargets {
  StoreCore& store;
  PipelineCounters& counters;
  CoverageWriter& coverage;
  PositionWriter& position;
  LimitShare& limit;
  GapDetector& gaps;
};

// The store decides whether an object is new, not the event's type. Objects that do not fit under
// the limit are left out. Confined to the loop.
class DeltaApplier {
 public:
  DeltaApplier(const DeltaTargets& targets, DeltaApplierOptions options)
      : to_(targets), options_(options) {}

  // Starts a batch of this epoch and drops the notifications of the previous one.
  void Begin(std::uint64_t epoch);
  // Applies one delta. REQUIRES: the store has a version open. Ignores lists and resyncs.
  void Apply(Delta& delta, bool is_in_initial_list);

  // Notifications of the batch in order; the caller may move them out.
  [[nodiscard]] std::vector<Notification>& notifications() { return notifications_; }

  // True if the last change applied has no known version, so that the store's state is not exactly
  // the server's at the store's version.
  [[nodiscard]] bool unversioned() const { return unversioned_; }
  // Called before a whole list, whose version is known.
  void BeginList() { unversioned_ = false; }

 private:
  // Checks a watch event before it is applied. False if its change is in the store already.
  bool IsNews(const Delta& delta);
  void Write(const ObjectRef& object, bool is_in_initial_list);
  // Handles an object that does not fit under the limit.
  void LeaveOut(const Block& object);
  void ApplyUnreadable(Delta& delta);
  void ApplyDelete(std::string_view namespace_, std::string_view name, ObjectRef last,
                   bool final_state_unknown);
  // Records that an object of this version was written.
  void Wrote(std::string_view resourceVersion);

  const DeltaTargets to_;
  const DeltaApplierOptions options_;
  std::vector<Notification> notifications_;
  std::uint32_t epoch_ = 0;  // epoch for notifications
  bool unversioned_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_DELTA_APPLIER_H_
