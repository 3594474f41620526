// cache/store/key_table.h
//
// KeyTable: from the hash of a key to the entries that may be it. Open addressing in buckets of one
// cache line: twelve entry numbers, a byte of each one's hash, and how many keys have had to go on
// to a further bucket.
//
// One writer; readers at any time under a ReadGuard. The table does not know keys: the caller
// compares them. It does not grow either: the writer makes a larger one, fills it, and publishes it
// in this one's place.

#ifndef KINFORMER_CACHE_STORE_KEY_TABLE_H_
#define KINFORMER_CACHE_STORE_KEY_TABLE_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kinformer::internal::cache {

// Of namespace and name; only the low 32 bits are kept per entry, since full keys are compared
// anyhow.
std::uint32_t HashKey(std::uint64_t seed, std::string_view namespace_, std::string_view name);
std::uint64_t HashBytes(std::uint64_t seed, std::string_view bytes);

class KeyTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kSlots = 12;

  // `buckets`: a power of two.
  explicit KeyTable(std::size_t buckets)
      : mask_(buckets - 1), buckets_(std::make_unique<Bucket[]>(buckets)) {}

  // How many keys it takes before look-ups become slow.
  [[nodiscard]] std::size_t capacity() const { return CapacityOf(mask_ + 1); }
  static constexpr std::size_t CapacityOf(std::size_t buckets) { return buckets * kSlots * 4 / 5; }
  [[nodiscard]] std::size_t buckets() const { return mask_ + 1; }
  [[nodiscard]] std::size_t bytes() const { return (mask_ + 1) * sizeof(Bucket); }

  // The first entry under the hash for which `matches(entry)` holds; kNone if none does.
  template <class Matches>
  [[nodiscard]] std::uint32_t Find(std::uint32_t hash, const Matches& matches) const {
    const std::uint64_t pattern = TagOf(hash) * kOnes;
    std::size_t at = hash & mask_;
    for (std::size_t i = 0; i <= mask_; ++i, at = (at + StepOf(hash)) & mask_) {
      const Bucket& bucket = buckets_[at];
      for (std::uint64_t hits = Equal(bucket.low_tags.load(std::memory_order_acquire), pattern);
           hits != 0; hits &= hits - 1) {
        const std::uint32_t entry = bucket.entries[SlotOf(hits)].load(std::memory_order_relaxed);
        if (matches(entry)) return entry;
      }
      const std::uint64_t high = bucket.high_tags.load(std::memory_order_acquire);
      for (std::uint64_t hits = Equal(high, pattern) & kHighTags; hits != 0; hits &= hits - 1) {
        const std::uint32_t entry =
            bucket.entries[8 + SlotOf(hits)].load(std::memory_order_relaxed);
        if (matches(entry)) return entry;
      }
      if ((high >> 32) == 0) return kNone;
    }
    return kNone;
  }

  // Where Find will look first is fetched into the processor's cache.
  void Prefetch(std::uint32_t hash) const { __builtin_prefetch(&buckets_[hash & mask_]); }

  // REQUIRES: the entry is not in it; fewer than capacity() are. Writer only, as the next.
  void Insert(std::uint32_t hash, std::uint32_t entry);
  // REQUIRES: it is in it.
  void Erase(std::uint32_t hash, std::uint32_t entry);

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101;
  static constexpr std::uint64_t kHighTags = 0xffffffff;
  static constexpr std::uint64_t kOneOverflow = std::uint64_t{1} << 32;

  // Tag 0 means an empty slot. high_tags: four tags below, above them the number of keys that went
  // past this bucket.
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> low_tags{0};
    std::atomic<std::uint64_t> high_tags{0};
    std::array<std::atomic<std::uint32_t>, kSlots> entries{};
  };

  static std::uint64_t TagOf(std::uint32_t hash) {
    const std::uint32_t tag = hash >> 24;
    return tag == 0 ? 1 : tag;
  }
  // Odd, so that the probe sequence visits every bucket.
  static std::size_t StepOf(std::uint32_t hash) { return 2 * TagOf(hash) + 1; }
  // Bit 7 of each byte that is equal in both; exact.
  static std::uint64_t Equal(std::uint64_t tags, std::uint64_t pattern) {
    const std::uint64_t x = tags ^ pattern;
    const std::uint64_t low7 = (x & (0x7f * kOnes)) + 0x7f * kOnes;
    return ~(low7 | x | (0x7f * kOnes));
  }
  static std::size_t SlotOf(std::uint64_t hits) {
    return static_cast<std::size_t>(std::countr_zero(hits)) / 8;
  }

  std::size_t mask_;
  std::unique_ptr<Bucket[]> buckets_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_KEY_TABLE_H_
