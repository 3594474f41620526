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
  // Marks shards as shared; avoids writing to marked ones, as other threads may copy them.
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
  if (shards_.empty()) shards_.resize(1);
  Shard& shard = shards_[hash & (shards_.size() - 1)];
  if (shard.hashes == nullptr) {
    shard.hashes = std::make_shared<Hashes>();
  } else if (shard.shared) {
    shard.hashes = std::make_shared<Hashes>(*shard.hashes);
  }
  shard.shared = false;
  return *shard.hashes;
}

void KeySet::Grow() {
  constexpr std::size_t kFactor = 4;
  std::vector<Shard> shards(shards_.size() * kFactor);
  for (const Shard& shard : shards_) {
    if (shard.hashes == nullptr) continue;
    // Hashes of a new shard all come from one old shard, so they stay sorted.
    for (const std::uint64_t hash : *shard.hashes) {
      Shard& into = shards[hash & (shards.size() - 1)];
      if (into.hashes == nullptr) into.hashes = std::make_shared<Hashes>();
      into.hashes->push_back(hash);
    }
  }
  shards_ = std::move(shards);
}

bool KeySet::Insert(std::string_view namespace_, std::string_view name) {
  if (Contains(namespace_, name)) return false;
  const std::uint64_t hash = HashOf(namespace_, name);
  Hashes& hashes = Own(hash);
  hashes.insert(std::lower_bound(hashes.begin(), hashes.end(), hash), hash);
  ++size_;
  if (size_ > shards_.size() * kKeysPerShard && shards_.size() < kMostShards) Grow();
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
  const Shard& shard = ShardOf(hash);
  return shard.hashes != nullptr &&
         std::binary_search(shard.hashes->begin(), shard.hashes->end(), hash);
}

}  // namespace kinformer::internal::cache
