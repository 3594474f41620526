// kinformer/expiration_cache.h
//
// ExpirationCache: a map of items by key, in which items expire.
//
//   auto seen = NewTTLStore<std::string>(env, [](const std::string& s) { return s; },
//                                        std::chrono::minutes(5));
//   seen.Add("default/web-0");
//   if (seen.GetByKey("default/web-0")) ...  // for five minutes

#ifndef KINFORMER_EXPIRATION_CACHE_H_
#define KINFORMER_EXPIRATION_CACHE_H_

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"

namespace kinformer {

// An item and the time of its last Add or Update. Counterpart: cache.TimestampedEntry.
template <class Item>
struct TimestampedEntry {
  Item item;
  SteadyTime timestamp{};
};

// Returns true if an entry has expired at time `now`. Runs under the cache's lock: must be quick,
// and must not call the cache. Counterpart: cache.ExpirationPolicy.
template <class Item>
using ExpirationPolicy = std::function<bool(const TimestampedEntry<Item>& entry, SteadyTime now)>;

// Returns a policy by which entries older than `ttl` expire; with a ttl of 0 or less none do.
// Counterpart: cache.TTLPolicy.
template <class Item>
[[nodiscard]] ExpirationPolicy<Item> TTLPolicy(Duration ttl) {
  return [ttl](const TimestampedEntry<Item>& entry, SteadyTime now) {
    return ttl > Duration(0) && now - entry.timestamp > ttl;
  };
}

// Removes expired entries when they are read; others are removed by Delete and Replace only. Get,
// GetByKey and List never return expired items. ListKeys does not check entries, so it also returns
// keys of expired ones.
//
// Items may have any type; keys are text. Store<T> is for API objects that do not expire. To keep
// objects here, use Ref<T> as the item, and MetaNamespaceKeyFunc for the key.
//
// Thread-safe. Never blocks for long: readers too take the one lock, since they remove. Ownership:
// the cache copies items; `env`, whose steady clock it reads, must outlive it. Counterpart:
// cache.ExpirationCache.
template <class Item>
class ExpirationCache {
 public:
  using KeyFunc = std::function<std::string(const Item&)>;

  // Counterpart: cache.NewExpirationStore.
  ExpirationCache(Env& env, KeyFunc key, ExpirationPolicy<Item> policy)
      : env_(env), key_(std::move(key)), policy_(std::move(policy)) {}

  // Adds the item, or replaces the one with the same key; its age starts at 0.
  void Add(Item item) {
    std::string key = key_(item);
    const std::lock_guard lock(mu_);
    entries_.insert_or_assign(std::move(key), Entry{std::move(item), env_.Now()});
  }
  // Does the same as Add, as in client-go.
  void Update(Item item) { Add(std::move(item)); }
  // Removes the item with the same key, if there is one.
  void Delete(const Item& item) {
    const std::string key = key_(item);
    const std::lock_guard lock(mu_);
    entries_.erase(key);
  }
  // Replaces all items by `items`. All ages start at 0.
  void Replace(std::vector<Item> items, std::string_view resource_version) {
    std::map<std::string, Entry, std::less<>> entries;
    const SteadyTime now = env_.Now();
    for (Item& item : items) {
      std::string key = key_(item);
      entries.insert_or_assign(std::move(key), Entry{std::move(item), now});
    }
    const std::lock_guard lock(mu_);
    entries_.swap(entries);
    resource_version_ = resource_version;
  }
  // Records that the cache is complete up to this resourceVersion.
  void Bookmark(std::string_view resource_version) {
    const std::lock_guard lock(mu_);
    resource_version_ = resource_version;
  }

  // Returns the item with the same key, or nothing if there is none or it has expired.
  [[nodiscard]] std::optional<Item> Get(const Item& item) { return GetByKey(key_(item)); }
  [[nodiscard]] std::optional<Item> GetByKey(std::string_view key) {
    const std::lock_guard lock(mu_);
    const auto it = entries_.find(key);
    if (it == entries_.end()) return std::nullopt;
    if (policy_(it->second, env_.Now())) {
      entries_.erase(it);
      return std::nullopt;
    }
    return it->second.item;
  }
  // Returns all items that have not expired, ordered by key.
  [[nodiscard]] std::vector<Item> List() {
    std::vector<Item> items;
    const std::lock_guard lock(mu_);
    const SteadyTime now = env_.Now();
    std::erase_if(entries_, [&](const auto& entry) { return policy_(entry.second, now); });
    items.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) items.push_back(entry.item);
    return items;
  }
  // Returns all keys, sorted, including those of expired items that were not read since.
  [[nodiscard]] std::vector<std::string> ListKeys() const {
    std::vector<std::string> keys;
    const std::lock_guard lock(mu_);
    keys.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) keys.push_back(key);
    return keys;
  }
  // Returns the version of the last Replace or Bookmark; empty before the first.
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    const std::lock_guard lock(mu_);
    return resource_version_;
  }

 private:
  using Entry = TimestampedEntry<Item>;

  Env& env_;
  const KeyFunc key_;
  const ExpirationPolicy<Item> policy_;
  mutable std::mutex mu_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::string resource_version_;
};

// Returns an ExpirationCache with a TTLPolicy. Counterpart: cache.NewTTLStore.
template <class Item>
[[nodiscard]] ExpirationCache<Item> NewTTLStore(Env& env,
                                                typename ExpirationCache<Item>::KeyFunc key,
                                                Duration ttl) {
  return ExpirationCache<Item>(env, std::move(key), TTLPolicy<Item>(ttl));
}

}  // namespace kinformer

#endif  // KINFORMER_EXPIRATION_CACHE_H_
