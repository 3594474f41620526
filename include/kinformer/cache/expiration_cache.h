// kinformer/cache/expiration_cache.h
//
// ExpirationCache<T>: items by key that are gone after a time.
//
//   auto tokens = NewTTLStore<Token>(env, [](const Token& t) { return t.user; }, 10min);
//   tokens->Add({"ann", "..."}).OrExit();
//   if (std::optional<Token> known = tokens->GetByKey("ann")) ...

#ifndef KINFORMER_CACHE_EXPIRATION_CACHE_H_
#define KINFORMER_CACHE_EXPIRATION_CACHE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/key_func.h"

namespace kinformer {

// An item and the time at which it was written. Counterpart: cache.TimestampedEntry.
template <class T>
struct TimestampedEntry {
  T item;
  SteadyTime timestamp{};
  std::string key{};
};

// Decides whether an item is gone. Counterpart: cache.ExpirationPolicy.
template <class T>
class ExpirationPolicy {
 public:
  virtual ~ExpirationPolicy() = default;
  // Must be quick, and must not call the cache.
  [[nodiscard]] virtual bool IsExpired(const TimestampedEntry<T>& entry) const = 0;
};

// Lets items expire when they are older than `ttl`; 0 or less: never. `env` must outlive it.
// Counterpart: cache.TTLPolicy.
template <class T>
class TTLPolicy final : public ExpirationPolicy<T> {
 public:
  TTLPolicy(Env& env, Duration ttl) : env_(env), ttl_(ttl) {}
  [[nodiscard]] bool IsExpired(const TimestampedEntry<T>& entry) const override {
    return ttl_ > Duration::zero() && env_.Now() - entry.timestamp > ttl_;
  }

 private:
  Env& env_;
  const Duration ttl_;
};

// For tests: all items expire at once, except those of some keys. Counterpart:
// cache.FakeExpirationPolicy.
template <class T>
class FakeExpirationPolicy final : public ExpirationPolicy<T> {
 public:
  explicit FakeExpirationPolicy(std::set<std::string, std::less<>> never_expire = {})
      : never_expire_(std::move(never_expire)) {}
  [[nodiscard]] bool IsExpired(const TimestampedEntry<T>& entry) const override {
    return !never_expire_.contains(entry.key);
  }

 private:
  const std::set<std::string, std::less<>> never_expire_;
};

// A store whose items expire. Reads leave out what has expired, and remove it then; nothing is
// removed by itself. A write sets the item's time anew.
//
// Thread-safe; never blocks. Exceptions of the key function and of the policy pass through.
// Counterpart: cache.ExpirationCache.
template <class T>
class ExpirationCache {
 public:
  // Creates an empty cache. `env` gives the time, and must outlive the cache. `deleted_keys`, for
  // tests: gets the key of each item that is removed because it has expired; must outlive the
  // cache.
  // Counterpart: cache.NewExpirationStore.
  ExpirationCache(Env& env, KeyFunc<T> key_func,
                  std::shared_ptr<const ExpirationPolicy<T>> expiration_policy,
                  std::vector<std::string>* deleted_keys = nullptr)
      : env_(env),
        key_func_(std::move(key_func)),
        policy_(std::move(expiration_policy)),
        deleted_keys_(deleted_keys) {}
  ExpirationCache(const ExpirationCache&) = delete;
  ExpirationCache& operator=(const ExpirationCache&) = delete;

  // Add or replace the item; both do the same.
  Result<void> Add(T item) {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    const SteadyTime now = env_.Now();
    const std::lock_guard lock(mutex_);
    entries_.insert_or_assign(*key, TimestampedEntry<T>{std::move(item), now, *key});
    return {};
  }
  Result<void> Update(T item) { return Add(std::move(item)); }
  // Removes the item of the same key; does nothing if it is absent.
  Result<void> Delete(const T& item) {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    const std::lock_guard lock(mutex_);
    entries_.erase(*key);
    return {};
  }
  // Replaces all items, which get the time of this call. If one has no key, nothing changes.
  Result<void> Replace(std::vector<T> items, std::string_view resource_version = {}) {
    const SteadyTime now = env_.Now();
    Entries entries;
    for (T& item : items) {
      Result<std::string> key = internal::KeyOfItem(key_func_, item);
      if (!key) return std::move(key).error();
      entries.insert_or_assign(*key, TimestampedEntry<T>{std::move(item), now, *key});
    }
    const std::lock_guard lock(mutex_);
    entries_.swap(entries);
    version_ = resource_version;
    return {};
  }
  // Does nothing.
  Result<void> Resync() { return {}; }
  // Records that the cache is complete up to this version.
  Result<void> Bookmark(std::string_view resource_version) {
    const std::lock_guard lock(mutex_);
    version_ = resource_version;
    return {};
  }

  // Returns the item of the same key, unless it has expired.
  [[nodiscard]] Result<std::optional<T>> Get(const T& item) const {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    return GetByKey(*key);
  }
  [[nodiscard]] std::optional<T> GetByKey(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    if (policy_->IsExpired(found->second)) {
      Remove(found);
      return std::nullopt;
    }
    return found->second.item;
  }
  // Returns the items that have not expired, in unspecified order.
  [[nodiscard]] std::vector<T> List() const {
    const std::lock_guard lock(mutex_);
    std::vector<T> list;
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (policy_->IsExpired(at->second)) {
        at = Remove(at);
      } else {
        list.push_back(at->second.item);
        ++at;
      }
    }
    return list;
  }
  // Returns the keys of all items, also of those that have expired since the last read.
  [[nodiscard]] std::vector<std::string> ListKeys() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> list;
    list.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) list.push_back(key);
    return list;
  }
  // Returns the version of the last Replace or Bookmark; empty before.
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    const std::lock_guard lock(mutex_);
    return version_;
  }

 private:
  using Entries = std::unordered_map<std::string, TimestampedEntry<T>>;

  typename Entries::iterator Remove(typename Entries::iterator at) const {
    if (deleted_keys_ != nullptr) deleted_keys_->push_back(at->first);
    return entries_.erase(at);
  }

  Env& env_;
  const KeyFunc<T> key_func_;
  const std::shared_ptr<const ExpirationPolicy<T>> policy_;
  std::vector<std::string>* const deleted_keys_;  // guarded by mutex_, as are all members below
  mutable std::mutex mutex_;
  mutable Entries entries_;
  std::string version_;
};

// Returns a cache whose items expire when they are older than `ttl`; 0 or less: never. Counterpart:
// cache.NewTTLStore.
template <class T>
std::unique_ptr<ExpirationCache<T>> NewTTLStore(Env& env, KeyFunc<T> key_func, Duration ttl) {
  return std::make_unique<ExpirationCache<T>>(env, std::move(key_func),
                                              std::make_shared<TTLPolicy<T>>(env, ttl));
}

// Returns a cache for tests: see the parameters of ExpirationCache. Counterpart:
// cache.NewFakeExpirationStore.
template <class T>
std::unique_ptr<ExpirationCache<T>> NewFakeExpirationStore(
    Env& env, KeyFunc<T> key_func, std::vector<std::string>& deleted_keys,
    std::shared_ptr<const ExpirationPolicy<T>> expiration_policy) {
  return std::make_unique<ExpirationCache<T>>(env, std::move(key_func),
                                              std::move(expiration_policy), &deleted_keys);
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_EXPIRATION_CACHE_H_
