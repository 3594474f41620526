#include "cache/controller.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "cache/delta_fifo.h"
#include "cache/informer_metrics.h"
#include "cache/real_fifo.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kBatch = 1000;
constexpr Duration kSlice = std::chrono::milliseconds(1);
constexpr std::size_t kReplaceStep = 256;

void Count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

const Block* ObjectOf(const ObjectRef& object) { return object.get(); }
const Block* ObjectOf(const Delta& delta) { return delta.object.get(); }

// Announces the next writes to the store: `items` from `at` on, whenever it comes to the first of them.
template <class Item>
void ExpectFrom(const StoreCore& store, const std::vector<Item>& items, std::size_t at) {
  constexpr std::size_t kMost = StoreCore::kMostExpected;
  if (at % kMost != 0 || at + 1 >= items.size()) return;
  std::array<const Block*, kMost> objects{};
  std::size_t count = 0;
  const std::size_t end = std::min(at + kMost, items.size());
  for (; at < end; ++at) {
    if (const Block* object = ObjectOf(items[at])) objects[count++] = object;
  }
  store.Expect({objects.data(), count});
}

}  // namespace

// ---- names of unreadable objects

bool UnreadableNames::Contains(std::string_view namespace_, std::string_view name) const {
  if (size() == 0) return false;
  MutexLock lock(mutex_);
  return names_.contains(ObjectName{std::string(namespace_), std::string(name)});
}

std::vector<ObjectName> UnreadableNames::All() const {
  if (size() == 0) return {};
  MutexLock lock(mutex_);
  return std::vector<ObjectName>(names_.begin(), names_.end());
}

void UnreadableNames::Insert(ObjectName name) {
  MutexLock lock(mutex_);
  names_.insert(std::move(name));
  size_.store(names_.size(), std::memory_order_release);
}

void UnreadableNames::Erase(std::string_view namespace_, std::string_view name) {
  if (size() == 0) return;
  MutexLock lock(mutex_);
  names_.erase(ObjectName{std::string(namespace_), std::string(name)});
  size_.store(names_.size(), std::memory_order_release);
}

void UnreadableNames::Assign(std::vector<ObjectName> names) {
  if (size() == 0 && names.empty()) return;
  MutexLock lock(mutex_);
  names_ = std::set<ObjectName>(names.begin(), names.end());
  size_.store(names_.size(), std::memory_order_release);
}

// ---- the controller

class Controller::Known final : public KnownObjects {
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

// A relist on its way into the store, in one version that stays open over several turns of the loop.
struct Controller::Replacement {
  std::unique_ptr<DeltaExtra> list;
  std::shared_ptr<const SnapshotCore> before;
  bool initial = false;
  std::size_t next = 0;
  // Objects of `before` that the list has too. What is not in here at the end is gone.
  std::unordered_set<const Block*> found;
  bool deleting = false;
  SnapshotCore::Cursor cursor{};
};

Controller::Controller(Env& env, StoreCore& store, Processor& processor, PipelineCounters& counters,
                       UnreadableNames& unreadable, ControllerOptions options)
    : env_(env),
      store_(store),
      processor_(processor),
      counters_(counters),
      unreadable_(unreadable),
      options_(std::move(options)),
      known_(std::make_unique<Known>(store)) {
  if (options_.queue == QueueKind::kDeltaFIFO) {
    queue_ = std::make_unique<DeltaFIFO>(DeltaFIFOOptions{.known_objects = known_.get()});
  } else {
    queue_ = std::make_unique<RealFIFO>();
  }
}

Controller::~Controller() {
  if (replacement_ != nullptr) {
    while (!ContinueReplacement(SteadyTime::max())) {
    }
    EndReplacement();
  }
  counters_.queued.store(0, std::memory_order_relaxed);
  counters_.queued_bytes.store(0, std::memory_order_relaxed);
  if (options_.metrics == nullptr) return;
  options_.metrics->queued_items.Set(0);
  options_.metrics->queued_bytes.Set(0);
  ReportStore();
}

void Controller::TraceStage(std::string_view stage, std::string_view type, const Block* object,
                            std::string_view resourceVersion, std::size_t depth, bool in_list) {
  const std::string key = object == nullptr ? std::string() : KeyOf(*object);
  TraceEvent event;
  event.stage = stage;
  event.type = type;
  event.key = key;
  event.resourceVersion = object == nullptr ? resourceVersion : object->resourceVersion();
  event.depth = depth;
  event.in_list = in_list;
  options_.trace(event);
}

// ---- from the reflector into the queue

ObjectRef Controller::Transformed(ObjectRef object) {
  if (!options_.transform) return object;
  const ObjectName name = NameOf(*object);
  std::string what;
  try {
    Result<ObjectRef> result = options_.transform(std::move(object));
    if (result && *result) return std::move(*result);
    what = result ? "it returned nothing" : result.error().ToString();
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "it threw something that is not a std::exception";
  }
  env_.log().Log(LogLevel::kError, "the transform failed; the object counts as unreadable",
                 {{"informer", options_.name}, {"key", name.ToString()}, {"err", what}});
  return {};
}

void Controller::Feed(DeltaType type, ObjectRef object) {
  if (options_.trace) TraceStage("reflector", DeltaTypeName(type), object.get(), "", 0);
  ObjectName name;
  if (options_.transform) name = NameOf(*object);
  object = Transformed(std::move(object));
  if (!object) {
    queue_->Unreadable(std::move(name), type == DeltaType::kDeleted);
    return;
  }
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

void Controller::Unreadable(std::string_view namespace_, std::string_view name, bool deleted) {
  queue_->Unreadable(ObjectName{std::string(namespace_), std::string(name)}, deleted);
}

void Controller::Bookmark(std::string_view resourceVersion) {
  Count(counters_.bookmarks);
  if (options_.trace) TraceStage("reflector", "BOOKMARK", nullptr, resourceVersion, 0);
  queue_->Bookmark(resourceVersion);
}

void Controller::ReplaceBegin() {
  staged_.clear();
  staged_unreadable_.clear();
  staged_removals_.clear();
}

void Controller::ReplaceItem(ObjectRef object) {
  if (options_.trace) TraceStage("reflector", "REPLACED", object.get(), "", 0, true);
  ObjectName name;
  if (options_.transform) name = NameOf(*object);
  object = Transformed(std::move(object));
  if (!object) {
    staged_unreadable_.insert(std::move(name));
    return;
  }
  if (!staged_unreadable_.empty()) staged_unreadable_.erase(NameOf(*object));
  // What came as it is in the store is not kept twice while the rest of the list streams in.
  const Block* known = store_.Peek(object->namespace_(), object->name());
  if (known != nullptr && known->SameAs(*object)) {
    object = ObjectRef::Share(known);
  } else {
    object = store_.Pack(std::move(object));
  }
  staged_.push_back(std::move(object));
}

void Controller::ReplaceUnreadable(std::string_view namespace_, std::string_view name) {
  staged_unreadable_.insert(ObjectName{std::string(namespace_), std::string(name)});
}

void Controller::ReplaceRemove(std::string_view namespace_, std::string_view name) {
  ObjectName gone{std::string(namespace_), std::string(name)};
  staged_unreadable_.erase(gone);
  staged_removals_.emplace_back(std::move(gone), staged_.size());
}

void Controller::ReplaceEnd(std::string_view resourceVersion) {
  if (!staged_removals_.empty()) {
    std::unordered_map<ObjectName, std::size_t> removed;
    for (auto& [name, position] : staged_removals_) removed[name] = position;
    std::size_t i = 0;
    std::erase_if(staged_, [&](const ObjectRef& object) {
      const auto it = removed.find(NameOf(*object));
      return i++ < (it == removed.end() ? 0 : it->second);
    });
    staged_removals_.clear();
  }
  if (options_.trace) {
    TraceStage("reflector", "REPLACED", nullptr, resourceVersion, staged_.size(), true);
  }
  // A whole list says it by itself; object by object, nobody would speak of those that are not in it.
  std::vector<ObjectName> gone;
  if (options_.queue == QueueKind::kDeltaFIFO) gone = UnreadableThatAreGone();
  queue_->Replace(std::move(staged_),
                  std::vector<ObjectName>(staged_unreadable_.begin(), staged_unreadable_.end()),
                  std::string(resourceVersion));
  for (ObjectName& name : gone) queue_->Unreadable(std::move(name), true);
  staged_ = {};
  staged_unreadable_ = {};
  if (options_.trace) {
    TraceStage("delta fifo", "REPLACED", nullptr, resourceVersion, queue_->Len(), true);
  }
}

std::vector<ObjectName> Controller::UnreadableThatAreGone() const {
  std::vector<ObjectName> names = unreadable_.All();
  if (names.empty()) return names;
  std::set<ObjectName> listed = staged_unreadable_;
  for (const ObjectRef& object : staged_) listed.insert(NameOf(*object));
  std::erase_if(names, [&](const ObjectName& name) { return listed.contains(name); });
  return names;
}

Result<void> Controller::Resync() {
  std::vector<std::weak_ptr<Listener>> due = processor_.DueForResync();
  if (!due.empty()) queue_->Resync(std::move(due));
  return {};
}

// ---- from the queue into the store, and then to the processor

void Controller::ContinueLater() {
  if (std::exchange(continues_, true)) return;
  env_.loop().Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    continues_ = false;
    Process();
  });
}

void Controller::Process() {
  if (processing_) return;
  processing_ = true;
  const SteadyTime until = env_.Now() + kSlice;
  for (;;) {
    if (replacement_ != nullptr) {
      const SteadyTime begun = WorkBegins();
      if (!ContinueReplacement(until)) {
        WorkPauses(begun);
        ContinueLater();
        break;
      }
      EndReplacement();
      WorkEnds(begun);
      BatchDone();
    }
    if (processor_.Blocked() || !queue_->PopBatch(kBatch, batch_)) break;
    if (batch_.deltas.size() == 1 && batch_.deltas.front().type == DeltaType::kReplacedAll) {
      BeginReplacement(batch_.deltas.front());
      continue;
    }
    const SteadyTime begun = WorkBegins();
    ProcessDeltas(batch_);
    WorkEnds(begun);
    BatchDone();
    if (env_.Now() >= until && queue_->Len() > 0) {
      ContinueLater();
      break;
    }
  }
  processing_ = false;
  UpdateGauges();
}

void Controller::BatchDone() {
  queue_->BatchDone();
  batch_.deltas.clear();
  if (!reported_synced_ && queue_->HasSynced()) {
    reported_synced_ = true;
    processor_.Synced();
    options_.synced();
  }
}

void Controller::UpdateGauges() {
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

SteadyTime Controller::WorkBegins() const {
  return options_.metrics == nullptr ? SteadyTime() : env_.Now();
}

void Controller::WorkPauses(SteadyTime begun) {
  if (options_.metrics != nullptr) worked_ += env_.Now() - begun;
}

void Controller::WorkEnds(SteadyTime begun) {
  if (options_.metrics == nullptr) return;
  WorkPauses(begun);
  const Duration took = std::exchange(worked_, Duration(0));
  options_.metrics->processing_latency->Observe(std::chrono::duration<double>(took).count());
}

void Controller::ReportStore() {
  const StoreStats stats = store_.Stats();
  options_.metrics->store_objects.Set(stats.objects);
  options_.metrics->store_bytes.Set(stats.object_bytes);
  InformerMetrics::SetVersion(*options_.metrics->store_resource_version, store_.ResourceVersion());
}

void Controller::ProcessDeltas(DeltaBatch& batch) {
  notifications_.clear();
  sync_notifications_.clear();
  const std::vector<std::weak_ptr<Listener>>* sync_listeners = nullptr;
  store_.Begin();
  for (std::size_t i = 0; i < batch.deltas.size(); ++i) {
    ExpectFrom(store_, batch.deltas, i);
    Delta& delta = batch.deltas[i];
    if (delta.type == DeltaType::kSyncAll) {
      sync_listeners = &delta.extra->listeners;
      continue;
    }
    Apply(delta, batch.is_in_initial_list);
  }
  store_.Commit();
  if (options_.trace) {
    for (const Delta& delta : batch.deltas) {
      if (delta.object) {
        TraceStage("store", DeltaTypeName(delta.type), delta.object.get(), "", store_.size());
      }
    }
  }
  processor_.Distribute(notifications_, [this] { return store_.Snapshot(); });
  if (sync_listeners != nullptr) Processor::Resync(*sync_listeners, store_.Snapshot());
  if (!sync_notifications_.empty()) {
    Processor::DistributeSync(sync_notifications_,
                              static_cast<const DeltaFIFO&>(*queue_).resync_listeners());
  }
  notifications_.clear();
  sync_notifications_.clear();
}

void Controller::Apply(Delta& delta, bool is_in_initial_list) {
  switch (delta.type) {
    case DeltaType::kBookmark:
      store_.SetResourceVersion(delta.extra->resourceVersion);
      return;
    case DeltaType::kUnreadable:
      for (ObjectName& name : delta.extra->unreadable) {
        if (delta.final_state_unknown) {
          ApplyDelete(name.namespace_, name.name, ObjectRef(), true);
        } else {
          unreadable_.Insert(std::move(name));
        }
      }
      return;
    case DeltaType::kDeleted:
      if (!delta.final_state_unknown) store_.SetResourceVersion(delta.object->resourceVersion());
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
    const Block* known = store_.Peek(object->namespace_(), object->name());
    if (known != nullptr) {
      const ObjectRef same = ObjectRef::Share(known);
      sync_notifications_.push_back({RawEvent::Kind::kUpdate, false, false, same, same});
    }
    return;
  }
  unreadable_.Erase(object->namespace_(), object->name());
  store_.SetResourceVersion(object->resourceVersion());
  bool same = false;
  const ObjectRef old = store_.Put(object, &same);
  if (same) {
    Count(counters_.unchanged);
    return;
  }
  // The store decides whether it is new, not the kind of event.
  if (!old) {
    Count(counters_.added);
    notifications_.push_back(
        {RawEvent::Kind::kAdd, is_in_initial_list && !options_.ever_synced, false, {}, object});
    return;
  }
  Count(counters_.modified);
  if (!options_.uid_change_is_update && old->uid() != object->uid()) {
    notifications_.push_back({RawEvent::Kind::kDelete, false, true, {}, old});
    notifications_.push_back({RawEvent::Kind::kAdd, false, false, {}, object});
    return;
  }
  notifications_.push_back({RawEvent::Kind::kUpdate, false, false, old, object});
}

void Controller::ApplyDelete(std::string_view namespace_, std::string_view name, ObjectRef last,
                             bool final_state_unknown) {
  unreadable_.Erase(namespace_, name);
  ObjectRef old = store_.Erase(namespace_, name);
  if (!old) return;
  Count(counters_.deleted);
  notifications_.push_back({RawEvent::Kind::kDelete,
                            false,
                            final_state_unknown,
                            {},
                            last ? std::move(last) : std::move(old)});
}

// ---- a whole list

void Controller::BeginReplacement(Delta& delta) {
  replacement_ = std::make_unique<Replacement>();
  replacement_->list = std::move(delta.extra);
  replacement_->before = store_.Snapshot();
  replacement_->initial = !queue_->HasSynced() && !options_.ever_synced;
  store_.Begin();
  store_.Reserve(replacement_->list->objects.size());
}

bool Controller::ContinueReplacement(SteadyTime until) {
  Replacement& r = *replacement_;
  const bool had_objects = r.before->size() > 0;
  std::vector<ObjectRef>& objects = r.list->objects;
  std::size_t steps = 0;
  while (r.next < objects.size()) {
    if (++steps % kReplaceStep == 0 && env_.Now() >= until) return false;
    ExpectFrom(store_, objects, r.next);
    ObjectRef object = std::move(objects[r.next++]);
    if (had_objects) {
      const Block* old = r.before->Get(object->namespace_(), object->name());
      if (old != nullptr) {
        r.found.insert(old);
        // A watch-list may bring an object more than once: what counts is the last.
        if ((old == object.get() || old->SameAs(*object)) &&
            store_.Peek(object->namespace_(), object->name()) == old) {
          Count(counters_.unchanged);
          continue;
        }
      }
    }
    const ObjectRef traced = options_.trace ? object : ObjectRef();
    const auto replaces = static_cast<bool>(store_.Put(std::move(object)));
    Count(replaces ? counters_.modified : counters_.added);
    if (traced) {
      const std::string_view what = replaces ? "MODIFIED" : "ADDED";
      TraceStage("store", what, traced.get(), "", store_.size(), true);
    }
  }
  if (!r.deleting) {
    r.deleting = true;
    // An object that is there but unreadable keeps its last readable state.
    for (const ObjectName& name : r.list->unreadable) {
      if (const Block* old = r.before->Get(name.namespace_, name.name)) r.found.insert(old);
    }
  }
  if (r.found.size() == r.before->size()) return true;
  while (const Block* block = r.before->Next(r.cursor)) {
    if (!r.found.contains(block)) {
      Count(counters_.deleted);
      if (options_.trace) TraceStage("store", "DELETED", block, "", store_.size(), true);
      static_cast<void>(store_.Erase(block->namespace_(), block->name()));
    }
    if (++steps % kReplaceStep == 0 && env_.Now() >= until) return false;
  }
  return true;
}

void Controller::EndReplacement() {
  const std::unique_ptr<Replacement> r = std::move(replacement_);
  store_.SetResourceVersion(r->list->resourceVersion);
  store_.Commit();
  unreadable_.Assign(std::move(r->list->unreadable));
  if (options_.trace) {
    TraceStage("store", "REPLACED", nullptr, r->list->resourceVersion, store_.size(), true);
  }
  if (!processor_.empty()) {
    processor_.DistributeReplaced(r->before, store_.Snapshot(), r->initial);
  }
  std::vector<std::function<void()>> tasks = std::exchange(when_closed_, {});
  for (const std::function<void()>& task : tasks) task();
}

void Controller::WhenStoreIsClosed(std::function<void()> task) {
  if (replacement_ == nullptr) return task();
  when_closed_.push_back(std::move(task));
}

}  // namespace kinformer::internal
