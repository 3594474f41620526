#include "cache/pipeline/informer_controller.h"

#include <chrono>
#include <optional>

#include "kinformer/internal/indexer_core.h"

#include "base/user_call.h"
#include "cache/pipeline/delta_fifo.h"
#include "cache/pipeline/expect.h"
#include "cache/pipeline/informer_metrics.h"
#include "cache/pipeline/real_fifo.h"
#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {
namespace {

constexpr std::size_t kBatch = 1000;
constexpr Duration kSlice = std::chrono::milliseconds(1);

// Frees the memory of a buffer that a burst has filled; a small one serves the next event.
template <class T>
void LetGo(std::vector<T>& buffer) {
  constexpr std::size_t kKept = 16;
  if (buffer.capacity() > kKept) buffer = std::vector<T>();
}

}  // namespace

class InformerController::Known final : public KnownObjects {
 public:
  explicit Known(const StoreCore& store) : store_(store) {}
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const override {
    return store_.Get(namespace_, name);
  }
  void ForEach(const std::function<void(ObjectRef)>& visit) const override {
    const std::shared_ptr<const SnapshotCore> snapshot = store_.Snapshot();
    SnapshotCore::Cursor cursor;
    while (const Block* block = snapshot->Next(cursor)) visit(ObjectRef::Share(block));
  }

 private:
  const StoreCore& store_;
};

InformerController::InformerController(Env& env, StoreCore& store, Processor& processor,
                                       PipelineCounters& counters,
                                       InformerControllerOptions options)
    : env_(env),
      store_(store),
      processor_(processor),
      counters_(counters),
      options_(std::move(options)),
      coverage_(store, options_.scope),
      gaps_(env, options_.name, options_.relist),
      known_(std::make_unique<Known>(store)),
      timer_(env, options_.metrics) {
  if (options_.queue == QueueKind::kDeltaFIFO) {
    queue_ = std::make_unique<DeltaFIFO>(
        DeltaFIFOOptions{.known_objects = known_.get(), .drops_unknown_deletions = false});
  } else {
    queue_ = std::make_unique<RealFIFO>();
  }
}

InformerController::~InformerController() {
  if (relist_ != nullptr) {
    static_cast<void>(relist_->Continue(SteadyTime::max()));
    EndRelist();
  }
  counters_.queued.store(0, std::memory_order_relaxed);
  counters_.queued_bytes.store(0, std::memory_order_relaxed);
  if (options_.metrics == nullptr) return;
  options_.metrics->queued_items.Set(0);
  options_.metrics->queued_bytes.Set(0);
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

ObjectRef InformerController::Transformed(ObjectRef object) {
  if (!options_.transform) return object;
  const ObjectRef received = object;
  const ObjectName name = NameOf(*object);
  std::optional<Result<ObjectRef>> result;
  const Result<void> called = base::CallUser(
      env_, "the transform", [&] { result = options_.transform(std::move(object)); },
      [&] { return options_.name; });
  if (called && *result && **result) {
    const Block& kept = ***result;
    if (options_.renamed &&
        (kept.uid() != received->uid() || kept.resourceVersion() != received->resourceVersion() ||
         kept.name() != received->name() || kept.namespace_() != received->namespace_())) {
      options_.renamed();
    }
    return std::move(**result);
  }
  const std::string what = !called   ? called.error().message()
                           : *result ? "it returned nothing"
                                     : result->error().ToString();
  env_.log().Log(LogLevel::kError, "the transform failed; the object counts as unreadable",
                 {{"informer", options_.name}, {"key", name.ToString()}, {"err", what}});
  return {};
}

void InformerController::Feed(DeltaType type, ObjectRef object) {
  if (options_.trace) TraceStage("reflector", DeltaTypeName(type), object.get(), "", 0);
  ObjectName name;
  std::string uid;
  if (options_.transform) {
    name = NameOf(*object);
    uid = object->uid();
  }
  object = Transformed(std::move(object));
  if (object && options_.transform && object->uid() != uid) gaps_.DistrustUids();
  if (!object) {
    queue_->Unreadable(std::move(name), type == DeltaType::kDeleted);
    return;
  }
  Queued(object->resourceVersion());
  const ObjectRef traced = options_.trace ? object : ObjectRef();
  switch (type) {
    case DeltaType::kAdded:
      queue_->Add(std::move(object));
      break;
    case DeltaType::kDeleted:
      queue_->Delete(std::move(object), false);
      break;
    default:
      queue_->Update(std::move(object));
      break;
  }
  if (traced) TraceStage("delta fifo", DeltaTypeName(type), traced.get(), "", queue_->Len());
}

void InformerController::Unreadable(std::string_view namespace_, std::string_view name,
                                    bool deleted) {
  queue_->Unreadable(ObjectName{std::string(namespace_), std::string(name)}, deleted);
}

void InformerController::Bookmark(std::string_view resourceVersion) {
  Count(counters_.bookmarks);
  Queued(resourceVersion);
  if (options_.trace) TraceStage("reflector", "BOOKMARK", nullptr, resourceVersion, 0);
  queue_->Bookmark(resourceVersion);
}

void InformerController::Queued(std::string_view resourceVersion) {
  if (per_key() && !IsOlderResourceVersion(resourceVersion, queued_version_)) {
    queued_version_ = resourceVersion;
  }
}

void InformerController::ReplaceBegin() { staged_.Clear(); }

void InformerController::ReplaceItem(ObjectRef object) {
  if (options_.trace) TraceStage("reflector", "REPLACED", object.get(), "", 0, true);
  ObjectName name;
  if (options_.transform) name = NameOf(*object);
  object = Transformed(std::move(object));
  if (!object) return staged_.AddUnreadable(std::move(name));
  // What came as it is in the store is not kept twice while the rest of the list streams in.
  const Block* known = store_.Peek(object->namespace_(), object->name()).object;
  if (known != nullptr && known->SameAs(*object)) {
    object = ObjectRef::Share(known);
  } else {
    object = store_.Pack(std::move(object));
  }
  staged_.Add(std::move(object));
}

void InformerController::ReplaceUnreadable(std::string_view namespace_, std::string_view name) {
  staged_.AddUnreadable(ObjectName{std::string(namespace_), std::string(name)});
}

void InformerController::ReplaceRemove(std::string_view namespace_, std::string_view name) {
  staged_.Remove(ObjectName{std::string(namespace_), std::string(name)});
}

void InformerController::ReplaceEnd(std::string_view resourceVersion) {
  staged_.Finish();
  if (options_.trace) {
    TraceStage("reflector", "REPLACED", nullptr, resourceVersion, staged_.size(), true);
  }
  // RealFIFO's entry of a list shows by itself which unreadable objects are gone; the DeltaFIFO
  // must be told.
  std::vector<ObjectName> gone;
  const std::uint64_t epoch = options_.epoch ? options_.epoch() : 0;
  if (per_key()) {
    gone = staged_.Lacks(coverage_.unreadable());
    // Its entries tell of no list.
    gaps_.Listed(resourceVersion);
    queued_version_ = resourceVersion;
    epoch_ = epoch;
  } else {
    list_epochs_.push_back(std::uint64_t{epoch});
  }
  if (options_.listed) options_.listed();
  queue_->Replace(staged_.TakeObjects(), staged_.TakeUnreadable(), std::string(resourceVersion));
  for (ObjectName& name : gone) queue_->Unreadable(std::move(name), true);
  if (options_.trace) {
    TraceStage("delta fifo", "REPLACED", nullptr, resourceVersion, queue_->Len(), true);
  }
}

Result<void> InformerController::Resync() {
  std::vector<std::weak_ptr<Listener>> due = processor_.DueForResync();
  if (due.empty()) return {};
  // In order, each resync is an entry of its own. Per key, objects that an earlier one has queued
  // wait for the newest.
  if (per_key()) resyncs_.clear();
  resyncs_.push_back(std::move(due));
  queue_->Resync();
  return {};
}

// ---- from the queue into the store, and then to the processor

void InformerController::ContinueLater() {
  if (std::exchange(continues_, true)) return;
  env_.loop().Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    continues_ = false;
    Process();
  });
}

void InformerController::Process() {
  if (processing_) return;
  processing_ = true;
  const SteadyTime until = env_.Now() + kSlice;
  for (;;) {
    if (relist_ != nullptr) {
      timer_.Begin();
      if (!relist_->Continue(until)) {
        timer_.Pause();
        ContinueLater();
        break;
      }
      EndRelist();
      timer_.End();
      BatchDone();
    }
    if (processor_.Blocked() || !queue_->PopBatch(kBatch, batch_)) break;
    if (batch_.deltas.size() == 1 && batch_.deltas.front().type == DeltaType::kReplacedAll) {
      BeginRelist(batch_.deltas.front());
      continue;
    }
    timer_.Begin();
    ProcessDeltas(batch_);
    timer_.End();
    BatchDone();
    if (env_.Now() >= until && queue_->Len() > 0) {
      ContinueLater();
      break;
    }
  }
  processing_ = false;
  if (queue_->Len() == 0) {
    LetGo(batch_.deltas);
    LetGo(notifications_);
    LetGo(sync_notifications_);
  }
  UpdateGauges();
}

void InformerController::BatchDone() {
  queue_->BatchDone();
  batch_.deltas.clear();
  if (!reported_synced_ && queue_->HasSynced()) {
    reported_synced_ = true;
    processor_.Synced();
    options_.synced();
  }
}

void InformerController::UpdateGauges() {
  counters_.queued.store(queue_->Len(), std::memory_order_relaxed);
  counters_.queued_bytes.store(queue_->Bytes(), std::memory_order_relaxed);
  if (options_.metrics != nullptr) {
    options_.metrics->queued_items.Set(queue_->Len());
    options_.metrics->queued_bytes.Set(queue_->Bytes());
    ReportStore();
  }
  const bool over = queue_->Bytes() > options_.max_queued_bytes && processor_.Blocked();
  if (over != congested_ && (over || queue_->Bytes() <= options_.max_queued_bytes / 2)) {
    congested_ = over;
    if (options_.congested) options_.congested(over);
  }
}

void InformerController::ReportStore() {
  const StoreStats stats = store_.Stats();
  options_.metrics->store_objects.Set(stats.objects);
  options_.metrics->store_bytes.Set(stats.object_bytes);
  options_.metrics->snapshots.Set(stats.snapshots);
  options_.metrics->snapshot_bytes.Set(stats.pinned_bytes);
  options_.metrics->oldest_snapshot->Set(
      std::chrono::duration<double>(stats.oldest_snapshot).count());
  InformerMetrics::SetVersion(*options_.metrics->store_resource_version, store_.ResourceVersion());
}

void InformerController::ProcessDeltas(DeltaBatch& batch) {
  notifications_.clear();
  sync_notifications_.clear();
  bool resync = false;
  store_.Begin();
  for (std::size_t i = 0; i < batch.deltas.size(); ++i) {
    ExpectFrom(store_, batch.deltas, i);
    Delta& delta = batch.deltas[i];
    if (delta.type == DeltaType::kSyncAll) {
      resync = true;
      continue;
    }
    Apply(delta, batch.is_in_initial_list);
  }
  Commit();
  if (options_.trace) {
    for (const Delta& delta : batch.deltas) {
      if (delta.object) {
        TraceStage("store", DeltaTypeName(delta.type), delta.object.get(), "", store_.size());
      }
    }
  }
  const Processor::Snapshots snapshot = [this] { return store_.Snapshot(); };
  if (!processor_.empty() && !(notifications_.empty() && sync_notifications_.empty())) {
    const std::uint64_t version = store_.Snapshot()->version();
    for (Notification& event : notifications_) event.version = version;
    for (Notification& event : sync_notifications_) event.version = version;
  }
  processor_.Distribute(notifications_, snapshot);
  if (resync) {
    Processor::Resync(resyncs_.front(), store_.Snapshot());
    resyncs_.pop_front();
  }
  if (!sync_notifications_.empty()) {
    Processor::DistributeSync(sync_notifications_, resyncs_.back(), snapshot);
  }
  notifications_.clear();
  sync_notifications_.clear();
}

bool InformerController::IsNews(const Delta& delta) {
  const bool watched = delta.type == DeltaType::kAdded || delta.type == DeltaType::kUpdated ||
                       (delta.type == DeltaType::kDeleted && !delta.final_state_unknown);
  if (!watched) return true;
  const Block& object = *delta.object;
  if (coverage_.IsUnreadable(object.namespace_(), object.name())) return true;
  const Block* const stored = store_.Peek(object.namespace_(), object.name()).object;
  switch (gaps_.Judge(delta.type, object, stored)) {
    case GapDetector::Verdict::kFits:
      return true;
    case GapDetector::Verdict::kReplay:
      Count(counters_.unchanged);
      return false;
    case GapDetector::Verdict::kGap:
      break;
  }
  Count(counters_.gaps);
  if (options_.metrics != nullptr) options_.metrics->gaps->Add();
  return true;
}

void InformerController::Apply(Delta& delta, bool is_in_initial_list) {
  if (!IsNews(delta)) return;
  switch (delta.type) {
    case DeltaType::kBookmark:
      Wrote(delta.extra->resourceVersion);
      return;
    case DeltaType::kUnreadable:
      unversioned_ = true;
      for (ObjectName& name : delta.extra->unreadable) {
        if (delta.final_state_unknown) {
          ApplyDelete(name.namespace_, name.name, ObjectRef(), true);
        } else {
          coverage_.AddUnreadable(std::move(name));
        }
      }
      return;
    case DeltaType::kDeleted:
      if (!delta.final_state_unknown) Wrote(delta.object->resourceVersion());
      ApplyDelete(delta.object->namespace_(), delta.object->name(), delta.object,
                  delta.final_state_unknown);
      return;
    case DeltaType::kReplacedAll:
    case DeltaType::kSyncAll:
      return;
    case DeltaType::kAdded:
    case DeltaType::kUpdated:
    case DeltaType::kReplaced:
    case DeltaType::kSync:
      break;
  }
  const ObjectRef& object = delta.object;
  if (delta.type == DeltaType::kSync) {
    const Block* known = store_.Peek(object->namespace_(), object->name()).object;
    if (known != nullptr) {
      const ObjectRef same = ObjectRef::Share(known);
      sync_notifications_.push_back(
          {.kind = EventKind::kUpdate, .epoch = Epoch(), .old_object = same, .object = same});
    }
    return;
  }
  coverage_.RemoveUnreadable(object->namespace_(), object->name());
  Wrote(object->resourceVersion());
  bool same = false;
  const ObjectRef old = store_.Put(object, &same);
  if (same) {
    Count(counters_.unchanged);
    return;
  }
  // The store decides whether it is new, not the kind of event.
  if (!old) {
    Count(counters_.added);
    notifications_.push_back({.kind = EventKind::kAdd,
                              .is_in_initial_list = is_in_initial_list && !options_.ever_synced,
                              .epoch = Epoch(),
                              .object = object});
    return;
  }
  Count(counters_.modified);
  if (!options_.uid_change_is_update && old->uid() != object->uid()) {
    notifications_.push_back(
        {.kind = EventKind::kDelete, .final_state_unknown = true, .epoch = Epoch(), .object = old});
    notifications_.push_back({.kind = EventKind::kAdd, .epoch = Epoch(), .object = object});
    return;
  }
  notifications_.push_back(
      {.kind = EventKind::kUpdate, .epoch = Epoch(), .old_object = old, .object = object});
}

void InformerController::ApplyDelete(std::string_view namespace_, std::string_view name,
                                     ObjectRef last, bool final_state_unknown) {
  coverage_.RemoveUnreadable(namespace_, name);
  ObjectRef old = store_.Erase(namespace_, name);
  if (!old) return;
  Count(counters_.deleted);
  if (last && gaps_.DifferentUids(*last, *old)) {
    // What is told is the end of the object that was here.
    last = ObjectRef();
    final_state_unknown = true;
  }
  notifications_.push_back({.kind = EventKind::kDelete,
                            .final_state_unknown = final_state_unknown,
                            .epoch = Epoch(),
                            .object = last ? std::move(last) : std::move(old)});
}

// ---- a whole list

void InformerController::BeginRelist(Delta& delta) {
  Relist::Observer observer;
  if (options_.trace) {
    observer = [this](std::string_view type, const Block& object) {
      TraceStage("store", type, &object, "", store_.size(), true);
    };
  }
  epoch_ = list_epochs_.front();
  list_epochs_.pop_front();
  unversioned_ = false;
  relist_ = std::make_unique<Relist>(env_, store_, counters_, std::move(delta.extra),
                                     std::move(observer));
}

void InformerController::EndRelist() {
  const std::unique_ptr<Relist> relist = std::move(relist_);
  const DeltaExtra& list = relist->list();
  gaps_.Listed(list.resourceVersion);
  store_.SetResourceVersion(list.resourceVersion);
  store_.SetEpoch(epoch_);
  coverage_.AssignUnreadable(list.unreadable);
  Commit();
  if (options_.trace) {
    TraceStage("store", "REPLACED", nullptr, list.resourceVersion, store_.size(), true);
  }
  if (!processor_.empty()) {
    const bool initial = !queue_->HasSynced() && !options_.ever_synced;
    processor_.DistributeReplaced(relist->before(), store_.Snapshot(), initial);
  }
}

bool InformerController::StoreIsExact() const {
  if (unversioned_ || relist_ != nullptr) return false;
  return per_key() ? queue_->Len() == 0 : list_epochs_.empty();
}

void InformerController::Wrote(std::string_view resourceVersion) {
  unversioned_ = false;
  if (!per_key()) store_.AdvanceResourceVersion(resourceVersion);
}

void InformerController::Commit() {
  if (per_key() && queue_->Len() == 0) {
    store_.SetResourceVersion(queued_version_);
    store_.SetEpoch(epoch_);
  }
  if (batch_.synced_when_done) coverage_.SetComplete();
  coverage_.Publish();
  store_.Commit();
  if (options_.committed) options_.committed();
}

}  // namespace kinformer::internal::cache
