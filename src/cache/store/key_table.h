// cache/store/key_table.h
//
// KeyTable: maps the hash of a key to the newest versions of the keys with that hash. Uses open
// addressing with buckets of one cache line: seven links, one byte of each link's hash, and a count
// of keys that overflowed. So a look-up reads the bucket and then the object.
//
// One writer; readers at any time under a ReadGuard. The table does not know keys: callers
// compare them. It has a fixed size: the writer fills a larger table and publishes it instead of
// this one.

#ifndef KINFORMER_CACHE_STORE_KEY_TABLE_H_
#define KINFORMER_CACHE_STORE_KEY_TABLE_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cache/store/version_chain.h"

namespace kinformer::internal::cache {

// Hashes a namespace and a name. Only the low 32 bits are kept per entry, since full keys are
// compared in any case.
std::uint32_t HashKey(std::uint64_t seed, std::string_view namespace_, std::string_view name);

class KeyTable {
 public:
  static constexpr std::size_t kSlots = 7;
  static constexpr std::size_t kNoSlot = SIZE_MAX;

  // `buckets`: a power of two.
  explicit KeyTable(std::size_t buckets)
      : mask_(buckets - 1),
        buckets_(std::make_unique<Bucket[]>(buckets)),
        entries_(std::make_unique<std::uint32_t[]>(buckets * kStride)) {}

  // Number of keys up to which look-ups stay fast.
  [[nodiscard]] std::size_t capacity() const { return CapacityOf(mask_ + 1); }
  static constexpr std::size_t CapacityOf(std::size_t buckets) { return buckets * kSlots * 4 / 5; }
  [[nodiscard]] std::size_t buckets() const { return mask_ + 1; }
  [[nodiscard]] std::size_t bytes() const {
    return (mask_ + 1) * (sizeof(Bucket) + kStride * sizeof(std::uint32_t));
  }

  // Returns the slot of the first link with this hash for which `matches(link)` holds, or kNoSlot.
  // A link may be 0: its key has just been erased.
  template <class Matches>
  [[nodiscard, gnu::always_inline]] std::size_t Find(std::uint32_t hash,
                                                     const Matches& matches) const {
    const std::uint64_t pattern = TagOf(hash) * kOnes;
    std::size_t at = hash & mask_;
    for (std::size_t i = 0; i <= mask_; ++i, at = (at + StepOf(hash)) & mask_) {
      const Bucket& bucket = buckets_[at];
      const std::uint64_t control = bucket.control.load(std::memory_order_acquire);
      for (std::uint64_t hits = Equal(control, pattern); hits != 0; hits &= hits - 1) {
        const std::size_t slot = SlotOf(hits);
        if (matches(bucket.links[slot].load(std::memory_order_acquire))) return at * kStride + slot;
      }
      if ((control & kPassed) == 0) return kNoSlot;
    }
    return kNoSlot;
  }

  // Prefetches the bucket in which Find starts.
  void Prefetch(std::uint32_t hash) const { __builtin_prefetch(&buckets_[hash & mask_]); }

  // ---- Writer only. Slots are results of Find; they are valid until their key is erased.
  [[nodiscard]] std::uint32_t EntryAt(std::size_t slot) const { return entries_[slot]; }
  void PrefetchEntry(std::size_t slot) const { __builtin_prefetch(&entries_[slot]); }
  [[nodiscard]] Link LinkAt(std::size_t slot) const {
    return buckets_[slot / kStride].links[slot % kStride].load(std::memory_order_relaxed);
  }
  void SetLinkAt(std::size_t slot, Link link) {
    buckets_[slot / kStride].links[slot % kStride].store(link, std::memory_order_release);
  }
  // REQUIRES: the table lacks the entry and has fewer than capacity() keys.
  void Insert(std::uint32_t hash, std::uint32_t entry, Link link);
  // REQUIRES: the table has the entry.
  void Erase(std::uint32_t hash, std::uint32_t entry);

 private:
  // Distance between the slot numbers of two adjacent buckets.
  static constexpr std::size_t kStride = 8;
  static constexpr std::uint64_t kOnes = 0x0001010101010101;
  static constexpr std::uint64_t kOnePassed = std::uint64_t{1} << 56;
  static constexpr std::uint64_t kPassed = 0xff * kOnePassed;

  // `control`: seven tags, 0 for an empty slot. The highest byte counts the keys that overflowed
  // this bucket; once it reaches 255 it stays there.
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> control{0};
    std::array<std::atomic<Link>, kSlots> links{};
  };
  static_assert(sizeof(Bucket) == 64);

  static std::uint64_t TagOf(std::uint32_t hash) {
    const std::uint32_t tag = hash >> 24;
    return tag == 0 ? 1 : tag;
  }
  // Odd, so that the probe sequence visits every bucket.
  static std::size_t StepOf(std::uint32_t hash) { return 2 * TagOf(hash) + 1; }
  // Bit 7 of each of the lower seven bytes that is equal in both; exact.
  static std::uint64_t Equal(std::uint64_t tags, std::uint64_t pattern) {
    const std::uint64_t x = tags ^ pattern;
    const std::uint64_t low7 = (x & (0x7f * kOnes)) + 0x7f * kOnes;
    return ~(low7 | x) & (0x80 * kOnes);
  }
  static std::size_t SlotOf(std::uint64_t hits) {
    return static_cast<std::size_t>(std::countr_zero(hits)) / 8;
  }

  std::size_t mask_;
  std::unique_ptr<Bucket[]> buckets_;
  // Entry of each slot. Separate from the links, so that readers do not load it.
  std::unique_ptr<std::uint32_t[]> entries_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_KEY_TABLE_H_
