// cache/apply/informer_controller.h
//
// InformerController: one life of an informer's pipeline on the loop, between the reflector and the
// processor. Puts the reflector's changes into the queue, writes what leaves the queue to the
// store, and passes the notifications on to the processor. Counterpart: cache.Controller with
// processDeltas.

#ifndef KINFORMER_CACHE_APPLY_INFORMER_CONTROLLER_H_
#define KINFORMER_CACHE_APPLY_INFORMER_CONTROLLER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/raw_transform.h"

#include "cache/apply/coverage_writer.h"
#include "cache/apply/delta_applier.h"
#include "cache/apply/gap_detector.h"
#include "cache/apply/limit_share.h"
#include "cache/apply/namespace_versions.h"
#include "cache/apply/relist.h"
#include "cache/apply/staged_list.h"
#include "cache/apply/store_turn.h"
#include "cache/delivery/processor.h"
#include "cache/deltas/delta_queue.h"
#include "cache/deltas/real_fifo.h"
#include "cache/figures/pipeline_counters.h"
#include "cache/figures/work_timer.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"
#include "cache/watch/reflector.h"

namespace kinformer::internal::cache {

struct InformerControllerOptions {
  std::string name{};
  bool uid_change_is_update{false};
  bool ever_synced{false};  // in an earlier life: objects of a list are then reported as new
  std::size_t max_queued_bytes{std::size_t{64} << 20};
  StoreLimit* limit = nullptr;  // null: the store is not limited
  // The objects that the informer covers.
  Scope scope{};
  // The part of a shared store that belongs to this controller. Objects of other parts are ignored,
  // and a list replaces this part only. All: the store has a single controller.
  StorePart part{};
  // State shared by the controllers of one store; null if there is only one. With several, the
  // informer itself reports the sync to the processor.
  CoverageWriter* coverage = nullptr;
  NamespaceVersions* versions = nullptr;
  StoreTurn* turn = nullptr;
  RawTransform transform{};
  TraceFunc trace{};
  // Returns how often the server had gone back in time before the list that is now received.
  std::function<std::uint64_t()> epoch{};
  // Called when the initial list is applied and not more is left out than the policy permits, and
  // when that ceases to be true.
  std::function<void()> synced{};
  std::function<void()> unsynced{};
  // Called after each commit of the store.
  std::function<void()> committed{};
  // Called with true if the queue exceeds its bytes because a handler blocks it; later with false.
  std::function<void(bool)> congested{};
  // Called when the watch has shown that the store lacks something.
  std::function<void()> relist{};
  // Called when a whole list is received; when the transform changes keys, uids or versions.
  std::function<void()> listed{};
  std::function<void()> renamed{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Confined to the loop. `store`, `processor` and `counters` must outlive it. The destructor
// completes a store version that is being written and drops the queue.
class InformerController final : public ReflectorStore {
 public:
  InformerController(Env& env, StoreCore& store, Processor& processor, PipelineCounters& counters,
                     InformerControllerOptions options);
  ~InformerController() override;

  // ReflectorStore
  void Change(DeltaType type, ObjectRef object) override;
  void Unreadable(std::string_view namespace_, std::string_view name, bool deleted) override;
  void Bookmark(std::string_view resourceVersion) override;
  void ReplaceBegin() override;
  void ReplaceItem(ObjectRef object) override;
  void ReplaceUnreadable(std::string_view namespace_, std::string_view name) override;
  void ReplaceRemove(std::string_view namespace_, std::string_view name) override;
  void ReplaceEnd(std::string_view resourceVersion) override;
  Result<void> Resync() override;
  // Queues a resync for these listeners.
  void Resync(std::vector<std::weak_ptr<Listener>> due);
  // Schedules the processing: the events received so far are applied together.
  void ChunkEnd() override { ContinueLater(); }

  // Processes the queue for one turn of the loop; the rest follows in later turns.
  void Process();
  [[nodiscard]] bool HasSynced() const { return queue_.HasSynced(); }
  // The server does not have the resource. The store is incomplete from now on, until a list that
  // arrives later has been applied.
  void ResourceAbsent();
  // Removes all objects from the store, as tombstones: the resource is gone for good. `complete`:
  // the store then counts as complete.
  void Clear(bool complete);
  // Returns whether the store is the server's state at the store's version: no newer change is
  // applied, and no list waits in the queue.
  [[nodiscard]] bool StoreIsExact() const;
  // Returns the version of this controller's collection in the store.
  [[nodiscard]] std::string ResourceVersion() const { return position_.ResourceVersion(); }
  // Schedules Process for a later turn of the loop.
  void ContinueLater();
  // Another controller has released the store; schedules Process if there is work to do.
  void TurnIsFree();

 private:
  // Returns whether the namespace belongs to another part of the store; logs the first one.
  [[nodiscard]] bool IsForeign(std::string_view namespace_);
  [[nodiscard]] ObjectRef Transformed(ObjectRef object);
  void TraceStage(std::string_view stage, std::string_view type, const Block* object,
                  std::string_view resourceVersion, std::size_t depth, bool in_list = false);

  void ProcessDeltas(DeltaBatch& batch);
  // Queues the staged list. Empty version: keeps the store's version.
  void QueueReplace(std::string_view resourceVersion);
  void BeginRelist(Delta& delta);
  void EndRelist();
  // Publishes the writes of the batch as a version of the store.
  void Commit();
  void BatchDone();
  // Reports that this controller's part has become synced or unsynced.
  void ReportSynced();
  // Returns the number of left-out objects in this controller's part.
  [[nodiscard]] std::size_t LeftOutHere() const {
    return coverage_.left_out().SizeOf(options_.part.key());
  }
  void UpdateGauges();
  void ReportQueued();
  void ReportStore();

  Env& env_;
  StoreCore& store_;
  Processor& processor_;
  PipelineCounters& counters_;
  const InformerControllerOptions options_;
  const std::unique_ptr<CoverageWriter> own_coverage_;  // null if it is shared
  CoverageWriter& coverage_;
  PositionWriter position_;
  LimitShare limit_;
  QueuedShare queued_;
  GapDetector gaps_;
  DeltaApplier applier_;

  StagedList staged_;
  RealFIFO queue_;

  // Listeners of the resyncs in the queue, oldest first.
  FifoBuffer<std::vector<std::weak_ptr<Listener>>> resyncs_;

  // State of the current work.
  DeltaBatch batch_;
  std::unique_ptr<Relist> relist_;  // null unless the batch is a whole list
  // Epoch of the changes being applied; epochs of waiting lists, oldest first, and the objects that
  // they left out.
  std::uint64_t epoch_ = 0;
  FifoBuffer<std::uint64_t> list_epochs_;
  FifoBuffer<KeySet> list_left_out_;
  WorkTimer timer_;
  bool processing_ = false;
  bool congested_ = false;
  bool reported_synced_ = false;
  bool ending_ = false;
  bool continues_ = false;    // Process is scheduled
  bool turned_away_ = false;  // another controller held the store during Process
  bool saw_foreign_ = false;  // logged a foreign object already
  // Number of lists to apply before the store is complete again after the resource was absent.
  std::size_t lists_until_complete_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_INFORMER_CONTROLLER_H_
