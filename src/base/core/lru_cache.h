// base/core/lru_cache.h

#ifndef KINFORMER_BASE_CORE_LRU_CACHE_H_
#define KINFORMER_BASE_CORE_LRU_CACHE_H_

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kinformer::internal::base {

// A map with a maximum number of entries, which removes the least recently used one.
// Thread-compatible.
template <class Value>
class LruCache {
 public:
  // `capacity` is at least 1.
  explicit LruCache(std::size_t capacity) : capacity_(capacity) {}

  // Returns null if the key is absent. The pointer is valid until the next Put.
  Value* Find(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }
  Value& Put(const std::string& key, Value value) {
    if (Value* const there = Find(key)) return *there = std::move(value);
    if (entries_.size() >= capacity_) {
      by_key_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, std::move(value));
    by_key_.emplace(entries_.front().first, entries_.begin());
    return entries_.front().second;
  }

  void Erase(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    const auto entry = found->second;
    by_key_.erase(found);
    entries_.erase(entry);
  }
  // Calls `visit(key, value)` for each entry, which must not put or erase any.
  template <class Visit>
  void ForEach(const Visit& visit) {
    for (auto& [key, value] : entries_) visit(key, value);
  }

 private:
  using Entries = std::list<std::pair<const std::string, Value>>;

  const std::size_t capacity_;
  Entries entries_;  // most recently used first
  // Keys refer to the entries.
  std::unordered_map<std::string_view, typename Entries::iterator> by_key_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_LRU_CACHE_H_
