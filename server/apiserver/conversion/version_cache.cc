#include "apiserver/conversion/version_cache.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinformer::apiserver {
namespace {

// Most objects in one call of the webhook. Real servers call it for each object.
constexpr std::size_t kMostObjects = 256;
// Delay before a failed webhook is called again, if there are watches.
constexpr Duration kRetry = std::chrono::seconds(1);

}  // namespace

VersionCache::VersionCache(ServerState& state, ObjectConverter& converter, const ResourceAt& at)
    : state_(state),
      converter_(converter),
      resource_(at.resource),
      version_(at.version),
      objects_(std::make_shared<ConvertedObjects>()),
      most_(kMostObjects) {
  objects_->store = std::make_shared<ResourceStore>(state.resources.limits());
  at.resource->converted[version_->version] = objects_;
}

VersionCache::~VersionCache() {
  if (retry_) state_.deadlines.Remove(*retry_);
}

bool VersionCache::valid() const {
  const auto resource = resource_.lock();
  if (resource == nullptr) return false;
  const auto found = resource->converted.find(version_->version);
  return found != resource->converted.end() && found->second == objects_;
}

ResourceAt VersionCache::at() const {
  const auto view = std::make_shared<ServedResource>(*resource_.lock());
  view->store = objects_->store;
  view->watchers = objects_->watchers;
  return {.resource = view, .version = version_};
}

bool VersionCache::Follows(const ServedResource& resource) const {
  if (source_.lock() != resource.store) return false;
  if (fresh_ != nullptr) return snapshot_version_ >= resource.store->floor();
  return begun_ && next_ >= resource.store->begin_sequence();
}

bool VersionCache::current() const {
  const auto resource = resource_.lock();
  return resource != nullptr && begun_ && Follows(*resource) && fresh_ == nullptr &&
         next_ == resource->store->end_sequence();
}

std::int64_t VersionCache::resource_version() const {
  return current() ? state_.resource_version : taken_version_;
}

VersionCache::Ticket VersionCache::WhenCurrent(Done done) {
  auto ticket = std::make_shared<const Done>(std::move(done));
  waiting_.push_back({.version = state_.resource_version, .done = ticket});
  Schedule();
  return ticket;
}

void VersionCache::OnWrite() {
  if (objects_->watchers->size() > 0 && !retry_) Schedule();
}

void VersionCache::Leave() {
  const auto resource = resource_.lock();
  if (resource != nullptr && valid()) resource->converted.erase(version_->version);
}

void VersionCache::End() {
  asking_ = nullptr;
  objects_->watchers->Close();
  Fail(Error(Reason::kServiceUnavailable, "the definition of the resource has changed: ask again")
           .WithHttpStatus(503));
}

void VersionCache::Schedule() {
  if (asking_ != nullptr || std::exchange(scheduled_, true)) return;
  state_.Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    scheduled_ = false;
    Go();
  });
}

bool VersionCache::Wanted() const {
  return objects_->watchers->size() > 0 ||
         std::any_of(waiting_.begin(), waiting_.end(),
                     [](const Waiter& waiter) { return !waiter.done.expired(); });
}

void VersionCache::Go() {
  if (asking_ != nullptr || !valid()) return;
  if (retry_) state_.deadlines.Remove(*std::exchange(retry_, std::nullopt));
  TellWhoWaits();
  if (!Wanted()) return;
  const auto resource = resource_.lock();
  if (!Follows(*resource)) Restart(*resource);
  const std::vector<StoredObjectPtr> batch = NextBatch();
  if (batch.empty() && fresh_ == nullptr) return;
  std::vector<StoredObjectPtr> live;
  for (const StoredObjectPtr& stored : batch) {
    if (!stored->tombstone()) live.push_back(stored);
  }
  const std::size_t count = live.size();
  asking_ = Start<ConvertedAll>(
      state_.env,
      converter_.ConvertAll({.resource = resource, .version = version_}, std::move(live)),
      [this, batch, count](ConvertedAll converted) {
        asking_ = nullptr;
        if (converted.objects) {
          Take(batch, *std::move(converted.objects));
          most_ = std::min(most_ * 2, kMostObjects);
          return Schedule();
        }
        // Converts single objects, to reach those before the one that cannot be converted.
        if (converted.answered && count > 1) {
          most_ = 1;
          return Schedule();
        }
        Fail(converted.objects.error());
      });
}

void VersionCache::Restart(const ServedResource& resource) {
  source_ = resource.store;
  fresh_ = std::make_shared<ResourceStore>(state_.resources.limits());
  snapshot_.clear();
  snapshot_next_ = 0;
  snapshot_version_ = state_.resource_version;
  resource.store->Walk({}, {}, snapshot_version_, [this](const StoredObjectPtr& stored) {
    snapshot_.push_back(stored);
    return true;
  });
  std::sort(snapshot_.begin(), snapshot_.end(), [](const auto& a, const auto& b) {
    return a->resource_version() < b->resource_version();
  });
}

std::vector<StoredObjectPtr> VersionCache::NextBatch() const {
  std::vector<StoredObjectPtr> batch;
  if (fresh_ != nullptr) {
    for (std::size_t i = snapshot_next_; i < snapshot_.size() && batch.size() < most_; ++i) {
      batch.push_back(snapshot_[i]);
    }
    return batch;
  }
  const auto source = source_.lock();
  for (std::uint64_t i = next_; i < source->end_sequence() && batch.size() < most_; ++i) {
    batch.push_back(source->event(i).current);
  }
  return batch;
}

void VersionCache::Take(const std::vector<StoredObjectPtr>& batch,
                        std::vector<StoredObjectPtr> converted) {
  if (fresh_ != nullptr) {
    TakeSnapshot(std::move(converted));
  } else {
    TakeEvents(batch, std::move(converted));
  }
}

void VersionCache::TakeSnapshot(std::vector<StoredObjectPtr> converted) {
  snapshot_next_ += converted.size();
  for (StoredObjectPtr& stored : converted) fresh_->Put(std::move(stored), state_.env.Now());
  if (snapshot_next_ < snapshot_.size()) return;
  snapshot_.clear();
  const auto source = source_.lock();
  if (source == nullptr || source->floor() > snapshot_version_) return;  // Go starts again
  fresh_->Compact(snapshot_version_);
  objects_->store = std::move(fresh_);
  fresh_ = nullptr;
  next_ = source->SequenceAfter(snapshot_version_);
  taken_version_ = snapshot_version_;
  // Watches of the previous store would miss the events in between.
  if (std::exchange(begun_, true)) objects_->watchers->Close();
}

void VersionCache::TakeEvents(const std::vector<StoredObjectPtr>& events,
                              std::vector<StoredObjectPtr> converted) {
  ResourceStore& store = *objects_->store;
  const SteadyTime now = state_.env.Now();
  auto made = converted.begin();
  for (const StoredObjectPtr& event : events) {
    ++next_;
    taken_version_ = event->resource_version();
    if (event->tombstone()) {
      const StoredObjectPtr last = store.Get(event->key());
      if (last == nullptr) continue;
      store.Delete(last->AtResourceVersion(event->resource_version(), /*tombstone=*/true), now);
    } else {
      store.Put(std::move(*made++), now);
    }
    objects_->watchers->Notify(event->namespace_(), event->key());
  }
}

void VersionCache::TellWhoWaits() {
  if (!begun_ || waiting_.empty() || fresh_ != nullptr) return;
  const std::int64_t reached = resource_version();
  const auto ready =
      std::stable_partition(waiting_.begin(), waiting_.end(),
                            [&](const Waiter& waiter) { return waiter.version > reached; });
  const std::vector<Waiter> told(ready, waiting_.end());
  waiting_.erase(ready, waiting_.end());
  for (const Waiter& waiter : told) {
    if (const Ticket done = waiter.done.lock()) (*done)({});
  }
}

void VersionCache::Fail(const Error& error) {
  if (valid() && objects_->watchers->size() > 0) {
    retry_ = state_.deadlines.Add(state_.env.Now() + kRetry, [this] {
      retry_ = std::nullopt;
      Go();
    });
  }
  const auto told = std::exchange(waiting_, {});
  for (const Waiter& waiter : told) {
    if (const Ticket done = waiter.done.lock()) (*done)(error);
  }
}

}  // namespace kinformer::apiserver
