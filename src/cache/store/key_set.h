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

// A value: a copy costs microseconds, shares what it holds, and never changes by what happens to
// the other. Copies are made where it is written; of a copy, any thread may make more. Different
// copies may be used by different threads at once. Keys are known by a hash of 64 bits: of a
// million, two are taken for one with a probability of 1 in 10^7.
class KeySet {
 public:
  KeySet() = default;
  KeySet(const KeySet& other);
  KeySet& operator=(const KeySet& other);
  KeySet(KeySet&& other) noexcept;
  KeySet& operator=(KeySet&& other) noexcept;
  ~KeySet() = default;

  // False: it was there already; it was not.
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
    // A copy of the set has them, too: they are not to be changed.
    mutable bool shared = false;
  };
  // Many, so that a write to a shared set copies little; few of a small set.
  static constexpr std::size_t kMostShards = 1024;
  static constexpr std::size_t kKeysPerShard = 64;

  [[nodiscard]] const Shard& ShardOf(std::uint64_t hash) const {
    return shards_[hash & (shards_.size() - 1)];
  }
  // Nobody else's from then on.
  Hashes& Own(std::uint64_t hash);
  void Grow();

  std::vector<Shard> shards_{};  // none, or a power of two
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_KEY_SET_H_
