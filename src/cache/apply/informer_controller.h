// cache/apply/informer_controller.h
//
// InformerController: one life of a part's pipeline on the loop, between the reflector and the
// processor. Puts the reflector's changes into the queue, lets a StorePartWriter write what leaves
// the queue, in turns with the other parts of the store, and passes the notifications on to the
// processor. Counterpart: cache.Controller with processDeltas.

#ifndef KINFORMER_CACHE_APPLY_INFORMER_CONTROLLER_H_
#define KINFORMER_CACHE_APPLY_INFORMER_CONTROLLER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/raw_transform.h"

#include "base/core/own_calls.h"
#include "cache/apply/intake.h"
#include "cache/apply/parted_store.h"
#include "cache/apply/staged_list.h"
#include "cache/apply/store_part_writer.h"
#include "cache/delivery/processor.h"
#include "cache/deltas/real_fifo.h"
#include "cache/figures/pipeline_counters.h"
#include "cache/figures/work_timer.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/store_part.h"
#include "cache/watch/reflector.h"

namespace kinformer::internal::cache {

struct InformerControllerOptions {
  std::string name{};
  bool uid_change_is_update{false};
  bool ever_synced{false};  // in an earlier life: objects of a list are then reported as new
  std::size_t max_queued_bytes{std::size_t{64} << 20};
  // The part of the store that belongs to this controller. Objects of other parts are ignored, and
  // a list replaces this part only.
  StorePart part{};
  RawTransform transform{};
  TraceFunc trace{};
  // Returns how often the server had gone back in time before the list that is now received.
  std::function<std::uint64_t()> epoch{};
  // Called when the completeness of the part (see StorePartWriter) has changed.
  std::function<void()> changed{};
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

// Confined to the loop. `store` and `processor` must outlive it. The destructor completes a store
// version that is being written and drops the queue.
class InformerController final : public ReflectorStore {
 public:
  InformerController(Env& env, PartedStore& store, Processor& processor,
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
  // Resyncs are those of the informer: see below.
  Result<void> Resync() override { return {}; }
  // Schedules the processing: the events received so far are applied together.
  void ChunkEnd() override { ContinueLater(); }

  // Queues a resync for these listeners.
  void Resync(std::vector<std::weak_ptr<Listener>> due);
  // Processes the queue for one turn of the loop; the rest follows in later turns.
  void Process();
  [[nodiscard]] bool HasSynced() const { return queue_.HasSynced(); }
  // The server does not have the resource. The part is incomplete from now on, until a list that
  // arrives later has been applied.
  void ResourceAbsent();
  // Removes all objects of the part, as tombstones: the resource is gone for good. `complete`: the
  // part then counts as complete.
  void Clear(bool complete);
  // See StorePartWriter.
  [[nodiscard]] bool StoreIsExact() const { return writer_.IsExact(); }
  [[nodiscard]] std::string ResourceVersion() const { return writer_.ResourceVersion(); }
  // Schedules Process for a later turn of the loop.
  void ContinueLater();
  // Another controller has released the store; schedules Process if there is work to do.
  void TurnIsFree();

 private:
  void TraceStage(std::string_view stage, std::string_view type, const Block* object,
                  std::string_view resourceVersion, std::size_t depth, bool in_list = false);

  // Queues the staged list. Empty version: keeps the store's version.
  void QueueReplace(std::string_view resourceVersion);
  void ProcessDeltas();
  void BeginRelist(Delta& delta);
  void EndRelist();
  // Called after each commit.
  void Committed();
  void BatchDone();
  void ReportCompleteness();
  void UpdateGauges();
  void ReportQueued();
  void ReportStore();

  Env& env_;
  PartedStore& store_;
  Processor& processor_;
  StorePartWriter writer_;
  Intake intake_;
  const InformerControllerOptions options_;  // without those of the writer and the intake
  StagedList staged_;
  RealFIFO queue_;
  QueuedShare queued_;
  // Listeners of the resyncs in the queue, oldest first.
  FifoBuffer<std::vector<std::weak_ptr<Listener>>> resyncs_;
  DeltaBatch batch_;
  WorkTimer timer_;
  bool processing_ = false;
  bool congested_ = false;
  StorePartWriter::Completeness reported_{};
  bool ending_ = false;
  bool continues_ = false;    // Process is scheduled
  bool turned_away_ = false;  // another controller held the store during Process
  const base::OwnCalls own_calls_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_INFORMER_CONTROLLER_H_
