// cache/store/key_set.h
//
// KeySet: keys of objects that a store does not hold, at eight bytes each.

#ifndef KINFORMER_CACHE_STORE_KEY_SET_H_
#define KINFORMER_CACHE_STORE_KEY_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kinformer::internal::cache {

// A value type: a copy costs microseconds, shares memory, and is not affected by changes to the
// other. The writer makes the first copies; any thread may copy a copy. Different copies may be
// used by different threads at once. Keys are compared by a 64-bit hash: among a million keys, two
// are confused with a probability of 1 in 10^7.
class KeySet {
 public:
  KeySet() = default;
  KeySet(const KeySet& other);
  KeySet& operator=(const KeySet& other);
  KeySet(KeySet&& other) noexcept;
  KeySet& operator=(KeySet&& other) noexcept;
  ~KeySet() = default;

  // Returns false if the key was there already (Insert) or was not there (Erase).
  bool Insert(std::string_view namespace_, std::string_view name);
  bool Erase(std::string_view namespace_, std::string_view name);
  [[nodiscard]] bool Contains(std::string_view namespace_, std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  // Sorted.
  using Hashes = std::vector<std::uint64_t>;
  struct Shard {
    std::shared_ptr<Hashes> hashes{};
    // True if a copy of the set has the same hashes: they must not be changed.
    mutable bool shared = false;
  };
  // Many shards, so that a write to a shared set copies little; a small set has few.
  static constexpr std::size_t kMostShards = 1024;
  static constexpr std::size_t kKeysPerShard = 64;

  [[nodiscard]] const Shard& ShardOf(std::uint64_t hash) const {
    return shards_[hash & (shards_.size() - 1)];
  }
  // Returns the shard's hashes, copied first if they are shared.
  Hashes& Own(std::uint64_t hash);
  void Grow();

  std::vector<Shard> shards_{};  // empty, or a power of two in number
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_KEY_SET_H_
