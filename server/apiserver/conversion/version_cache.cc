#include "apiserver/conversion/version_cache.h"

#include <algorithm>
#include <chrono>
#include <iterator>
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

bool VersionCache::Follows(const ResourceStore& source) const {
  if (snapshot_) return snapshot_->version >= source.floor();
  return next_ && *next_ >= source.begin_sequence();
}

bool VersionCache::current() const {
  return !snapshot_ && next_ == resource_.lock()->store->end_sequence();
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
  if (valid()) resource_.lock()->converted.erase(version_->version);
}

void VersionCache::End() {
  objects_->watchers->Close();
  TellAll(
      Error(Reason::kServiceUnavailable, "the definition of the resource has changed: ask again")
          .WithHttpStatus(503));
}

void VersionCache::Schedule() {
  if (asking_ != nullptr || std::exchange(scheduled_, true)) return;
  state_.Post(own_calls_.Guard([this] {
    scheduled_ = false;
    Go();
  }));
}

bool VersionCache::Wanted() const {
  return objects_->watchers->size() > 0 ||
         std::any_of(waiting_.begin(), waiting_.end(),
                     [](const Waiter& waiter) { return !waiter.done.expired(); });
}

void VersionCache::Go() {
  if (!valid()) return End();
  if (retry_) state_.deadlines.Remove(*std::exchange(retry_, std::nullopt));
  TellWhoWaits();
  if (!Wanted()) return;
  const auto resource = resource_.lock();
  if (!Follows(*resource->store)) Restart(*resource->store);
  const std::vector<StoredObjectPtr> batch = NextBatch(*resource->store);
  if (batch.empty() && !snapshot_) return;
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
        if (!valid()) return End();
        if (converted.objects) {
          most_ = std::min(most_ * 2, kMostObjects);
          if (snapshot_) {
            TakeSnapshot(*resource_.lock()->store, *std::move(converted.objects));
          } else {
            TakeEvents(batch, *std::move(converted.objects));
          }
          return Schedule();
        }
        // Converts single objects, to reach those before the one that cannot be converted.
        if (converted.answered && count > 1) {
          most_ = 1;
          return Schedule();
        }
        if (objects_->watchers->size() > 0) RetryLater();
        TellAll(converted.objects.error());
      });
}

void VersionCache::Restart(const ResourceStore& source) {
  snapshot_.emplace(Snapshot{.version = state_.resource_version,
                             .objects = {},
                             .store = std::make_shared<ResourceStore>(state_.resources.limits())});
  std::deque<StoredObjectPtr>& objects = snapshot_->objects;
  source.Walk({}, {}, snapshot_->version, [&](const StoredObjectPtr& stored) {
    objects.push_back(stored);
    return true;
  });
  std::sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) {
    return a->resource_version() < b->resource_version();
  });
}

std::vector<StoredObjectPtr> VersionCache::NextBatch(const ResourceStore& source) const {
  std::vector<StoredObjectPtr> batch;
  if (snapshot_) {
    const std::deque<StoredObjectPtr>& left = snapshot_->objects;
    std::copy_n(left.begin(), std::min(most_, left.size()), std::back_inserter(batch));
    return batch;
  }
  for (std::uint64_t i = *next_; i < source.end_sequence() && batch.size() < most_; ++i) {
    batch.push_back(source.event(i).current);
  }
  return batch;
}

void VersionCache::TakeSnapshot(const ResourceStore& source,
                                std::vector<StoredObjectPtr> converted) {
  for (StoredObjectPtr& stored : converted) {
    snapshot_->store->Put(std::move(stored), state_.env.Now());
    snapshot_->objects.pop_front();
  }
  if (!snapshot_->objects.empty() || !Follows(source)) return;  // Go starts again
  taken_version_ = snapshot_->version;
  next_ = source.SequenceAfter(taken_version_);
  snapshot_->store->Compact(taken_version_);
  objects_->store = std::move(snapshot_->store);
  snapshot_ = std::nullopt;
  // Watches of the previous store would miss the events in between.
  objects_->watchers->Close();
}

void VersionCache::TakeEvents(const std::vector<StoredObjectPtr>& events,
                              std::vector<StoredObjectPtr> converted) {
  ResourceStore& store = *objects_->store;
  const SteadyTime now = state_.env.Now();
  auto made = converted.begin();
  for (const StoredObjectPtr& event : events) {
    ++*next_;
    taken_version_ = event->resource_version();
    if (event->tombstone()) {
      const StoredObjectPtr last = store.Get(event->key());
      store.Delete(last->AtResourceVersion(event->resource_version(), /*tombstone=*/true), now);
    } else {
      store.Put(std::move(*made++), now);
    }
    objects_->watchers->Notify(event->namespace_(), event->key());
  }
}

void VersionCache::TellWhoWaits() {
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

void VersionCache::RetryLater() {
  retry_ = state_.deadlines.Add(state_.env.Now() + kRetry, [this] { Schedule(); });
}

void VersionCache::TellAll(const Error& error) {
  const auto told = std::exchange(waiting_, {});
  for (const Waiter& waiter : told) {
    if (const Ticket done = waiter.done.lock()) (*done)(error);
  }
}

}  // namespace kinformer::apiserver
