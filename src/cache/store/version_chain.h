// cache/store/version_chain.h
//
// The versions of one key, newest first, linked through the blocks (Block::store_link). Where the
// key was deleted, a Tombstone stands in the chain. A Link is one word: a Block*, or a Tombstone*
// with the lowest bit set, or 0 at the end.

#ifndef KINFORMER_CACHE_STORE_VERSION_CHAIN_H_
#define KINFORMER_CACHE_STORE_VERSION_CHAIN_H_

#include <atomic>
#include <cstdint>
#include <string_view>

#include "kinformer/internal/block.h"

namespace kinformer::internal::cache {

using Link = std::uintptr_t;

struct Tombstone {
  std::uint64_t version = 0;
  std::atomic<Link> previous{0};
};

inline bool IsTombstone(Link link) { return (link & 1) != 0; }
inline bool IsBlock(Link link) { return link != 0 && (link & 1) == 0; }
inline Link LinkTo(const Block* block) { return reinterpret_cast<Link>(block); }
inline Link LinkTo(const Tombstone* tombstone) { return reinterpret_cast<Link>(tombstone) | 1; }
inline const Block* BlockOf(Link link) { return reinterpret_cast<const Block*>(link); }
inline Tombstone* TombstoneOf(Link link) { return reinterpret_cast<Tombstone*>(link & ~Link{1}); }

// REQUIRES: link is not 0, here and in the next two functions.
inline std::uint64_t VersionOf(Link link) {
  return IsTombstone(link) ? TombstoneOf(link)->version
                           : BlockOf(link)->store_link().version.load(std::memory_order_relaxed);
}
inline Link PreviousOf(Link link) {
  return IsTombstone(link)
             ? TombstoneOf(link)->previous.load(std::memory_order_acquire)
             : LinkTo(BlockOf(link)->store_link().previous.load(std::memory_order_acquire));
}
inline void SetPrevious(Link link, Link previous) {
  if (IsTombstone(link)) {
    TombstoneOf(link)->previous.store(previous, std::memory_order_release);
  } else {
    BlockOf(link)->store_link().previous.store(BlockOf(previous), std::memory_order_release);
  }
}

// Returns whether the chain has an object at any version.
inline bool HasBlock(Link link) {
  while (IsTombstone(link)) link = PreviousOf(link);
  return link != 0;
}

// Prefetches header and key of a block together. A tombstone is small, and rare.
inline void PrefetchKey(Link link) { BlockOf(link & ~Link{1})->PrefetchKey(); }

// Compares as many bytes as the wanted key has. Their number does not depend on the block, which is
// slow to load.
inline bool IsKeyOf(const Block& block, std::string_view namespace_, std::string_view name) {
  const std::string_view block_name = block.name();
  const std::string_view block_namespace = block.namespace_();
  return block_name.size() == name.size() && block_namespace.size() == namespace_.size() &&
         name == std::string_view(block_name.data(), name.size()) &&
         namespace_ == std::string_view(block_namespace.data(), namespace_.size());
}

// Returns the block that a reader at `version` sees, or null.
inline const Block* VisibleAt(Link head, std::uint64_t version) {
  while (head != 0 && VersionOf(head) > version) head = PreviousOf(head);
  return IsBlock(head) ? BlockOf(head) : nullptr;
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_VERSION_CHAIN_H_
