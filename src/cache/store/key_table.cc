#include "cache/store/key_table.h"

#include <cassert>
#include <cstring>

namespace kinformer::internal::cache {

namespace {

__extension__ using Uint128 = unsigned __int128;

std::uint64_t Fold(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Odd constants with about as many ones as zeros.
constexpr std::uint64_t kMixA = 0xd6e8feb86659fd93;
constexpr std::uint64_t kMixB = 0xa0761d6478bd642f;

}  // namespace

std::uint64_t HashBytes(std::uint64_t seed, std::string_view bytes) {
  std::uint64_t h = seed ^ Fold(bytes.size() ^ kMixA, kMixB);
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  // Little and big endian give different hashes; nothing keeps them beyond the process.
  while (left > 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    h = Fold(h ^ word, kMixA);
    p += 8;
    left -= 8;
  }
  std::uint64_t word = 0;
  if (left != 0) std::memcpy(&word, p, left);
  return Fold(h ^ word, kMixB ^ h);
}

std::uint32_t HashKey(std::uint64_t seed, std::string_view namespace_, std::string_view name) {
  const std::uint64_t h = HashBytes(HashBytes(seed, namespace_), name);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

void KeyTable::Insert(std::uint32_t hash, std::uint32_t entry) {
  const std::uint64_t pattern = TagOf(hash);
  for (std::size_t at = hash & mask_;; at = (at + StepOf(hash)) & mask_) {
    Bucket& bucket = buckets_[at];
    const std::uint64_t low = bucket.low_tags.load(std::memory_order_relaxed);
    if (const std::uint64_t free = Equal(low, 0); free != 0) {
      const std::size_t slot = SlotOf(free);
      bucket.entries[slot].store(entry, std::memory_order_relaxed);
      bucket.low_tags.store(low | (pattern << (8 * slot)), std::memory_order_release);
      return;
    }
    const std::uint64_t high = bucket.high_tags.load(std::memory_order_relaxed);
    if (const std::uint64_t free = Equal(high, 0) & kHighTags; free != 0) {
      const std::size_t slot = SlotOf(free);
      bucket.entries[8 + slot].store(entry, std::memory_order_relaxed);
      bucket.high_tags.store(high | (pattern << (8 * slot)), std::memory_order_release);
      return;
    }
    bucket.high_tags.store(high + kOneOverflow, std::memory_order_release);
  }
}

void KeyTable::Erase(std::uint32_t hash, std::uint32_t entry) {
  const std::uint64_t pattern = TagOf(hash) * kOnes;
  for (std::size_t at = hash & mask_;; at = (at + StepOf(hash)) & mask_) {
    Bucket& bucket = buckets_[at];
    const std::uint64_t low = bucket.low_tags.load(std::memory_order_relaxed);
    for (std::uint64_t hits = Equal(low, pattern); hits != 0; hits &= hits - 1) {
      const std::size_t slot = SlotOf(hits);
      if (bucket.entries[slot].load(std::memory_order_relaxed) != entry) continue;
      bucket.low_tags.store(low & ~(std::uint64_t{0xff} << (8 * slot)), std::memory_order_release);
      return;
    }
    const std::uint64_t high = bucket.high_tags.load(std::memory_order_relaxed);
    for (std::uint64_t hits = Equal(high, pattern) & kHighTags; hits != 0; hits &= hits - 1) {
      const std::size_t slot = SlotOf(hits);
      if (bucket.entries[8 + slot].load(std::memory_order_relaxed) != entry) continue;
      bucket.high_tags.store(high & ~(std::uint64_t{0xff} << (8 * slot)),
                             std::memory_order_release);
      return;
    }
    assert((high >> 32) != 0 && "the entry is in the table");
    bucket.high_tags.store(high - kOneOverflow, std::memory_order_release);
  }
}

}  // namespace kinformer::internal::cache
