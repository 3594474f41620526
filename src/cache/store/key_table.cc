#include "cache/store/key_table.h"

#include <cassert>

#include "base/text/hash_bytes.h"

namespace kinformer::internal::cache {

std::uint32_t HashKey(std::uint64_t seed, std::string_view namespace_, std::string_view name) {
  const std::uint64_t h = base::HashBytes(base::HashBytes(seed, namespace_), name);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

void KeyTable::Insert(std::uint32_t hash, std::uint32_t entry, Link link) {
  for (std::size_t at = hash & mask_;; at = (at + StepOf(hash)) & mask_) {
    Bucket& bucket = buckets_[at];
    const std::uint64_t control = bucket.control.load(std::memory_order_relaxed);
    if (const std::uint64_t free = Equal(control, 0); free != 0) {
      const std::size_t slot = SlotOf(free);
      entries_[at * kStride + slot] = entry;
      // Release, although the control word follows: a reader that loaded an older one may find the
      // tag of a key that was erased from this slot, and follow the new link.
      bucket.links[slot].store(link, std::memory_order_release);
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
