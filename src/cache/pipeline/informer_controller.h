// cache/pipeline/informer_controller.h
//
// InformerController: one life of an informer's pipeline on the loop. It stands between reflector
// and processor: what the reflector learns goes into the queue, what comes out of the queue is
// written to the store, and then told to the processor. Counterpart: cache.Controller with
// processDeltas.

#ifndef KINFORMER_CACHE_PIPELINE_INFORMER_CONTROLLER_H_
#define KINFORMER_CACHE_PIPELINE_INFORMER_CONTROLLER_H_

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
#include "kinformer/internal/informer_core.h"

#include "cache/pipeline/coverage_writer.h"
#include "cache/pipeline/delta_queue.h"
#include "cache/pipeline/gap_detector.h"
#include "cache/pipeline/pipeline_counters.h"
#include "cache/pipeline/processor.h"
#include "cache/pipeline/reflector.h"
#include "cache/pipeline/relist.h"
#include "cache/pipeline/staged_list.h"
#include "cache/pipeline/work_timer.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

struct InformerControllerOptions {
  std::string name{};
  QueueKind queue{QueueKind::kInOrder};
  bool uid_change_is_update{false};
  bool ever_synced{false};  // in an earlier life: what a list adds is news then
  std::size_t max_queued_bytes{std::size_t{64} << 20};
  // What the informer looks at.
  Scope scope{};
  RawTransform transform{};
  std::function<void(const TraceEvent&)> trace{};
  // How often the server had gone back in time before the list that comes now.
  std::function<std::uint64_t()> epoch{};
  // The initial list has been applied.
  std::function<void()> synced{};
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
  // What follows at once is worked off in one go.
  void ChunkEnd() override { ContinueLater(); }

  // Works off the queue, as far as a turn of the loop goes; the rest follows in the next.
  void Process();
  [[nodiscard]] bool HasSynced() const { return queue_->HasSynced(); }
  // The store is what the server had at the store's version: nothing has been applied that is newer
  // than that, and no list waits to change it.
  [[nodiscard]] bool StoreIsExact() const;

 private:
  class Known;

  void Feed(DeltaType type, ObjectRef object);
  [[nodiscard]] ObjectRef Transformed(ObjectRef object);
  void TraceStage(std::string_view stage, std::string_view type, const Block* object,
                  std::string_view resourceVersion, std::size_t depth, bool in_list = false);

  void ProcessDeltas(DeltaBatch& batch);
  void Apply(Delta& delta, bool is_in_initial_list);
  // An event of a watch, before it is applied. False: it has been, and is not applied again.
  bool IsNews(const Delta& delta);
  void ApplyDelete(std::string_view namespace_, std::string_view name, ObjectRef last,
                   bool final_state_unknown);
  void BeginRelist(Delta& delta);
  void EndRelist();
  // The queue has been given all up to this version.
  void Queued(std::string_view resourceVersion);
  // An object of this version has been written.
  void Wrote(std::string_view resourceVersion);
  // As events say it.
  [[nodiscard]] std::uint32_t Epoch() const { return static_cast<std::uint32_t>(epoch_); }
  [[nodiscard]] bool per_key() const { return options_.queue == QueueKind::kDeltaFIFO; }
  // Makes what the batch has written a version.
  void Commit();
  void BatchDone();
  void UpdateGauges();
  void ContinueLater();
  void ReportStore();

  Env& env_;
  StoreCore& store_;
  Processor& processor_;
  PipelineCounters& counters_;
  const InformerControllerOptions options_;
  CoverageWriter coverage_;
  GapDetector gaps_;

  StagedList staged_;
  std::unique_ptr<Known> known_;
  std::unique_ptr<DeltaQueue> queue_;

  // Whom the resyncs in the queue are for, oldest first.
  FifoBuffer<std::vector<std::weak_ptr<Listener>>> resyncs_;

  // The work at hand.
  DeltaBatch batch_;
  std::vector<Notification> notifications_;
  std::vector<Notification> sync_notifications_;
  std::unique_ptr<Relist> relist_;  // null: the batch is not a whole list
  // Of what is being applied; of the lists that wait, oldest first (not with DeltaFIFO).
  std::uint64_t epoch_ = 0;
  FifoBuffer<std::uint64_t> list_epochs_;
  WorkTimer timer_;
  bool processing_ = false;
  bool congested_ = false;
  bool reported_synced_ = false;
  bool continues_ = false;    // in a later turn of the loop
  bool unversioned_ = false;  // the last thing applied has no version that is known
  // DeltaFIFO: the collection's version once nothing waits. Keys come out of the order in which
  // things happened, so before that an object's version says nothing of the others.
  std::string queued_version_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_PIPELINE_INFORMER_CONTROLLER_H_
