#include "cache/apply/informer_controller.h"

#include <chrono>
#include <utility>

#include "kinformer/internal/indexer_core.h"

#include "base/core/user_call.h"
#include "cache/apply/expect.h"
#include "cache/figures/informer_metrics.h"

namespace kinformer::internal::cache {
namespace {

constexpr std::size_t kBatch = 1000;
constexpr Duration kSlice = std::chrono::milliseconds(1);

// Frees the memory of a buffer after a burst; keeps a small one for the next event.
template <class T>
void LetGo(std::vector<T>& buffer) {
  constexpr std::size_t kKept = 16;
  if (buffer.capacity() > kKept) buffer = std::vector<T>();
}

}  // namespace

InformerController::InformerController(Env& env, PartedStore& store, Processor& processor,
                                       InformerControllerOptions options)
    : env_(env),
      store_(store),
      processor_(processor),
      writer_(env, store, std::move(options.part),
              {.name = std::move(options.name),
               .uid_change_is_update = options.uid_change_is_update,
               .ever_synced = options.ever_synced,
               .relist = std::move(options.relist),
               .metrics = options.metrics}),
      intake_(env, writer_.name(), writer_.part(), std::move(options.transform),
              std::move(options.renamed)),
      options_(std::move(options)),
      queued_(store.counters),
      timer_(env, options_.metrics) {}

InformerController::~InformerController() {
  ending_ = true;
  if (writer_.relisting()) {
    static_cast<void>(writer_.ContinueRelist(SteadyTime::max()));
    EndRelist();
  }
  queued_.Set(0, 0);
  if (options_.metrics == nullptr) return;
  ReportQueued();
  ReportStore();
}

void InformerController::TraceStage(std::string_view stage, std::string_view type,
                                    const Block* object, std::string_view resourceVersion,
                                    std::size_t depth, bool in_list) {
  const std::string key = object == nullptr ? std::string() : KeyOfBlock(*object);
  TraceEvent event;
  event.stage = stage;
  event.type = type;
  event.key = key;
  event.resourceVersion = object == nullptr ? resourceVersion : object->resourceVersion();
  event.depth = depth;
  event.in_list = in_list;
  (void)base::CallUser(env_, "trace", [&] { options_.trace(event); });
}

// ---- from the reflector into the queue

void InformerController::Change(DeltaType type, ObjectRef object) {
  if (intake_.IsForeign(object->namespace_())) return;
  if (options_.trace) TraceStage("reflector", DeltaTypeName(type), object.get(), "", 0);
  if (intake_.transforms()) {
    ObjectName name = NameOf(*object);
    const std::string uid(object->uid());
    object = intake_.Transformed(std::move(object));
    if (!object) return queue_.Unreadable(std::move(name), type == DeltaType::kDeleted);
    if (object->uid() != uid) writer_.DistrustUids();
  }
  const ObjectRef traced = options_.trace ? object : ObjectRef();
  queue_.Push(type, std::move(object), false);
  if (traced) TraceStage("delta fifo", DeltaTypeName(type), traced.get(), "", queue_.Len());
}

void InformerController::Unreadable(std::string_view namespace_, std::string_view name,
                                    bool deleted) {
  if (intake_.IsForeign(namespace_)) return;
  queue_.Unreadable(ObjectName{std::string(namespace_), std::string(name)}, deleted);
}

void InformerController::Bookmark(std::string_view resourceVersion) {
  Count(store_.counters.bookmarks);
  if (options_.trace) TraceStage("reflector", "BOOKMARK", nullptr, resourceVersion, 0);
  queue_.Bookmark(resourceVersion);
}

void InformerController::ReplaceBegin() {
  staged_.Clear();
  writer_.ListBegins();
}

void InformerController::ReplaceItem(ObjectRef object) {
  if (intake_.IsForeign(object->namespace_())) return;
  if (options_.trace) TraceStage("reflector", "REPLACED", object.get(), "", 0, true);
  if (intake_.transforms()) {
    ObjectName name = NameOf(*object);
    object = intake_.Transformed(std::move(object));
    if (!object) return staged_.AddUnreadable(std::move(name));
  }
  if (writer_.TakeListed(object)) return staged_.Add(std::move(object));
  staged_.LeaveOut(object->namespace_(), object->name());
}

void InformerController::ReplaceUnreadable(std::string_view namespace_, std::string_view name) {
  if (intake_.IsForeign(namespace_)) return;
  staged_.AddUnreadable(ObjectName{std::string(namespace_), std::string(name)});
}

void InformerController::ReplaceRemove(std::string_view namespace_, std::string_view name) {
  staged_.Remove(ObjectName{std::string(namespace_), std::string(name)});
}

void InformerController::ReplaceEnd(std::string_view resourceVersion) {
  staged_.Finish();
  QueueReplace(resourceVersion);
  if (options_.listed) options_.listed();
}

void InformerController::QueueReplace(std::string_view resourceVersion) {
  if (options_.trace) {
    TraceStage("reflector", "REPLACED", nullptr, resourceVersion, staged_.size(), true);
  }
  writer_.ListQueued(options_.epoch ? options_.epoch() : 0, staged_.TakeLeftOut());
  queue_.Replace(staged_.TakeObjects(), staged_.TakeUnreadable(), std::string(resourceVersion));
  if (options_.trace) {
    TraceStage("delta fifo", "REPLACED", nullptr, resourceVersion, queue_.Len(), true);
  }
}

void InformerController::ResourceAbsent() {
  if (writer_.ResourceAbsent() && options_.committed) options_.committed();
  ReportCompleteness();
}

void InformerController::Clear(bool complete) {
  ReplaceBegin();
  if (!complete) writer_.ExpectAnotherList();
  QueueReplace("");
  ContinueLater();
}

void InformerController::Resync(std::vector<std::weak_ptr<Listener>> due) {
  if (due.empty()) return;
  resyncs_.push_back(std::move(due));
  queue_.Resync();
}

// ---- from the queue into the store, and then to the processor

void InformerController::ContinueLater() {
  if (std::exchange(continues_, true)) return;
  env_.loop().Post(own_calls_.Guard([this] {
    continues_ = false;
    Process();
  }));
}

void InformerController::TurnIsFree() {
  if (!processing_ && (turned_away_ || queue_.Len() > 0)) ContinueLater();
}

void InformerController::Process() {
  if (processing_) return;
  turned_away_ = !store_.turn.IsFreeFor(this);
  if (turned_away_) return;
  processing_ = true;
  const SteadyTime until = env_.Now() + kSlice;
  for (;;) {
    if (writer_.relisting()) {
      timer_.Begin();
      if (!writer_.ContinueRelist(until)) {
        timer_.Pause();
        ContinueLater();
        break;
      }
      EndRelist();
      timer_.End();
      BatchDone();
    }
    if (processor_.Blocked() || !queue_.PopBatch(kBatch, batch_)) break;
    if (batch_.deltas.size() == 1 && batch_.deltas.front().type == DeltaType::kReplacedAll) {
      BeginRelist(batch_.deltas.front());
      continue;
    }
    timer_.Begin();
    ProcessDeltas();
    timer_.End();
    BatchDone();
    if (env_.Now() >= until && queue_.Len() > 0) {
      ContinueLater();
      break;
    }
  }
  processing_ = false;
  if (queue_.Len() == 0) {
    LetGo(batch_.deltas);
    LetGo(writer_.notifications());
  }
  UpdateGauges();
}

void InformerController::BatchDone() {
  queue_.BatchDone();
  batch_.deltas.clear();
  ReportCompleteness();
}

void InformerController::ReportCompleteness() {
  if (reported_ == writer_.completeness()) return;
  reported_ = writer_.completeness();
  options_.changed();
}

void InformerController::UpdateGauges() {
  queued_.Set(queue_.Len(), queue_.Bytes());
  if (options_.metrics != nullptr) {
    ReportQueued();
    ReportStore();
  }
  const bool over = queue_.Bytes() > options_.max_queued_bytes && processor_.Blocked();
  if (over != congested_ && (over || queue_.Bytes() <= options_.max_queued_bytes / 2)) {
    congested_ = over;
    if (options_.congested) options_.congested(over);
  }
}

void InformerController::ReportQueued() {
  const PipelineCounters& counters = store_.counters;
  options_.metrics->queued_items.Set(counters.queued.load(std::memory_order_relaxed));
  options_.metrics->queued_bytes.Set(counters.queued_bytes.load(std::memory_order_relaxed));
}

void InformerController::ReportStore() {
  const StoreStats stats = store_.store.Stats();
  options_.metrics->store_objects.Set(stats.objects);
  options_.metrics->store_bytes.Set(stats.object_bytes);
  options_.metrics->left_out.Set(stats.left_out);
  options_.metrics->snapshots.Set(stats.snapshots);
  options_.metrics->snapshot_bytes.Set(stats.pinned_bytes);
  options_.metrics->oldest_snapshot->Set(
      std::chrono::duration<double>(stats.oldest_snapshot).count());
  InformerMetrics::SetVersion(*options_.metrics->store_resource_version,
                              store_.store.ResourceVersion());
}

void InformerController::ProcessDeltas() {
  const StoreCore& store = store_.store;
  std::vector<Notification>& notifications = writer_.notifications();
  writer_.BeginBatch();
  notifications.reserve(batch_.deltas.size());
  for (std::size_t i = 0; i < batch_.deltas.size(); ++i) {
    ExpectFrom(store, batch_.deltas, i);
    writer_.Apply(batch_.deltas[i], batch_.is_in_initial_list);
  }
  writer_.EndBatch(queue_.SyncedWhenDone());
  Committed();
  if (options_.trace) {
    for (const Delta& delta : batch_.deltas) {
      if (delta.object) {
        TraceStage("store", DeltaTypeName(delta.type), delta.object.get(), "", store.size());
      }
    }
  }
  if (!processor_.empty() && !notifications.empty()) {
    const std::uint64_t version = store.Snapshot()->version();
    for (Notification& event : notifications) event.version = version;
  }
  processor_.Distribute(notifications, [&store] { return store.Snapshot(); });
  if (batch_.deltas.front().type == DeltaType::kSyncAll) {
    processor_.Resync(resyncs_.front(), store.Snapshot());
    resyncs_.pop_front();
  }
  notifications.clear();
}

// ---- a whole list

void InformerController::BeginRelist(Delta& delta) {
  Relist::Observer observer;
  if (options_.trace) {
    observer = [this](EventType type, const Block& object) {
      TraceStage("store", EventTypeName(type), &object, "", store_.store.size(), true);
    };
  }
  store_.turn.Take(this);
  writer_.BeginRelist(std::move(delta.extra), std::move(observer));
}

void InformerController::EndRelist() {
  const StoreCore& store = store_.store;
  const std::unique_ptr<Relist> relist = writer_.EndRelist(queue_.SyncedWhenDone());
  Committed();
  if (options_.trace) {
    TraceStage("store", "REPLACED", nullptr, relist->list().resourceVersion, store.size(), true);
  }
  if (!processor_.empty()) {
    const bool initial = !queue_.HasSynced() && !options_.ever_synced;
    processor_.DistributeReplaced(relist->before(), store.Snapshot(), initial);
  }
  store_.turn.GiveBack();
}

void InformerController::Committed() {
  if (options_.committed) options_.committed();
  // At the end of its life nothing can list again.
  if (!ending_) writer_.OfferRoom();
}

}  // namespace kinformer::internal::cache
