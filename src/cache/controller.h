// cache/controller.h
//
// Controller: one life of an informer's pipeline on the loop. It stands between reflector and processor: what the reflector
// learns goes into the queue, what comes out of the queue is written to the store, and then told to the processor.
// Counterpart: cache.Controller with processDeltas.

#ifndef KINFORMER_CACHE_CONTROLLER_H_
#define KINFORMER_CACHE_CONTROLLER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/informer_core.h"

#include "base/mutex.h"
#include "cache/delta_queue.h"
#include "cache/processor.h"
#include "cache/reflector.h"
#include "cache/store_core.h"

namespace kinformer::internal {

// What the pipeline counts. Written on the loop, read by anyone.
struct PipelineCounters {
  std::atomic<std::uint64_t> added{0};
  std::atomic<std::uint64_t> modified{0};
  std::atomic<std::uint64_t> deleted{0};
  std::atomic<std::uint64_t> unchanged{0};
  std::atomic<std::uint64_t> bookmarks{0};
  std::atomic<std::size_t> queued{0};
  std::atomic<std::size_t> queued_bytes{0};
};

// Names of objects that are there but cannot be read. Written on the loop, read by anyone.
class UnreadableNames {
 public:
  [[nodiscard]] bool Contains(std::string_view namespace_, std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] std::vector<ObjectName> All() const;
  void Insert(ObjectName name);
  void Erase(std::string_view namespace_, std::string_view name);
  void Assign(std::vector<ObjectName> names);

 private:
  std::atomic<std::size_t> size_{0};
  mutable Mutex mutex_;
  std::set<ObjectName> names_ KINFORMER_GUARDED_BY(mutex_);
};

struct ControllerOptions {
  std::string name{};
  QueueKind queue{QueueKind::kInOrder};
  bool uid_change_is_update{false};
  bool ever_synced{false};  // in an earlier life: what a list adds is news then
  std::size_t max_queued_bytes{std::size_t{64} << 20};
  RawTransform transform{};
  std::function<void(const TraceEvent&)> trace{};
  // The initial list has been applied.
  std::function<void()> synced{};
  // The queue is over its byte budget because a handler blocks it, or not any more.
  std::function<void(bool)> congested{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Confined to the loop. `store`, `processor`, `counters` and `unreadable` outlive it. Destruction completes a store version
// that is being written; what is queued is dropped.
class Controller final : public ReflectorStore {
 public:
  Controller(Env& env, StoreCore& store, Processor& processor, PipelineCounters& counters,
             UnreadableNames& unreadable, ControllerOptions options);
  ~Controller() override;

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
  // Runs `task` when no store version is being written.
  void WhenStoreIsClosed(std::function<void()> task);

 private:
  struct Replacement;
  class Known;

  void Feed(DeltaType type, ObjectRef object);
  [[nodiscard]] ObjectRef Transformed(ObjectRef object);
  void TraceStage(std::string_view stage, std::string_view type, const Block* object,
                  std::string_view resourceVersion, std::size_t depth, bool in_list = false);

  void ProcessDeltas(DeltaBatch& batch);
  void Apply(Delta& delta, bool is_in_initial_list);
  void ApplyDelete(std::string_view namespace_, std::string_view name, ObjectRef last,
                   bool final_state_unknown);
  void BeginReplacement(Delta& delta);
  // Does a part of it; true: done.
  bool ContinueReplacement(SteadyTime until);
  void EndReplacement();
  void BatchDone();
  // The unreadable objects that the list which has streamed in lacks.
  [[nodiscard]] std::vector<ObjectName> UnreadableThatAreGone() const;
  void UpdateGauges();
  void ContinueLater();
  // For the metrics.
  [[nodiscard]] SteadyTime WorkBegins() const;
  void WorkPauses(SteadyTime begun);
  void WorkEnds(SteadyTime begun);
  void ReportStore();

  Env& env_;
  StoreCore& store_;
  Processor& processor_;
  PipelineCounters& counters_;
  UnreadableNames& unreadable_;
  const ControllerOptions options_;
  std::unique_ptr<Known> known_;
  std::unique_ptr<DeltaQueue> queue_;

  // The list that streams in.
  std::vector<ObjectRef> staged_;
  std::set<ObjectName> staged_unreadable_;
  std::vector<std::pair<ObjectName, std::size_t>>
      staged_removals_;  // with how many were staged before

  DeltaBatch batch_;
  std::vector<Notification> notifications_;
  std::vector<Notification> sync_notifications_;
  std::unique_ptr<Replacement> replacement_;
  std::vector<std::function<void()>> when_closed_;
  Duration worked_{0};  // on the batch or list at hand
  bool processing_ = false;
  bool congested_ = false;
  bool reported_synced_ = false;
  bool continues_ = false;  // in a later turn of the loop
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_CONTROLLER_H_
