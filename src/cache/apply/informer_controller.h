// cache/apply/informer_controller.h
//
// InformerController: one life of an informer's pipeline on the loop. It stands between reflector
// and processor: what the reflector learns goes into the queue, what comes out of the queue is
// written to the store, and then told to the processor. Counterpart: cache.Controller with
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

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
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
#include "cache/figures/pipeline_counters.h"
#include "cache/figures/work_timer.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"
#include "cache/watch/reflector.h"

namespace kinformer::internal::cache {

struct InformerControllerOptions {
  std::string name{};
  QueueKind queue{QueueKind::kInOrder};
  bool uid_change_is_update{false};
  bool ever_synced{false};  // in an earlier life: what a list adds is news then
  std::size_t max_queued_bytes{std::size_t{64} << 20};
  StoreLimit* limit = nullptr;  // null: the store may grow as it likes
  // What the informer looks at.
  Scope scope{};
  // Of several controllers that share the store each has a part of it. Nothing of another part gets
  // through, and a list replaces what is in this one. All: there are no others.
  StorePart part{};
  // What they share: null where there are no others. The informer tells the processor that all are
  // synced.
  CoverageWriter* coverage = nullptr;
  NamespaceVersions* versions = nullptr;
  StoreTurn* turn = nullptr;
  RawTransform transform{};
  TraceFunc trace{};
  // How often the server had gone back in time before the list that comes now.
  std::function<std::uint64_t()> epoch{};
  // The initial list has been applied, and nothing is left out that may not be. It is not so any
  // more.
  std::function<void()> synced{};
  std::function<void()> unsynced{};
  // There is a new version of the store.
  std::function<void()> committed{};
  // The queue is over its byte budget because a handler blocks it, or not any more.
  std::function<void(bool)> congested{};
  // The watch has shown that the store lacks something.
  std::function<void()> relist{};
  // A whole list has been received. The transform has changed what objects are known by.
  std::function<void()> listed{};
  std::function<void()> renamed{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Confined to the loop. `store`, `processor` and `counters` outlive it. Destruction completes a
// store version that is being written; what is queued is dropped.
class InformerController final : public ReflectorStore {
 public:
  InformerController(Env& env, StoreCore& store, Processor& processor, PipelineCounters& counters,
                     InformerControllerOptions options);
  ~InformerController() override;

  // ReflectorStore
  void Add(ObjectRef object) override { Feed(DeltaType::kAdded, std::move(object)); }
  void Update(ObjectRef object) override { Feed(DeltaType::kUpdated, std::move(object)); }
  void Delete(ObjectRef object) override { Feed(DeltaType::kDeleted, std::move(object)); }
  void Unreadable(std::string_view namespace_, std::string_view name, bool deleted) override;
  void Bookmark(std::string_view resourceVersion) override;
  void ReplaceBegin() override;
  void ReplaceItem(ObjectRef object) override;
  void ReplaceUnreadable(std::string_view namespace_, std::string_view name) override;
  void ReplaceRemove(std::string_view namespace_, std::string_view name) override;
  void ReplaceEnd(std::string_view resourceVersion) override;
  Result<void> Resync() override;
  // Of these listeners.
  void Resync(std::vector<std::weak_ptr<Listener>> due);
  // What follows at once is worked off in one go.
  void ChunkEnd() override { ContinueLater(); }

  // Works off the queue, as far as a turn of the loop goes; the rest follows in the next.
  void Process();
  [[nodiscard]] bool HasSynced() const { return queue_->HasSynced(); }
  // The server does not have the resource. What the store lacks is not known to be missing from now
  // on, until a list that comes later has been applied.
  void ResourceAbsent();
  // And it will not come back as it was: all objects leave the store, as tombstones. `complete`:
  // the store then has what there is.
  void Clear(bool complete);
  // The store is what the server had at the store's version: nothing has been applied that is newer
  // than that, and no list waits to change it.
  [[nodiscard]] bool StoreIsExact() const;
  // Of this controller's collection, in the store.
  [[nodiscard]] std::string ResourceVersion() const { return position_.ResourceVersion(); }
  // The queue is to be worked off in a later turn of the loop.
  void ContinueLater();
  // Another one has given the turn back: the same, where something has waited for that.
  void TurnIsFree();

 private:
  class Known;

  // An object of another part of the store is not its own. Logged.
  [[nodiscard]] bool IsForeign(std::string_view namespace_);
  void Feed(DeltaType type, ObjectRef object);
  [[nodiscard]] ObjectRef Transformed(ObjectRef object);
  void TraceStage(std::string_view stage, std::string_view type, const Block* object,
                  std::string_view resourceVersion, std::size_t depth, bool in_list = false);

  void ProcessDeltas(DeltaBatch& batch);
  // What is staged is the collection. `version` empty: that of the store stays.
  void QueueReplace(std::string_view resourceVersion);
  void BeginRelist(Delta& delta);
  void EndRelist();
  // The queue has been given all up to this version.
  void Queued(std::string_view resourceVersion);
  [[nodiscard]] bool per_key() const { return options_.queue == QueueKind::kDeltaFIFO; }
  // Makes what the batch has written a version.
  void Commit();
  void BatchDone();
  // This controller's part counts as synced, or does not any more.
  void ReportSynced();
  // How many objects of this controller's find no room.
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
  const std::unique_ptr<CoverageWriter> own_coverage_;  // null where it is shared
  CoverageWriter& coverage_;
  PositionWriter position_;
  LimitShare limit_;
  QueuedShare queued_;
  GapDetector gaps_;
  DeltaApplier applier_;

  StagedList staged_;
  std::unique_ptr<Known> known_;
  std::unique_ptr<DeltaQueue> queue_;

  // Whom the resyncs in the queue are for, oldest first.
  FifoBuffer<std::vector<std::weak_ptr<Listener>>> resyncs_;

  // The work at hand.
  DeltaBatch batch_;
  std::unique_ptr<Relist> relist_;  // null: the batch is not a whole list
  // Of what is being applied; of the lists that wait, oldest first (not with DeltaFIFO).
  std::uint64_t epoch_ = 0;
  FifoBuffer<std::uint64_t> list_epochs_;
  FifoBuffer<KeySet> list_left_out_;
  WorkTimer timer_;
  bool processing_ = false;
  bool congested_ = false;
  bool reported_synced_ = false;
  bool ending_ = false;
  bool continues_ = false;    // in a later turn of the loop
  bool turned_away_ = false;  // by a turn that another one has
  bool saw_foreign_ = false;  // and said so
  // The resource was absent: that many lists are applied before the store is complete again, and,
  // with DeltaFIFO, one of them is queued.
  std::size_t lists_until_complete_ = 0;
  bool listed_again_ = false;
  // DeltaFIFO: the collection's version once nothing waits. Keys come out of the order in which
  // things happened, so before that an object's version says nothing of the others.
  std::string queued_version_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_INFORMER_CONTROLLER_H_
