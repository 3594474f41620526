// kinformer/expiration_cache.h
//
// ExpirationCache: items by their keys, each of them until it has become too old.
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

// An item, and when it was added or updated last. Counterpart: cache.TimestampedEntry.
template <class Item>
struct TimestampedEntry {
  Item item;
  SteadyTime timestamp{};
};

// Whether an entry has become too old at a time. Runs under the cache's lock: must be quick, and
// must not call the cache. Counterpart: cache.ExpirationPolicy.
template <class Item>
using ExpirationPolicy = std::function<bool(const TimestampedEntry<Item>& entry, SteadyTime now)>;

// Expires what is older than `ttl`, not what is just as old; a ttl of 0 or less expires nothing.
// Counterpart: cache.TTLPolicy.
template <class Item>
[[nodiscard]] ExpirationPolicy<Item> TTLPolicy(Duration ttl) {
  return [ttl](const TimestampedEntry<Item>& entry, SteadyTime now) {
    return ttl > Duration(0) && now - entry.timestamp > ttl;
  };
}

// Entries expire when they are looked at: they are removed then, and otherwise only by Delete and
// Replace. Get, GetByKey and List never show what has expired. ListKeys looks at no entry, so that
// it also names what has.
//
// For items of any type with keys of text; Store<T> is for API objects that stay. To keep objects
// here, take Ref<T> for the item, and MetaNamespaceKeyFunc for the key.
//
// Thread-safe. Never blocks for long: one lock, for readers, too, since they remove. Ownership: the
// cache copies items; `env`, whose steady clock it reads, must outlive it.
// Counterpart: cache.ExpirationCache.
template <class Item>
class ExpirationCache {
 public:
  using KeyFunc = std::function<std::string(const Item&)>;

  // Counterpart: cache.NewExpirationStore.
  ExpirationCache(Env& env, KeyFunc key, ExpirationPolicy<Item> policy)
      : env_(env), key_(std::move(key)), policy_(std::move(policy)) {}

  // Adds the item, or puts it in the place of the one that has its key; its age begins anew.
  void Add(Item item) {
    std::string key = key_(item);
    const std::lock_guard lock(mu_);
    entries_.insert_or_assign(std::move(key), Entry{std::move(item), env_.Now()});
  }
  // The same, as in client-go.
  void Update(Item item) { Add(std::move(item)); }
  // Removes what has the item's key. Absent: nothing happens.
  void Delete(const Item& item) {
    const std::string key = key_(item);
    const std::lock_guard lock(mu_);
    entries_.erase(key);
  }
  // Makes `items` all there is. The age of all begins now.
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
  // All up to this resourceVersion is in the cache.
  void Bookmark(std::string_view resource_version) {
    const std::lock_guard lock(mu_);
    resource_version_ = resource_version;
  }

  // What has the item's key and has not expired, or nothing.
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
  // All that has not expired, by key.
  [[nodiscard]] std::vector<Item> List() {
    std::vector<Item> items;
    const std::lock_guard lock(mu_);
    const SteadyTime now = env_.Now();
    std::erase_if(entries_, [&](const auto& entry) { return policy_(entry.second, now); });
    items.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) items.push_back(entry.item);
    return items;
  }
  // Sorted. Also of what has expired, unless it has been looked at since.
  [[nodiscard]] std::vector<std::string> ListKeys() const {
    std::vector<std::string> keys;
    const std::lock_guard lock(mu_);
    keys.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) keys.push_back(key);
    return keys;
  }
  // Of the last Replace or Bookmark; empty before.
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

// An ExpirationCache with a TTLPolicy. Counterpart: cache.NewTTLStore.
template <class Item>
[[nodiscard]] ExpirationCache<Item> NewTTLStore(Env& env,
                                                typename ExpirationCache<Item>::KeyFunc key,
                                                Duration ttl) {
  return ExpirationCache<Item>(env, std::move(key), TTLPolicy<Item>(ttl));
}

}  // namespace kinformer

#endif  // KINFORMER_EXPIRATION_CACHE_H_
