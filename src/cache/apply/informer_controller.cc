#include "cache/apply/informer_controller.h"

#include <chrono>
#include <optional>

#include "kinformer/internal/indexer_core.h"

#include "base/core/user_call.h"
#include "cache/apply/expect.h"
#include "cache/figures/informer_metrics.h"
#include "cache/store/resource_version.h"

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

InformerController::InformerController(Env& env, StoreCore& store, Processor& processor,
                                       PipelineCounters& counters,
                                       InformerControllerOptions options)
    : env_(env),
      store_(store),
      processor_(processor),
      counters_(counters),
      options_(std::move(options)),
      own_coverage_(options_.coverage == nullptr
                        ? std::make_unique<CoverageWriter>(store, options_.scope)
                        : nullptr),
      coverage_(own_coverage_ != nullptr ? *own_coverage_ : *options_.coverage),
      position_(store, options_.versions, options_.part.key()),
      limit_(env, options_.limit, options_.relist),
      queued_(counters),
      gaps_(env, options_.name, options_.relist),
      applier_({store, counters, coverage_, position_, limit_, gaps_},
               {.uid_change_is_update = options_.uid_change_is_update,
                .ever_synced = options_.ever_synced,
                .metrics = options_.metrics}),
      timer_(env, options_.metrics) {}

InformerController::~InformerController() {
  ending_ = true;
  if (relist_ != nullptr) {
    static_cast<void>(relist_->Continue(SteadyTime::max()));
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

bool InformerController::IsForeign(std::string_view namespace_) {
  if (options_.part.Has(namespace_)) return false;
  if (!std::exchange(saw_foreign_, true)) {
    env_.log().Log(LogLevel::kError,
                   "the server sent an object of another namespace than was asked for; ignored",
                   {{"informer", options_.name},
                    {"namespace", std::string(namespace_)},
                    {"asked_for", DescribedPlace(options_.part.key())}});
  }
  return true;
}

ObjectRef InformerController::Transformed(ObjectRef object) {
  if (!options_.transform) return object;
  const ObjectRef received = object;
  const ObjectName name = NameOf(*object);
  std::optional<Result<ObjectRef>> result;
  const Result<void> called = base::CallUser(
      env_, "the transform", [&] { result = options_.transform(std::move(object)); },
      [&] { return options_.name; });
  const bool moved = called && *result && **result && !options_.part.Has((**result)->namespace_());
  if (called && *result && **result && !moved) {
    const Block& kept = ***result;
    if (options_.renamed &&
        (kept.uid() != received->uid() || kept.resourceVersion() != received->resourceVersion() ||
         kept.name() != received->name() || kept.namespace_() != received->namespace_())) {
      options_.renamed();
    }
    return std::move(**result);
  }
  const std::string what = !called   ? called.error().message()
                           : moved   ? "it gave the object another namespace, which an informer "
                                       "that looks at several does not allow"
                           : *result ? "it returned nothing"
                                     : result->error().ToString();
  env_.log().Log(LogLevel::kError, "the transform failed; the object counts as unreadable",
                 {{"informer", options_.name}, {"key", name.ToString()}, {"err", what}});
  return {};
}

void InformerController::Change(DeltaType type, ObjectRef object) {
  if (IsForeign(object->namespace_())) return;
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
    queue_.Unreadable(std::move(name), type == DeltaType::kDeleted);
    return;
  }
  const ObjectRef traced = options_.trace ? object : ObjectRef();
  queue_.Push(type, std::move(object), false);
  if (traced) TraceStage("delta fifo", DeltaTypeName(type), traced.get(), "", queue_.Len());
}

void InformerController::Unreadable(std::string_view namespace_, std::string_view name,
                                    bool deleted) {
  if (IsForeign(namespace_)) return;
  queue_.Unreadable(ObjectName{std::string(namespace_), std::string(name)}, deleted);
}

void InformerController::Bookmark(std::string_view resourceVersion) {
  Count(counters_.bookmarks);
  if (options_.trace) TraceStage("reflector", "BOOKMARK", nullptr, resourceVersion, 0);
  queue_.Bookmark(resourceVersion);
}

void InformerController::ReplaceBegin() {
  staged_.Clear();
  limit_.BeginList();
}

void InformerController::ReplaceItem(ObjectRef object) {
  if (IsForeign(object->namespace_())) return;
  if (options_.trace) TraceStage("reflector", "REPLACED", object.get(), "", 0, true);
  ObjectName name;
  if (options_.transform) name = NameOf(*object);
  object = Transformed(std::move(object));
  if (!object) return staged_.AddUnreadable(std::move(name));
  // Shares an unchanged object with the store, so that a list does not need memory for it twice.
  const Block* known = store_.Peek(object->namespace_(), object->name()).object;
  if (known != nullptr && known->SameAs(*object)) {
    object = ObjectRef::Share(known);
  } else {
    object = store_.Pack(std::move(object));
  }
  if (!limit_.TakeListed(*object, known)) {
    return staged_.LeaveOut(object->namespace_(), object->name());
  }
  staged_.Add(std::move(object));
}

void InformerController::ReplaceUnreadable(std::string_view namespace_, std::string_view name) {
  if (IsForeign(namespace_)) return;
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
  limit_.EndList();
  list_epochs_.push_back(options_.epoch ? options_.epoch() : 0);
  list_left_out_.push_back(staged_.TakeLeftOut());
  queue_.Replace(staged_.TakeObjects(), staged_.TakeUnreadable(), std::string(resourceVersion));
  if (options_.trace) {
    TraceStage("delta fifo", "REPLACED", nullptr, resourceVersion, queue_.Len(), true);
  }
}

void InformerController::ResourceAbsent() {
  // Lists that are already in the queue are older than this answer, so they do not count.
  lists_until_complete_ = 1 + list_epochs_.size() + (relist_ != nullptr ? 1 : 0);
  coverage_.SetComplete(false, options_.part);
  // An open version of the store will include the change.
  if (relist_ != nullptr || (options_.turn != nullptr && !options_.turn->IsFree())) return;
  store_.Begin();
  coverage_.Publish();
  store_.Commit();
  if (options_.committed) options_.committed();
}

void InformerController::Clear(bool complete) {
  ReplaceBegin();
  if (!complete) ++lists_until_complete_;
  QueueReplace("");
  ContinueLater();
}

Result<void> InformerController::Resync() {
  Resync(processor_.DueForResync());
  return {};
}

void InformerController::Resync(std::vector<std::weak_ptr<Listener>> due) {
  if (due.empty()) return;
  resyncs_.push_back(std::move(due));
  queue_.Resync();
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

void InformerController::TurnIsFree() {
  if (turned_away_ || queue_.Len() > 0) ContinueLater();
}

void InformerController::Process() {
  if (processing_) return;
  turned_away_ = options_.turn != nullptr && !options_.turn->IsFreeFor(this);
  if (turned_away_) return;
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
    if (processor_.Blocked() || !queue_.PopBatch(kBatch, batch_)) break;
    if (batch_.deltas.size() == 1 && batch_.deltas.front().type == DeltaType::kReplacedAll) {
      BeginRelist(batch_.deltas.front());
      continue;
    }
    timer_.Begin();
    ProcessDeltas(batch_);
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
    LetGo(applier_.notifications());
  }
  UpdateGauges();
}

void InformerController::BatchDone() {
  queue_.BatchDone();
  batch_.deltas.clear();
  ReportSynced();
}

void InformerController::ReportSynced() {
  const bool has_all = limit_.Tolerates(LeftOutHere());
  const bool synced = queue_.HasSynced() && has_all;
  if (synced == reported_synced_) {
    // With several namespaces the informer decides on all of them, and another one may have become
    // complete meanwhile.
    if (synced && own_coverage_ == nullptr) options_.synced();
    return;
  }
  reported_synced_ = synced;
  if (!synced) {
    if (options_.unsynced) options_.unsynced();
    return;
  }
  if (own_coverage_ != nullptr) processor_.Synced();
  options_.synced();
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
  options_.metrics->queued_items.Set(counters_.queued.load(std::memory_order_relaxed));
  options_.metrics->queued_bytes.Set(counters_.queued_bytes.load(std::memory_order_relaxed));
}

void InformerController::ReportStore() {
  const StoreStats stats = store_.Stats();
  options_.metrics->store_objects.Set(stats.objects);
  options_.metrics->store_bytes.Set(stats.object_bytes);
  options_.metrics->left_out.Set(stats.left_out);
  options_.metrics->snapshots.Set(stats.snapshots);
  options_.metrics->snapshot_bytes.Set(stats.pinned_bytes);
  options_.metrics->oldest_snapshot->Set(
      std::chrono::duration<double>(stats.oldest_snapshot).count());
  InformerMetrics::SetVersion(*options_.metrics->store_resource_version, store_.ResourceVersion());
}

void InformerController::ProcessDeltas(DeltaBatch& batch) {
  applier_.Begin(epoch_);
  std::vector<Notification>& notifications = applier_.notifications();
  bool resync = false;
  store_.Begin();
  for (std::size_t i = 0; i < batch.deltas.size(); ++i) {
    ExpectFrom(store_, batch.deltas, i);
    Delta& delta = batch.deltas[i];
    if (delta.type == DeltaType::kSyncAll) {
      resync = true;
      continue;
    }
    applier_.Apply(delta, batch.is_in_initial_list);
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
  if (!processor_.empty() && !notifications.empty()) {
    const std::uint64_t version = store_.Snapshot()->version();
    for (Notification& event : notifications) event.version = version;
  }
  processor_.Distribute(notifications, snapshot);
  if (resync) {
    processor_.Resync(resyncs_.front(), store_.Snapshot());
    resyncs_.pop_front();
  }
  notifications.clear();
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
  applier_.BeginList();
  if (options_.turn != nullptr) options_.turn->Take(this);
  limit_.BeginRelist();
  relist_ = std::make_unique<Relist>(env_, store_, counters_, options_.part, std::move(delta.extra),
                                     std::move(observer));
}

void InformerController::EndRelist() {
  const std::unique_ptr<Relist> relist = std::move(relist_);
  const DeltaExtra& list = relist->list();
  limit_.EndRelist();
  gaps_.Listed(list.resourceVersion);
  if (!list.resourceVersion.empty()) position_.SetResourceVersion(list.resourceVersion);
  position_.SetEpoch(epoch_);
  if (lists_until_complete_ > 0) --lists_until_complete_;
  coverage_.AssignUnreadable(list.unreadable, options_.part);
  coverage_.AssignLeftOut(std::move(list_left_out_.front()), options_.part);
  list_left_out_.pop_front();
  Commit();
  if (options_.trace) {
    TraceStage("store", "REPLACED", nullptr, list.resourceVersion, store_.size(), true);
  }
  if (!processor_.empty()) {
    const bool initial = !queue_.HasSynced() && !options_.ever_synced;
    processor_.DistributeReplaced(relist->before(), store_.Snapshot(), initial);
  }
  if (options_.turn != nullptr) options_.turn->GiveBack();
}

bool InformerController::StoreIsExact() const {
  return !applier_.unversioned() && relist_ == nullptr && list_epochs_.empty();
}

void InformerController::Commit() {
  const std::size_t left_out = LeftOutHere();
  if (queue_.SyncedWhenDone()) {
    coverage_.SetComplete(lists_until_complete_ == 0 && limit_.Tolerates(left_out), options_.part);
  }
  coverage_.SetEpoch(options_.part, epoch_);
  coverage_.Publish();
  position_.BeforeCommit();
  store_.Commit();
  position_.AfterCommit();
  counters_.left_out.store(coverage_.left_out().size(), std::memory_order_relaxed);
  if (options_.committed) options_.committed();
  // At the end of its life nothing can list again.
  if (ending_) return;
  limit_.Committed(left_out);
  // No list waits in the queue any more, so none needs its reserved room.
  if (list_epochs_.empty()) limit_.CaughtUp();
}

}  // namespace kinformer::internal::cache
