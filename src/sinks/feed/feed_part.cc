#include "sinks/feed/feed_part.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "cache/figures/informer_observers.h"

namespace kinformer::internal::sinks {
namespace {

// Changes of one commit, about: those of one piece of data stay together.
constexpr std::size_t kMostOfACommit = 2048;

std::string KeyOf(const SinkChange& change) {
  std::string key(change.namespace_());
  key += '/';
  key += change.name();
  return key;
}

}  // namespace

FeedPart::FeedPart(Env& env, Monitor& monitor, ExportedResource resource,
                   ListerWatcher& lister_watcher, const SnapshotFeedOptions& options)
    : env_(env),
      monitor_(monitor),
      resource_(std::move(resource)),
      options_(options),
      name_("export of " + lister_watcher.Describe()),
      lister_watcher_(env, lister_watcher),
      status_(env, name_, std::make_shared<cache::InformerObservers>(), nullptr) {
  if (!options.on_watch_error) return;
  status_.SetErrorHandler(
      [this](const Error& error) { options_.on_watch_error(resource_, error); });
}

void FeedPart::Start(std::string held, bool lists) {
  cache::ReflectorOptions options;
  options.name = name_;
  options.use_watch_list = options_.initial_list == InitialList::kWatchList;
  chunk_ = {};
  dropping_ = false;
  published_ = std::move(held);
  reflector_ =
      std::make_unique<cache::Reflector>(env_, lister_watcher_, *this, status_, std::move(options));
  if (published_.empty() || lists) {
    reflector_->SetLastSyncResourceVersion(published_);
    reflector_->Start();
  } else {
    reflector_->StartFrom(published_);
  }
}

void FeedPart::Stop() {
  reflector_.reset();
  staged_.Clear();
  chunk_ = {};
  const MonitorLock lock(monitor_);
  steps_.clear();
  events_ = bytes_ = taken_events_ = taken_bytes_ = coalesce_at_ = 0;
  blocked_ = false;
}

// ---- What the reflector tells.

void FeedPart::Change(DeltaType type, ObjectRef object) {
  chunk_.bytes += object->allocated_bytes();
  Ref<Unstructured> ref(std::move(object));
  chunk_.changes.push_back(type == DeltaType::kDeleted ? SinkChange::Remove(std::move(ref))
                                                       : SinkChange::Upsert(std::move(ref)));
}

void FeedPart::Unreadable(std::string_view namespace_, std::string_view name, bool deleted) {
  if (!deleted) return;
  chunk_.changes.push_back(
      SinkChange::Remove(HeldObject{.name = {std::string(namespace_), std::string(name)}}));
}

void FeedPart::ReplaceEnd(std::string_view resourceVersion) {
  dropping_ = false;
  chunk_ = {};
  staged_.Finish();
  FeedStep step;
  step.is_list = true;
  step.version = published_ = resourceVersion;
  std::vector<ObjectRef> objects = staged_.TakeObjects();
  step.changes.reserve(objects.size());
  for (ObjectRef& object : objects) {
    step.changes.push_back(SinkChange::Upsert(Ref<Unstructured>(std::move(object))));
  }
  step.unreadable = staged_.TakeUnreadable();
  const MonitorLock lock(monitor_);
  AppendLocked(std::move(step));
}

void FeedPart::ChunkEnd() {
  if (reflector_ == nullptr) return;
  FeedStep step = std::exchange(chunk_, {});
  const std::string& version = reflector_->LastSyncResourceVersion();
  if (dropping_ || (step.changes.empty() && version == published_)) return;
  step.version = published_ = version;
  const MonitorLock lock(monitor_);
  AppendLocked(std::move(step));
}

// ---- What waits.

void FeedPart::AppendLocked(FeedStep step) {
  if (steps_.empty()) due_ = env_.Now() + options_.commit_interval;
  if (step.is_list) due_ = env_.Now();
  const bool is_list = step.is_list;
  if (!is_list) {
    events_ += step.changes.size();
    bytes_ += step.bytes;
  }
  steps_.push_back(std::move(step));
  if (!is_list && IsFullLocked()) OverflowLocked();
  monitor_.NotifyAll();
}

bool FeedPart::IsFullLocked() const {
  return events_ > options_.max_events || bytes_ > options_.max_bytes;
}

void FeedPart::OverflowLocked() {
  switch (options_.overflow) {
    case OverflowPolicy::kBlock:
      if (!std::exchange(blocked_, true)) reflector_->Pause();
      break;
    case OverflowPolicy::kCoalesce:
      if (events_ >= coalesce_at_) CoalesceLocked();
      break;
    case OverflowPolicy::kDropAndResync:
      steps_.clear();
      CountLocked();
      dropping_ = true;
      reflector_->Relist();
      break;
  }
}

// Keeps the last change of each object, in one step where several follow each other.
void FeedPart::CoalesceLocked() {
  std::deque<FeedStep> kept;
  std::unordered_set<std::string> seen;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->is_list) {
      seen.clear();
      kept.push_front(std::move(*step));
      continue;
    }
    if (kept.empty() || kept.front().is_list) {
      seen.clear();
      kept.push_front(FeedStep{.version = step->version});
    }
    // The newest come first, until all are there.
    std::vector<SinkChange>& changes = kept.front().changes;
    for (auto change = step->changes.rbegin(); change != step->changes.rend(); ++change) {
      if (!seen.insert(KeyOf(*change)).second) continue;
      if (change->object()) kept.front().bytes += change->object().object()->allocated_bytes();
      changes.push_back(std::move(*change));
    }
  }
  for (FeedStep& step : kept) {
    if (!step.is_list) std::reverse(step.changes.begin(), step.changes.end());
  }
  steps_ = std::move(kept);
  CountLocked();
  coalesce_at_ = 2 * events_;
}

void FeedPart::CountLocked() {
  events_ = taken_events_;
  bytes_ = taken_bytes_;
  for (const FeedStep& step : steps_) {
    if (step.is_list) continue;
    events_ += step.changes.size();
    bytes_ += step.bytes;
  }
}

std::optional<SteadyTime> FeedPart::DueLocked() const {
  if (steps_.empty()) return std::nullopt;
  if (events_ >= kMostOfACommit || IsFullLocked()) return SteadyTime{};
  return due_;
}

FeedStep FeedPart::TakeLocked() {
  FeedStep taken = std::move(steps_.front());
  steps_.pop_front();
  while (!taken.is_list && !steps_.empty() && !steps_.front().is_list &&
         taken.changes.size() < kMostOfACommit) {
    FeedStep& next = steps_.front();
    std::move(next.changes.begin(), next.changes.end(), std::back_inserter(taken.changes));
    taken.version = std::move(next.version);
    taken.bytes += next.bytes;
    steps_.pop_front();
  }
  if (!taken.is_list) {
    taken_events_ = taken.changes.size();
    taken_bytes_ = taken.bytes;
  }
  if (!steps_.empty()) due_ = env_.Now();
  return taken;
}

void FeedPart::CommittedLocked(std::size_t events, std::size_t bytes) {
  events_ -= events;
  bytes_ -= bytes;
  taken_events_ = taken_bytes_ = 0;
  if (!blocked_ || events_ > options_.max_events / 2 || bytes_ > options_.max_bytes / 2) return;
  blocked_ = false;
  env_.loop().Post([weak = weak_from_this()] {
    const std::shared_ptr<FeedPart> self = weak.lock();
    if (self != nullptr && self->reflector_ != nullptr) self->reflector_->Resume();
  });
}

}  // namespace kinformer::internal::sinks
