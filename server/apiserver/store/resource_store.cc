#include "apiserver/store/resource_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinformer::apiserver {

const StoredObjectPtr* ResourceStore::Entry::At(std::int64_t resource_version) const {
  if (latest->resource_version() <= resource_version) return &latest;
  const auto first = older.begin() + static_cast<std::ptrdiff_t>(dropped);
  const auto at = std::upper_bound(first, older.end(), resource_version,
                                   [](std::int64_t version, const StoredObjectPtr& stored) {
                                     return version < stored->resource_version();
                                   });
  return at == first ? nullptr : &*std::prev(at);
}

void ResourceStore::Entry::Push(StoredObjectPtr stored) {
  if (latest != nullptr) older.push_back(std::move(latest));
  latest = std::move(stored);
}

void ResourceStore::Put(StoredObjectPtr stored, SteadyTime now) {
  bytes_ += stored->bytes();
  Entry& entry = objects_[stored->key()];
  StoredObjectPtr previous = entry.latest;
  entry.Push(stored);
  const bool existed = previous != nullptr && !previous->tombstone();
  if (!existed) {
    previous = nullptr;
    ++live_;
    ++live_by_namespace_[std::string(stored->namespace_())];
  }
  Append(existed ? EventType::kModified : EventType::kAdded, std::move(stored), std::move(previous),
         now);
}

void ResourceStore::Delete(StoredObjectPtr tombstone, SteadyTime now) {
  const auto found = objects_.find(tombstone->key());
  if (found == objects_.end() || found->second.latest->tombstone()) return;
  bytes_ += tombstone->bytes();
  StoredObjectPtr previous = found->second.latest;
  found->second.Push(tombstone);
  --live_;
  const auto count = live_by_namespace_.find(std::string(tombstone->namespace_()));
  if (--count->second == 0) live_by_namespace_.erase(count);
  Append(EventType::kDeleted, std::move(tombstone), std::move(previous), now);
}

StoredObjectPtr ResourceStore::Get(std::string_view key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end() || found->second.latest->tombstone()) return nullptr;
  return found->second.latest;
}

std::size_t ResourceStore::size(std::string_view namespace_) const {
  const auto found = live_by_namespace_.find(std::string(namespace_));
  return found == live_by_namespace_.end() ? 0 : found->second;
}

void ResourceStore::Walk(std::string_view prefix, std::string_view from,
                         std::int64_t resource_version,
                         const std::function<bool(const StoredObjectPtr&)>& visit) const {
  for (auto at = objects_.lower_bound(std::max(prefix, from)); at != objects_.end(); ++at) {
    if (!std::string_view(at->first).starts_with(prefix)) return;
    const StoredObjectPtr* stored = at->second.At(resource_version);
    if (stored == nullptr || (*stored)->tombstone()) continue;
    if (!visit(*stored)) return;
  }
}

std::uint64_t ResourceStore::SequenceAfter(std::int64_t resource_version) const {
  const auto at = std::upper_bound(log_.begin(), log_.end(), resource_version,
                                   [](std::int64_t version, const StoreEvent& event) {
                                     return version < event.resource_version;
                                   });
  return first_sequence_ + static_cast<std::uint64_t>(at - log_.begin());
}

void ResourceStore::Append(EventType type, StoredObjectPtr current, StoredObjectPtr previous,
                           SteadyTime now) {
  const std::int64_t resource_version = current->resource_version();
  log_.push_back({.resource_version = resource_version,
                  .type = type,
                  .current = std::move(current),
                  .previous = std::move(previous),
                  .time = now});
  Trim(now);
}

void ResourceStore::Trim(SteadyTime now) {
  std::int64_t horizon = floor_;
  // A few per write keep up with any rate of writes, and no write becomes slow.
  for (int i = 0; i < 8 && !log_.empty(); ++i) {
    const StoreEvent& oldest = log_.front();
    const bool too_many = log_.size() > limits_.max_events;
    const bool too_old = log_.size() > limits_.min_events && now - oldest.time > limits_.max_age;
    if (!too_many && !too_old) break;
    horizon = oldest.resource_version;
    unpruned_.emplace_back(horizon, oldest.current->key());
    log_.pop_front();
    ++first_sequence_;
  }
  floor_ = horizon;
  const std::int64_t readable = pins_.empty() ? floor_ : std::min(floor_, *pins_.begin());
  for (int i = 0; i < 16 && !unpruned_.empty() && unpruned_.front().first <= readable; ++i) {
    Prune(unpruned_.front().second, readable);
    unpruned_.pop_front();
  }
}

void ResourceStore::Compact(std::int64_t resource_version) {
  while (!log_.empty() && log_.front().resource_version <= resource_version) {
    unpruned_.emplace_back(log_.front().resource_version, log_.front().current->key());
    log_.pop_front();
    ++first_sequence_;
  }
  floor_ = std::max(floor_, resource_version);
  const std::int64_t readable = pins_.empty() ? floor_ : std::min(floor_, *pins_.begin());
  while (!unpruned_.empty() && unpruned_.front().first <= readable) {
    Prune(unpruned_.front().second, readable);
    unpruned_.pop_front();
  }
}

bool ResourceStore::MayKeep(std::size_t size) {
  constexpr std::size_t kMostKept = std::size_t{32} << 20;
  const std::size_t cost = size + sizeof(std::string);
  if (kept_bytes_ + cost > kMostKept) return false;
  kept_bytes_ += cost;
  return true;
}

void ResourceStore::Forget(const StoredObject& stored) {
  bytes_ -= std::min(bytes_, stored.bytes());
  kept_bytes_ -= std::min(kept_bytes_, stored.protobuf_bytes());
}

void ResourceStore::Prune(const std::string& key, std::int64_t horizon) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  Entry& entry = found->second;
  // Drops versions that no reader can request: those older than the one visible at the horizon.
  const auto next = [&](std::size_t i) -> const StoredObjectPtr& {
    return i + 1 < entry.older.size() ? entry.older[i + 1] : entry.latest;
  };
  while (entry.dropped < entry.older.size() && next(entry.dropped)->resource_version() <= horizon) {
    Forget(*entry.older[entry.dropped]);
    entry.older[entry.dropped++].reset();
  }
  if (entry.dropped == entry.older.size()) {
    entry.older = {};
    entry.dropped = 0;
    if (entry.latest->tombstone() && entry.latest->resource_version() <= horizon) {
      Forget(*entry.latest);
      objects_.erase(found);
    }
  } else if (entry.dropped > entry.older.size() / 2) {
    // Amortised: each version is moved at most once for each that is dropped.
    entry.older.erase(entry.older.begin(),
                      entry.older.begin() + static_cast<std::ptrdiff_t>(entry.dropped));
    entry.dropped = 0;
  }
}

std::shared_ptr<ResourceStore> ResourceStore::Loaded(HistoryLimits limits, std::int64_t floor,
                                                     std::vector<StoredObjectPtr> objects,
                                                     std::vector<StoredObjectPtr> later,
                                                     SteadyTime now) {
  limits.floor = floor;
  auto loaded = std::make_shared<ResourceStore>(limits);
  std::size_t* count = nullptr;  // of the namespace of the object before
  std::string_view namespace_;
  for (StoredObjectPtr& stored : objects) {
    loaded->bytes_ += stored->bytes();
    if (count == nullptr || stored->namespace_() != namespace_) {
      namespace_ = stored->namespace_();
      count = &loaded->live_by_namespace_[std::string(namespace_)];
    }
    ++*count;
    ++loaded->live_;
    const auto at = loaded->objects_.try_emplace(loaded->objects_.end(), stored->key());
    at->second.latest = std::move(stored);
    namespace_ = at->second.latest->namespace_();
  }
  for (StoredObjectPtr& stored : later) {
    if (stored->tombstone()) {
      loaded->Delete(std::move(stored), now);
    } else {
      loaded->Put(std::move(stored), now);
    }
  }
  return loaded;
}

std::shared_ptr<ResourceStore> ResourceStore::RestoredTo(std::int64_t resource_version,
                                                         SteadyTime now) const {
  std::vector<StoredObjectPtr> objects;
  Walk({}, {}, resource_version, [&](const StoredObjectPtr& stored) {
    objects.push_back(stored);
    return true;
  });
  std::sort(objects.begin(), objects.end(), [](const StoredObjectPtr& a, const StoredObjectPtr& b) {
    return a->resource_version() < b->resource_version();
  });
  auto restored = std::make_shared<ResourceStore>(limits_);
  for (StoredObjectPtr& stored : objects) restored->Put(std::move(stored), now);
  restored->Compact(resource_version);
  return restored;
}

ResourceStore::Pin::Pin(std::shared_ptr<ResourceStore> store, std::int64_t resource_version)
    : store_(std::move(store)), position_(store_->pins_.insert(resource_version)) {}

ResourceStore::Pin::~Pin() { store_->pins_.erase(position_); }

}  // namespace kinformer::apiserver
