#include "cache/store/key_set.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace kinformer::internal::cache {
namespace {

std::uint64_t HashOf(std::string_view namespace_, std::string_view name) {
  const std::hash<std::string_view> hash;
  std::uint64_t mixed = hash(namespace_) * 0x9E3779B97F4A7C15U ^ hash(name);
  mixed ^= mixed >> 32;
  mixed *= 0xD6E8FEB86659FD93U;
  return mixed ^ mixed >> 32;
}

}  // namespace

KeySet::KeySet(const KeySet& other) { *this = other; }

KeySet& KeySet::operator=(const KeySet& other) {
  if (this == &other) return *this;
  // What a copy has is so marked already.
  for (const Shard& shard : other.shards_) {
    if (!shard.shared) shard.shared = true;
  }
  shards_ = other.shards_;
  size_ = other.size_;
  return *this;
}

KeySet::KeySet(KeySet&& other) noexcept
    : shards_(std::move(other.shards_)), size_(std::exchange(other.size_, 0)) {}

KeySet& KeySet::operator=(KeySet&& other) noexcept {
  shards_ = std::move(other.shards_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

KeySet::Hashes& KeySet::Own(std::uint64_t hash) {
  if (shards_.empty()) shards_.resize(kShards);
  Shard& shard = shards_[hash % kShards];
  if (shard.hashes == nullptr) {
    shard.hashes = std::make_shared<Hashes>();
  } else if (shard.shared) {
    shard.hashes = std::make_shared<Hashes>(*shard.hashes);
  }
  shard.shared = false;
  return *shard.hashes;
}

bool KeySet::Insert(std::string_view namespace_, std::string_view name) {
  if (Contains(namespace_, name)) return false;
  const std::uint64_t hash = HashOf(namespace_, name);
  Hashes& hashes = Own(hash);
  hashes.insert(std::lower_bound(hashes.begin(), hashes.end(), hash), hash);
  ++size_;
  return true;
}

bool KeySet::Erase(std::string_view namespace_, std::string_view name) {
  if (!Contains(namespace_, name)) return false;
  const std::uint64_t hash = HashOf(namespace_, name);
  Hashes& hashes = Own(hash);
  hashes.erase(std::lower_bound(hashes.begin(), hashes.end(), hash));
  if (--size_ == 0) shards_.clear();
  return true;
}

bool KeySet::Contains(std::string_view namespace_, std::string_view name) const {
  if (empty()) return false;
  const std::uint64_t hash = HashOf(namespace_, name);
  const Shard& shard = shards_[hash % kShards];
  return shard.hashes != nullptr &&
         std::binary_search(shard.hashes->begin(), shard.hashes->end(), hash);
}

}  // namespace kinformer::internal::cache
