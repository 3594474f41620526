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

// Odd, with about as many ones as zeros.
constexpr std::uint64_t kMix = 0xd6e8feb86659fd93;

template <std::size_t kBytes>
std::uint64_t Load(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, kBytes);
  return word;
}

}  // namespace

std::uint64_t HashBytes(std::uint64_t seed, std::string_view bytes) {
  // Little and big endian give different hashes; nothing keeps them beyond the process. Both
  // factors of each product depend on the seed, so that nobody can choose bytes that make one zero.
  const std::uint64_t other = seed ^ kMix;
  std::uint64_t h = seed ^ (bytes.size() * kMix);
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 16; p += 16, left -= 16) h = Fold(Load<8>(p) ^ other, Load<8>(p + 8) ^ h);
  // What is left is read as two words that may overlap.
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {
    a = Load<8>(p);
    b = Load<8>(p + left - 8);
  } else if (left >= 4) {
    a = Load<4>(p);
    b = Load<4>(p + left - 4);
  } else if (left > 0) {
    a = Load<1>(p) | Load<1>(p + left / 2) << 8 | Load<1>(p + left - 1) << 16;
  }
  return Fold(a ^ other, b ^ h);
}

std::uint32_t HashKey(std::uint64_t seed, std::string_view namespace_, std::string_view name) {
  const std::uint64_t h = HashBytes(HashBytes(seed, namespace_), name);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

void KeyTable::Insert(std::uint32_t hash, std::uint32_t entry, Link link) {
  for (std::size_t at = hash & mask_;; at = (at + StepOf(hash)) & mask_) {
    Bucket& bucket = buckets_[at];
    const std::uint64_t control = bucket.control.load(std::memory_order_relaxed);
    if (const std::uint64_t free = Equal(control, 0); free != 0) {
      const std::size_t slot = SlotOf(free);
      entries_[at * kStride + slot] = entry;
      bucket.links[slot].store(link, std::memory_order_relaxed);
      bucket.control.store(control | (TagOf(hash) << (8 * slot)), std::memory_order_release);
      return;
    }
    if ((control & kPassed) != kPassed) {
      bucket.control.store(control + kOnePassed, std::memory_order_release);
    }
  }
}

void KeyTable::Erase(std::uint32_t hash, std::uint32_t entry) {
  const std::uint64_t pattern = TagOf(hash) * kOnes;
  for (std::size_t at = hash & mask_;; at = (at + StepOf(hash)) & mask_) {
    Bucket& bucket = buckets_[at];
    const std::uint64_t control = bucket.control.load(std::memory_order_relaxed);
    for (std::uint64_t hits = Equal(control, pattern); hits != 0; hits &= hits - 1) {
      const std::size_t slot = SlotOf(hits);
      if (entries_[at * kStride + slot] != entry) continue;
      bucket.links[slot].store(0, std::memory_order_release);
      bucket.control.store(control & ~(std::uint64_t{0xff} << (8 * slot)),
                           std::memory_order_release);
      return;
    }
    assert((control & kPassed) != 0 && "the entry is in the table");
    if ((control & kPassed) != kPassed) {
      bucket.control.store(control - kOnePassed, std::memory_order_release);
    }
  }
}

}  // namespace kinformer::internal::cache
